// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/rules/finding_run.h"

#include <algorithm>

namespace prof::test {

Run::Run() {
  model_.strings = {"", "cudaLaunchKernel", "cudaStreamSynchronize", "cudaMemcpyAsync"};
  model_.paths.push_back({0, "step", "", "step"});
  model_.paths.push_back({0, "prep", "", "prep"});
  model_.threads.push_back({1, "main"});
  model_.shapes.resize(9);
  timeline_.devices.emplace_back();
}

model::Op& Run::Add(OpKind kind, int64_t idle_ns, GapCause cause, int64_t length_ns,
                    int64_t api_ns) {
  const int64_t start_ns = end_ns_ + idle_ns;
  const auto index = static_cast<int32_t>(ops_.size());
  model::Op op;
  op.kind = kind;
  op.start_ns = start_ns;
  op.end_ns = start_ns + length_ns;
  op.shape = 1;
  op.api = static_cast<int32_t>(model_.api_calls.size());
  AddCall(ApiClass::kLaunch, kind == OpKind::kCopy ? 3 : 1, start_ns - kUs - api_ns, api_ns);
  if (idle_ns > 0 && index > 0) {
    Gap gap;
    gap.cause = cause;
    gap.start_ns = end_ns_;
    gap.end_ns = start_ns;
    gap.previous_op = index - 1;
    gap.next_op = index;
    gap.api = op.api;
    timeline_.devices[0].gaps.push_back(gap);
  }
  busy_ns_ += length_ns;
  end_ns_ = op.end_ns;
  ops_.push_back(op);
  return ops_.back();
}

model::Op& Run::Copy(int64_t idle_ns, int64_t length_ns, uint64_t bytes, MemoryKind host) {
  model::Op& op = Add(OpKind::kCopy, idle_ns, GapCause::kTransfer, length_ns);
  op.copy = CopyKind::kHostToDevice;
  op.source = host;
  op.destination = MemoryKind::kDevice;
  op.bytes = bytes;
  op.async = true;
  return op;
}

void Run::AddCall(ApiClass cls, uint32_t name, int64_t start_ns, int64_t length_ns) {
  model::ApiCall call;
  call.cls = cls;
  call.name = name;
  call.thread = 1;
  call.start_ns = start_ns;
  call.end_ns = start_ns + length_ns;
  model_.api_calls.push_back(call);
}

std::vector<Finding> Run::Find() {
  analyzer::DeviceTimeline& device = timeline_.devices[0];
  device.start_ns = ops_.empty() ? 0 : ops_.front().start_ns;
  model_.ops.resize(0);
  for (const model::Op& op : ops_) model_.ops.push_back(op);
  device.end_ns = end_ns_;
  device.busy_ns = busy_ns_;
  const auto span_ns = static_cast<double>(device.end_ns - device.start_ns);
  const analyzer::Iterations iterations =
      analyzer::FindRunIterations(model_, analyzer::FindAllRangeFamilies(model_));
  std::vector<Finding> findings = analyzer::FindInRun(model_, timeline_, iterations, span_ns);
  for (const Finding& finding : findings) {
    REQUIRE(finding.gain_at_most_ns >= 0);
    REQUIRE(finding.gain_at_most_ns <= span_ns);
    REQUIRE_FALSE(finding.title.empty());
    REQUIRE_FALSE(finding.evidence.empty());
  }
  return findings;
}

Run LaunchBoundRun() {
  Run run;
  for (int i = 0; i < 1000; ++i) run.Kernel(3 * kUs, GapCause::kLaunch, 2 * kUs);
  return run;
}

const Finding* Get(const std::vector<Finding>& findings, const std::string& id) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

bool Says(const Finding& finding, const std::string& text) {
  return std::any_of(finding.evidence.begin(), finding.evidence.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace prof::test
