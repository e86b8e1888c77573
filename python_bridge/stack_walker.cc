// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/stack_walker.h"

#include <exception>
#include <optional>

#include "lib/capture/process/own_memory.h"

namespace prof::python {
namespace {

struct PlainLoad {
  template <typename Value>
  bool operator()(uintptr_t address, Value* value) const {
    *value = LoadAt<Value>(address);
    return true;
  }
};

struct CheckedLoad {
  template <typename Value>
  bool operator()(uintptr_t address, Value* value) const {
    return capture::ReadOwn(address, value);
  }
};

constexpr uint64_t Mix(uint64_t value) {
  value *= 0x9e3779b97f4a7c15;
  return value ^ value >> 32;
}

// Frames depend on each other by a rotation and an addition only: a walk waits for memory, not for
// its arithmetic. An addition, so that a frame that recurs does not cancel out.
inline uint64_t HashWith(const PythonLayout& layout, uintptr_t thread_state) {
  uint64_t hash = 0;
  uint32_t depth = 0;
  bool cut = false;
  WalkFrames(layout, thread_state, PlainLoad(), [&](uintptr_t code, uintptr_t instruction) {
    cut = depth == kMostDepth;
    if (cut) return false;
    ++depth;
    const uint64_t mark = CodeMark(layout, code) * 0xc2b2ae3d27d4eb4f;
    hash = (hash << 7 | hash >> 57) + Mix((code * 0x85ebca6b2545f491 + instruction) ^ mark);
    return true;
  });
  return depth == 0 ? 0 : Mix(hash + depth + (cut ? 1 : 0)) | 1;
}

// The compiler knows these offsets.
template <PythonLayout (*kLayout)()>
uint64_t HashKnown(const PythonLayout& /*layout*/, uintptr_t thread_state) {
  constexpr PythonLayout known = kLayout();
  return HashWith(known, thread_state);
}

uint64_t HashAny(const PythonLayout& layout, uintptr_t thread_state) {
  return HashWith(layout, thread_state);
}

}  // namespace

StackWalker::StackWalker(const PythonSymbols& python, const PythonLayout& layout, StackMaker* maker)
    : layout_(layout),
      hash_frames_(HashFor(layout)),
      reader_(python, layout),
      maker_(maker),
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the address of a symbol
      this_thread_state_(reinterpret_cast<void* (*)()>(python.this_thread_state)) {}

StackWalker::HashFrames StackWalker::HashFor(const PythonLayout& layout) {
  if (layout == Layout310()) return &HashKnown<Layout310>;
  if (layout == Layout311()) return &HashKnown<Layout311>;
  if (layout == Layout312()) return &HashKnown<Layout312>;
  if (layout == Layout313()) return &HashKnown<Layout313>;
  if (layout == Layout314()) return &HashKnown<Layout314>;
  return &HashAny;
}

// All reads go through the kernel, and every object has to have the type that the layout says.
// False: the layout is wrong. Where the thread has no frame yet, nothing is known.
bool StackWalker::Test(uintptr_t thread_state) {
  uint32_t frames = 0;
  bool right = true;
  const bool walked =
      WalkFrames(layout_, thread_state, CheckedLoad(), [&](uintptr_t code, uintptr_t instruction) {
        CodeLine line;
        right = reader_.Read(code, instruction, &line);
        return right && ++frames < kMostDepth;
      });
  right &= walked || frames == kMostDepth;
  if (right && frames == 0) return true;
  State expected = State::kNotTested;
  state_.compare_exchange_strong(expected, right ? State::kWorks : State::kBroken);
  return right;
}

uint32_t StackWalker::Walk(capture::StackCache* cache) noexcept {
  const auto thread_state = reinterpret_cast<uintptr_t>(this_thread_state_());
  if (thread_state == 0) return capture::kNoStack;
  uint32_t stack = capture::kNoStack;
  try {
    if (state_.load(std::memory_order_acquire) != State::kWorks) {
      if (state_.load(std::memory_order_acquire) == State::kBroken || !Test(thread_state) ||
          state_.load(std::memory_order_acquire) != State::kWorks) {
        return capture::kNoStack;
      }
    }
    const uint64_t hash = hash_frames_(layout_, thread_state);
    if (hash == 0) return capture::kNoStack;
    if (cache == nullptr) {
      stack = Find(thread_state, hash);
    } else {
      capture::StackCache::Slot& slot = cache->slots[(hash >> 40) % capture::StackCache::kSlots];
      if (slot.hash != hash) slot = {hash, Find(thread_state, hash)};
      stack = slot.stack;
    }
  } catch (const std::exception&) {  // no memory, in all likelihood
    stack = kNoRoom;
  }
  if (stack != kNoRoom) return stack;
  dropped_.fetch_add(1, std::memory_order_relaxed);
  return capture::kNoStack;
}

// A stack that is not in the cache of its thread.
[[gnu::noinline]] uint32_t StackWalker::Find(uintptr_t thread_state, uint64_t hash) {
  if (const std::optional<uint32_t> known = maker_->Known(hash)) return *known;
  Frames frames;
  frames.cut =
      !WalkFrames(layout_, thread_state, PlainLoad(), [&](uintptr_t code, uintptr_t instruction) {
        if (frames.count == kMostDepth) return false;
        frames.frame[frames.count++] = {code, instruction, CodeMark(layout_, code)};
        return true;
      });
  return maker_->StackOf(hash, frames);
}

std::string StackWalker::problem() const {
  if (state_.load(std::memory_order_acquire) != State::kBroken) return {};
  return "its frames are not laid out as in CPython 3." + std::to_string(layout_.minor) +
         ", or a filter of system calls forbids process_vm_readv";
}

}  // namespace prof::python
