// SPDX-License-Identifier: Apache-2.0
//
// The host stacks are the tables of source lines and of stacks that the program's threads were in
// when they called CUDA. An interpreter's bridge (python_bridge/) and that of native code
// (native_bridge/) fill them; the collector reads them. There is one set in a process: a CUDA graph
// may be launched in a later recording than the one that saw it being captured.
#ifndef PROF_LIB_CAPTURE_THREADS_HOST_STACKS_H_
#define PROF_LIB_CAPTURE_THREADS_HOST_STACKS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/capture/events/events.h"
#include "lib/capture/process/mutex.h"

namespace prof::capture {

constexpr uint32_t kNoStack = 0;

// Ids count from 1 and are never given out again. Any thread; a short lock.
class HostStacks {
 public:
  static constexpr size_t kMostFrames = 1 << 16, kMostFrameBytes = size_t{8} << 20;
  static constexpr size_t kMostStacks = (1 << 18) - 1;  // ids of 18 bits

  explicit HostStacks(size_t most_frames = kMostFrames, size_t most_stacks = kMostStacks)
      : most_frames_(most_frames), most_stacks_(most_stacks) {}

  // The id of a line of a function; 0: the table is full. May allocate.
  [[nodiscard]] uint32_t FrameOf(const HostFrameEvent& frame);
  // The id of the stack whose innermost frame is `frame`, called by the stack `parent` (0: it is
  // the outermost); 0: the table is full. May allocate.
  [[nodiscard]] uint32_t StackOf(uint32_t parent, uint32_t frame);

  // Calls `add` with each frame and stack that `seen` does not count yet, frames first, and counts
  // them. An entry comes after those that it names. Text lives as long as this.
  struct Seen {
    uint32_t frames = 0, stacks = 0;
  };
  void Read(Seen* seen, const std::function<void(const HostFrameEvent&)>& add_frame,
            const std::function<void(const HostStackEvent&)>& add_stack);

 private:
  struct StoredFrame {
    std::string function;
    const std::string *file, *module, *build_id;  // in texts_
    uint32_t first_line, line;
    uint64_t offset;
  };
  const std::string* Stored(std::string_view text) PROF_REQUIRES(mutex_);

  const size_t most_frames_, most_stacks_;
  Mutex mutex_;
  std::unordered_map<std::string, std::string> texts_ PROF_GUARDED_BY(mutex_);  // by themselves
  std::unordered_map<std::string, uint32_t> frame_ids_ PROF_GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, uint32_t> stack_ids_ PROF_GUARDED_BY(mutex_);
  std::deque<StoredFrame> frames_ PROF_GUARDED_BY(mutex_);     // by id - 1
  std::deque<HostStackEvent> stacks_ PROF_GUARDED_BY(mutex_);  // by id - 1
  size_t frame_bytes_ PROF_GUARDED_BY(mutex_) = 0;
};

// The one of the process; never destroyed.
HostStacks& ProcessHostStacks();

// The stacks that a thread was in lately, by a hash of all that tells them apart.
struct StackCache {
  static constexpr size_t kSlots = 256;
  struct Slot {
    uint64_t hash = 0;
    uint32_t stack = kNoStack;
  };
  Slot slots[kSlots];
};

// A thread as the system and the C library number it.
struct ThreadNumbers {
  uint32_t tid = 0;      // gettid()
  uint64_t pthread = 0;  // pthread_self()
};

// What a look at another thread has found.
struct HostLook {
  HostSampleKind kind = HostSampleKind::kNative;
  uint32_t stack = kNoStack;
  int64_t time_ns = 0;  // when it was so, CLOCK_REALTIME
};

// Where stacks come from. A thread that has frames of Python has a stack of Python; where both
// kinds are recorded, the other threads have native ones.
enum class StackKind : uint8_t { kPython, kNative };
constexpr size_t kStackKinds = 2;

// An interpreter whose stacks can be read, or the program's native code. One of each kind registers
// itself before main().
class StackSource {
 public:
  virtual ~StackSource() = default;
  // The thread that begins a recording, and the one that ends it. Start looks for the interpreter;
  // without one nothing costs anything. `at_calls`: CUDA calls have stacks from now on.
  virtual void Start(bool at_calls) = 0;
  virtual void Stop() = 0;
  // One thread at a time, from Start on: where `thread` is, which runs on meanwhile. It takes
  // microseconds, and waits for nobody but the kernel. The default has no frames of any thread.
  [[nodiscard]] virtual HostLook LookAt(const ThreadNumbers& /*thread*/) { return {}; }
  // The collector, in each of its rounds: looks whether something is to be forgotten.
  virtual void Refresh() {}
  // The collector: the name of a frame's function, where the frame has none yet; empty: none is
  // known. It may read files.
  [[nodiscard]] virtual std::string FunctionOf(const HostFrameEvent& /*frame*/) { return {}; }
  // The collector: why stacks of an interpreter that is there cannot be read; empty: they can, or
  // there is none.
  [[nodiscard]] virtual std::string problem() const = 0;
  // Stacks that had no room, since the process began.
  [[nodiscard]] virtual uint64_t dropped() const = 0;
};
void RegisterStackSource(StackKind kind, StackSource* source);
// nullptr: none is linked.
[[nodiscard]] StackSource* RegisteredStackSource(StackKind kind);

// Walks the calling thread's stack and returns its id; kNoStack: it has none. No lock and no
// allocation for a stack that `cache` has; nullptr: there is no cache.
using StackWalker = uint32_t (*)(StackCache* cache);
// nullptr: stacks of this kind are not recorded.
void SetStackWalker(StackKind kind, StackWalker walker);

extern std::atomic<StackWalker> stack_walker __attribute__((visibility("hidden")));
[[nodiscard]] uint32_t WalkStack(StackWalker walker);

// The program's threads, at a CUDA call: the stack that the thread is in. Where none are recorded,
// or without an interpreter, it costs one load.
[[nodiscard]] inline uint32_t CurrentStack() {
  const StackWalker walker = stack_walker.load(std::memory_order_acquire);
  return walker == nullptr ? kNoStack : WalkStack(walker);
}

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_HOST_STACKS_H_
