// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/launch_counts.h"

#include <utility>

namespace prof::cupti {
namespace {

// The table is left half empty, so that a search ends soon.
constexpr size_t kMostUsed = LaunchCounts::kCapacity / 2;

}  // namespace

LaunchCounts::LaunchCounts(const CuptiApi* api)
    : api_(api), entries_(std::make_unique<std::array<Entry, kCapacity>>()) {}

LaunchCounts::~LaunchCounts() {
  for (const Entry& entry : *entries_) delete entry.launched.load();
}

LaunchCounts::Entry& LaunchCounts::Find(uint64_t key, bool* is_new) {
  for (size_t i = 0; i < kCapacity; ++i) {
    Entry& entry = (*entries_)[(key + i) % kCapacity];
    uint64_t present = entry.key.load(std::memory_order_relaxed);
    if (present == key) return entry;
    if (present != 0) continue;
    if (used_.load(std::memory_order_relaxed) >= kMostUsed) break;
    if (entry.key.compare_exchange_strong(present, key, std::memory_order_relaxed)) {
      used_.fetch_add(1, std::memory_order_relaxed);
      *is_new = true;
      return entry;
    }
    if (present == key) return entry;
  }
  return others_;
}

void LaunchCounts::Count(const Launch& launch) {
  uint32_t graph = 0;
  Signature signature = launch.signature;
  if (launch.unit == capture::SampleUnit::kGraph) {
    // The address of an executable graph may come again, its id does not.
    const auto exec = static_cast<CUgraphExec>(const_cast<void*>(signature.function));
    if (api_->get_graph_exec_id(exec, &graph) != CUPTI_SUCCESS) {
      others_.launches.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    signature = {};
    signature.range_family = graph;
  } else {
    signature.range_family = reinterpret_cast<uintptr_t>(launch.kernel_name);
  }
  signature.slot = reinterpret_cast<uintptr_t>(launch.context);
  bool is_new = false;
  Entry& entry = Find(HashOf(signature), &is_new);
  entry.launches.fetch_add(1, std::memory_order_relaxed);
  if (is_new) Describe(launch, graph, &entry);
}

void LaunchCounts::Describe(const Launch& launch, uint32_t graph, Entry* entry) const {
  auto launched = std::make_unique<capture::LaunchCountEvent>();
  launched->graph = graph;
  api_->get_device_id(launch.context, &launched->device);
  if (graph == 0) {
    launched->name = launch.kernel_name != nullptr ? launch.kernel_name : "";
    launched->grid = launch.signature.grid;
    launched->block = launch.signature.block;
    launched->dynamic_shared_bytes = launch.signature.dynamic_shared_bytes;
  }
  entry->launched.store(launched.release(), std::memory_order_release);
}

std::vector<capture::LaunchCountEvent> LaunchCounts::Take() {
  std::vector<capture::LaunchCountEvent> counts;
  const auto take = [&counts](Entry& entry, const capture::LaunchCountEvent& launched) {
    const uint64_t launches = entry.launches.load(std::memory_order_relaxed);
    if (launches == entry.taken) return;
    counts.push_back(launched);
    counts.back().launches = launches - std::exchange(entry.taken, launches);
  };
  for (Entry& entry : *entries_) {
    const auto* const launched = entry.launched.load(std::memory_order_acquire);
    if (launched != nullptr) take(entry, *launched);
  }
  take(others_, {});
  return counts;
}

}  // namespace prof::cupti
