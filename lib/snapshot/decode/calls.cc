// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/calls.h"

#include <optional>

#include "lib/format/enums.h"
#include "lib/snapshot/decode/checks.h"
#include "lib/snapshot/decode/guessed_columns.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {
namespace {

// The host stacks of calls, in both versions; a block without the column has none.
class StackReader {
 public:
  StackReader(const wire::ApiColumns& columns, const DecodeState& state)
      : known_(state.model->host_stacks.size()) {
    if (!columns.stack_guess().empty()) ids_.emplace(columns.stack_guess());
  }

  // False: no table has this id.
  [[nodiscard]] bool Next(uint32_t* stack) {
    if (ids_) *stack = ids_->Next();
    return *stack < known_;
  }
  [[nodiscard]] absl::Status Bad(int row, uint32_t stack) const {
    return BadId("API calls", row, "host stack", stack, known_);
  }
  [[nodiscard]] absl::Status Finish() const {
    return ids_ ? ids_->Finish("API calls", "host stack") : absl::OkStatus();
  }

 private:
  std::optional<IdReader> ids_;  // it has a table: no block pays for one that it does not need
  const size_t known_;
};

// Columns of version 1 of the format.
absl::Status AddListedApiCalls(const wire::ApiColumns& columns, DecodeState* state) {
  model::Model& model = *state->model;
  const int rows = columns.name_size();
  absl::Status status =
      SameLength("API calls", {{"name", rows},
                               {"thread", columns.thread_size()},
                               {"start_delta_ns", columns.start_delta_ns_size()},
                               {"duration_ns", columns.duration_ns_size()},
                               {"correlation_delta", columns.correlation_delta_size()}});
  if (!status.ok()) return status;
  StackReader stacks(columns, *state);
  Sum start(columns.base_ns()), correlation;
  for (int row = 0; row < rows; ++row) {
    const uint32_t name = columns.name(row), thread = columns.thread(row);
    if (name >= model.strings.size()) {
      return BadId("API calls", row, "string", name, model.strings.size());
    }
    if (thread >= model.threads.size()) {
      return BadId("API calls", row, "thread", thread, model.threads.size());
    }
    model::ApiCall call;
    call.name = name;
    call.thread = thread;
    if (!stacks.Next(&call.stack)) return stacks.Bad(row, call.stack);
    call.correlation = static_cast<uint32_t>(correlation.Add(columns.correlation_delta(row)));
    if (!SetInterval(start.Add(columns.start_delta_ns(row)), columns.duration_ns(row), &call)) {
      return BadTime("API calls", row);
    }
    model.api_calls.push_back(call);
  }
  return stacks.Finish();
}

// Columns of version 2.
absl::Status AddGuessedApiCalls(const wire::ApiColumns& columns, DecodeState* state) {
  model::Model& model = *state->model;
  const int rows = columns.start_guess_ns_size();
  absl::Status status = SameLength(
      "API calls",
      {{"start_guess_ns", rows}, {"duration_guess_ns", columns.duration_guess_ns_size()}});
  if (!status.ok()) return status;
  IdReader names(columns.name_guess()), threads(columns.thread_guess());
  StackReader stacks(columns, *state);
  CorrelationReader correlations(columns.correlation_guess());
  IntervalReader intervals(columns.base_ns());
  for (int row = 0; row < rows; ++row) {
    const uint32_t name = names.Next(), thread = threads.Next();
    if (name >= model.strings.size()) {
      return BadId("API calls", row, "string", name, model.strings.size());
    }
    if (thread >= model.threads.size()) {
      return BadId("API calls", row, "thread", thread, model.threads.size());
    }
    model::ApiCall call;
    call.name = name;
    call.thread = thread;
    if (!stacks.Next(&call.stack)) return stacks.Bad(row, call.stack);
    call.correlation = correlations.Next();
    if (!intervals.Next(name, columns.start_guess_ns(row), columns.duration_guess_ns(row), &call)) {
      return BadTime("API calls", row);
    }
    model.api_calls.push_back(call);
  }
  status = names.Finish("API calls", "name");
  if (status.ok()) status = threads.Finish("API calls", "thread");
  if (status.ok()) status = stacks.Finish();
  return status.ok() ? correlations.Finish("API calls") : status;
}

}  // namespace

absl::Status AddApiCalls(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::ApiColumns& columns = block.api_calls();
  const size_t first = model.api_calls.size();
  absl::Status status = SameLength("API errors", {{"error_row", columns.error_row_size()},
                                                  {"error_code", columns.error_code_size()}});
  if (status.ok()) {
    status = columns.start_guess_ns().empty() ? AddListedApiCalls(columns, state)
                                              : AddGuessedApiCalls(columns, state);
  }
  if (!status.ok()) return status;
  const auto rows = static_cast<int>(model.api_calls.size() - first);
  for (int i = 0; i < columns.error_row_size(); ++i) {
    const uint32_t row = columns.error_row(i);
    if (row >= static_cast<uint32_t>(rows)) return BadRow("API calls", row, rows);
    model.api_calls.Edit(first + row,
                         [&](model::ApiCall* call) { call->error = columns.error_code(i); });
  }
  return absl::OkStatus();
}

absl::Status AddSyncs(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::SyncColumns& columns = block.syncs();
  const int rows = columns.kind_size();
  absl::Status status =
      SameLength("syncs", {{"kind", rows},
                           {"context", columns.context_size()},
                           {"stream", columns.stream_size()},
                           {"start_delta_ns", columns.start_delta_ns_size()},
                           {"duration_ns", columns.duration_ns_size()},
                           {"correlation_delta", columns.correlation_delta_size()}});
  if (!status.ok()) return status;
  Sum start(columns.base_ns()), correlation;
  for (int row = 0; row < rows; ++row) {
    model::Sync& sync = model.syncs.emplace_back();
    sync.kind = format::FromNumber<model::SyncKind>(columns.kind(row));
    sync.context = columns.context(row);
    sync.stream = columns.stream(row);
    sync.correlation = static_cast<uint32_t>(correlation.Add(columns.correlation_delta(row)));
    if (!SetInterval(start.Add(columns.start_delta_ns(row)), columns.duration_ns(row), &sync)) {
      return BadTime("syncs", row);
    }
  }
  return absl::OkStatus();
}

absl::Status AddOverheads(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::OverheadColumns& columns = block.overheads();
  const int rows = columns.kind_size();
  absl::Status status = SameLength("overheads", {{"kind", rows},
                                                 {"thread", columns.thread_size()},
                                                 {"start_delta_ns", columns.start_delta_ns_size()},
                                                 {"duration_ns", columns.duration_ns_size()}});
  Sum start(columns.base_ns());
  for (int row = 0; status.ok() && row < rows; ++row) {
    if (columns.thread(row) >= model.threads.size()) {
      return BadId("overheads", row, "thread", columns.thread(row), model.threads.size());
    }
    model::Overhead& overhead = model.overheads.emplace_back();
    overhead.thread = columns.thread(row);
    if (!SetInterval(start.Add(columns.start_delta_ns(row)), columns.duration_ns(row), &overhead)) {
      return BadTime("overheads", row);
    }
    status = CopyString("an overhead's kind", columns.kind(row), state, &overhead.kind);
  }
  return status;
}

}  // namespace prof::snapshot
