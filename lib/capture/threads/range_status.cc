// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/range_status.h"

#include <atomic>
#include <string>

namespace prof::capture {
namespace {

std::atomic<const char* (*)()> other_tool_query{nullptr};
std::atomic<bool (*)()> unnamed_query{nullptr};

}  // namespace

void SetOtherNvtxToolQuery(const char* (*other_tool)()) { other_tool_query.store(other_tool); }

void SetNvtxUnnamedQuery(bool (*unnamed)()) { unnamed_query.store(unnamed); }

SubsystemStatus RangesStatus(bool wanted) {
  if (!wanted) return {};
  if (const auto unnamed = unnamed_query.load(); unnamed != nullptr && unnamed()) {
    return {State::kDegraded, 0,
            "NVTX ranges are not recorded: libprof.so was loaded when the program had several "
            "threads, and did not change the environment under them",
            "start the program with prof run, or set NVTX_INJECTION64_PATH to libprof_inject.so"};
  }
  const auto query = other_tool_query.load();
  const char* other = query != nullptr ? query() : nullptr;
  if (other == nullptr) return {State::kWorking, 0, "", ""};
  return {State::kDegraded, 0,
          std::string("NVTX ranges of some libraries of the program go to another tool only: ") +
              other + " has functions of its own for each library",
          "unset NVTX_INJECTION64_PATH"};
}

}  // namespace prof::capture
