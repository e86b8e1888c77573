// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/ranges.h"

#include <cstring>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/format/enums.h"
#include "lib/format/name_pattern.h"
#include "lib/snapshot/decode/checks.h"
#include "lib/snapshot/decode/guessed_columns.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {
namespace {

double PayloadValue(format::PayloadType type, uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  double of_64 = 0;
  float of_32 = 0;
  switch (type) {
    case format::PayloadType::kNone:
      break;
    case format::PayloadType::kUint64:
      return static_cast<double>(bits);
    case format::PayloadType::kInt64:
      return static_cast<double>(static_cast<int64_t>(bits));
    case format::PayloadType::kDouble:
      std::memcpy(&of_64, &bits, sizeof(of_64));
      return of_64;
    case format::PayloadType::kUint32:
      return low;
    case format::PayloadType::kInt32:
      return static_cast<int32_t>(low);
    case format::PayloadType::kFloat:
      std::memcpy(&of_32, &low, sizeof(of_32));
      return static_cast<double>(of_32);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// Reads NameNumbers. Calls `row_of(row)` for each entry, which returns the RangeNumber of that row
// without value and style, or nothing when there is no such row.
template <typename RowOf>
absl::Status AddNumbers(const wire::NameNumbers& numbers, RowOf row_of, DecodeState* state) {
  const int entries = numbers.row_delta_size();
  absl::Status status =
      SameLength("numbers", {{"row_delta", entries}, {"value_delta", numbers.value_delta_size()}});
  if (status.ok()) {
    status = SameLength(
        "styles", {{"styled_delta", numbers.styled_delta_size()}, {"style", numbers.style_size()}});
  }
  if (status.ok()) {
    status = Spend(static_cast<size_t>(entries) * sizeof(model::RangeNumber), state);
  }
  if (!status.ok()) return status;
  std::unordered_map<uint64_t, uint64_t> last_values;  // by path and place
  uint64_t row = 0, place = 0;
  int styled = 0;
  uint64_t next_styled = numbers.styled_delta_size() > 0 ? numbers.styled_delta(0) : 0;
  for (int entry = 0; entry < entries; ++entry) {
    place = entry > 0 && numbers.row_delta(entry) == 0 ? place + 1 : 0;
    row += numbers.row_delta(entry);
    std::optional<model::RangeNumber> number = row_of(row, place == 0);
    if (!number || place >= format::kMaxNameNumbers) {
      return absl::DataLossError(absl::StrCat("number ", entry, " belongs to no row"));
    }
    uint64_t& last = last_values[uint64_t{number->path} * format::kMaxNameNumbers + place];
    last += static_cast<uint64_t>(numbers.value_delta(entry));
    number->value = last;
    if (styled < numbers.style_size() && next_styled == static_cast<uint64_t>(entry)) {
      number->style = numbers.style(styled);
      if (++styled < numbers.style_size()) next_styled += numbers.styled_delta(styled);
    }
    state->model->range_numbers.push_back(*number);
  }
  if (styled < numbers.style_size()) return absl::DataLossError("a style belongs to no number");
  return absl::OkStatus();
}

// Where the steps of a block's rows went, if some have numbers.
struct AddedStep {
  uint32_t thread = 0;
  size_t step = 0;
};

absl::Status AddStepNumbers(const wire::RangeColumns& columns, const std::vector<AddedStep>& added,
                            DecodeState* state) {
  const auto row_of = [&](uint64_t row, bool first) -> std::optional<model::RangeNumber> {
    if (row >= added.size()) return std::nullopt;
    model::StepTable& steps = state->model->steps[added[row].thread];
    if (first) steps.Change(added[row].step).SetOpens();
    const model::RangeStep step = steps[added[row].step];
    return model::RangeNumber{step.time_ns(), 0, step.path(), added[row].thread, 0};
  };
  return AddNumbers(columns.numbers(), row_of, state);
}

// Adds a step of a thread that exists.
inline void AddStep(uint32_t thread, int64_t time_ns, uint32_t path, DecodeState* state,
                    std::vector<AddedStep>* added) {
  model::StepTable& steps = state->model->steps[thread];
  std::vector<StepsBefore>& before = state->steps_before;
  if (before.empty() || before.back().thread != thread) before.push_back({thread, steps.size()});
  if (added != nullptr) added->push_back({thread, steps.size()});
  steps.push_back(model::RangeStep(time_ns, path));
}

// Where the steps of a block's rows went is in `added`, as for numbers.
absl::Status AddStepShapes(const wire::RangeColumns& columns, const std::vector<AddedStep>& added,
                           DecodeState* state) {
  model::Model& model = *state->model;
  const int entries = columns.shapes_size();
  absl::Status status = SameLength(
      "shapes", {{"shapes_row_delta", columns.shapes_row_delta_size()}, {"shapes", entries}});
  if (status.ok()) {
    status = Spend(static_cast<size_t>(entries) * sizeof(model::TorchShapes), state);
  }
  if (!status.ok()) return status;
  uint64_t row = 0;
  for (int entry = 0; entry < entries; ++entry) {
    row += columns.shapes_row_delta(entry);
    if (row >= added.size()) {
      return absl::DataLossError(absl::StrCat("shapes ", entry, " belong to no row"));
    }
    const uint32_t text = columns.shapes(entry);
    if (text >= model.strings.size()) {
      return BadId("shapes", entry, "string", text, model.strings.size());
    }
    const uint32_t thread = added[row].thread;
    const model::RangeStep step = model.steps[thread][added[row].step];
    status = SpendPair(step.path(), text, state);
    if (!status.ok()) return status;
    model.torch.shapes.push_back({step.time_ns(), step.path(), thread, text});
  }
  return absl::OkStatus();
}

// Columns of version 1 of the format.
absl::Status AddListedSteps(const wire::RangeColumns& steps, DecodeState* state,
                            std::vector<AddedStep>* added) {
  model::Model& model = *state->model;
  const size_t paths = model.paths.size(), threads = model.threads.size();
  absl::Status status = SameLength("ranges", {{"thread", steps.thread_size()},
                                              {"time_delta_ns", steps.time_delta_ns_size()},
                                              {"path", steps.path_size()}});
  if (!status.ok()) return status;
  Sum time(steps.base_ns());
  for (int row = 0; row < steps.thread_size(); ++row) {
    const int64_t time_ns = time.Add(steps.time_delta_ns(row));
    if (!ValidTime(time_ns)) return BadTime("ranges", row);
    if (steps.path(row) >= paths) return BadId("ranges", row, "path", steps.path(row), paths);
    if (steps.thread(row) >= threads) {
      return BadId("ranges", row, "thread", steps.thread(row), threads);
    }
    AddStep(steps.thread(row), time_ns, steps.path(row), state, added);
  }
  return absl::OkStatus();
}

// Columns of version 2.
absl::Status AddGuessedSteps(const wire::RangeColumns& steps, DecodeState* state,
                             std::vector<AddedStep>* added) {
  model::Model& model = *state->model;
  const size_t paths = model.paths.size(), threads = model.threads.size();
  IdReader thread_ids(steps.thread_guess()), path_ids(steps.path_guess());
  format::IntervalGuess guess;
  guess.Begin(steps.base_ns());
  for (int row = 0; row < steps.time_guess_ns_size(); ++row) {
    const uint32_t thread = thread_ids.Next(), path = path_ids.Next();
    if (path >= paths) return BadId("ranges", row, "path", path, paths);
    if (thread >= threads) return BadId("ranges", row, "thread", thread, threads);
    guess.Enter(path);
    const uint64_t time_ns = guess.start_ns() + static_cast<uint64_t>(steps.time_guess_ns(row));
    guess.Learn(time_ns, 0);
    if (!ValidTime(static_cast<int64_t>(time_ns))) return BadTime("ranges", row);
    AddStep(thread, static_cast<int64_t>(time_ns), path, state, added);
  }
  absl::Status status = thread_ids.Finish("ranges", "thread");
  return status.ok() ? path_ids.Finish("ranges", "path") : status;
}

}  // namespace

absl::Status AddRangeSteps(const wire::Block& block, DecodeState* state) {
  const wire::RangeColumns& steps = block.ranges();
  std::vector<AddedStep> added;
  const bool has_shapes = steps.shapes_size() > 0 || steps.shapes_row_delta_size() > 0;
  std::vector<AddedStep>* const keep = steps.has_numbers() || has_shapes ? &added : nullptr;
  absl::Status status = steps.time_guess_ns().empty() ? AddListedSteps(steps, state, keep)
                                                      : AddGuessedSteps(steps, state, keep);
  if (status.ok() && steps.has_numbers()) status = AddStepNumbers(steps, added, state);
  return status.ok() && has_shapes ? AddStepShapes(steps, added, state) : status;
}

void TakeStepsBack(DecodeState* state) {
  std::vector<StepsBefore>& steps_before = state->steps_before;
  for (; !steps_before.empty(); steps_before.pop_back()) {
    const StepsBefore& before = steps_before.back();
    state->model->steps[before.thread].resize(before.steps);
  }
}

absl::Status AddSpans(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const size_t paths = model.paths.size(), threads = model.threads.size();
  const wire::SpanColumns& spans = block.spans();
  absl::Status status = SameLength("spans", {{"path", spans.path_size()},
                                             {"start_thread", spans.start_thread_size()},
                                             {"end_thread", spans.end_thread_size()},
                                             {"start_delta_ns", spans.start_delta_ns_size()},
                                             {"duration_ns", spans.duration_ns_size()}});
  if (!status.ok()) return status;
  Sum start(spans.base_ns());
  for (int row = 0; row < spans.path_size(); ++row) {
    if (spans.path(row) >= paths) return BadId("spans", row, "path", spans.path(row), paths);
    if (spans.start_thread(row) >= threads) {
      return BadId("spans", row, "thread", spans.start_thread(row), threads);
    }
    model::RangeInstance& span = model.spans.emplace_back();
    span.path = spans.path(row);
    span.thread = spans.start_thread(row);
    if (!SetInterval(start.Add(spans.start_delta_ns(row)), spans.duration_ns(row), &span)) {
      return BadTime("spans", row);
    }
  }
  const size_t first = model.spans.size() - static_cast<size_t>(spans.path_size());
  const auto row_of = [&](uint64_t row, bool) -> std::optional<model::RangeNumber> {
    if (row >= model.spans.size() - first) return std::nullopt;
    const model::RangeInstance& span = model.spans[first + row];
    return model::RangeNumber{span.start_ns, 0, span.path, span.thread, 0};
  };
  return AddNumbers(spans.numbers(), row_of, state);
}

absl::Status AddMarks(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const size_t paths = model.paths.size(), threads = model.threads.size();
  const wire::MarkColumns& marks = block.marks();
  absl::Status status = SameLength("marks", {{"path", marks.path_size()},
                                             {"thread", marks.thread_size()},
                                             {"time_delta_ns", marks.time_delta_ns_size()}});
  if (!status.ok()) return status;
  Sum mark_time(marks.base_ns());
  for (int row = 0; row < marks.path_size(); ++row) {
    const int64_t time_ns = mark_time.Add(marks.time_delta_ns(row));
    if (!ValidTime(time_ns)) return BadTime("marks", row);
    if (marks.path(row) >= paths) return BadId("marks", row, "path", marks.path(row), paths);
    if (marks.thread(row) >= threads) {
      return BadId("marks", row, "thread", marks.thread(row), threads);
    }
    model.marks.push_back({marks.path(row), marks.thread(row), time_ns});
  }
  const size_t first = model.marks.size() - static_cast<size_t>(marks.path_size());
  const auto row_of = [&](uint64_t row, bool) -> std::optional<model::RangeNumber> {
    if (row >= model.marks.size() - first) return std::nullopt;
    const model::Mark& mark = model.marks[first + row];
    return model::RangeNumber{mark.time_ns, 0, mark.path, mark.thread, 0};
  };
  return AddNumbers(marks.numbers(), row_of, state);
}

absl::Status AddPayloads(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const size_t paths = model.paths.size(), threads = model.threads.size();
  const wire::PayloadColumns& payloads = block.payloads();
  absl::Status status = SameLength("payloads", {{"thread", payloads.thread_size()},
                                                {"time_delta_ns", payloads.time_delta_ns_size()},
                                                {"path", payloads.path_size()},
                                                {"type", payloads.type_size()},
                                                {"bits", payloads.bits_size()}});
  if (!status.ok()) return status;
  Sum time(payloads.base_ns());
  for (int row = 0; row < payloads.path_size(); ++row) {
    const int64_t time_ns = time.Add(payloads.time_delta_ns(row));
    if (!ValidTime(time_ns)) return BadTime("payloads", row);
    if (payloads.path(row) >= paths) {
      return BadId("payloads", row, "path", payloads.path(row), paths);
    }
    if (payloads.thread(row) >= threads) {
      return BadId("payloads", row, "thread", payloads.thread(row), threads);
    }
    const uint32_t field = row < payloads.field_size() ? payloads.field(row) : 0;
    if (field >= model.strings.size()) {
      return BadId("payloads", row, "field", field, model.strings.size());
    }
    if (field != 0) status = SpendPair(payloads.path(row), field, state);
    if (!status.ok()) return status;
    model.payloads.push_back(
        {payloads.path(row), payloads.thread(row), time_ns,
         PayloadValue(format::FromNumber<format::PayloadType>(payloads.type(row)),
                      payloads.bits(row)),
         field});
  }
  return absl::OkStatus();
}

}  // namespace prof::snapshot
