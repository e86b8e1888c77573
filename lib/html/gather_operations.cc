// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_operations.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/html/operation_names.h"
#include "lib/html/track_writer.h"

namespace prof::html {
namespace {

using model::Op;

constexpr size_t kSparkParts = 48;  // of the span, in the table of kernels: one a pixel or two

// The gaps of each device, taken in the order of the operations that end them.
class GapsInOrder {
 public:
  explicit GapsInOrder(const analyzer::Timeline& timeline) {
    for (const analyzer::DeviceTimeline& device : timeline.devices) {
      next_[device.device] = {&device.gaps, 0};
    }
  }

  // The gap that operation `i` ended.
  std::optional<analyzer::Gap> Before(size_t i, uint32_t device) {
    const auto of_device = next_.find(device);
    if (of_device == next_.end()) return std::nullopt;
    auto& [gaps, next] = of_device->second;
    while (next < gaps->size() && (*gaps)[next].next_op < static_cast<int32_t>(i)) ++next;
    if (next == gaps->size()) return std::nullopt;
    const analyzer::Gap gap = (*gaps)[next];
    if (gap.next_op != static_cast<int32_t>(i)) return std::nullopt;
    return gap;
  }

 private:
  std::map<uint32_t, std::pair<const analyzer::GapTable*, size_t>> next_;
};

// The streams, each with its tracks, in the order in which they began.
class Streams {
 public:
  Streams(const Report& report, TimelineData* data) : report_(report), data_(data) {}

  EventRow& Of(const Op& op) {
    const Key key{op.device, op.context, op.stream};
    if (last_ != nullptr && key == last_key_) return *last_;
    auto it = rows_.find(key);
    if (it == rows_.end()) it = rows_.emplace(key, EventRow(data_, TrackOf(op))).first;
    last_key_ = key;
    last_ = &it->second;
    return *last_;
  }

  void Finish() {
    for (auto& [key, row] : rows_) row.Finish();
  }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;

  Track TrackOf(const Op& op) const {
    Track track;
    track.kind = "stream";
    track.group = "GPU " + std::to_string(op.device);
    track.device = op.device;
    track.label = "stream " + std::to_string(op.stream);
    for (const StreamReport& stream : report_.streams) {
      const bool same =
          stream.device == op.device && stream.context == op.context && stream.stream == op.stream;
      if (same && !stream.name.empty()) track.label += " " + stream.name;
    }
    return track;
  }

  const Report& report_;
  TimelineData* data_;
  std::map<Key, EventRow> rows_;
  Key last_key_;
  EventRow* last_ = nullptr;
};

// Durations by kernel and part of the span.
class Sparks {
 public:
  Sparks(const Report& report, TimelineData* data)
      : data_(data),
        part_ns_((data->end_ns - data->start_ns) / static_cast<int64_t>(kSparkParts) + 1),
        sums_(report.kernels.size()) {}

  void Add(int32_t kernel, const Op& op) {
    if (kernel == kNoRow) return;
    Sum& sum = sums_[static_cast<size_t>(kernel)]
                    [static_cast<size_t>((op.start_ns - data_->start_ns) / part_ns_)];
    sum.total_ns += static_cast<double>(op.end_ns - op.start_ns);
    ++sum.launches;
  }

  void Finish() {
    for (size_t i = 0; i < sums_.size(); ++i) {
      Spark spark{i, {}};
      for (const Sum& sum : sums_[i]) {
        spark.mean_ns.push_back(sum.launches > 0 ? sum.total_ns / static_cast<double>(sum.launches)
                                                 : 0);
      }
      data_->sparks.push_back(std::move(spark));
    }
  }

 private:
  struct Sum {
    double total_ns = 0;
    int64_t launches = 0;
  };

  TimelineData* data_;
  int64_t part_ns_;
  std::vector<std::array<Sum, kSparkParts>> sums_;
};

Event EventOf(const Op& op, uint32_t name, const std::optional<analyzer::Gap>& gap) {
  Event event;
  event.start_ns = op.start_ns;
  event.end_ns = std::max(op.start_ns, op.end_ns);
  event.name = name;
  if (!RunsKernels(op)) event.bytes = static_cast<int64_t>(op.bytes);
  if (!gap) return event;
  const bool of_prof = gap->undisturbed_ns() <= 0;
  event.cause = static_cast<int>(of_prof ? GapCause::kProfiler : gap->cause);
  event.idle_ns = gap->end_ns - gap->start_ns;
  return event;
}

}  // namespace

void GatherOperations(const model::Model& model, const Report& report, const Stages& stages,
                      TimelineData* data) {
  OperationNames names(report, stages.groups, stages.rows, data);
  GapsInOrder gaps(stages.timeline);
  Streams streams(report, data);
  Sparks sparks(report, data);
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op op = model.ops[i];
    if (!op.timed) {
      streams.Of(op).LeaveOut(1);
      continue;
    }
    const uint32_t name = names.Of(i, op);
    streams.Of(op).Add(EventOf(op, name, gaps.Before(i, op.device)));
    sparks.Add(data->names[name].kernel, op);
  }
  streams.Finish();
  sparks.Finish();
}

}  // namespace prof::html
