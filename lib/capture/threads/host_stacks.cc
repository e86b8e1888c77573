// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/host_stacks.h"

#include <array>

#include "lib/capture/threads/thread_registry.h"

namespace prof::capture {
namespace {

std::array<std::atomic<StackSource*>, kStackKinds> stack_sources{};

// By kind. `stack_walker` is one of them, or WalkBoth().
std::array<std::atomic<StackWalker>, kStackKinds> walkers{};
Mutex walkers_mutex;

StackWalker WalkerOf(StackKind kind) {
  return walkers[static_cast<size_t>(kind)].load(std::memory_order_acquire);
}

uint32_t WalkBoth(StackCache* cache) {
  const StackWalker python = WalkerOf(StackKind::kPython);
  const uint32_t stack = python != nullptr ? python(cache) : kNoStack;
  if (stack != kNoStack) return stack;
  const StackWalker native = WalkerOf(StackKind::kNative);
  return native != nullptr ? native(cache) : kNoStack;
}

// What tells two frames apart, as one text: names have no byte 0 between them and the numbers.
std::string KeyOf(const HostFrameEvent& frame) {
  std::string key;
  key.reserve(frame.function.size() + frame.file.size() + 24);
  key.append(frame.function).push_back('\0');
  key.append(frame.file).push_back('\0');
  key.append(std::to_string(frame.first_line)).push_back('\0');
  key.append(std::to_string(frame.line));
  if (frame.module.empty()) return key;
  key.push_back('\0');
  key.append(frame.module).push_back('\0');
  key.append(frame.build_id).push_back('\0');
  return key.append(std::to_string(frame.offset));
}

}  // namespace

std::atomic<StackWalker> stack_walker{nullptr};

HostStacks& ProcessHostStacks() {
  static auto* const stacks = new HostStacks;
  return *stacks;
}

const std::string* HostStacks::Stored(std::string_view text) {
  std::string key(text);
  return &texts_.try_emplace(key, key).first->second;
}

uint32_t HostStacks::FrameOf(const HostFrameEvent& frame) {
  std::string key = KeyOf(frame);
  const MutexLock lock(mutex_);
  const auto known = frame_ids_.find(key);
  if (known != frame_ids_.end()) return known->second;
  const size_t bytes = 2 * key.size();
  if (frames_.size() >= most_frames_ || frame_bytes_ + bytes > kMostFrameBytes) return 0;
  frames_.push_back({std::string(frame.function), Stored(frame.file), Stored(frame.module),
                     Stored(frame.build_id), frame.first_line, frame.line, frame.offset});
  const auto id = static_cast<uint32_t>(frames_.size());
  frame_bytes_ += bytes;
  frame_ids_.emplace(std::move(key), id);
  return id;
}

uint32_t HostStacks::StackOf(uint32_t parent, uint32_t frame) {
  const uint64_t key = uint64_t{parent} << 32 | frame;
  const MutexLock lock(mutex_);
  const auto known = stack_ids_.find(key);
  if (known != stack_ids_.end()) return known->second;
  if (stacks_.size() >= most_stacks_) return kNoStack;
  stacks_.push_back({parent, frame});
  const auto id = static_cast<uint32_t>(stacks_.size());
  stack_ids_.emplace(key, id);
  return id;
}

// Entries stay where they are in a deque, and nobody changes them: the lock is held for the
// look-ups only, not while the collector encodes.
void HostStacks::Read(Seen* seen, const std::function<void(const HostFrameEvent&)>& add_frame,
                      const std::function<void(const HostStackEvent&)>& add_stack) {
  // Stacks first: the frames of those that are counted now are in the table.
  uint32_t stacks = 0, frames = 0;
  {
    const MutexLock lock(mutex_);
    stacks = static_cast<uint32_t>(stacks_.size());
    frames = static_cast<uint32_t>(frames_.size());
  }
  while (seen->frames < frames) {
    const StoredFrame* frame = nullptr;
    {
      const MutexLock lock(mutex_);
      frame = &frames_[seen->frames];
    }
    add_frame({frame->function, *frame->file, frame->first_line, frame->line, *frame->module,
               *frame->build_id, frame->offset});
    ++seen->frames;
  }
  while (seen->stacks < stacks) {
    HostStackEvent stack;
    {
      const MutexLock lock(mutex_);
      stack = stacks_[seen->stacks];
    }
    add_stack(stack);
    ++seen->stacks;
  }
}

void RegisterStackSource(StackKind kind, StackSource* source) {
  stack_sources[static_cast<size_t>(kind)].store(source);
}
StackSource* RegisteredStackSource(StackKind kind) {
  return stack_sources[static_cast<size_t>(kind)].load();
}

void SetStackWalker(StackKind kind, StackWalker walker) {
  const MutexLock lock(walkers_mutex);
  walkers[static_cast<size_t>(kind)].store(walker, std::memory_order_release);
  const StackWalker python = WalkerOf(StackKind::kPython), native = WalkerOf(StackKind::kNative);
  const StackWalker only = python != nullptr ? python : native;
  stack_walker.store(python != nullptr && native != nullptr ? &WalkBoth : only,
                     std::memory_order_release);
}

uint32_t WalkStack(StackWalker walker) {
  ThreadState* const thread = calling_thread;  // nullptr: the first call of the thread
  return walker(thread != nullptr ? &thread->stacks : nullptr);
}

}  // namespace prof::capture
