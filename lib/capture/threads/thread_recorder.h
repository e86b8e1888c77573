// SPDX-License-Identifier: Apache-2.0
//
// The thread recorder writes down what the program's threads do: which NVTX path each one is in,
// now and over time, and the CUDA calls it makes. The collector reads that with thread_reader.h.
// What does not fit is counted.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_RECORDER_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_RECORDER_H_

#include <cstdint>
#include <string_view>

#include "lib/capture/events/events.h"

namespace prof::capture {

struct ThreadState;

// Numbers that are attached to one range or mark. They need to live during the call only.
struct Payloads {
  const Payload* values = nullptr;
  uint32_t count = 0;
};

// The name of a range and the domain it belongs to. Views need to live during the call only.
struct RangeName {
  std::string_view name;
  std::string_view domain;  // empty: the default domain
  uint32_t color = 0;       // ARGB; 0: none
  uint32_t category = 0;
  Payloads payloads = {};
};

// --- The program's threads, inside their NVTX and CUDA calls -------------------------------------
//
// No function takes a lock or makes a CUDA call, and none allocates once the thread is known (the
// first call of a thread maps its ring).

// While nothing is recorded, calls still keep each thread's stack (so that ranges opened before a
// session starts are known to it), but write no events.

// Opens a range; returns its 0-based depth among the thread's ranges of this domain.
int PushRange(const RangeName& name);

// Closes the innermost range of `domain`; returns the depth that it had, or -1 (the NVTX convention
// for an unbalanced pop) and counts it when there is none.
int PopRange(std::string_view domain);
// Attaches numbers to the range that PopRange would close.
void AddPayloads(std::string_view domain, const Payloads& payloads);

// nvtxRangeStart: returns a non-zero id, unique in the process.
uint64_t StartRange(const RangeName& name);
// nvtxRangeEnd, from any thread; an unknown id is ignored and counted.
// `payloads` belong to the range.
void EndRange(uint64_t id, const Payloads& payloads = {});

void Mark(const RangeName& name);

// Remembers the name of a thread, a category or a stream: see GivenNames::Give.
void GiveName(const NameEvent& name);

// Counts a payload of a range or mark of which not all is recorded.
void CountUnreadPayload();

// Counts a range that cannot be recorded.
void CountDroppedRange();

// Records a CUDA API call of this thread that is over; `call` and `waited` have at most 29 bits.
// Written in any case: the caller knows whether to record.
struct CallRecord {
  int64_t begin_ticks = 0, end_ticks = 0;
  uint32_t call = 0, correlation = 0, error = 0, waited = 0, stack = 0;  // as in CallEvent
};
void RecordCall(const CallRecord& call);

// A state for the calling thread, which has none yet; nullptr where it gets none.
[[nodiscard]] ThreadState* RegisterCallingThread();

// The calling thread's innermost open range as a path id; 0: none. About 1 ns. Used by the launch
// callback.
uint32_t CurrentPath();

// A number that paths share which differ in numbers only ("layer 2", "layer 3", ...), from the
// third such path on: their work counts as equal. 0 for path 0.
[[nodiscard]] uint64_t PathFamily(uint32_t path);

// The path around this one; 0: there is none.
[[nodiscard]] uint32_t PathParent(uint32_t path);

// --- The capture side ----------------------------------------------------------------------------

// Wakes the collector when a thread's ring is half full; set once by the collector. Must be
// callable from any thread, without lock or allocation.
void SetRangeWakeup(void (*wakeup)());

// Calls `listener` for each pushed range: after its push (`entered`) and before its pop, on the
// thread that makes the call; also for those that a thread has left open at its end. `token`: the
// range's number within its thread, from 1; its path may change while it is open. nullptr: nobody,
// which costs a push and a pop one load each.
using RangeListener = void (*)(uint32_t path, uint32_t token, bool entered);
void SetRangeListener(RangeListener listener);
// The same for a second listener: the one of windows, which hears a push first and a pop last, so
// that the other one finds the recording on.
void SetWindowListener(RangeListener listener);

// Sets what finds the context of a stream that the program names: see GivenNames.
void SetStreamResolver(void (*resolver)(NameEvent* name));

// From now on the child of a fork has the calling thread's ranges alone; where it is inert
// (fork_guard.h), nothing is recorded in it. Any thread, any number of times.
void GuardRangesAgainstFork();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_RECORDER_H_
