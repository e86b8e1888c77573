// SPDX-License-Identifier: Apache-2.0
//
// A memory pool that takes more from its device while much of it lies unused.
#include "lib/analyzer/findings/finding_memory_pool.h"

#include <string>

#include "lib/analyzer/base/thresholds.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {

MaybeFinding PoolLiesUnused(const MemoryInputs& inputs) {
  const PoolReport* most = nullptr;
  for (const PoolReport& pool : inputs.memory.pools) {
    const auto unused = static_cast<double>(pool.unused_when_grown);
    if (unused < kLeastUnusedBytes ||
        unused < kMuchUnused * static_cast<double>(pool.reserved_peak)) {
      continue;
    }
    if (most == nullptr || pool.unused_when_grown > most->unused_when_grown) most = &pool;
  }
  if (most == nullptr) return std::nullopt;
  const auto size = [](uint64_t bytes) { return text::Bytes(static_cast<double>(bytes)); };
  Finding finding;
  finding.title = "A memory pool of GPU " + std::to_string(most->device) +
                  " took more from the device while " + size(most->unused_when_grown) +
                  " of it lay unused.";
  finding.evidence = {
      "it reserved at most " + size(most->reserved_peak) + ", of which at most " +
          size(most->used_peak) + " were allocated",
      "what lay unused would have been enough for what it took: the free blocks did not fit, or "
      "waited for another stream",
      "at the end it kept " + size(most->reserved_at_end) + ", of which " +
          size(most->used_at_end) + " were allocated"};
  finding.action =
      "Allocate a few sizes that repeat, free on the stream that allocates next, and trim the pool "
      "between phases (cudaMemPoolTrimTo).";
  finding.check = "prof report --json: .memory.pools, before and after the change";
  finding.confidence = Confidence::kMedium;  // the records show no blocks of the pool
  finding.withheld_why = inputs.lost_records;
  return finding;
}

}  // namespace prof::analyzer
