// SPDX-License-Identifier: Apache-2.0
//
// The lines of host code on the critical path: by samples of the host where there are some.
#include <string>
#include <vector>

#include "prof/analyzer.h"
#include "test/analyzer/steps/planted_steps.h"
#include "test/support/catch.h"
#include "test/support/host_samples.h"
#include "test/support/python_stacks.h"

namespace prof::test::step_lines_test {
namespace {

// A step of 10 ms: the host decodes for 6 ms, which launches nothing, then launches a kernel.
struct Loading {
  explicit Loading(int samples_a_step) : p(1'000, 10) {
    const uint32_t main = python.Stack(0, "<module>", "/app/train.py", 84);
    const uint32_t decode = python.Stack(main, "decode", "/app/train.py", 44);
    const uint32_t loads =
        python.Stack(python.Stack(main, "read", "/app/train.py", 30), "loads", kJson, 12);
    p.Plant([&](int) {
      p.Step(960);
      p.Range("data", 10, 610);
      p.Kernel("gemm", 620, 626, 926);
      p.SyncStream(630, 936);
      for (int i = 0; i < samples_a_step; ++i) {
        // Three of four in one line, the fourth in the library that another one called.
        samples.push_back({p.At(20 + i * 140), i % 4 == 3 ? loads : decode});
      }
      samples.push_back({p.At(700), loads});  // in a call, which is no host code
    });
    p.builder.edit = [this, main](wire::Block& block) {
      for (const int64_t delta : block.api_calls().correlation_delta()) {
        correlation += delta;
        python.of_call[static_cast<uint32_t>(correlation)] = main;
      }
      python.AddTo(&block);
      AddHostSamples(samples, &block);
    };
  }
  static constexpr const char* kJson = "/usr/lib/python3.11/json/decoder.py";

  PlantedSteps p;
  PythonStacks python;
  std::vector<PlantedSample> samples;
  int64_t correlation = 0;
};

// Of the time of all steps, host code with this text in its place.
StepPathItem ItemAt(const StepsReport& steps, const std::string& where) {
  for (const StepPathItem& item : steps.items) {
    if (item.where.find(where) != std::string::npos) return item;
  }
  return {};
}

double HostNs(const StepsReport& steps) {
  double time_ns = 0;
  for (const StepPathItem& item : steps.items) {
    if (item.kind == StepPathKind::kHost) time_ns += item.time_ns;
  }
  return time_ns;
}

TEST_CASE("Host code is that of the lines in which samples found the host") {
  const StepsReport steps = Loading(4).p.Analyzed();
  REQUIRE(steps.counted == kPlantedSteps - 1);
  const StepPathItem decode = ItemAt(steps, "data (10 ranges), /app/train.py:44");
  CHECK(decode.time_ns / steps.duration_ns.sum == Approx(0.45));
  CHECK(decode.host_samples == 27);
  CHECK(decode.count == 27);
  CHECK(decode.part == StepPart::kData);
  const StepPathItem read = ItemAt(steps, "data (10 ranges), /app/train.py:30");
  CHECK(read.time_ns / steps.duration_ns.sum == Approx(0.15));
  CHECK(read.host_samples == 9);
  double host_ns = 0;
  for (const StepPathTime& kind : steps.path) {
    if (kind.kind == StepPathKind::kHost) host_ns += kind.time_ns;
  }
  CHECK(HostNs(steps) == host_ns);
}

TEST_CASE("Host code that no sample found is before the line of the next call") {
  const StepsReport steps = Loading(4).p.Analyzed();
  const StepPathItem other = ItemAt(steps, "before /app/train.py:84");
  CHECK(other.time_ns > 0);
  CHECK(other.time_ns / steps.duration_ns.sum < 0.1);
  CHECK(other.host_samples == 0);
}

TEST_CASE("A few samples name no line of the path") {
  const StepsReport steps = Loading(2).p.Analyzed();  // 18 in all
  CHECK(ItemAt(steps, "train.py:44").time_ns == 0);
  const StepPathItem data = ItemAt(steps, "data (10 ranges), before /app/train.py:84");
  CHECK(data.time_ns / steps.duration_ns.sum == Approx(0.6));
  CHECK(data.count == kPlantedSteps - 1);
}

TEST_CASE("The share of samples without a stack stays before the next call") {
  Loading loading(4);
  for (size_t i = 0; i < loading.samples.size(); ++i) {
    if (i % 5 > 1) continue;  // the first two of each step
    loading.samples[i].stack = 0;
    loading.samples[i].kind = wire::HOST_SAMPLE_NATIVE;
  }
  const StepsReport steps = loading.p.Analyzed();
  CHECK(ItemAt(steps, "data (10 ranges), /app/train.py:44").time_ns / steps.duration_ns.sum ==
        Approx(0.15));
  CHECK(ItemAt(steps, "data (10 ranges), before /app/train.py:84").time_ns /
            steps.duration_ns.sum ==
        Approx(0.3));
}

}  // namespace
}  // namespace prof::test::step_lines_test
