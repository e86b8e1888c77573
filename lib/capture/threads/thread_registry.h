// SPDX-License-Identifier: Apache-2.0
//
// The thread registry holds everything that the program's threads share with the collector: the
// threads, the tables of their ranges and names, and what was lost. There is one in a process,
// because NVTX's and CUPTI's callbacks carry no user data.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_REGISTRY_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_REGISTRY_H_

#include <atomic>
#include <cstdint>

#include "lib/capture/process/mutex.h"
#include "lib/capture/threads/given_names.h"
#include "lib/capture/threads/range_paths.h"
#include "lib/capture/threads/range_spans.h"
#include "lib/capture/threads/range_strings.h"
#include "lib/capture/threads/thread_state.h"
#include "lib/capture/threads/torch_shapes.h"

namespace prof::capture {

class ThreadReader;

constexpr uint32_t kMaxThreads = 4096;  // at the same time; 22 KiB each
// Rings at the same time, 32 MiB and 24 MiB of them as far as they are used: those of the threads
// that come first hold 8,000 launches in a range each, 30 ms of a storm.
constexpr uint32_t kLargeRings = 64, kSmallRings = 192;
constexpr uint64_t kLargeRing = 32768, kSmallRing = 8192;  // records

// What was lost since the process began.
struct RangeLosses {
  alignas(64) std::atomic<uint64_t> events_dropped{0};
  std::atomic<uint64_t> calls_dropped{0};
  std::atomic<uint64_t> unbalanced_pops{0};
  std::atomic<uint64_t> left_open{0};
  std::atomic<uint64_t> payloads_not_read{0};
  std::atomic<uint64_t> torch_shapes_dropped{0};
  std::atomic<uint64_t> tensors_dropped{0};
};

// Constant-initialized, all of it zero: it takes no room in the library's file and is there before
// any constructor runs. It has no destructor: threads of the program may use it after exit().
class ThreadRegistry {
 public:
  constexpr ThreadRegistry() = default;

  // Gives the calling thread a state at its first call: a new one, or that of a thread that has
  // ended. nullptr when there is none (4,096 threads live, no memory, or the child of a fork).
  // `at_end` runs when the thread ends, on it, before its state can be reused; or on another thread
  // when it is `gone` without that. Takes no lock. When all rings are in use, it asks the system
  // which threads still live: 0.3 us for each.
  using AtEnd = void (*)(ThreadState& thread, bool gone);
  [[nodiscard]] ThreadState* Register(AtEnd at_end);

  // In the child of a fork, before anything else: its only thread keeps its state and open ranges,
  // those of all other threads have ended. Async-signal-safe.
  void KeepCallingThreadAlone();

  // The collector: calls `function(ThreadState&)` for each thread.
  template <typename Function>
  void ForEachThread(Function function) {
    const uint32_t count = slots();
    for (uint32_t i = 0; i < count; ++i) {
      // nullptr for a moment, while it is being made.
      if (ThreadState* thread = threads_[i].load(std::memory_order_acquire)) function(*thread);
    }
  }

  // Whether ranges are recorded now. Read by every call of NVTX.
  alignas(64) std::atomic<bool> recording{false};
  RangeLosses losses;
  std::atomic<void (*)()> wakeup{nullptr};  // of the collector
  std::atomic<void (*)(uint32_t path, uint32_t token, bool entered)> listener{nullptr};

  RangeStrings strings;
  RangePaths paths;
  RangeSpans spans;
  GivenNames names;
  TorchShapes shapes;

  // One recording at a time, and never two readers of a ring: a collector that hung in the driver
  // may come back after a new one has started.
  Mutex reader_mutex;
  const ThreadReader* active_reader PROF_GUARDED_BY(reader_mutex) = nullptr;

 private:
  uint32_t slots() const;
  ThreadState* ReuseState(bool with_ring);
  void EndStatesOfGoneThreads();
  ThreadState* NewState();
  static void EndCallingThread(void* state);

  std::atomic<ThreadState*> threads_[kMaxThreads] = {};
  std::atomic<uint32_t> slots_{0};
  std::atomic<uint32_t> ring_count_{0};
  std::atomic<AtEnd> at_end_{nullptr};
};

extern ThreadRegistry thread_registry __attribute__((visibility("hidden")));

// The calling thread's state; nullptr before Register, and in the child of a fork.
// Initial-exec: one instruction instead of a call that may allocate. One such variable makes all of
// the library's static: test/walls/library_test.cc holds their size. The loader has 512 bytes of
// static TLS in reserve for all libraries that are opened late (glibc.rtld.optional_static_tls).
extern __thread ThreadState* calling_thread __attribute__((tls_model("initial-exec")));

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_REGISTRY_H_
