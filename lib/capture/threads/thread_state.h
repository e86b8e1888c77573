// SPDX-License-Identifier: Apache-2.0
//
// What is known of each thread: the ranges that it has open, its ring, and whether it still lives.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_STATE_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_STATE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "lib/capture/threads/range_paths.h"
#include "lib/capture/threads/thread_ring.h"

namespace prof::capture {

constexpr uint32_t kMaxDepth = 512;     // open ranges of a thread
constexpr uint32_t kMaxThreads = 4096;  // at the same time; 18 KiB each
// Rings at the same time, 32 MiB and 24 MiB of them as far as they are used: those of the threads
// that come first hold 8,000 launches in a range each, 30 ms of a storm.
constexpr uint32_t kLargeRings = 64, kSmallRings = 192;
constexpr uint64_t kLargeRing = 32768, kSmallRing = 8192;  // records
constexpr uint32_t kChildCacheSize = 256;

// One entry of a thread's stack, which the ranges of all domains share.
struct OpenRange {
  const StoredString* domain = nullptr;  // nullptr: the default domain
  uint64_t span = 0;                     // nvtxRangeStart's id; 0: opened by a push
  uint32_t named_by = kNoPath;           // the node with its name; kNoPath: it had no room
  uint32_t path = kNoPath;               // where the thread is while this is the innermost range
  int32_t level = 0;                     // among the pushed ranges of its domain
};

enum class ThreadLife : uint32_t { kLive, kEnded };

// Written by its thread; the collector reads the atomics and the ring.
struct alignas(64) ThreadState {
  std::atomic<uint32_t> current{kNoPath};  // the innermost open range
  std::atomic<uint32_t> foreign_ends{0};   // spans of this thread that other threads have ended
  uint32_t foreign_ends_seen = 0;
  uint32_t depth = 0;
  uint32_t overflow = 0;  // pushes beyond kMaxDepth that are still open
  std::atomic<uint32_t> tid{0};
  int64_t last_event_ticks = 0;
  const StoredString* last_domain = nullptr;
  int ends_to_sit_out = 0;
  ThreadRing ring;
  std::atomic<ThreadLife> life{ThreadLife::kLive};
  std::array<uint32_t, kChildCacheSize> children{};  // path ids found before, by a weak hash
  std::array<OpenRange, kMaxDepth> open{};

  // The collector's: the path to report as the thread's first in a recording.
  alignas(64) uint32_t first_path = kNoPath;
  uint32_t first_tid = 0;
  uint64_t drain_to = 0;

  bool has_foreign_ends() const {
    return foreign_ends.load(std::memory_order_acquire) != foreign_ends_seen;
  }
};

// Initial-exec: one instruction instead of a call that may allocate. Eight bytes of static TLS here
// (and 29 for the same reason elsewhere), which the loader has in reserve also for libraries that
// are opened late.
extern __thread ThreadState* calling_thread __attribute__((tls_model("initial-exec")));

// The calling thread's state, made or reused at its first call; nullptr when it cannot be had
// (4,096 threads live, no memory, or the child of a fork).
ThreadState* RegisterCallingThread();
inline ThreadState* CallingThread() {
  ThreadState* thread = calling_thread;
  return thread != nullptr ? thread : RegisterCallingThread();
}

// Called when a thread ends, on it, before its state can be reused. In thread_recorder.cc.
void OnThreadEnd(ThreadState& thread);

// For the collector: the states of all threads, indices 0 to ThreadSlots() - 1; an entry may be
// nullptr for a moment.
uint32_t ThreadSlots();
ThreadState* ThreadAt(uint32_t index);

// In the child of a fork: the state stays the parent's. No thread gets one there.
void ForgetCallingThread();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_STATE_H_
