// SPDX-License-Identifier: Apache-2.0
//
// The event columns of a block. Columns go straight into the model's vectors: no allocation a row.
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/snapshot/decode/decode_checks.h"
#include "lib/snapshot/decode/decoder.h"
#include "prof/snapshot.pb.h"

namespace prof::internal {
namespace {

double PayloadValue(int type, uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  double of_64 = 0;
  float of_32 = 0;
  switch (type) {
    case wire::PAYLOAD_UINT64:
      return static_cast<double>(bits);
    case wire::PAYLOAD_INT64:
      return static_cast<double>(static_cast<int64_t>(bits));
    case wire::PAYLOAD_DOUBLE:
      std::memcpy(&of_64, &bits, sizeof(of_64));
      return of_64;
    case wire::PAYLOAD_UINT32:
      return low;
    case wire::PAYLOAD_INT32:
      return static_cast<int32_t>(low);
    case wire::PAYLOAD_FLOAT:
      std::memcpy(&of_32, &low, sizeof(of_32));
      return static_cast<double>(of_32);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

model::MemoryKind Memory(int value) { return format::FromNumber<model::MemoryKind>(value); }

// What all kinds of GPU operations have: lane, time, correlation.
template <typename Columns, typename Lanes>
absl::Status AddOps(const char* events, const Columns& columns, const Lanes& lanes,
                    model::OpKind kind, model::OpTable* ops) {
  const int rows = columns.lane_size();
  absl::Status status =
      SameLength(events, {{"lane", rows},
                          {"start_delta_ns", columns.start_delta_ns_size()},
                          {"duration_ns", columns.duration_ns_size()},
                          {"correlation_delta", columns.correlation_delta_size()}});
  if (!status.ok()) return status;
  Sum start(columns.base_ns()), correlation;
  for (int row = 0; row < rows; ++row) {
    const uint32_t lane = columns.lane(row);
    if (lane >= lanes.size()) return BadId(events, row, "lane", lane, lanes.size());
    model::Op op;
    op.kind = kind;
    op.device = lanes[lane].device;
    op.context = lanes[lane].context;
    op.stream = lanes[lane].stream;
    op.channel = lanes[lane].channel;
    op.channel_type = lanes[lane].channel_type;
    op.correlation = static_cast<uint32_t>(correlation.Add(columns.correlation_delta(row)));
    if (!SetInterval(start.Add(columns.start_delta_ns(row)), columns.duration_ns(row), &op)) {
      return BadTime(events, row);
    }
    ops->push_back(op);
  }
  return absl::OkStatus();
}

// The rows of `columns` are those of `ops` from `first` on.
template <typename Columns>
absl::Status SetGraphs(const char* events, const Columns& columns, int rows, size_t first,
                       model::OpTable* ops) {
  absl::Status status = SameLength(events, {{"graph_row", columns.graph_row_size()},
                                            {"graph_id", columns.graph_id_size()},
                                            {"graph_node_id", columns.graph_node_id_size()}});
  if (!status.ok()) return status;
  for (int i = 0; i < columns.graph_row_size(); ++i) {
    const uint32_t row = columns.graph_row(i);
    if (row >= static_cast<uint32_t>(rows)) return BadRow(events, row, rows);
    ops->Edit(first + row, [&](model::Op* op) {
      op->graph = columns.graph_id(i);
      op->graph_node = columns.graph_node_id(i);
    });
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Decoder::AddListedKernels(const wire::KernelColumns& columns) {
  const size_t first = model_->ops.size();
  absl::Status status = AddOps("kernels", columns, lanes_, model::OpKind::kKernel, &model_->ops);
  const int rows = columns.lane_size();
  if (status.ok()) {
    status = SameLength("kernels", {{"lane", rows}, {"shape", columns.shape_size()}});
  }
  if (!status.ok()) return status;
  for (int row = 0; row < rows; ++row) {
    const uint32_t shape = columns.shape(row);
    if (shape >= model_->shapes.size()) {
      return BadId("kernels", row, "shape", shape, model_->shapes.size());
    }
    model_->ops.Edit(first + row, [&](model::Op* op) { op->shape = shape; });
  }
  return absl::OkStatus();
}

absl::Status Decoder::AddKernels(const wire::Block& block) {
  const wire::KernelColumns& columns = block.kernels();
  const size_t first = model_->ops.size();
  absl::Status status =
      columns.start_guess_ns().empty() ? AddListedKernels(columns) : AddGuessedKernels(columns);
  if (!status.ok()) return status;
  const auto rows = static_cast<int>(model_->ops.size() - first);
  for (const uint32_t row : columns.untimed_row()) {
    if (row >= static_cast<uint32_t>(rows)) return BadRow("kernels", row, rows);
    model_->ops.Edit(first + row, [](model::Op* op) { op->timed = false; });
  }
  for (const uint32_t row : columns.untraced_row()) {
    if (row >= static_cast<uint32_t>(rows)) return BadRow("kernels", row, rows);
    model_->ops.Edit(first + row, [](model::Op* op) {
      op->timed = false;
      op->untraced = true;
    });
  }
  return SetGraphs("kernels", columns, rows, first, &model_->ops);
}

absl::Status Decoder::AddCopies(const wire::Block& block) {
  const wire::CopyColumns& columns = block.copies();
  const size_t first = model_->ops.size();
  absl::Status status = AddOps("copies", columns, lanes_, model::OpKind::kCopy, &model_->ops);
  const int rows = columns.lane_size();
  if (status.ok()) {
    status = SameLength("copies", {{"lane", rows},
                                   {"kind", columns.kind_size()},
                                   {"source", columns.source_size()},
                                   {"destination", columns.destination_size()},
                                   {"bytes", columns.bytes_size()},
                                   {"async", columns.async_size()}});
  }
  if (!status.ok()) return status;
  for (int row = 0; row < rows; ++row) {
    model_->ops.Edit(first + row, [&](model::Op* op) {
      op->copy = format::FromNumber<model::CopyKind>(columns.kind(row));
      op->source = Memory(columns.source(row));
      op->destination = Memory(columns.destination(row));
      op->bytes = columns.bytes(row);
      op->async = columns.async(row);
    });
  }
  return SetGraphs("copies", columns, rows, first, &model_->ops);
}

absl::Status Decoder::AddMemsets(const wire::Block& block) {
  const wire::MemsetColumns& columns = block.memsets();
  const size_t first = model_->ops.size();
  absl::Status status = AddOps("memsets", columns, lanes_, model::OpKind::kMemset, &model_->ops);
  const int rows = columns.lane_size();
  if (status.ok()) {
    status = SameLength(
        "memsets",
        {{"lane", rows}, {"bytes", columns.bytes_size()}, {"memory", columns.memory_size()}});
  }
  if (!status.ok()) return status;
  for (int row = 0; row < rows; ++row) {
    model_->ops.Edit(first + row, [&](model::Op* op) {
      op->destination = Memory(columns.memory(row));
      op->bytes = columns.bytes(row);
    });
  }
  return SetGraphs("memsets", columns, rows, first, &model_->ops);
}

absl::Status Decoder::AddGraphRuns(const wire::Block& block) {
  const wire::GraphRunColumns& columns = block.graph_runs();
  const size_t first = model_->ops.size();
  absl::Status status = AddOps("graph runs", columns, lanes_, model::OpKind::kGraph, &model_->ops);
  const int rows = columns.lane_size();
  if (status.ok()) {
    status = SameLength("graph runs", {{"lane", rows}, {"graph_id", columns.graph_id_size()}});
  }
  for (int row = 0; status.ok() && row < rows; ++row) {
    model_->ops.Edit(first + row, [&](model::Op* op) { op->graph = columns.graph_id(row); });
  }
  return status;
}

absl::Status Decoder::AddSyncs(const wire::Block& block) {
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
    model::Sync& sync = model_->syncs.emplace_back();
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

absl::Status Decoder::AddListedApiCalls(const wire::ApiColumns& columns) {
  const int rows = columns.name_size();
  absl::Status status =
      SameLength("API calls", {{"name", rows},
                               {"thread", columns.thread_size()},
                               {"start_delta_ns", columns.start_delta_ns_size()},
                               {"duration_ns", columns.duration_ns_size()},
                               {"correlation_delta", columns.correlation_delta_size()}});
  if (!status.ok()) return status;
  Sum start(columns.base_ns()), correlation;
  for (int row = 0; row < rows; ++row) {
    const uint32_t name = columns.name(row), thread = columns.thread(row);
    if (name >= model_->strings.size()) {
      return BadId("API calls", row, "string", name, model_->strings.size());
    }
    if (thread >= model_->threads.size()) {
      return BadId("API calls", row, "thread", thread, model_->threads.size());
    }
    model::ApiCall call;
    call.name = name;
    call.thread = thread;
    call.correlation = static_cast<uint32_t>(correlation.Add(columns.correlation_delta(row)));
    if (!SetInterval(start.Add(columns.start_delta_ns(row)), columns.duration_ns(row), &call)) {
      return BadTime("API calls", row);
    }
    model_->api_calls.push_back(call);
  }
  return absl::OkStatus();
}

absl::Status Decoder::AddApiCalls(const wire::Block& block) {
  const wire::ApiColumns& columns = block.api_calls();
  const size_t first = model_->api_calls.size();
  absl::Status status = SameLength("API errors", {{"error_row", columns.error_row_size()},
                                                  {"error_code", columns.error_code_size()}});
  if (status.ok()) {
    status =
        columns.start_guess_ns().empty() ? AddListedApiCalls(columns) : AddGuessedApiCalls(columns);
  }
  if (!status.ok()) return status;
  const auto rows = static_cast<int>(model_->api_calls.size() - first);
  for (int i = 0; i < columns.error_row_size(); ++i) {
    const uint32_t row = columns.error_row(i);
    if (row >= static_cast<uint32_t>(rows)) return BadRow("API calls", row, rows);
    model_->api_calls.Edit(first + row,
                           [&](model::ApiCall* call) { call->error = columns.error_code(i); });
  }
  return absl::OkStatus();
}

absl::Status Decoder::AddOverheads(const wire::Block& block) {
  const wire::OverheadColumns& columns = block.overheads();
  const int rows = columns.kind_size();
  absl::Status status = SameLength("overheads", {{"kind", rows},
                                                 {"thread", columns.thread_size()},
                                                 {"start_delta_ns", columns.start_delta_ns_size()},
                                                 {"duration_ns", columns.duration_ns_size()}});
  Sum start(columns.base_ns());
  for (int row = 0; status.ok() && row < rows; ++row) {
    if (columns.thread(row) >= model_->threads.size()) {
      return BadId("overheads", row, "thread", columns.thread(row), model_->threads.size());
    }
    model::Overhead& overhead = model_->overheads.emplace_back();
    overhead.thread = columns.thread(row);
    if (!SetInterval(start.Add(columns.start_delta_ns(row)), columns.duration_ns(row), &overhead)) {
      return BadTime("overheads", row);
    }
    status = CopyString("an overhead's kind", columns.kind(row), &overhead.kind);
  }
  return status;
}

void Decoder::TakeStepsBack() {
  for (; !steps_before_.empty(); steps_before_.pop_back()) {
    const StepsBefore& before = steps_before_.back();
    std::vector<model::RangeStep>& steps = model_->steps[before.thread];
    steps.erase(steps.begin() + static_cast<ptrdiff_t>(before.steps), steps.end());
  }
  model_->steps.resize(model_->threads.size());
}

absl::Status Decoder::AddListedSteps(const wire::RangeColumns& steps) {
  const size_t paths = model_->paths.size(), threads = model_->threads.size();
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
    AddStep(steps.thread(row), time_ns, steps.path(row));
  }
  return absl::OkStatus();
}

absl::Status Decoder::AddRanges(const wire::Block& block) {
  const size_t paths = model_->paths.size(), threads = model_->threads.size();
  const wire::RangeColumns& steps = block.ranges();
  absl::Status status =
      steps.time_guess_ns().empty() ? AddListedSteps(steps) : AddGuessedSteps(steps);
  if (!status.ok()) return status;
  const wire::SpanColumns& spans = block.spans();
  status = SameLength("spans", {{"path", spans.path_size()},
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
    model::RangeInstance& span = model_->spans.emplace_back();
    span.path = spans.path(row);
    span.thread = spans.start_thread(row);
    if (!SetInterval(start.Add(spans.start_delta_ns(row)), spans.duration_ns(row), &span)) {
      return BadTime("spans", row);
    }
  }
  return absl::OkStatus();
}

absl::Status Decoder::AddMarks(const wire::Block& block) {
  const size_t paths = model_->paths.size(), threads = model_->threads.size();
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
    model_->marks.push_back({marks.path(row), marks.thread(row), time_ns});
  }

  const wire::PayloadColumns& payloads = block.payloads();
  status = SameLength("payloads", {{"thread", payloads.thread_size()},
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
    model_->payloads.push_back({payloads.path(row), payloads.thread(row), time_ns,
                                PayloadValue(payloads.type(row), payloads.bits(row))});
  }
  return absl::OkStatus();
}

absl::Status Decoder::AddSamples(const wire::Block& block) {
  for (int row = 0; row < block.samples_size(); ++row) {
    const wire::CounterSample& wire = block.samples(row);
    if (wire.group() == 0 || wire.group() >= model_->groups.size()) {
      return BadId("samples", row, "pass group", wire.group(), model_->groups.size());
    }
    if (wire.range_path() >= model_->paths.size()) {
      return BadId("samples", row, "path", wire.range_path(), model_->paths.size());
    }
    const size_t metrics = model_->groups[wire.group()].metrics.size();
    if (static_cast<size_t>(wire.value_size()) != metrics) {
      return absl::DataLossError(absl::StrCat("sample ", row, " has ", wire.value_size(),
                                              " values for the ", metrics,
                                              " metrics of its pass group"));
    }
    if (!ValidTime(wire.begin_ns()) || !ValidTime(wire.end_ns())) return BadTime("samples", row);
    model::CounterSample& sample = model_->samples.emplace_back();
    sample.unit = format::FromNumber<model::SampleUnit>(wire.unit());
    sample.group = wire.group();
    sample.context = wire.context();
    sample.correlation = wire.correlation();
    sample.path = wire.range_path();
    sample.values.assign(wire.value().begin(), wire.value().end());
    sample.begin_ns = wire.begin_ns();
    sample.end_ns = wire.end_ns();
  }
  for (int row = 0; row < block.profiler_intervals_size(); ++row) {
    const wire::ProfilerInterval& wire = block.profiler_intervals(row);
    if (wire.thread() >= model_->threads.size()) {
      return BadId("profiler intervals", row, "thread", wire.thread(), model_->threads.size());
    }
    if (!ValidTime(wire.begin_ns()) || !ValidTime(wire.end_ns()) ||
        wire.end_ns() < wire.begin_ns()) {
      return BadTime("profiler intervals", row);
    }
    model_->profiler_intervals.push_back({format::FromNumber<model::ProfilerWork>(wire.work()),
                                          wire.thread(), wire.begin_ns(), wire.end_ns()});
  }
  for (const wire::Notice& wire : block.notices()) {
    model_->notices.push_back({format::FromNumber<model::Severity>(wire.severity()),
                               format::FromNumber<model::Subsystem>(wire.subsystem()), wire.code(),
                               wire.what(), wire.fix()});
  }
  return absl::OkStatus();
}

}  // namespace prof::internal
