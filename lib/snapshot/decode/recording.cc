// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/recording.h"

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "lib/format/enums.h"
#include "lib/format/losses.h"
#include "lib/snapshot/decode/checks.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {
namespace {

// A severity of a newer version counts as the worst one, so that nobody overlooks its notice.
model::Severity SeverityOf(int number) {
  const auto severity = format::FromNumber<model::Severity>(number);
  return static_cast<int>(severity) == number ? severity : model::Severity::kError;
}

}  // namespace

absl::Status AddNotices(const wire::Block& block, DecodeState* state) {
  for (const wire::Notice& wire : block.notices()) {
    absl::Status status =
        Spend(sizeof(model::Notice) + wire.what().size() + wire.fix().size(), state);
    if (!status.ok()) return status;
    state->model->notices.push_back({SeverityOf(wire.severity()),
                                     format::FromNumber<model::Subsystem>(wire.subsystem()),
                                     wire.code(), wire.what(), wire.fix()});
  }
  return absl::OkStatus();
}

absl::Status AddHeader(const wire::Block& block, DecodeState* state) {
  if (!block.has_header()) return absl::OkStatus();
  const wire::Header& header = block.header();
  model::Process& process = state->model->process;
  process.format_version = header.format_version();
  process.prof_version = header.prof_version();
  process.host = header.host();
  process.command = header.command();
  process.cupti_path = header.cupti_path();
  process.nvidia_driver = header.nvidia_driver();
  process.cupti_device_bytes = header.cupti_device_bytes();
  process.start_ns = header.start_ns();
  process.pid = header.pid();
  process.rank = header.rank();
  process.cuda_driver_version = header.cuda_driver_version();
  process.cupti_version = header.cupti_version();
  process.injected = header.injected();
  return absl::OkStatus();
}

absl::Status AddIntegrity(const wire::Block& block, DecodeState* state) {
  if (!block.has_integrity()) return absl::OkStatus();
  const wire::Integrity& wire = block.integrity();
  const google::protobuf::Descriptor& fields = *wire.GetDescriptor();
  const google::protobuf::Reflection& values = *wire.GetReflection();
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    state->model->integrity.*row.count =
        values.GetUInt64(wire, fields.FindFieldByNumber(row.field));
  }
  for (const format::IntegrityFlag& row : format::kIntegrityFlags) {
    state->model->integrity.*row.flag = values.GetBool(wire, fields.FindFieldByNumber(row.field));
  }
  return absl::OkStatus();
}

absl::Status AddTrailer(const wire::Block& block, DecodeState* state) {
  if (!block.has_trailer()) return absl::OkStatus();
  const int64_t end_ns = block.trailer().end_ns();
  state->model->stopped_in_order = true;
  state->model->end_ns = ValidTime(end_ns) ? end_ns : 0;
  state->trailer_blocks = block.trailer().blocks();
  return absl::OkStatus();
}

}  // namespace prof::snapshot
