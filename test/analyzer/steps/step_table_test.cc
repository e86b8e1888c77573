// SPDX-License-Identifier: Apache-2.0
//
// Steps one by one: their times, what is left out, and what the long ones have more of.
#include <algorithm>
#include <functional>
#include <string>

#include "prof/analyzer.h"
#include "test/analyzer/steps/planted_steps.h"
#include "test/support/catch.h"

namespace prof::test::step_table_test {
namespace {

// One kernel a step, that the host waits for.
void Plain(PlantedSteps* p, double more_host_us = 0) {
  if (more_host_us > 0) p->Range("logging", 0, more_host_us);
  p->Step(more_host_us + 950);
  p->Kernel("gemm", more_host_us + 10, more_host_us + 16, more_host_us + 916);
  p->SyncStream(more_host_us + 20, more_host_us + 920);
}

TEST_CASE("A step lasts from the end of the work before to the end of its own") {
  PlantedSteps p;
  p.Plant([&](int step) {
    Plain(&p);
    p.builder.Allocate(0x1000 * static_cast<uint64_t>(step + 1), 4096, "", p.At(930));
  });
  const StepsReport steps = p.Analyzed();
  CHECK(steps.missing.empty());
  CHECK_THAT(steps.range, Catch::Contains("step *"));
  REQUIRE(steps.steps.size() == kPlantedSteps);
  CHECK(steps.steps[0].left_out == "no step before it");
  const StepReport& step = steps.steps[3];
  CHECK(step.name == "step 3");
  CHECK(step.left_out.empty());
  CHECK(step.duration_ns == 1e6);
  CHECK(step.busy_ns == 900e3);
  CHECK(step.idle_ns == 100e3);
  CHECK(step.host_ns == 1e6);
  CHECK(step.blocked_ns == 904e3);  // the wait, and cudaMalloc
  CHECK(step.operations == 1);
  CHECK(step.allocated_bytes == 4096);
  CHECK_FALSE(step.outlier);
  CHECK(steps.counted == kPlantedSteps - 1);
  CHECK(steps.duration_ns.median == 1e6);
  CHECK(steps.p90_ns == std::nullopt);  // of nine steps
  CHECK(steps.first_ns == std::nullopt);
}

TEST_CASE("A step that takes longer has the cause of its idle time as what it has more of") {
  PlantedSteps p(4'000);
  p.Plant([&](int step) { Plain(&p, step == 6 ? 2'000 : 0); });
  const StepsReport steps = p.Analyzed();
  const StepReport& slow = steps.steps[6];
  CHECK(slow.duration_ns == 6e6);
  CHECK(slow.surplus.what == "idle: host-work");
  CHECK(slow.surplus.time_ns == 2e6);
  CHECK(steps.steps[5].surplus.what.empty());
}

TEST_CASE("A step of more than twice the median is an outlier, one below is not") {
  for (const double more_us : {900.0, 1'100.0}) {
    PlantedSteps p(1'000);
    double late_us = 0;
    p.Plant([&](int step) {
      const double longer = step == 6 ? more_us : 0;
      p.Step(late_us + longer + 950);
      p.Kernel("gemm", late_us + 10, late_us + 16, late_us + 916 + longer);
      p.SyncStream(late_us + 20, late_us + 920 + longer);
      late_us += longer;
    });
    const StepsReport steps = p.Analyzed();
    INFO(more_us);
    CHECK(steps.steps[6].outlier == (more_us > 1'000));
    CHECK(steps.steps[6].surplus.what == "kernels: not-measured");
    CHECK(steps.steps[6].surplus.time_ns == Approx(more_us * 1e3));
  }
}

TEST_CASE("A step that prof disturbed is marked, and is in no statistic and on no path") {
  PlantedSteps p;
  p.Plant([&](int step) {
    const double held = step == 4 ? 400 : 0;
    if (held > 0) p.builder.Profiler(model::ProfilerWork::kRotate, p.At(5), p.At(5 + held));
    p.Step(960);
    p.Kernel("gemm", 10 + held, 16 + held, 316 + held);
    p.SyncStream(20 + held, 320 + held);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(steps.steps[4].left_out == "prof disturbed it");
  CHECK(steps.counted < kPlantedSteps - 1);
  double sum_ns = 0;
  for (const StepReport& step : steps.steps) sum_ns += step.left_out.empty() ? step.duration_ns : 0;
  CHECK(steps.duration_ns.sum == sum_ns);
  double path_ns = 0;
  for (const StepPathTime& kind : steps.path) path_ns += kind.time_ns;
  CHECK(path_ns == sum_ns);
}

// Steps of which prof holds up all but some.
StepsReport HeldUp(const std::function<bool(int)>& counts, model::ProfilerWork work) {
  PlantedSteps p;
  p.Plant([&](int step) {
    const double held = counts(step) ? 0 : 400;
    if (held > 0) p.builder.Profiler(work, p.At(5), p.At(5 + held));
    p.Step(960);
    p.Kernel("gemm", 10 + held, 16 + held, 316 + held);
    p.SyncStream(20 + held, 320 + held);
  });
  return p.Analyzed();
}

TEST_CASE("Steps that count in less than a tenth of the time come with a warning and a way out") {
  const StepsReport few = HeldUp([](int step) { return step == 3; }, model::ProfilerWork::kRotate);
  CHECK(few.counted == 1);
  REQUIRE(few.counted_share);
  CHECK(*few.counted_share == Approx(0.6 / 9));  // it begins late and ends early
  CHECK_THAT(few.warning, Catch::Contains("have 6.7 % of the time (600 us of 9.00 ms)"));
  CHECK_THAT(few.warning, Catch::Contains("prof touched 8 other steps with its own measurements"));
  CHECK_THAT(few.warning, Catch::Contains("record with --counters none"));
  const StepsReport enough =
      HeldUp([](int step) { return step == 3 || step == 4; }, model::ProfilerWork::kRotate);
  CHECK(*enough.counted_share == Approx(1.6 / 9));
  CHECK(enough.warning.empty());
}

TEST_CASE("Where prof disturbed all steps the warning has their number") {
  const StepsReport none = HeldUp([](int) { return false; }, model::ProfilerWork::kSample);
  CHECK(none.counted == 0);
  CHECK(none.counted_share == 0);
  CHECK_THAT(none.warning, Catch::StartsWith("No step counts: prof touched all 9 that could"));
}

TEST_CASE(
    "A step in which the recording was paused was not disturbed, and no warning is about it") {
  const StepsReport steps = HeldUp([](int step) { return step == 3; }, model::ProfilerWork::kPause);
  CHECK(steps.counted == 1);
  CHECK(steps.steps[5].left_out == "the recording was paused in it");
  CHECK(steps.counted_share == 1);
  CHECK(steps.warning.empty());
}

TEST_CASE("A step without GPU work is named, and the next one begins where the last work ended") {
  PlantedSteps p;
  p.Plant([&](int step) {
    if (step == 5) return p.Step(950);
    Plain(&p);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(steps.steps[5].left_out == "no GPU work");
  CHECK(steps.steps[6].duration_ns == 2e6);
}

TEST_CASE("Without a range that repeats there are no steps, and the reason says what to do") {
  PlantedSteps p;
  p.builder.Range("all", p.At(0), p.At(2'000));
  p.Kernel("gemm", 10, 16, 900);
  const StepsReport steps = p.Analyzed();
  CHECK(steps.wanted);
  CHECK(steps.steps.empty());
  CHECK_THAT(steps.missing, Catch::Contains("NVTX range around each step"));
}

TEST_CASE("A finding about a step names the step, also where its work is in inner ranges alone") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("gemm", {132}, {256});
  int64_t now_ns = 1'000'000;
  for (int step = 0; step < 40; ++step) {
    const int64_t length_ns = step == 25 ? 5'000'000 : 1'000'000;
    const std::string name = "step " + std::to_string(step);
    b.Range(name, now_ns, now_ns + 100'000);
    b.Range(name + "/forward", now_ns + 10'000, now_ns + 90'000);
    Launch how;
    how.api_start_ns = now_ns + 20'000;
    how.api_end_ns = now_ns + 24'000;
    b.Kernel(shape, "", now_ns + 30'000, now_ns + length_ns, how);
    now_ns += length_ns + 10'000;
  }
  const Report report = Analyze(b.Snapshot());
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const Finding& f) { return f.id == "outlier-steps"; });
  REQUIRE(found != report.findings.end());
  CHECK_THAT(found->evidence[0], Catch::EndsWith(", step 25"));
}

TEST_CASE("Steps are left out of an analysis that was not asked for them") {
  PlantedSteps p;
  p.Plant([&](int) { Plain(&p); });
  const Report report = Analyze(p.builder.Snapshot());
  CHECK_FALSE(report.steps.wanted);
  CHECK(report.steps.steps.empty());
}

}  // namespace
}  // namespace prof::test::step_table_test
