// SPDX-License-Identifier: Apache-2.0
//
// Who holds the memory of a device at a moment: blocks by the range, the line and the op that
// allocated them, and by size. Bytes are exact: each list sums to what is allocated.
#ifndef PROF_LIB_ANALYZER_MEMORY_HOLDERS_H_
#define PROF_LIB_ANALYZER_MEMORY_HOLDERS_H_

#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/memory/ledger.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

struct Holdings {
  std::vector<MemoryHolder> holders;  // by bytes, descending
  std::vector<LineHolder> lines;      // likewise; empty: no block has a line
  std::vector<OpHolder> ops;          // likewise; empty: no block has an op
  std::vector<BlocksOfSize> sizes;    // by bytes of all blocks, descending; ten at most
  int64_t blocks = 0;
};

// Of the device's own memory, after the change with this index. Linear in the blocks.
[[nodiscard]] Holdings HoldingsAfter(const model::Model& model, const RangeFamilies& families,
                                     const Ledger& ledger, uint32_t device, int64_t change);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_HOLDERS_H_
