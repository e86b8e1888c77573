// SPDX-License-Identifier: Apache-2.0
//
// What host threads do: who is in which NVTX path, now and over time, and the CUDA calls they make.
//
// Writers are the program's threads, inside its NVTX and CUDA calls; the reader is the collector.
// Every function that a program's thread calls takes no lock, allocates nothing once the thread is
// known (the first call of a thread maps its ring), and makes no CUDA call. What does not fit is
// counted.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_RECORDER_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_RECORDER_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "lib/capture/events/events.h"
#include "lib/capture/threads/tick_clock.h"

namespace prof::capture {

// What a range is called and which domain it belongs to. Views need to live during the call only.
struct RangeName {
  std::string_view name;
  std::string_view domain;  // empty: the default domain
  uint32_t color = 0;       // ARGB; 0: none
  uint32_t category = 0;
  Payload payload = {};
};

// --- Called on the program's threads -------------------------------------------------------------

// Recording off: calls still keep each thread's stack (so that ranges opened before a session
// starts are known to it), but write no events.
//
// Opens a range; returns its 0-based depth among the thread's ranges of this domain.
int PushRange(const RangeName& name);

// Closes the innermost range of `domain`; returns the depth that it had, or -1 (the NVTX convention
// for an unbalanced pop) and counts it when there is none.
int PopRange(std::string_view domain);

// nvtxRangeStart: returns a non-zero id, unique in the process.
uint64_t StartRange(const RangeName& name);
// nvtxRangeEnd, from any thread; an unknown id is ignored and counted.
void EndRange(uint64_t id);

void Mark(const RangeName& name);

// A payload of a kind that is not recorded came with a range or mark.
void CountUnreadPayload();

// A CUDA API call of this thread is over; `call` and `waited` have at most 29 bits. Written in any
// case: it is the caller who knows whether to record.
struct CallRecord {
  int64_t begin_ticks = 0, end_ticks = 0;
  uint32_t call = 0, correlation = 0, error = 0, waited = 0;  // as in CallEvent
};
void RecordCall(const CallRecord& call);

// The calling thread's innermost open range as a path id; 0: none. About 1 ns. Used by the launch
// callback.
uint32_t CurrentPath();

// What paths have in common that differ in numbers only ("layer 2", "layer 3", ...), from the third
// such path on: the work in them is taken for the same. 0 for path 0.
uint64_t PathFamily(uint32_t path);

// --- Called by the collector ---------------------------------------------------------------------

// One node of the path tree, in the order of ids. Strings live as long as the process.
struct RangePathInfo {
  uint32_t id = 0, parent = 0;
  std::string_view name, domain;
  uint32_t color = 0, category = 0;
};

class ThreadReader {
 public:
  // Recording starts: with `ranges`, every thread with open ranges gets a first event at `now_ns`;
  // without, nothing of ranges is recorded.
  void Start(int64_t now_ns, bool ranges = true);
  void Stop();

  // New paths since the last call, then all events written since then, in order per thread. Paths
  // come before the events that use them. Never blocks writers.
  struct Sink {
    std::function<void(const RangePathInfo&)> path;
    std::function<void(uint32_t tid, const RangeEvent&)> step;
    std::function<void(const SpanEvent&)> span;
    std::function<void(const MarkEvent&)> mark;
    std::function<void(const PayloadEvent&)> payload;  // after what it is attached to, if at all
    std::function<void(const CallEvent&)> call;
  };
  void Drain(const Sink& sink);

  // Since Start.
  uint64_t events_dropped() const;
  uint64_t calls_dropped() const;
  uint64_t paths_dropped() const;
  uint64_t unbalanced_pops() const;  // and ends of unknown ids
  uint64_t left_open() const;        // pushed ranges of threads that ended
  uint64_t payloads_not_read() const;

 private:
  uint32_t paths_seen_ = 0;
  bool ranges_ = true;
  TickClock clock_;
};

// Wakes the collector when a thread's ring is half full; set once by the collector. Must be
// callable from any thread, without lock or allocation.
void SetRangeWakeup(void (*wakeup)());

// Told of each pushed range: after its push (`entered`) and before its pop, on the thread that
// makes the call. nullptr: nobody, which costs a push and a pop one load each.
void SetRangeListener(void (*listener)(uint32_t path, bool entered));

// From now on nothing is recorded in the child of a fork. Any thread, any number of times.
void GuardRangesAgainstFork();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_RECORDER_H_
