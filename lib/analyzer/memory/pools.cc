// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/pools.h"

#include <algorithm>
#include <map>

#include "lib/analyzer/memory/ledger.h"

namespace prof::analyzer {
namespace {

using model::PoolOperation;
using model::PoolState;

bool Known(const PoolState& state) { return state.type == model::PoolType::kLocal; }

// After the operation. The driver's last word about a pool that is destroyed has its old sizes.
uint64_t Reserved(const PoolState& state) {
  return state.operation == PoolOperation::kDestroyed ? 0 : state.reserved;
}
uint64_t Used(const PoolState& state) {
  return state.operation == PoolOperation::kDestroyed ? 0 : state.used;
}
uint64_t Unused(const PoolState& state) {
  return Reserved(state) - std::min(Used(state), Reserved(state));
}

void AddState(const PoolState& state, PoolReport* pool) {
  const uint64_t before =
      pool->reserved_at_end - std::min(pool->used_at_end, pool->reserved_at_end);
  const bool grown = state.reserved > pool->reserved_at_end;
  if (grown && before >= state.reserved - pool->reserved_at_end) {
    pool->unused_when_grown = std::max(pool->unused_when_grown, before);
  }
  pool->reserved_at_end = Reserved(state);
  pool->used_at_end = Used(state);
  pool->reserved_peak = std::max(pool->reserved_peak, state.reserved);
  pool->used_peak = std::max(pool->used_peak, state.used);
  pool->unused_peak = std::max(pool->unused_peak, Unused(state));
  pool->release_threshold = state.threshold;
}

}  // namespace

std::vector<PoolReport> SummarizePools(const model::Model& model) {
  std::map<uint64_t, PoolReport> pools;
  for (const PoolState& state : model.pool_states) {
    PoolReport& pool = pools[state.address];
    pool.address = state.address;
    pool.device = state.device;
    pool.imported = state.type == model::PoolType::kImported;
    pool.managed |= state.managed;
    if (state.operation == PoolOperation::kAllocation) ++pool.operations;
    if (state.operation == PoolOperation::kTrimmed) ++pool.trims;
    if (Known(state)) AddState(state, &pool);
  }
  std::vector<PoolReport> list;
  list.reserve(pools.size());
  for (const auto& [address, pool] : pools) list.push_back(pool);
  std::stable_sort(list.begin(), list.end(), [](const PoolReport& a, const PoolReport& b) {
    return a.reserved_peak > b.reserved_peak;
  });
  return list;
}

uint64_t UnusedInPools(const model::Model& model, int64_t time_ns) {
  std::map<uint64_t, uint64_t> unused;  // by address
  for (const PoolState& state : model.pool_states) {
    if (state.time_ns > time_ns) break;
    if (Known(state)) unused[state.address] = Unused(state);
  }
  uint64_t sum = 0;
  for (const auto& [address, bytes] : unused) AddTo(bytes, &sum);
  return sum;
}

}  // namespace prof::analyzer
