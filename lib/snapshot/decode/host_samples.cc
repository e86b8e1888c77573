// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/host_samples.h"

#include "lib/format/enums.h"
#include "lib/snapshot/decode/checks.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {

absl::Status AddHostSamples(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const size_t threads = model.threads.size(), stacks = model.host_stacks.size();
  const wire::HostSampleColumns& columns = block.host_samples();
  absl::Status status = SameLength("host samples", {{"thread", columns.thread_size()},
                                                    {"time_delta_ns", columns.time_delta_ns_size()},
                                                    {"stack_delta", columns.stack_delta_size()},
                                                    {"kind", columns.kind_size()},
                                                    {"state", columns.state_size()}});
  if (!status.ok()) return status;
  Sum time(columns.base_ns()), stack;
  for (int row = 0; row < columns.thread_size(); ++row) {
    model::HostSample sample;
    sample.time_ns = time.Add(columns.time_delta_ns(row));
    if (!ValidTime(sample.time_ns)) return BadTime("host samples", row);
    sample.thread = columns.thread(row);
    if (sample.thread >= threads) {
      return BadId("host samples", row, "thread", sample.thread, threads);
    }
    const auto id = static_cast<uint64_t>(stack.Add(columns.stack_delta(row)));
    if (id >= stacks) return BadId("host samples", row, "host stack", id, stacks);
    sample.stack = static_cast<uint32_t>(id);
    sample.kind = format::FromNumber<model::HostSampleKind>(columns.kind(row));
    sample.state = format::FromNumber<model::HostState>(columns.state(row));
    model.host_samples.push_back(sample);
  }
  return absl::OkStatus();
}

}  // namespace prof::snapshot
