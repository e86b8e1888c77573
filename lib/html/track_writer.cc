// SPDX-License-Identifier: Apache-2.0
#include "lib/html/track_writer.h"

#include <string>

#include "lib/html/packed.h"

namespace prof::html {
namespace {

// A block is what the page decodes without letting go of the browser: 256 Ki rows take 10 ms.
constexpr int64_t kMostRows = 1 << 18;
// More lines for one stream show nothing.
constexpr size_t kMostLanes = 32;

enum : size_t { kGap, kDuration, kName, kIdleCode, kIdle, kBytes, kColumns };

}  // namespace

TrackWriter::TrackWriter(TimelineData* data, Track track, size_t columns)
    : data_(data), track_(data->tracks.size()), columns_(columns) {
  data->tracks.push_back(std::move(track));
}

void TrackWriter::EndRow() {
  ++data_->tracks[track_].events;
  if (++rows_ == kMostRows) Finish();
}

void TrackWriter::Finish() {
  if (rows_ == 0) return;
  Block block;
  block.track = track_;
  block.rows = rows_;
  std::string bytes;
  for (Column& column : columns_) {
    block.column_bytes.push_back(column.bytes().size());
    bytes += column.bytes();
    column.clear();
  }
  block.packed = Packed(bytes);
  data_->blocks.push_back(std::move(block));
  rows_ = 0;
}

EventRow::Lane* EventRow::FreeLane(int64_t start_ns) {
  for (Lane& lane : lanes_) {
    if (lane.end_ns <= start_ns) return &lane;
  }
  if (lanes_.size() == kMostLanes) return nullptr;
  Track track = first_;
  track.lane = static_cast<int>(lanes_.size());
  lanes_.push_back({TrackWriter(data_, std::move(track), kColumns), data_->start_ns});
  return &lanes_.back();
}

void EventRow::Add(const Event& event) {
  Lane* const lane = FreeLane(event.start_ns);
  if (lane == nullptr) return LeaveOut(1);
  const int64_t gap_ns = event.start_ns - lane->end_ns;
  TrackWriter& writer = lane->writer;
  writer.column(kGap).Add(static_cast<uint64_t>(gap_ns));
  writer.column(kDuration).Add(static_cast<uint64_t>(event.end_ns - event.start_ns));
  writer.column(kName).Add(event.name);
  const bool own_length = event.cause >= 0 && event.idle_ns != gap_ns;
  writer.column(kIdleCode).Add(static_cast<uint64_t>(event.cause + 1) +
                               (own_length ? kOwnLength : 0));
  if (own_length) writer.column(kIdle).Add(static_cast<uint64_t>(event.idle_ns));
  if (event.bytes >= 0) writer.column(kBytes).Add(static_cast<uint64_t>(event.bytes));
  lane->end_ns = event.end_ns;
  writer.EndRow();
}

void EventRow::Finish() {
  for (Lane& lane : lanes_) lane.writer.Finish();
  if (!lanes_.empty()) lanes_.front().writer.track().left_out += left_out_;
}

}  // namespace prof::html
