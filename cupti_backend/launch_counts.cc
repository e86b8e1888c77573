// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/launch_counts.h"

#include <utility>

#include "cupti_backend/schedule/triage_coverage.h"
#include "lib/format/hash.h"

namespace prof::cupti {
namespace {

uint64_t KeyIn(uintptr_t context, uint64_t launched) {
  const uint64_t key = format::Mix(context, launched);
  return key != 0 ? key : 1;
}

}  // namespace

void LaunchCounts::Entry::TakeInto(std::vector<capture::LaunchCountEvent>* counts) {
  const auto* const what = launched.load(std::memory_order_acquire);
  if (what == nullptr) return;
  const uint64_t present = launches.load(std::memory_order_relaxed);
  if (present == taken) return;
  counts->push_back(*what);
  counts->back().launches = present - std::exchange(taken, present);
}

LaunchCounts::Entry* LaunchCounts::Table::Find(uint64_t key, bool* is_new) {
  const size_t places = 2 * most_;
  for (size_t i = 0; i < places; ++i) {
    Entry& entry = entries_[(key + i) % places];
    uint64_t present = entry.key.load(std::memory_order_relaxed);
    if (present == key) return &entry;
    if (present != 0) continue;
    if (used_.load(std::memory_order_relaxed) >= most_) return nullptr;
    if (entry.key.compare_exchange_strong(present, key, std::memory_order_relaxed)) {
      used_.fetch_add(1, std::memory_order_relaxed);
      *is_new = true;
      return &entry;
    }
    if (present == key) return &entry;
  }
  return nullptr;
}

void LaunchCounts::Table::TakeInto(std::vector<capture::LaunchCountEvent>* counts) {
  for (size_t i = 0; i < 2 * most_; ++i) entries_[i].TakeInto(counts);
}

void LaunchCounts::Count(const Launch& launch) {
  const auto context = reinterpret_cast<uintptr_t>(launch.context);
  const Signature& kernel = launch.signature;
  if (launch.unit != capture::SampleUnit::kGraph) {
    // By the text of the name: an address may be that of another kernel by now.
    const KernelKey key =
        KernelKeyOf(launch.kernel_name, kernel.grid, kernel.block, kernel.dynamic_shared_bytes);
    return CountIn(kernels_, KeyIn(context, key), launch, 0);
  }
  // The address of an executable graph may come again, its id does not.
  uint32_t graph = 0;
  const auto exec = static_cast<CUgraphExec>(const_cast<void*>(kernel.function));
  if (api_->get_graph_exec_id(exec, &graph) != CUPTI_SUCCESS) {
    others_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  CountIn(graphs_, KeyIn(context, graph), launch, graph);
}

void LaunchCounts::CountIn(Table& table, uint64_t key, const Launch& launch, uint32_t graph) {
  bool is_new = false;
  Entry* const entry = table.Find(key, &is_new);
  if (entry == nullptr) {
    others_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  entry->launches.fetch_add(1, std::memory_order_relaxed);
  if (is_new) entry->launched.store(Describe(launch, graph).release(), std::memory_order_release);
}

std::unique_ptr<const capture::LaunchCountEvent> LaunchCounts::Describe(const Launch& launch,
                                                                        uint32_t graph) const {
  auto what = std::make_unique<capture::LaunchCountEvent>();
  what->graph = graph;
  api_->get_device_id(launch.context, &what->device);
  if (graph == 0) {
    what->name = launch.kernel_name != nullptr ? launch.kernel_name : "";
    what->grid = launch.signature.grid;
    what->block = launch.signature.block;
    what->dynamic_shared_bytes = launch.signature.dynamic_shared_bytes;
  }
  return what;
}

std::vector<capture::LaunchCountEvent> LaunchCounts::Take() {
  std::vector<capture::LaunchCountEvent> counts;
  kernels_.TakeInto(&counts);
  graphs_.TakeInto(&counts);
  const uint64_t others = others_.load(std::memory_order_relaxed);
  if (others != others_taken_) {
    counts.emplace_back().launches = others - std::exchange(others_taken_, others);
  }
  return counts;
}

}  // namespace prof::cupti
