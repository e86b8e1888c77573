// SPDX-License-Identifier: Apache-2.0
//
// The collector's side of thread_recorder.h.
#include <sched.h>

#include <algorithm>
#include <mutex>

#include "lib/capture/process/fork_guard.h"
#include "lib/capture/threads/range_counts.h"
#include "lib/capture/threads/range_paths.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_state.h"
#include "lib/capture/threads/tick_clock.h"

namespace prof::capture {
namespace {

// One recording at a time, and never two readers of a ring: a collector that hung in the driver
// may come back after a new one has started.
std::mutex reader_mutex;
const ThreadReader* active_reader = nullptr;
int64_t recording_start_ns = 0;
std::atomic<uint64_t> events_dropped_before{0};
std::atomic<uint64_t> calls_dropped_before{0};
std::atomic<uint64_t> paths_dropped_before{0};
std::atomic<uint64_t> unbalanced_pops_before{0};
std::atomic<uint64_t> left_open_before{0};
std::atomic<uint64_t> payloads_not_read_before{0};

template <typename Function>
void ForEachThread(Function function) {
  const uint32_t slots = ThreadSlots();
  for (uint32_t i = 0; i < slots; ++i) {
    if (ThreadState* thread = ThreadAt(i)) function(*thread);
  }
}

// A thread fills a node within nanoseconds of taking its id, unless it is preempted there.
bool WaitUntilReady(uint32_t id) {
  for (int tries = 0; tries < 1000; ++tries) {
    if (PathAt(id).ready.load(std::memory_order_acquire)) return true;
    sched_yield();
  }
  return false;
}

// Frees what was read, also when a sink has no memory and throws.
struct Reading {
  explicit Reading(ThreadRing& read) : ring(read), position(read.tail()) {}
  ~Reading() { ring.ReadUpTo(position); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  const RingRecord& Next() { return ring.At(position++); }

  ThreadRing& ring;
  uint64_t position;
};

void ReadRange(const RingRecord& record, uint32_t tid, const TickClock& clock, Reading& reading,
               const ThreadReader::Sink& sink) {
  const int64_t time_ns = clock.RealtimeOf(record.ticks);
  switch (record.kind()) {
    case RecordKind::kStep:
      sink.step(tid, {std::max(time_ns, recording_start_ns), record.path()});
      break;
    case RecordKind::kMark:
      sink.mark({record.path(), tid, time_ns});
      break;
    case RecordKind::kSpanStart: {
      const RingRecord& end = reading.Next();
      sink.span({record.path(), record.tid, end.tid, time_ns, clock.RealtimeOf(end.ticks)});
      break;
    }
    case RecordKind::kPayload: {
      const RingRecord& value = reading.Next();
      sink.payload({record.path(),
                    tid,
                    time_ns,
                    {static_cast<PayloadType>(record.tid), static_cast<uint64_t>(value.ticks)}});
      break;
    }
    case RecordKind::kSpanEnd:
    case RecordKind::kPayloadValue:
    case RecordKind::kCall:
    case RecordKind::kCallEnd:
      break;  // read elsewhere, or with the record before
  }
}

// Without `ranges` only calls are read; a late record of a recording before may be among them.
void ReadThread(ThreadState& thread, bool ranges, uint32_t paths_seen, const TickClock& clock,
                const ThreadReader::Sink& sink) {
  if (thread.first_path != kNoPath) {
    if (thread.first_path > paths_seen) return;
    sink.step(thread.first_tid, {recording_start_ns, thread.first_path});
    thread.first_path = kNoPath;
  }
  const uint32_t tid = thread.tid.load(std::memory_order_relaxed);
  Reading reading(thread.ring);
  while (reading.position < thread.drain_to) {
    const RingRecord& record = reading.Next();
    if (record.kind() == RecordKind::kCall) {
      const RingRecord& end = reading.Next();
      sink.call({record.path(), tid, record.tid, end.tid, clock.RealtimeOf(record.ticks),
                 clock.RealtimeOf(end.ticks), end.path()});
    } else if (ranges && record.path() > paths_seen) {
      --reading.position;  // its path was not ready in time: next time
      return;
    } else if (ranges) {
      ReadRange(record, tid, clock, reading, sink);
    }
  }
}

}  // namespace

void ThreadReader::Start(int64_t now_ns, bool ranges) {
  if (InForkedChild()) return;
  const std::lock_guard<std::mutex> lock(reader_mutex);
  active_reader = this;
  paths_seen_ = 0;
  ranges_ = ranges;
  recording_start_ns = now_ns;
  clock_ = TickClock();
  events_dropped_before = range_counts.events_dropped.load();
  calls_dropped_before = range_counts.calls_dropped.load();
  paths_dropped_before = PathsDropped();
  unbalanced_pops_before = range_counts.unbalanced_pops.load();
  left_open_before = range_counts.left_open.load();
  payloads_not_read_before = range_counts.payloads_not_read.load();
  // What is left of the recording before, if nobody read it.
  ForEachThread([](ThreadState& thread) { thread.ring.ReadUpTo(thread.ring.head()); });
  range_counts.recording.store(ranges);
  // After the switch: a range that opens now is seen here, in its ring, or in both.
  ForEachThread([&](ThreadState& thread) {
    thread.first_path = ranges ? thread.current.load(std::memory_order_acquire) : kNoPath;
    thread.first_tid = thread.tid.load(std::memory_order_relaxed);
  });
}

void ThreadReader::Stop() {
  if (InForkedChild()) return;
  const std::lock_guard<std::mutex> lock(reader_mutex);
  if (active_reader == this) range_counts.recording.store(false);
}

void ThreadReader::Drain(const Sink& sink) {
  if (InForkedChild()) return;
  const std::lock_guard<std::mutex> lock(reader_mutex);
  if (active_reader != this) return;
  // Heads first: every path that a record up to there uses is in the table by then.
  ForEachThread([](ThreadState& thread) { thread.drain_to = thread.ring.head(); });
  clock_.Advance();
  const uint32_t last = ranges_ ? LastPath() : 0;
  for (; paths_seen_ < last; ++paths_seen_) {
    const uint32_t id = paths_seen_ + 1;
    if (!WaitUntilReady(id)) break;
    const PathNode& node = PathAt(id);
    sink.path({id, node.parent, node.name->view(),
               node.domain != nullptr ? node.domain->view() : std::string_view(), node.color,
               node.category});
  }
  ForEachThread(
      [&](ThreadState& thread) { ReadThread(thread, ranges_, paths_seen_, clock_, sink); });
}

uint64_t ThreadReader::events_dropped() const {
  return range_counts.events_dropped.load() - events_dropped_before;
}

uint64_t ThreadReader::calls_dropped() const {
  return range_counts.calls_dropped.load() - calls_dropped_before;
}

uint64_t ThreadReader::paths_dropped() const { return PathsDropped() - paths_dropped_before; }

uint64_t ThreadReader::unbalanced_pops() const {
  return range_counts.unbalanced_pops.load() - unbalanced_pops_before;
}

uint64_t ThreadReader::left_open() const {
  return range_counts.left_open.load() - left_open_before;
}

uint64_t ThreadReader::payloads_not_read() const {
  return range_counts.payloads_not_read.load() - payloads_not_read_before;
}

}  // namespace prof::capture
