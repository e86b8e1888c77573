// SPDX-License-Identifier: Apache-2.0
//
// Track writers put rows into blocks of TimelineData.
#ifndef PROF_LIB_HTML_TRACK_WRITER_H_
#define PROF_LIB_HTML_TRACK_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/html/column.h"
#include "lib/html/timeline_data.h"

namespace prof::html {

// Adds a track to the data, and blocks of its rows.
class TrackWriter {
 public:
  TrackWriter(TimelineData* data, Track track, size_t columns);

  [[nodiscard]] Column& column(size_t i) { return columns_[i]; }
  [[nodiscard]] Track& track() { return data_->tracks[track_]; }
  // The row is complete: each column that it needs has its value.
  void EndRow();
  // Writes what is left. Call it once, behind the last row.
  void Finish();

 private:
  TimelineData* data_;
  size_t track_;
  int64_t rows_ = 0;
  std::vector<Column> columns_;
};

// An event of a track, in the clock of the operations.
struct Event {
  int64_t start_ns = 0, end_ns = 0;
  uint32_t name = 0;
  int32_t cause = -1;  // not negative: this GapCause made the device idle until the event began ...
  int64_t idle_ns = 0;  // ... for so long
  int64_t bytes = -1;   // of copies and memsets; negative: it has none
};

// Events of one stream or thread, in the order of their starts. What overlaps goes to further
// tracks. Columns of these tracks: the time since the end of the event before, the duration, the
// name, the code of the idle time before it, that time where the code says so, bytes (of copies and
// memsets only).
class EventRow {
 public:
  // Code of the idle time: 0 none, 1 + cause where it is as long as the first column, and with
  // kOwnLength added where the fifth column has its length.
  static constexpr uint64_t kOwnLength = 16;

  // `track` is the first one; further ones differ in their lane.
  EventRow(TimelineData* data, Track track) : data_(data), first_(std::move(track)) {}

  void Add(const Event& event);
  void LeaveOut(int64_t events) { left_out_ += events; }
  void Finish();

 private:
  struct Lane {
    TrackWriter writer;
    int64_t end_ns = 0;  // of its last event
  };

  Lane* FreeLane(int64_t start_ns);

  TimelineData* data_;
  Track first_;
  std::vector<Lane> lanes_;
  int64_t left_out_ = 0;
};

}  // namespace prof::html

#endif  // PROF_LIB_HTML_TRACK_WRITER_H_
