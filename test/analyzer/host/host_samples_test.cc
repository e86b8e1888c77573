// SPDX-License-Identifier: Apache-2.0
//
// Where the host was while the GPU waited for it: from planted samples to findings and lines.
#include "lib/analyzer/timeline/host_samples.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "lib/analyzer/base/statistics.h"
#include "lib/report/json.h"
#include "lib/report/text/details/lines_detail.h"
#include "prof/analyzer.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/host_samples.h"
#include "test/support/python_stacks.h"
#include "test/support/snapshot_builder.h"

namespace prof::host_samples_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::PythonStacks;
using test::SnapshotBuilder;

constexpr int64_t kMs = 1'000'000;
constexpr char kJson[] = "/usr/lib/python3.11/json/decoder.py";

// Ten kernels of 1 ms with 4 ms of host work before each but the first.
struct Program {
  Program() {
    for (int64_t i = 0; i < kKernels; ++i) {
      const int64_t start_ns = GapStart(i) - kMs;
      Launch how;
      how.api_start_ns = start_ns - 5'000;
      how.api_end_ns = start_ns - 2'000;
      python.of_call[b.Kernel(gemm, "", start_ns, start_ns + kMs, how)] = launch;
    }
    b.edit = [this](wire::Block& block) {
      python.AddTo(&block);
      test::AddHostSamples(samples, &block);
    };
  }
  static constexpr int64_t kKernels = 10;
  static int64_t GapStart(int64_t gap) { return 10 * kMs + gap * 5 * kMs + kMs; }

  // Four samples in each of these gaps: three in json.loads, and one that sleeps.
  void FillGaps(int64_t first, int64_t end) {
    for (int64_t gap = first; gap < end; ++gap) {
      for (int64_t i = 0; i < 3; ++i) {
        samples.push_back({GapStart(gap) + (i + 1) * 500'000, loads});
      }
      samples.push_back(
          {GapStart(gap) + 3 * kMs, sleep, wire::HOST_SAMPLE_STACK, wire::HOST_STATE_SLEEP});
    }
  }

  SnapshotBuilder b;
  PythonStacks python;
  uint32_t gemm = b.Shape("gemm", {132}, {256});
  uint32_t module = python.Stack(0, "<module>", "/app/train.py", 3);
  uint32_t launch = python.Stack(module, "step", "/app/train.py", 20);
  uint32_t next = python.Stack(module, "next_batch", "/app/data.py", 41);
  uint32_t loads = python.Stack(next, "raw_decode", kJson, 353);
  uint32_t sleep = python.Stack(module, "pause", "/app/train.py", 55);
  std::vector<test::PlantedSample> samples;
};

const Finding* FindingOf(const Report& report, const std::string& title) {
  for (const Finding& finding : report.findings) {
    if (finding.title.find(title) != std::string::npos) return &finding;
  }
  return nullptr;
}

std::string Evidence(const Report& report) {
  const Finding* const finding = FindingOf(report, "host works outside CUDA");
  REQUIRE(finding != nullptr);
  std::string all;
  for (const std::string& line : finding->evidence) all += line + "\n";
  return all;
}

const LineReport* LineOf(const std::vector<LineReport>& lines, uint32_t line) {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [line](const LineReport& at) { return at.line == line; });
  return found != lines.end() ? &*found : nullptr;
}

TEST_CASE("Wilson's interval of 24 of 32 goes from 58 to 87 %") {
  const analyzer::ShareInterval interval = analyzer::WilsonInterval(24, 32);
  CHECK(interval.low == Approx(0.579).margin(0.001));
  CHECK(interval.high == Approx(0.867).margin(0.001));
}

TEST_CASE("The finding names the own line with most samples, and the library's line in it") {
  Program program;
  program.FillGaps(0, 8);
  const std::string evidence = Evidence(Analyze(program.b.Snapshot()));
  CHECK_THAT(evidence, Contains("32 samples of the host in 8 of 9 gaps"));
  CHECK_THAT(evidence, Contains("75 % (58 to 87 %) of the samples: the host was at "
                                "/app/data.py:41 next_batch, in " +
                                std::string(kJson) + ":353 raw_decode, running"));
  CHECK_THAT(evidence, Contains("25 % (13 to 42 %) of the samples: the host was at "
                                "/app/train.py:55 pause, sleeping"));
}

TEST_CASE("Samples of other threads and of other times are in no gap") {
  Program program;
  program.FillGaps(0, 8);
  const size_t in_gaps = program.samples.size();
  for (size_t i = 0; i < in_gaps; ++i) {
    test::PlantedSample other = program.samples[i];
    other.time_ns = Program::GapStart(static_cast<int64_t>(i) / 4) - kMs / 2;  // the GPU is busy
    program.samples.push_back(other);
    other = program.samples[i];
    other.thread = 2;
    program.samples.push_back(other);
  }
  program.b.Api("cudaEventRecord", 1, 2, 77);
  const Report report = Analyze(program.b.Snapshot());
  REQUIRE(report.error.empty());
  CHECK(report.lines.host_idle.samples == 32);
}

TEST_CASE("Samples without a stack count, and are named") {
  Program program;
  program.FillGaps(0, 4);
  for (const wire::HostSampleKind kind : {wire::HOST_SAMPLE_NATIVE, wire::HOST_SAMPLE_TORN,
                                          wire::HOST_SAMPLE_TORN, wire::HOST_SAMPLE_UNREAD}) {
    for (int64_t gap = 4; gap < 8; ++gap) {
      program.samples.push_back({Program::GapStart(gap) + kMs, 0, kind});
    }
  }
  const Report report = Analyze(program.b.Snapshot());
  const HostIdleReport& idle = report.lines.host_idle;
  CHECK(idle.samples == 32);
  CHECK(idle.native == 4);
  CHECK(idle.torn == 8);
  CHECK(idle.unread == 4);
  const LineReport* const line = LineOf(report.lines.own, 41);
  REQUIRE(line != nullptr);
  CHECK(line->host_share == 12.0 / 32);
  CHECK_THAT(Evidence(report), Contains("4 without Python frames; 8 torn"));
}

TEST_CASE("Fewer than 20 samples name no line") {
  Program program;
  program.FillGaps(0, 4);
  const Report report = Analyze(program.b.Snapshot());
  CHECK(report.lines.host_idle.samples == 16);
  CHECK_FALSE(report.lines.host_idle.enough);
  const std::string evidence = Evidence(report);
  CHECK_THAT(evidence, Contains("too few to name lines (20 are needed)"));
  CHECK_THAT(evidence, !Contains("data.py"));
  CHECK(LineOf(report.lines.own, 41) == nullptr);
  program.FillGaps(4, 5);
  CHECK(Analyze(program.b.Snapshot()).lines.host_idle.enough);
}

TEST_CASE("The lines have the sampled idle time by the share of their samples") {
  Program program;
  program.FillGaps(0, 8);
  const Report report = Analyze(program.b.Snapshot());
  const HostIdleReport& idle = report.lines.host_idle;
  CHECK(idle.recorded);
  CHECK(idle.gaps == 9);
  CHECK(idle.sampled_gaps == 8);
  CHECK(idle.idle_ns == 36.0 * kMs);
  CHECK(idle.sampled_ns == 32.0 * kMs);
  const LineReport* const data = LineOf(report.lines.own, 41);
  REQUIRE(data != nullptr);
  CHECK(data->file == "/app/data.py");
  CHECK(data->operations == 0);
  CHECK(data->host_samples == 24);
  CHECK(data->host_idle_ns == 24.0 * kMs);
  CHECK(data->host_share_low < 0.75);
  CHECK(data->host_share_high > 0.75);
  const LineReport* const decoder = LineOf(report.lines.all, 353);
  REQUIRE(decoder != nullptr);
  CHECK(decoder->host_idle_ns == 24.0 * kMs);
  const LineReport* const launches = LineOf(report.lines.own, 20);
  REQUIRE(launches != nullptr);
  CHECK(launches->host_samples == 0);
  CHECK(launches->time_ns == 10.0 * kMs);
  double sum_ns = 0;
  for (const LineReport& line : report.lines.own) sum_ns += line.host_idle_ns;
  CHECK(sum_ns == Approx(idle.sampled_ns));
}

TEST_CASE("All idle time before a line is charged as the samples of it are") {
  Program program;
  program.FillGaps(0, 8);  // the last gap has no sample
  const std::vector<LineReport> own = Analyze(program.b.Snapshot()).lines.own;
  const LineReport* const data = LineOf(own, 41);
  REQUIRE(data != nullptr);
  CHECK(data->idle_ns == Approx(27.0 * kMs));
  CHECK(own.front().line == 41);  // of all its time
  double sum_ns = 0;
  for (const LineReport& line : own) sum_ns += line.idle_ns;
  CHECK(sum_ns == Approx(36.0 * kMs));
}

TEST_CASE("With too few samples idle time is charged to the launches that came late") {
  Program program;
  program.FillGaps(0, 4);
  const std::vector<LineReport> own = Analyze(program.b.Snapshot()).lines.own;
  const LineReport* const launches = LineOf(own, 20);
  REQUIRE(launches != nullptr);
  CHECK(launches->idle_ns == 36.0 * kMs);
}

TEST_CASE("The report by line shows the idle time beside the GPU time, also in JSON") {
  Program program;
  program.FillGaps(0, 8);
  const Report report = Analyze(program.b.Snapshot());
  std::ostringstream text, json;
  REQUIRE(WriteLinesDetail(text, report, {}));
  CHECK_THAT(text.str(), Contains("of idle, %"));
  CHECK_THAT(text.str(), Contains("75 (58-87)"));
  CHECK_THAT(text.str(), Contains("The GPU waited for the host for 36.0 ms in 9 gaps"));
  WriteJson(json, report);
  CHECK_THAT(json.str(), Contains("\"host_idle_ns\": 24000000.0"));
  CHECK_THAT(json.str(), Contains("\"sampled_gaps\": 8"));
}

TEST_CASE("A recording without host samples has no columns and no evidence of them") {
  Program program;
  const Report report = Analyze(program.b.Snapshot());
  CHECK_FALSE(report.lines.host_idle.recorded);
  CHECK_THAT(Evidence(report), !Contains("of the host in"));
  std::ostringstream text, json;
  REQUIRE(WriteLinesDetail(text, report, {}));
  CHECK_THAT(text.str(), !Contains("of idle, %"));
  WriteJson(json, report);
  CHECK_THAT(json.str(), Contains("\"host_idle\": null"));
  CHECK_THAT(json.str(), Contains("\"host_share\": null"));
}

TEST_CASE("Damaged host samples end the recording there") {
  for (const int what : {0, 1, 2, 3, 4}) {
    Program program;
    program.FillGaps(0, 8);
    program.b.edit = [&](wire::Block& block) {
      program.python.AddTo(&block);
      test::AddHostSamples(program.samples, &block);
      wire::HostSampleColumns& columns = *block.mutable_host_samples();
      if (what == 0) columns.set_thread(1, 99);
      if (what == 1) columns.set_stack_delta(1, 99);
      if (what == 2) columns.set_stack_delta(1, -99);
      if (what == 3) columns.add_kind(wire::HOST_SAMPLE_TORN);
      if (what == 4) columns.set_time_delta_ns(1, INT64_MAX);
    };
    const Report report = Analyze(program.b.Snapshot());
    INFO(what);
    CHECK((report.error + report.incomplete) != "");
    CHECK_FALSE(report.lines.host_idle.recorded);
  }
}

TEST_CASE("Kinds and states of a newer version are unknown") {
  Program program;
  program.FillGaps(0, 8);
  program.b.edit = [&](wire::Block& block) {
    program.python.AddTo(&block);
    test::AddHostSamples(program.samples, &block);
    block.mutable_host_samples()->set_kind(0, static_cast<wire::HostSampleKind>(77));
    block.mutable_host_samples()->set_state(0, static_cast<wire::HostState>(77));
  };
  const Report report = Analyze(program.b.Snapshot());
  CHECK(report.error.empty());
  CHECK(report.lines.host_idle.samples == 32);
}

}  // namespace
}  // namespace prof::host_samples_test
