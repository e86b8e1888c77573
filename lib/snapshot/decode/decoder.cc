// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/decoder.h"

#include "absl/strings/str_cat.h"
#include "lib/snapshot/decode/calls.h"
#include "lib/snapshot/decode/checkpoint.h"
#include "lib/snapshot/decode/gpu_state.h"
#include "lib/snapshot/decode/host_samples.h"
#include "lib/snapshot/decode/memory.h"
#include "lib/snapshot/decode/operations.h"
#include "lib/snapshot/decode/pm_samples.h"
#include "lib/snapshot/decode/ranges.h"
#include "lib/snapshot/decode/recording.h"
#include "lib/snapshot/decode/samples.h"
#include "lib/snapshot/decode/tables.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {
namespace {

// Rows have 32-bit indices, and the tables use a few bits of them.
absl::Status CheckRows(const wire::Block& /*block*/, DecodeState* state) {
  constexpr size_t kMostRows = size_t{1} << 30;
  const model::Model& model = *state->model;
  if (model.ops.size() <= kMostRows && model.api_calls.size() <= kMostRows &&
      model.paths.size() <= kMostRows) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      absl::StrCat("it has more than ", kMostRows, " operations, API calls or range paths"));
}

// The parts of a block in the order of decoding: tables come before the columns that name their
// entries, and parts that replace something come after all that can fail.
using AddPart = absl::Status (*)(const wire::Block& block, DecodeState* state);
constexpr AddPart kParts[] = {
    // Tables.
    AddStrings,
    AddDevices,
    AddPaths,
    AddShapes,
    AddLanes,
    AddStreams,
    AddThreads,
    AddPassGroups,
    AddNames,
    AddHostStacks,
    AddGraphNodes,
    AddPmSeries,
    // Operations and calls.
    AddKernels,
    AddCopies,
    AddMemsets,
    AddGraphRuns,
    AddApiCalls,
    AddSyncs,
    AddOverheads,
    // Ranges.
    AddRangeSteps,
    AddSpans,
    AddMarks,
    AddPayloads,
    AddHostSamples,
    // Memory.
    AddAllocations,
    AddTensors,
    AddPoolOperations,
    AddUnifiedMemory,
    AddGpuStates,
    // Samples.
    AddSamples,
    AddProfilerIntervals,
    AddLaunchCounts,
    AddPmSamples,
    // The recording.
    AddNotices,
    CheckRows,
    AddHeader,
    AddIntegrity,
    AddTrailer,
};

}  // namespace

absl::Status Decoder::Add(const wire::Block& block, size_t bytes) {
  Checkpoint before(&state_, block.pm_samples_size() > 0);
  state_.budget += kMemoryPerByte * bytes;
  for (const AddPart add_part : kParts) {
    absl::Status status = add_part(block, &state_);
    if (status.ok()) continue;
    before.Restore();
    return status;
  }
  return absl::OkStatus();
}

void Decoder::Finish() { NameThreads(&state_); }

}  // namespace prof::snapshot
