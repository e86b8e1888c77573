// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_actions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/rules/rule_stalls.h"

namespace prof::analyzer {
namespace {

constexpr std::string_view kOthersFloor =
    "1 - use of the busiest unit that it does not relieve, where that is 50 % or more; else not "
    "bounded";
constexpr std::string_view kMeasurement = "not bounded: what it shows decides";
constexpr std::string_view kWaitFloor =
    "1 - use of the busiest unit, without those that it may relieve";
constexpr std::string_view kSlotsFloor =
    "the smaller of 1 - use of the busiest unit and 1 - warps in use over the warp slots of all "
    "SMs";
constexpr std::string_view kPeakFloor = "1 - use of the unit, or of a busier one";

constexpr ActionRow kActionRows[] = {
    // The same work, faster.
    {"dram-rate", GainKind::kSameWork,
     "Bring DRAM nearer to its ceiling: keep more bytes in flight (16-byte accesses, unrolled "
     "loads, cp.async or TMA), and read in long runs.",
     "1 - use / 0.95"},
    {"feed-tensor", GainKind::kSameWork,
     "Keep the tensor pipe fed: tile sizes that divide the problem, more pipeline stages, a "
     "cheaper epilogue.",
     kPeakFloor},
    {"feed-unit", GainKind::kSameWork,
     "Keep the unit busy all the time: overlap the phases that do not use it with those that do.",
     kPeakFloor},
    {"overlap-phases", GainKind::kSameWork,
     "Overlap its phases: a pipeline of several tiles, or warps with different jobs, so that one "
     "unit works while the other one does.",
     "1 - use of the busiest unit"},
    {"keep-data-closer", GainKind::kSameWork,
     "The loads wait for L2, which has the data: keep what is reused in shared memory or L1 (tile, "
     "use smaller working sets).",
     "1 - use of the busiest unit but DRAM and L2"},
    {"independent-loads", GainKind::kSameWork,
     "The loads wait for L1, which has the data: load earlier than the value is needed.",
     "1 - use of the busiest unit"},
    {"raise-occupancy", GainKind::kSameWork,
     "Raise occupancy: smaller tiles, __launch_bounds__, another block size.", kSlotsFloor},
    {"read-sectors", GainKind::kSameWork,
     "Read the sectors by operation first: atomics on few addresses, and memory behind a link, "
     "take "
     "longer than any load of device memory.",
     kMeasurement},
    {"read-stalls", GainKind::kSameWork,
     "Read the stall reasons first: they show which change would help.", kMeasurement},
    // Less work.
    {"fewer-bytes", GainKind::kLessWork,
     "Move fewer bytes: fuse with the neighbouring kernels, reuse data from cache or shared "
     "memory, use a smaller type where its precision is enough.",
     "not bounded: the time falls with the bytes"},
    {"serve-from-l1", GainKind::kLessWork,
     "Serve more from L1 and shared memory: tile, use wider loads, share data among the blocks of "
     "a cluster.",
     kOthersFloor},
    {"fewer-l1-accesses", GainKind::kLessWork,
     "Use fewer, wider and coalesced accesses (16 bytes per thread), and keep reused values in "
     "registers.",
     kOthersFloor},
    {"fewer-shared-accesses", GainKind::kLessWork,
     "Use fewer, wider shared-memory accesses (ldmatrix, 16 bytes per thread), and keep reused "
     "values in registers.",
     kOthersFloor},
    {"fewer-load-instructions", GainKind::kLessWork,
     "Issue fewer load and store instructions: 16 bytes per thread, values kept in registers.",
     kOthersFloor},
    {"smaller-type", GainKind::kLessWork,
     "Where its precision is enough, use a matrix type of half the size: the tensor pipe does "
     "twice the operations in a cycle.",
     "1 - half of the use of the tensor pipe"},
    {"read-operations", GainKind::kLessWork,
     "Read the operations by type first: they show whether wgmma or a smaller type is left.",
     kMeasurement},
    {"read-types", GainKind::kLessWork,
     "Read the operations by type first: they show whether a smaller type is left.", kMeasurement},
    {"less-tensor-work", GainKind::kLessWork,
     "Little is left but fewer matrix operations: sparsity, or another algorithm.",
     "not bounded: the amount of work is not known to be needed"},
    {"fewer-fma", GainKind::kLessWork,
     "Execute fewer multiply-add instructions (FP32, packed half precision, integer): fuse, "
     "simplify, use a smaller type where its precision is enough, or the tensor pipe.",
     kOthersFloor},
    {"fewer-half-fma", GainKind::kLessWork,
     "Execute fewer packed half precision instructions: simplify, or move matrix products to the "
     "tensor pipe.",
     kOthersFloor},
    {"fewer-integer", GainKind::kLessWork,
     "Execute fewer integer, logic and compare instructions; hoist index arithmetic.",
     kOthersFloor},
    {"fp32-for-fp64", GainKind::kLessWork,
     "Use FP32 where its precision is enough, or the FP64 tensor pipe.", kOthersFloor},
    {"fewer-special-functions", GainKind::kLessWork,
     "Use fewer special functions and conversions: polynomials, tables, packed half precision.",
     kOthersFloor},
    {"fewer-instructions", GainKind::kLessWork,
     "Execute fewer instructions: wider accesses, unrolling, less index arithmetic.", kOthersFloor},
    {"relieve-both", GainKind::kLessWork,
     "Relieve both units: less work on one alone moves the limit to the other.", kOthersFloor},
    {"merge-launches", GainKind::kLessWork,
     "Merge it with its neighbours, batch more work into one launch, or launch the sequence as a "
     "CUDA graph.",
     "not bounded: another kernel may do its work on the way"},
    {"merge-graph-nodes", GainKind::kLessWork,
     "Merge it with its neighbours in the graph, batch more work into one launch, or let it start "
     "before the one before it ends (programmatic dependent launch).",
     "not bounded: another kernel may do its work on the way"},
    {"wait-less-for-ranks", GainKind::kLessWork,
     "See which rank the others wait for (prof ranks with the recordings of all ranks), and "
     "communicate while the GPU computes.",
     "not bounded: one recording does not show how long it waits for other ranks"},
    // A waste that was counted.
    {"remove-bank-conflicts", GainKind::kCauseRemoved,
     "Pad or swizzle the shared-memory layout so that the lanes of a warp hit different banks.",
     "1 - the busiest unit when the conflicts are taken from shared memory's wavefronts; L1's "
     "requests stay"},
    {"coalesce", GainKind::kCauseRemoved,
     "Let neighbouring lanes access neighbouring addresses, so that all bytes of a sector are "
     "used.",
     "1 - the busiest unit when DRAM and L2 move the used bytes alone, 128 fetched for each sector "
     "before, and L1 has its requests alone"},
    {"remove-spills", GainKind::kCauseRemoved,
     "Keep the values in registers: raise the limit of registers, split the kernel, shorten "
     "unrolled loops, and index local arrays by constants.",
     "1 - the busiest unit outside of the memory path, the issue slots, ALU and FMA pipes"},
    {"aggregate-atomics", GainKind::kCauseRemoved,
     "Add up in each warp or block first, and spread what is left over several addresses.",
     "1 - use of the tensor pipe or of the special functions"},
    {"uniform-constants", GainKind::kCauseRemoved,
     "Index constants by the same value in all lanes of a warp, or put the table into shared "
     "memory.",
     "1 - the busiest unit outside of the issue slots and L2"},
    {"one-path-per-warp", GainKind::kCauseRemoved,
     "Group the work so that the lanes of a warp take one path.",
     "1 - the busiest of DRAM, the tensor pipe, and the issue slots without the idle lanes"},
    {"move-to-device", GainKind::kCauseRemoved,
     "Keep what the kernel reads and writes in device memory, and copy it before or after: sectors "
     "of host memory cross the link.",
     "1 - the busiest unit outside of L2"},
    {"use-wgmma", GainKind::kCauseRemoved,
     "Use wgmma instead of mma.sync: CUTLASS 3, cuBLAS, or a newer Triton. Only wgmma reaches the "
     "full rate of this chip.",
     "1 - operations in a second / the dense peak; without that count not bounded"},
    {"more-blocks", GainKind::kCauseRemoved,
     "Give it more blocks: split the reduction (split-K), use smaller blocks, batch, or run it "
     "beside other kernels.",
     kSlotsFloor},
    {"whole-waves", GainKind::kCauseRemoved,
     "Resize the grid to whole waves, use smaller blocks, or a persistent kernel (stream-K).",
     kSlotsFloor},
    {"even-out-blocks", GainKind::kCauseRemoved,
     "Even out the work per block: smaller blocks, or a work queue.", kSlotsFloor},
};

}  // namespace

std::vector<ActionRow> ActionRows() {
  std::vector<ActionRow> rows(std::begin(kActionRows), std::end(kActionRows));
  for (const StallAdvice& advice : StallRows()) {
    const bool is_new = std::none_of(
        rows.begin(), rows.end(), [&](const ActionRow& row) { return row.id == advice.action_id; });
    if (is_new) {
      rows.push_back({advice.action_id, advice.kind, advice.action,
                      advice.action_id == "read-pc-samples" ? kMeasurement : kWaitFloor});
    }
  }
  return rows;
}

Action MakeAction(std::string_view id, const Bound& bound, std::string check) {
  Action action;
  action.id = id;
  for (const ActionRow& row : ActionRows()) {
    if (row.id != id) continue;
    action.kind = row.kind;
    action.what = row.what;
  }
  if (bound.gain && std::isfinite(*bound.gain)) {
    action.gain_at_most = std::clamp(*bound.gain, 0.0, 1.0);
  }
  action.floor = bound.floor;
  action.check = std::move(check);
  return action;
}

bool KeepsWork(const Action& action) {
  if (action.kind == GainKind::kSameWork) return true;
  return std::any_of(std::begin(kActionRows), std::end(kActionRows), [&](const ActionRow& row) {
    return row.id == action.id && row.bound == kSlotsFloor;
  });
}

std::string ActionTable() {
  RuleTable table({"id", "kind", "action", "gain at most"});
  for (const ActionRow& row : ActionRows()) {
    table.Add({AsCode(row.id), ToString(row.kind), row.what, row.bound});
  }
  return table.text();
}

}  // namespace prof::analyzer
