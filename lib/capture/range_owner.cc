// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/range_owner.h"

#include <atomic>
#include <string>

namespace prof::capture {
namespace {

std::atomic<const char* (*)()> query{nullptr};

}  // namespace

void SetRangeOwnerQuery(const char* (*other_tool)()) { query.store(other_tool); }

SubsystemStatus RangesStatus(bool wanted) {
  if (!wanted) return {};
  const auto ask = query.load();
  const char* other = ask != nullptr ? ask() : nullptr;
  if (other == nullptr) return {State::kWorking, 0, "", ""};
  return {State::kUnavailable, 0,
          std::string("NVTX ranges go to another tool: NVTX_INJECTION64_PATH names ") + other,
          "unset NVTX_INJECTION64_PATH"};
}

}  // namespace prof::capture
