// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/thread_reader.h"

#include <sched.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/threads/thread_registry.h"

namespace prof::capture {
namespace {

using Kind = RingRecord::Kind;

// The name of a path whose maker never gave it one. No event is in it.
constexpr std::string_view kNeverNamed = "(never named)";

// How long all threads' records may wait for a path. Whoever is preempted for longer loses the
// range, which is counted.
constexpr int64_t kMostWaitNs = 200'000'000;

// A thread fills a node within nanoseconds of taking its id, unless it is preempted there.
bool WaitUntilReady(const PathNode& node) {
  for (int tries = 0; tries < 1000; ++tries) {
    if (node.state.load(std::memory_order_acquire) != NodeState::kNew) return true;
    sched_yield();
  }
  return false;
}

std::optional<NumberOwner> OwnerOf(Kind kind) {
  if (kind == Kind::kStep) return NumberOwner::kStep;
  if (kind == Kind::kMark) return NumberOwner::kMark;
  if (kind == Kind::kSpanStart) return NumberOwner::kSpan;
  return std::nullopt;
}

// Gives the sink the numbers from `first` on, and returns the position of what they belong to. That
// is `first` when it is not before `end`. By values: the caller's cursor stays in registers.
[[gnu::cold, gnu::noinline]] uint64_t DeliverNumbers(const ThreadRing& ring, uint64_t first,
                                                     uint64_t end, const ThreadReader::Sink& sink) {
  uint64_t begin = first, position = first;
  for (; position < end && ring.At(position).kind() == Kind::kValue; ++position) {
    // A full ring may have dropped what the numbers before belong to.
    if (ring.At(position).place() == 0) begin = position;
  }
  if (position >= end) return first;
  const RingRecord& owner = ring.At(position);
  const std::optional<NumberOwner> kind = OwnerOf(owner.kind());
  if (!kind || ring.At(begin).path() != owner.path()) return position;
  for (; begin < position; ++begin) {
    const RingRecord& number = ring.At(begin);
    sink.number({*kind, number.path(), number.bits(), number.style()});
  }
  return position;
}

// Frees what was read, also when a sink has no memory and throws.
class RingCursor {
 public:
  // Reads up to `end`, which LeaveFrom changes.
  RingCursor(ThreadRing* ring, uint64_t* end) : ring_(*ring), position_(ring->tail()), end_(*end) {}
  ~RingCursor() { ring_.ReadUpTo(position_); }
  RingCursor(const RingCursor&) = delete;
  RingCursor& operator=(const RingCursor&) = delete;

  uint64_t position() const { return position_; }
  const RingRecord& Next() { return ring_.At(position_++); }
  // The records from `position` on stay in the ring until the next time.
  void LeaveFrom(uint64_t position) { position_ = end_ = position; }
  // The number that Next returned last, and the numbers behind it, of the name of what follows
  // them.
  void ReadNumbers(const ThreadReader::Sink& sink) {
    const uint64_t first = position_ - 1;
    position_ = DeliverNumbers(ring_, first, end_, sink);
    if (position_ == first) LeaveFrom(first);  // what follows is not written yet
  }

 private:
  ThreadRing& ring_;
  uint64_t position_;
  uint64_t& end_;
};

// Reads the records of one thread. Those that the sink cannot take yet stay in the ring.
class RecordReader {
 public:
  // `ends_moved` is counted up, and `shapes_seen` grows.
  RecordReader(const TickClock* clock, const ThreadReader::Sink* sink, uint32_t tid,
               int64_t start_ns, uint64_t* ends_moved, std::unordered_set<uint32_t>* shapes_seen)
      : clock_(*clock),
        sink_(*sink),
        tid_(tid),
        start_ns_(start_ns),
        ends_moved_(*ends_moved),
        shapes_seen_(*shapes_seen) {}

  void ReadCall(const RingRecord& begin, const RingRecord& end) const {
    const int64_t begin_ns = clock_.RealtimeOf(begin.ticks());
    sink_.call({begin.call(), tid_, begin.correlation(), end.error(), begin_ns,
                EndOf(begin_ns, end.ticks()), end.waited(), end.stack()});
  }

  void ReadTensor(const RingRecord& what, const RingRecord& memory) const {
    sink_.tensor({what.change(), what.device(), tid_, what.stack(), memory.bits(), memory.bytes(),
                  std::max(clock_.RealtimeOf(what.ticks()), start_ns_)});
  }

  // A record of a range, which may be followed by a second one.
  void ReadRange(const RingRecord& record, RingCursor* cursor) const {
    const int64_t time_ns = clock_.RealtimeOf(record.ticks());
    switch (record.kind()) {
      case Kind::kStep:
        if (record.shapes() != 0) ReadShapes(record.shapes());
        sink_.step(tid_, {std::max(time_ns, start_ns_), record.path(), record.shapes()});
        break;
      case Kind::kMark:
        sink_.mark({record.path(), tid_, time_ns});
        break;
      case Kind::kSpanStart: {
        const RingRecord& end = cursor->Next();
        sink_.span({record.path(), record.tid(), end.tid(), time_ns, EndOf(time_ns, end.ticks())});
        break;
      }
      case Kind::kPayload: {
        const RingRecord& value = cursor->Next();
        sink_.payload({record.path(),
                       tid_,
                       time_ns,
                       {record.payload_type(), value.bits(), value.field()},
                       thread_registry.strings.TextAt(value.field())});
        break;
      }
      case Kind::kValue:
        cursor->ReadNumbers(sink_);
        break;
      case Kind::kSpanEnd:
      case Kind::kCall:
      case Kind::kTensor:
        break;  // read elsewhere, or with the record before
    }
  }

 private:
  int64_t EndOf(int64_t begin_ns, int64_t end_ticks) const {
    const int64_t end_ns = clock_.RealtimeOf(end_ticks);
    if (end_ns >= begin_ns) return end_ns;
    ++ends_moved_;
    return begin_ns;
  }

  void ReadShapes(uint32_t id) const {
    if (!shapes_seen_.insert(id).second) return;
    sink_.shapes({id, thread_registry.shapes.TextOf(id)});
  }

  const TickClock& clock_;
  const ThreadReader::Sink& sink_;
  const uint32_t tid_;
  const int64_t start_ns_;
  uint64_t& ends_moved_;
  std::unordered_set<uint32_t>& shapes_seen_;
};

}  // namespace

ThreadReader::LossCounts ThreadReader::Losses() {
  const RangeLosses& losses = thread_registry.losses;
  return {losses.events_dropped.load(),    losses.calls_dropped.load(),
          thread_registry.paths.dropped(), losses.unbalanced_pops.load(),
          losses.left_open.load(),         losses.payloads_not_read.load(),
          thread_registry.paths.unnamed(), losses.torch_shapes_dropped.load(),
          losses.tensors_dropped.load()};
}

void ThreadReader::Start(int64_t now_ns, bool ranges) {
  if (InForkedChild()) return;
  const MutexLock lock(thread_registry.reader_mutex);
  thread_registry.active_reader = this;
  paths_seen_ = 0;
  shapes_seen_.clear();
  waiting_for_ = kNoPath;
  ranges_ = ranges;
  start_ns_ = now_ns;
  clock_ = TickClock();
  ends_moved_ = 0;
  before_ = Losses();
  // What is left of the recording before, if nobody read it.
  thread_registry.ForEachThread(
      [](ThreadState& thread) { thread.ring.ReadUpTo(thread.ring.head()); });
  thread_registry.recording.store(ranges);
  // After the switch: a range that opens now is seen here, in its ring, or in both.
  thread_registry.ForEachThread([&](ThreadState& thread) {
    thread.first_path = ranges ? thread.current.load(std::memory_order_acquire) : kNoPath;
    thread.first_torch_path =
        ranges ? thread.torch.current.load(std::memory_order_acquire) : kNoPath;
    thread.first_tid = thread.tid.load(std::memory_order_relaxed);
    thread.resumed = false;
  });
}

void ThreadReader::Stop() {
  if (InForkedChild()) return;
  const MutexLock lock(thread_registry.reader_mutex);
  if (thread_registry.active_reader == this) thread_registry.recording.store(false);
}

void ThreadReader::Pause() { Stop(); }

void ThreadReader::Resume(int64_t now_ns) {
  if (InForkedChild() || !ranges_) return;
  const MutexLock lock(thread_registry.reader_mutex);
  if (thread_registry.active_reader != this) return;
  start_ns_ = now_ns;
  thread_registry.recording.store(true);
  thread_registry.ForEachThread([&](ThreadState& thread) {
    thread.first_path = thread.current.load(std::memory_order_acquire);
    thread.first_torch_path = thread.torch.current.load(std::memory_order_acquire);
    thread.first_tid = thread.tid.load(std::memory_order_relaxed);
    thread.resumed = true;
  });
}

void ThreadReader::Drain(const Sink& sink) {
  if (InForkedChild()) return;
  const MutexLock lock(thread_registry.reader_mutex);
  if (thread_registry.active_reader != this) return;
  // Heads first: every path that a record up to there uses is in the table by then.
  thread_registry.ForEachThread([](ThreadState& thread) { thread.drain_to = thread.ring.head(); });
  clock_.Advance();
  DrainPaths(sink);
  thread_registry.ForEachThread([&](ThreadState& thread) { DrainThread(sink, &thread); });
}

// Whether the path has made the reader wait for so long that it does without it.
bool ThreadReader::GiveUp(uint32_t id) {
  const int64_t now_ns = MonotonicNs();
  if (waiting_for_ != id) {
    waiting_for_ = id;
    waiting_since_ns_ = now_ns;
  }
  if (now_ns - waiting_since_ns_ < kMostWaitNs) return false;
  thread_registry.paths.GiveUp(id);
  return true;
}

void ThreadReader::DrainPaths(const Sink& sink) {
  const uint32_t last = ranges_ ? thread_registry.paths.last() : 0;
  for (; paths_seen_ < last; ++paths_seen_) {
    const uint32_t id = paths_seen_ + 1;
    const PathNode& node = thread_registry.paths.At(id);
    if (!WaitUntilReady(node) && !GiveUp(id)) break;
    if (node.state.load(std::memory_order_acquire) == NodeState::kGivenUp) {
      sink.path(
          {id, kNoPath, kNeverNamed, {}, 0, 0});  // ids are places: it keeps the others' right
      continue;
    }
    sink.path({id, node.parent, node.name->view(),
               node.domain != nullptr ? node.domain->view() : std::string_view(), node.color,
               node.category, node.folded, RangeStrings::ScopeOf(node.domain)});
  }
}

// Without ranges only calls are read; a late record of a recording before may be among them.
void ThreadReader::DrainThread(const Sink& sink, ThreadState* thread) {
  if (thread->first_path != kNoPath || thread->resumed) {
    if (thread->first_path > paths_seen_) return;
    sink.step(thread->first_tid, {start_ns_, thread->first_path});
    thread->first_path = kNoPath;
    thread->resumed = false;
  }
  if (thread->first_torch_path != kNoPath) {
    if (thread->first_torch_path > paths_seen_) return;
    sink.step(thread->first_tid, {start_ns_, thread->first_torch_path});
    thread->first_torch_path = kNoPath;
  }
  const uint32_t tid = thread->tid.load(std::memory_order_relaxed);
  const RecordReader reader(&clock_, &sink, tid, start_ns_, &ends_moved_, &shapes_seen_);
  RingCursor cursor(&thread->ring, &thread->drain_to);
  while (cursor.position() < thread->drain_to) {
    const RingRecord& record = cursor.Next();
    if (record.kind() == Kind::kCall) {
      reader.ReadCall(record, cursor.Next());
    } else if (record.kind() == Kind::kTensor) {
      reader.ReadTensor(record, cursor.Next());
    } else if (ranges_ && record.path() > paths_seen_) {
      cursor.LeaveFrom(cursor.position() - 1);  // its path was not ready in time: next time
      return;
    } else if (ranges_) {
      reader.ReadRange(record, &cursor);
    }
  }
}

}  // namespace prof::capture
