// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/steps/planted_steps.h"

#include <cmath>

#include "prof/analyzer.h"
#include "test/support/catch.h"

namespace prof::test {

int64_t PlantedSteps::At(double us) const {
  return std::llround((1'000 + number_ * step_us_ + us) * scale_ * 1'000);
}

void PlantedSteps::Range(const std::string& name, double from_us, double to_us) {
  builder.Range("step " + std::to_string(number_) + "/" + name, At(from_us), At(to_us));
}

void PlantedSteps::Kernel(const std::string& name, double call_us, double from_us, double to_us,
                          uint32_t stream, uint32_t tid) {
  Launch how;
  how.tid = tid;
  how.stream = stream;
  how.api_start_ns = At(call_us);
  how.api_end_ns = At(call_us + 4);
  builder.Kernel(builder.Shape(name, {132}, {256}), "", At(from_us), At(to_us), how);
}

void PlantedSteps::Copy(double call_us, double from_us, double to_us) {
  Launch how;
  how.api_start_ns = At(call_us);
  how.api_end_ns = At(to_us + 2);
  how.synchronous = true;
  builder.Copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPageable,
               model::MemoryKind::kDevice, 1'000'000, "", At(from_us), At(to_us), how);
}

void PlantedSteps::SyncStream(double from_us, double to_us) {
  const uint32_t call = builder.Api("cudaStreamSynchronize_v3020", At(from_us), At(to_us));
  builder.Sync(model::SyncKind::kStream, At(from_us), At(to_us), call);
}

void PlantedSteps::Op(double from_us, double to_us, uint32_t path, uint32_t tid) {
  builder.TorchStep(At(from_us), path, tid);
  builder.TorchStep(At(to_us), 0, tid);
}

void PlantedSteps::Plant(const std::function<void(int)>& step) {
  for (number_ = 0; number_ < kPlantedSteps; ++number_) step(number_);
}

StepsReport PlantedSteps::Analyzed() {
  AnalyzeOptions options;
  options.steps = true;
  const Report report = Analyze(builder.Snapshot(), options);
  REQUIRE(report.error.empty());
  return report.steps;
}

double ShareOf(const StepsReport& steps, StepPathKind kind) {
  for (const StepPathTime& time : steps.path) {
    if (time.kind == kind) return time.time_ns / steps.duration_ns.sum;
  }
  return 0;
}

StepPartTime PartOf(const StepsReport& steps, StepPart part) {
  for (const StepPartTime& time : steps.parts) {
    if (time.part == part) return time;
  }
  return {};
}

double ShareOf(const StepsReport& steps, StepPart part) {
  return PartOf(steps, part).path_ns / steps.duration_ns.sum;
}

double ShareOfItem(const StepsReport& steps, const std::string& what) {
  double sum_ns = 0;
  for (const StepPathItem& item : steps.items) sum_ns += item.what == what ? item.time_ns : 0;
  return sum_ns / steps.duration_ns.sum;
}

}  // namespace prof::test
