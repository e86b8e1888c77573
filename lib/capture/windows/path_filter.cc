// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/path_filter.h"

#include <algorithm>
#include <exception>
#include <new>

#include "lib/capture/threads/thread_registry.h"

namespace prof::capture {

std::string PathText(uint32_t path) {
  constexpr size_t kMaxText = 4096;
  std::string text;
  for (uint32_t id = path; id != kNoPath && text.size() < kMaxText;
       id = thread_registry.paths.At(id).parent) {
    if (!text.empty()) text.insert(0, 1, '/');
    text.insert(0, thread_registry.paths.At(id).NameOrExample());
  }
  return text;
}

PathFilter::PathFilter(const std::string& expression) : filter_(expression) {
  if (filter_.empty()) return;
  known_ = std::make_unique<std::atomic<uint8_t>[]>(kMaxPaths + 1);
}

bool PathFilter::Matches(uint32_t path) {
  if (known_ == nullptr) return true;
  constexpr uint8_t kNo = 1, kYes = 2;
  std::atomic<uint8_t>& known = known_[std::min(path, kMaxPaths)];
  uint8_t matches = known.load(std::memory_order_relaxed);
  if (matches == 0) {
    bool failed = false;
    try {
      matches = filter_.Matches(PathText(path), &failed) ? kYes : kNo;
    } catch (const std::exception&) {  // out of memory
      failed = true;
      matches = kNo;
    }
    if (failed) failed_.store(true, std::memory_order_relaxed);
    known.store(matches, std::memory_order_relaxed);
  }
  return matches == kYes;
}

}  // namespace prof::capture
