// SPDX-License-Identifier: Apache-2.0
//
// Event columns of which the file holds only what could not be guessed. Each row has at least one
// byte of its own, its start: what else a row claims can be no more than that.
#include <cstdint>

#include "lib/format/guess.h"
#include "lib/snapshot/decode/decode_checks.h"
#include "lib/snapshot/decode/decoder.h"
#include "prof/snapshot.pb.h"

namespace prof::internal {
namespace {

using Ids = google::protobuf::RepeatedField<uint32_t>;

// A column of ids: pairs of rows that were guessed right, and the value of the one that was not.
class IdReader {
 public:
  explicit IdReader(const Ids& misses)
      : at_(misses.data()), end_(at_ + misses.size() / 2 * 2), odd_(misses.size() % 2 != 0) {
    StartPair();
  }

  uint32_t Next() {
    uint32_t value = guess_.guess();
    if (right_ == 0) {
      value = at_[1];
      at_ += 2;
      StartPair();
    } else {
      --right_;
    }
    guess_.Learn(value);
    return value;
  }

  // Behind the last row: whether the column speaks of these rows and no others.
  absl::Status Finish(const char* events, const char* column) const {
    if (at_ == end_ && !odd_) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat(events, ": the guessed column ", column, " has more rows than the others"));
  }

 private:
  // Behind the last pair all rows were guessed right.
  void StartPair() { right_ = at_ == end_ ? UINT64_MAX : *at_; }

  format::IdGuess guess_;
  const uint32_t* at_;
  const uint32_t* end_;
  uint64_t right_ = 0;
  bool odd_;
};

class CorrelationReader {
 public:
  explicit CorrelationReader(const Ids& misses) : differences_(misses) {}
  uint32_t Next() {
    const uint32_t zigzag = differences_.Next();
    return last_ += (zigzag >> 1) ^ (0 - (zigzag & 1));
  }
  absl::Status Finish(const char* events) const {
    return differences_.Finish(events, "correlation");
  }

 private:
  IdReader differences_;
  uint32_t last_ = 0;
};

// Starts and durations, from their differences to the guess.
class IntervalReader {
 public:
  explicit IntervalReader(int64_t base_ns) { guess_.Begin(base_ns); }

  template <typename Event>
  bool Next(uint32_t kind, int64_t start_ns, int64_t duration_ns, Event* event) {
    guess_.Enter(kind);
    const uint64_t start = guess_.start_ns() + static_cast<uint64_t>(start_ns);
    const uint64_t duration = guess_.duration_ns() + static_cast<uint64_t>(duration_ns);
    guess_.Learn(start, duration);
    return SetInterval(static_cast<int64_t>(start), duration, event);
  }

 private:
  format::IntervalGuess guess_;
};

}  // namespace

absl::Status Decoder::AddGuessedKernels(const wire::KernelColumns& columns) {
  const int rows = columns.start_guess_ns_size();
  absl::Status status = SameLength(
      "kernels",
      {{"start_guess_ns", rows}, {"duration_guess_ns", columns.duration_guess_ns_size()}});
  if (!status.ok()) return status;
  IdReader shapes(columns.shape_guess()), lanes(columns.lane_guess());
  CorrelationReader correlations(columns.correlation_guess());
  IntervalReader intervals(columns.base_ns());
  for (int row = 0; row < rows; ++row) {
    const uint32_t shape = shapes.Next(), lane = lanes.Next();
    if (shape >= model_->shapes.size()) {
      return BadId("kernels", row, "shape", shape, model_->shapes.size());
    }
    if (lane >= lanes_.size()) return BadId("kernels", row, "lane", lane, lanes_.size());
    model::Op op;
    op.kind = model::OpKind::kKernel;
    op.device = lanes_[lane].device;
    op.context = lanes_[lane].context;
    op.stream = lanes_[lane].stream;
    op.channel = lanes_[lane].channel;
    op.channel_type = lanes_[lane].channel_type;
    op.shape = shape;
    op.correlation = correlations.Next();
    if (!intervals.Next(shape, columns.start_guess_ns(row), columns.duration_guess_ns(row), &op)) {
      return BadTime("kernels", row);
    }
    model_->ops.push_back(op);
  }
  status = shapes.Finish("kernels", "shape");
  if (status.ok()) status = lanes.Finish("kernels", "lane");
  return status.ok() ? correlations.Finish("kernels") : status;
}

absl::Status Decoder::AddGuessedApiCalls(const wire::ApiColumns& columns) {
  const int rows = columns.start_guess_ns_size();
  absl::Status status = SameLength(
      "API calls",
      {{"start_guess_ns", rows}, {"duration_guess_ns", columns.duration_guess_ns_size()}});
  if (!status.ok()) return status;
  IdReader names(columns.name_guess()), threads(columns.thread_guess());
  CorrelationReader correlations(columns.correlation_guess());
  IntervalReader intervals(columns.base_ns());
  for (int row = 0; row < rows; ++row) {
    const uint32_t name = names.Next(), thread = threads.Next();
    if (name >= model_->strings.size()) {
      return BadId("API calls", row, "string", name, model_->strings.size());
    }
    if (thread >= model_->threads.size()) {
      return BadId("API calls", row, "thread", thread, model_->threads.size());
    }
    model::ApiCall call;
    call.name = name;
    call.thread = thread;
    call.correlation = correlations.Next();
    if (!intervals.Next(name, columns.start_guess_ns(row), columns.duration_guess_ns(row), &call)) {
      return BadTime("API calls", row);
    }
    model_->api_calls.push_back(call);
  }
  status = names.Finish("API calls", "name");
  if (status.ok()) status = threads.Finish("API calls", "thread");
  return status.ok() ? correlations.Finish("API calls") : status;
}

absl::Status Decoder::AddGuessedSteps(const wire::RangeColumns& steps) {
  const size_t paths = model_->paths.size(), threads = model_->threads.size();
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
    AddStep(thread, static_cast<int64_t>(time_ns), path);
  }
  absl::Status status = thread_ids.Finish("ranges", "thread");
  return status.ok() ? path_ids.Finish("ranges", "path") : status;
}

}  // namespace prof::internal
