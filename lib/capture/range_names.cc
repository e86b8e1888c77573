// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/range_names.h"

#include <atomic>

#include "lib/capture/range_strings.h"

namespace prof::capture {
namespace {

constexpr uint32_t kMaxNames = 4096;

struct ThreadName {
  uint32_t tid = 0;
  std::atomic<const StoredString*> name{nullptr};  // set last
};

ThreadName names[kMaxNames];
std::atomic<uint32_t> name_count{0};

}  // namespace

void NameThread(uint32_t tid, std::string_view name) {
  if (name_count.load(std::memory_order_relaxed) >= kMaxNames) return;
  const StoredString* stored = InternString(name);
  if (stored == nullptr) return;
  const uint32_t index = name_count.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxNames) return;
  names[index].tid = tid;
  names[index].name.store(stored, std::memory_order_release);
}

uint32_t ReadThreadNames(uint32_t from,
                         const std::function<void(uint32_t tid, std::string_view name)>& sink) {
  for (; from < kMaxNames; ++from) {
    const StoredString* stored = names[from].name.load(std::memory_order_acquire);
    if (stored == nullptr) break;  // not there yet
    sink(names[from].tid, stored->view());
  }
  return from;
}

}  // namespace prof::capture
