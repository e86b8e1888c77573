// SPDX-License-Identifier: Apache-2.0
//
// Calls that failed for lack of memory.
#include "lib/analyzer/findings/finding_memory_failed.h"

#include <algorithm>
#include <string>

#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr size_t kMostCalls = 3;

std::string Size(uint64_t bytes) { return text::Bytes(static_cast<double>(bytes)); }

// ", at train.py:42 step, in op aten::linear"
std::string Where(const AllocationFailure& failure) {
  std::string text;
  if (failure.place.known()) text += ", at " + ToString(failure.place);
  if (!failure.op.empty()) text += ", in op " + failure.op;
  return text;
}

std::string CallText(const AllocationFailure& failure) {
  return failure.call + " in range " + failure.range + Where(failure) + ", " +
         text::Plural(failure.count, "time", "times") + ", first " +
         text::Time(failure.first_at_ns) + " after the start";
}

std::string LedgerText(const model::Model& model, const AllocationFailure& failure) {
  if (!failure.device) return "no allocation of device memory was recorded before it";
  const model::Device* device = model.FindDevice(*failure.device);
  std::string text =
      "allocated then on GPU " + std::to_string(*failure.device) + ": " + Size(failure.bytes);
  if (device != nullptr && device->memory_bytes > 0) {
    text += " of the device's " + Size(device->memory_bytes);
  }
  return text + "; what was allocated before the recording, and by other processes, is not in it";
}

}  // namespace

MaybeFinding OutOfMemory(const MemoryInputs& inputs) {
  const std::vector<AllocationFailure>& failures = inputs.memory.failures;
  if (failures.empty()) return std::nullopt;
  int64_t count = 0;
  for (const AllocationFailure& failure : failures) count += failure.count;
  const AllocationFailure& first = failures.front();
  Finding finding;
  finding.title = text::Plural(count, "call", "calls") + " failed for lack of memory" +
                  (count > 1 ? ", the first in range " : ", in range ") + first.range +
                  (first.place.known() ? ", at " + ToString(first.place) : "") + ".";
  for (size_t i = 0; i < std::min(failures.size(), kMostCalls); ++i) {
    finding.evidence.push_back(CallText(failures[i]));
  }
  if (failures.size() > kMostCalls) {
    finding.evidence.push_back(text::Count(static_cast<int64_t>(failures.size() - kMostCalls)) +
                               " more functions, ranges and lines");
  }
  finding.evidence.push_back(LedgerText(inputs.model, first));
  if (!first.holders.empty()) {
    finding.evidence.push_back("held by: " + HoldersText(first.holders));
  }
  if (!first.lines.empty()) {
    finding.evidence.push_back("allocated from: " + HoldersText(first.lines));
  }
  if (first.unused_in_pools > 0) {
    finding.evidence.push_back("memory pools had reserved " + Size(first.unused_in_pools) +
                               " that nobody used");
  }
  if (!inputs.Lost().empty()) finding.evidence.push_back(inputs.Lost());
  finding.action =
      "Free or shrink what these ranges hold before the call that failed, and trim pools that lie "
      "unused (cudaMemPoolTrimTo).";
  finding.check = "prof report --json: .memory.failures has all holders at that moment";
  finding.confidence = Confidence::kHigh;  // the call returned it
  return finding;
}

}  // namespace prof::analyzer
