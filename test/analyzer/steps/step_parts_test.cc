// SPDX-License-Identifier: Apache-2.0
//
// The parts of steps, by ops of PyTorch and by names of ranges.
#include "prof/analyzer.h"
#include "test/analyzer/steps/planted_steps.h"
#include "test/support/catch.h"

namespace prof::test::step_parts_test {
namespace {

using model::TorchScope;

constexpr double kCounted = kPlantedSteps - 1;

// Steps of PyTorch: data, forward, backward on a thread of the engine, an op between, optimizer.
struct TorchSteps : PlantedSteps {
  uint32_t data = builder.TorchOp(0, "enumerate(DataLoader)#It.__next__", TorchScope::kUser);
  uint32_t mm = builder.TorchOp(0, "aten::mm");
  uint32_t engine = builder.TorchOp(0, "autograd::engine::evaluate_function: MmBackward0");
  uint32_t node = builder.TorchOp(engine, "MmBackward0", TorchScope::kBackward);
  uint32_t clip = builder.TorchOp(0, "aten::clamp");
  uint32_t optimizer = builder.TorchOp(0, "Optimizer.step#SGD.step", TorchScope::kUser);
  uint32_t add = builder.TorchOp(optimizer, "aten::_foreach_add_");

  TorchSteps() {
    Plant([&](int) {
      Step(960);
      Op(0, 100, data);
      Op(110, 120, mm);
      Op(150, 160, mm);
      Kernel("gemm", 112, 118, 160);
      Kernel("gemm", 152, 162, 200);
      builder.TorchStep(At(170), engine, kEngineTid);
      builder.TorchStep(At(171), node, kEngineTid);
      Kernel("gemm_bwd", 180, 201, 500, 7, kEngineTid);
      builder.TorchStep(At(190), engine, kEngineTid);
      builder.TorchStep(At(191), 0, kEngineTid);
      Op(200, 210, clip);
      Kernel("clamp", 202, 501, 510);
      builder.TorchStep(At(220), optimizer);
      builder.TorchStep(At(225), add);
      Kernel("axpy", 230, 511, 900);
      builder.TorchStep(At(240), optimizer);
      builder.TorchStep(At(245), 0);
      SyncStream(250, 905);
    });
  }
};

TEST_CASE("Ops of PyTorch tell forward, backward, optimizer and data on the GPU") {
  TorchSteps p;
  const StepsReport steps = p.Analyzed();
  REQUIRE(steps.counted == kPlantedSteps - 1);
  CHECK(PartOf(steps, StepPart::kForward).gpu_ns == Approx(kCounted * 80e3));
  CHECK(PartOf(steps, StepPart::kBackward).gpu_ns == Approx(kCounted * 299e3));
  CHECK(PartOf(steps, StepPart::kOptimizer).gpu_ns == Approx(kCounted * 389e3));
  CHECK(PartOf(steps, StepPart::kData).gpu_ns == 0);
  // Behind the backward pass and in no optimizer: it may be anything.
  CHECK(PartOf(steps, StepPart::kOther).gpu_ns == Approx(kCounted * 9e3));
  CHECK(PartOf(steps, StepPart::kNotKnown).gpu_ns == 0);
}

TEST_CASE("The host's time has parts as well, and code between two ops of one part is of it") {
  TorchSteps p;
  const StepsReport steps = p.Analyzed();
  CHECK(PartOf(steps, StepPart::kData).host_ns == Approx(kCounted * 100e3));
  CHECK(PartOf(steps, StepPart::kForward).host_ns == Approx(kCounted * 50e3));
  CHECK(PartOf(steps, StepPart::kBackward).host_ns == Approx(kCounted * 21e3));
  CHECK(PartOf(steps, StepPart::kOptimizer).host_ns == Approx(kCounted * 25e3));
  double sum_ns = 0, host_ns = 0;
  for (const StepPartTime& part : steps.parts) sum_ns += part.host_ns;
  for (const StepReport& step : steps.steps) {
    if (step.left_out.empty()) host_ns += step.host_ns;
  }
  CHECK(sum_ns == host_ns);
}

TEST_CASE("The GPU idles in the part that the host was in") {
  TorchSteps p;
  const StepsReport steps = p.Analyzed();
  // From the end of the work, 100 us before the next step, until the first kernel begins.
  CHECK(PartOf(steps, StepPart::kData).idle_ns == Approx(kCounted * 100e3));
  CHECK(PartOf(steps, StepPart::kForward).idle_ns > 0);
  CHECK(PartOf(steps, StepPart::kOptimizer).idle_ns <= kCounted * 2e3);
}

TEST_CASE("The path goes from the engine's thread to the one that called it, by their ops") {
  PlantedSteps p;
  const uint32_t mm = p.builder.TorchOp(0, "aten::mm");
  const uint32_t node = p.builder.TorchOp(0, "MmBackward0", TorchScope::kBackward);
  p.Plant([&](int) {
    p.Step(960);
    p.Op(0, 400, mm);  // slow, and it launches nothing
    p.builder.TorchStep(p.At(420), node, kEngineTid);
    p.Kernel("gemm_bwd", 500, 506, 900, 7, kEngineTid);
    p.builder.TorchStep(p.At(510), 0, kEngineTid);
    p.SyncStream(520, 905);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(steps.edges.by_time == kPlantedSteps - 1);
  CHECK(ShareOf(steps, StepPart::kForward) == Approx(0.4));
  CHECK(ShareOf(steps, StepPart::kBackward) == Approx(0.394 + 0.086).margin(0.011));
}

TEST_CASE("Without ops the names of ranges tell the parts") {
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(960);
    p.Range("forward", 10, 100);
    p.Kernel("gemm", 20, 26, 300);
    p.Range("backward", 110, 200);
    p.Kernel("gemm_bwd", 120, 301, 800);
    p.Kernel("rest", 300, 801, 900);  // in no range of a part
    p.SyncStream(310, 905);
  });
  const StepsReport steps = p.Analyzed();
  CHECK(PartOf(steps, StepPart::kForward).gpu_ns == Approx(kCounted * 274e3));
  CHECK(PartOf(steps, StepPart::kBackward).gpu_ns == Approx(kCounted * 499e3));
  CHECK(PartOf(steps, StepPart::kNotKnown).gpu_ns == Approx(kCounted * 99e3));
  CHECK(PartOf(steps, StepPart::kForward).host_ns == Approx(kCounted * 90e3));
}

TEST_CASE("What no op and no name tells is not known, never guessed") {
  PlantedSteps p;
  p.Plant([&](int) {
    p.Step(960);
    p.Range("attention", 10, 100);
    p.Kernel("gemm", 20, 26, 900);
    p.SyncStream(310, 905);
  });
  const StepsReport steps = p.Analyzed();
  REQUIRE(steps.parts.size() == 1);
  CHECK(steps.parts[0].part == StepPart::kNotKnown);
}

}  // namespace
}  // namespace prof::test::step_parts_test
