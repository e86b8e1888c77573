// SPDX-License-Identifier: Apache-2.0
//
// A thread state is what we know of one thread: its open ranges, its ring, whether it still lives.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_STATE_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_STATE_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/range_paths.h"
#include "lib/capture/threads/thread_ring.h"
#include "lib/format/name_pattern.h"

namespace prof::capture {

constexpr uint32_t kMaxDepth = 512;  // open ranges of a thread
constexpr uint32_t kChildCacheSize = 256;
constexpr uint32_t kMaxTorchDepth = 128;  // open ops of a thread
constexpr uint32_t kTorchCacheSize = 512;

// One entry of a thread's stack, which the ranges of all domains share.
struct OpenRange {
  const StoredString* domain = nullptr;  // nullptr: the default domain
  uint64_t span = 0;                     // nvtxRangeStart's id; 0: opened by a push
  uint32_t named_by = kNoPath;           // the node with its name; kNoPath: it had no room
  uint32_t path = kNoPath;               // where the thread is while this is the innermost range
  int32_t level = 0;                     // among the pushed ranges of its domain
  uint32_t token = 0;                    // for the listener; 0: it did not see the push
};

// One op that a thread is in.
struct OpenTorchOp {
  const void* event = nullptr;  // the address of PyTorch's own object, which knows its end
  uint32_t path = kNoPath;
  TorchScope scope = TorchScope::kFunction;
};

// The ops of one thread: a stack beside that of its ranges (torch_ops.h).
struct TorchOps {
  std::atomic<uint32_t> current{kNoPath};  // the innermost op; the root outside; kNoPath: none yet
  uint32_t depth = 0;
  uint32_t overflow = 0;          // beyond kMaxTorchDepth, still open
  uint64_t sequence_written = 0;  // the number of the next autograd node, as last written
  std::array<OpenTorchOp, kMaxTorchDepth> open{};
  std::array<uint32_t, kTorchCacheSize> children{};  // path ids found before, by a weak hash
};

// Questions about one event or stream, to which the answer was no so far (thread_questions.h).
struct OpenQuestions {
  int64_t begin_ticks = 0;              // of the first one; 0: there is none
  int64_t last_ticks = 0, last_ns = 0;  // the end of the last one, on both clocks
  uintptr_t about = 0;
  uint32_t call = 0, epoch = 0, stack = 0;
};
constexpr size_t kMostQuestions = 4;

// kLive -> kEnded (its thread, at its end) -> kTaken (a new thread) -> kLive. kLive -> kTaken ->
// kEnded: another thread has found that its thread is gone.
enum class ThreadLife : uint32_t { kTaken, kLive, kEnded };

// Written by its thread; the collector reads the atomics and the ring.
struct alignas(64) ThreadState {
  std::atomic<uint32_t> current{kNoPath};  // the innermost open range
  std::atomic<uint32_t> foreign_ends{0};   // spans of this thread that other threads have ended
  uint32_t foreign_ends_seen = 0;
  uint32_t last_token = 0;  // of OpenRange
  uint32_t depth = 0;
  uint32_t overflow = 0;  // pushes beyond kMaxDepth that are still open
  std::atomic<uint32_t> tid{0};
  std::atomic<uint64_t> pthread{0};         // pthread_self()
  std::atomic<int64_t> last_call_ticks{0};  // the end of its last recorded CUDA call; 0: none
  int64_t last_event_ticks = 0;
  const StoredString* last_domain = nullptr;
  int ends_to_sit_out = 0;
  ThreadRing ring;
  std::atomic<ThreadLife> life{ThreadLife::kTaken};
  format::NameNumbers numbers;  // of the name that was looked up last, if its node is folded
  std::array<uint32_t, kChildCacheSize> children{};  // path ids found before, by a weak hash
  std::array<OpenRange, kMaxDepth> open{};
  StackCache stacks{};  // a new thread may use those of the one before: a hash means one stack
  TorchOps torch;
  std::array<OpenQuestions, kMostQuestions> asked{};

  // The collector's: the path to report as the thread's first in a recording.
  alignas(64) uint32_t first_path = kNoPath;
  uint32_t first_tid = 0;
  uint32_t first_torch_path = kNoPath;  // likewise
  bool resumed = false;                 // the path is reported also when it is none
  uint64_t drain_to = 0;

  bool has_foreign_ends() const {
    return foreign_ends.load(std::memory_order_acquire) != foreign_ends_seen;
  }
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_STATE_H_
