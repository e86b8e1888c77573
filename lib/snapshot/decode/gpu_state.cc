// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/gpu_state.h"

#include "lib/format/enums.h"
#include "lib/snapshot/decode/checks.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {

absl::Status AddGpuStates(const wire::Block& block, DecodeState* state) {
  const wire::GpuStateColumns& columns = block.gpu_states();
  const int rows = columns.kind_size();
  absl::Status status = SameLength("readings of the state of a GPU",
                                   {{"kind", rows},
                                    {"device", columns.device_size()},
                                    {"value", columns.value_size()},
                                    {"second", columns.second_size()},
                                    {"reasons", columns.reasons_size()},
                                    {"time_delta_ns", columns.time_delta_ns_size()}});
  if (!status.ok()) return status;
  Sum time(columns.base_ns());
  for (int row = 0; row < rows; ++row) {
    const model::GpuState reading = {format::FromNumber<model::GpuStateKind>(columns.kind(row)),
                                     columns.device(row),
                                     columns.value(row),
                                     columns.second(row),
                                     columns.reasons(row),
                                     time.Add(columns.time_delta_ns(row))};
    if (!ValidTime(reading.time_ns)) return BadTime("readings of the state of a GPU", row);
    state->model->gpu_states.push_back(reading);
  }
  return absl::OkStatus();
}

}  // namespace prof::snapshot
