// SPDX-License-Identifier: Apache-2.0
//
// The critical path of steps in which it is known.
#include <numeric>
#include <random>

#include "prof/analyzer.h"
#include "test/analyzer/steps/planted_steps.h"
#include "test/support/catch.h"

namespace prof::test::step_path_test {
namespace {

// A step that the host loads data for, 600 us, and then waits for its one kernel, 300 us.
void SlowData(PlantedSteps* p) {
  p->Plant([&](int) {
    p->Step(960);
    p->Range("data", 10, 610);
    p->Kernel("gemm", 620, 626, 926);
    p->SyncStream(630, 936);
  });
}

TEST_CASE(
    "Data that is loaded while the GPU idles is on the path, and so is the kernel behind it") {
  PlantedSteps p;
  SlowData(&p);
  const StepsReport steps = p.Analyzed();
  REQUIRE(steps.counted == kPlantedSteps - 1);
  CHECK(steps.duration_ns.median == 1e6);
  CHECK(ShareOf(steps, StepPart::kData) == Approx(0.6));
  CHECK(ShareOf(steps, StepPathKind::kKernel) == Approx(0.3));
  CHECK(ShareOf(steps, StepPathKind::kHost) == Approx(0.684).margin(0.001));
  CHECK(ShareOf(steps, StepPathKind::kLaunch) == Approx(0.006));
  CHECK(ShareOf(steps, StepPathKind::kWait) == Approx(0.01));
  CHECK(steps.edges.by_time == 0);
  CHECK(steps.edges.unknown == 0);
}

TEST_CASE("Kernels that are launched in time are the path, whatever the host does meanwhile") {
  PlantedSteps p;
  p.Plant([&](int step) {
    p.Step(500);
    p.Range("data", 10, 400);
    // The host is a step ahead of the GPU.
    if (step == 0) p.Kernel("gemm", 0, 10, 1'000);
    p.Kernel("gemm", 410, 1'001, 2'000);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(ShareOf(steps, StepPathKind::kKernel) > 0.99);
  CHECK(ShareOf(steps, StepPart::kData) == 0);
  CHECK(ShareOf(steps, StepPathKind::kHost) == 0);
}

TEST_CASE("A copy that the host waits for is on the path") {
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(990);
    p.Copy(0, 10, 410);
    p.Kernel("gemm", 420, 426, 980);
    p.SyncStream(430, 985);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(ShareOf(steps, StepPathKind::kCopy) == Approx(0.4));
  CHECK(ShareOfItem(steps, "copy host to device") == Approx(0.4));
  CHECK(ShareOf(steps, StepPathKind::kKernel) == Approx(0.554));
}

TEST_CASE("Signatures of one kernel are one thing, with the time of each limiter") {
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(990);
    p.Kernel("gemm", 0, 6, 306);  // nothing was measured of it
    for (uint32_t i = 0; i < 100; ++i) {
      Launch how;  // shorter than 5 us: launch-sized
      how.api_start_ns = p.At(10 + i);
      how.api_end_ns = p.At(10.5 + i);
      const uint32_t small = p.builder.Shape("gemm", {1 + i % 2}, {256});
      p.builder.Kernel(small, "", p.At(306 + 4 * i), p.At(310 + 4 * i), how);
    }
    p.SyncStream(200, 985);
  });
  const StepsReport steps = p.Analyzed();
  REQUIRE(steps.items[0].what == "gemm");
  CHECK(steps.items[0].count == (kPlantedSteps - 1) * 101);
  CHECK(steps.items[0].limiter == Limiter::kLaunchSized);  // two signatures have most of the time
  REQUIRE(steps.items[0].limiters.size() == 2);
  CHECK(steps.items[0].limiters[0].time_ns == (kPlantedSteps - 1) * 400e3);
  CHECK(steps.items[0].limiters[1].limiter == Limiter::kNotMeasured);
  CHECK(steps.items[0].limiters[1].time_ns == (kPlantedSteps - 1) * 300e3);
}

TEST_CASE("Launches that take longer than their kernels are the path, and the kernels are not") {
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(1'000);
    for (int i = 0; i < 100; ++i) p.Kernel("tiny", 10 * i, 10 * i + 6, 10 * i + 8);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(ShareOf(steps, StepPathKind::kKernel) < 0.01);
  CHECK(ShareOf(steps, StepPathKind::kLaunch) > 0.35);
  CHECK(ShareOf(steps, StepPathKind::kHost) > 0.5);
  REQUIRE(steps.off_path.size() == 1);
  CHECK(steps.off_path[0].what == "tiny");
}

TEST_CASE("A stream with less work beside a longer one is off the path") {
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(990);
    p.Kernel("side", 0, 8, 500, 9);
    p.Kernel("main", 5, 11, 980);
    p.SyncStream(20, 985);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(ShareOfItem(steps, "main") > 0.96);
  CHECK(ShareOfItem(steps, "side") == 0);
  REQUIRE(steps.off_path.size() == 1);
  CHECK(steps.off_path[0].what == "side");
  CHECK(steps.off_path[0].path_ns == 0);
}

TEST_CASE("A stream that waits for another one is followed by time, and the report says so") {
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(990);
    p.Kernel("first", 0, 6, 600, 9);
    p.Kernel("second", 10, 602, 980);  // launched long before it starts
    p.SyncStream(20, 985);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(ShareOfItem(steps, "first") == Approx(0.594));
  CHECK(ShareOfItem(steps, "second") == Approx(0.378));
  CHECK(steps.edges.by_time == kPlantedSteps - 1);
  REQUIRE(steps.not_recorded.size() == 1);
  CHECK_THAT(steps.not_recorded[0], Catch::Contains("Which event a stream waits for"));
}

TEST_CASE("An operation that nothing held back is said to have no recorded cause") {
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(990);
    p.Kernel("late", 0, 400, 980);
    p.SyncStream(20, 985);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(steps.edges.unknown == kPlantedSteps - 1);
  CHECK(ShareOfItem(steps, "no cause was recorded") == Approx(0.396));
}

TEST_CASE("Communication that is exposed is on the path, and hidden communication is not") {
  const bool hidden = GENERATE(false, true);
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(990);
    p.Kernel("gemm", 0, 6, hidden ? 980 : 500);
    p.Kernel("ncclDevKernel_AllReduce", 10, hidden ? 20 : 501, hidden ? 400 : 980, hidden ? 9 : 7);
    p.SyncStream(20, 985);
  });
  const StepsReport steps = p.Analyzed();
  const StepPartTime communication = PartOf(steps, StepPart::kCommunication);
  const double n = kPlantedSteps - 1;
  if (hidden) {
    CHECK(communication.gpu_ns == Approx(n * 380e3));
    CHECK(communication.alone_ns == 0);
    CHECK(communication.path_ns == 0);
  } else {
    CHECK(communication.alone_ns == Approx(n * 479e3));
    CHECK(ShareOf(steps, StepPathKind::kCommunication) == Approx(0.479));
  }
}

TEST_CASE("Host code beside the calls of another thread may be a wait for it, and is named so") {
  const bool beside = GENERATE(false, true);
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(990);
    if (beside) p.Kernel("worker", 100, 106, 400, 9, 3000);
    p.Kernel("last", 600, 606, 980);
    p.SyncStream(610, 985);
  });
  const StepsReport steps = p.Analyzed();
  CHECK((ShareOfItem(steps, "host code or wait") > 0.5) == beside);
  CHECK((ShareOfItem(steps, "host code") > 0.5) == !beside);
}

TEST_CASE("A step that takes twice as long has the same shares") {
  PlantedSteps once, twice(1'000, 2);
  SlowData(&once);
  SlowData(&twice);
  const StepsReport a = once.Analyzed(), b = twice.Analyzed();
  CHECK(b.duration_ns.sum == 2 * a.duration_ns.sum);
  REQUIRE(a.path.size() == b.path.size());
  for (size_t i = 0; i < a.path.size(); ++i) {
    CHECK(a.path[i].kind == b.path[i].kind);
    CHECK(b.path[i].time_ns == 2 * a.path[i].time_ns);
  }
  REQUIRE(a.parts.size() == b.parts.size());
  for (size_t i = 0; i < a.parts.size(); ++i) CHECK(b.parts[i].gpu_ns == 2 * a.parts[i].gpu_ns);
}

TEST_CASE("A further stream with work off the path changes nothing on it") {
  const auto plant = [](PlantedSteps* p, bool more) {
    p->Plant([&](int) {
      p->Step(990);
      if (more) p->Kernel("side", 0, 40, 90, 9, 3000);  // launched by a thread of its own
      p->Kernel("main", 5, 11, 980);
      p->SyncStream(20, 985);
    });
  };
  PlantedSteps without, with;
  plant(&without, false);
  plant(&with, true);
  const StepsReport a = without.Analyzed(), b = with.Analyzed();
  REQUIRE(a.items.size() == b.items.size());
  for (size_t i = 0; i < a.items.size(); ++i) {
    CHECK(a.items[i].what == b.items[i].what);
    CHECK(a.items[i].time_ns == b.items[i].time_ns);
  }
}

TEST_CASE("The path sums to the time of each step, whatever was recorded") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    PlantedSteps p;
    p.Plant([&](int) {
      p.Step(1'000);
      for (int i = 0; i < 12; ++i) {
        const double call = random() % 900, from = call + random() % 300,
                     to = from + random() % 200;
        const uint32_t tid = kMainTid + random() % 2;
        if (random() % 4 == 0) {
          p.SyncStream(call, call + random() % 200);
        } else if (random() % 5 == 0) {
          p.Copy(call, from, to);
        } else {
          p.Kernel("k" + std::to_string(random() % 3), call, from, to, 7 + random() % 3, tid);
        }
      }
    });
    for (const StepReport& step : p.Analyzed().steps) {
      const double sum_ns =
          std::accumulate(step.path.begin(), step.path.end(), 0.0,
                          [](double sum, const StepPathTime& time) { return sum + time.time_ns; });
      CHECK(sum_ns == step.duration_ns);
      double parts_ns = 0;
      for (const StepPartTime& part : step.parts) parts_ns += part.path_ns;
      CHECK(parts_ns == step.duration_ns);
    }
  }
}

}  // namespace
}  // namespace prof::test::step_path_test
