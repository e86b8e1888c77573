// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/host_stacks.h"

#include "lib/capture/threads/thread_registry.h"

namespace prof::capture {
namespace {

std::atomic<StackSource*> stack_source{nullptr};

// What tells two frames apart, as one text: names have no byte 0 between them and the numbers.
std::string KeyOf(const HostFrameEvent& frame) {
  std::string key;
  key.reserve(frame.function.size() + frame.file.size() + 24);
  key.append(frame.function).push_back('\0');
  key.append(frame.file).push_back('\0');
  key.append(std::to_string(frame.first_line)).push_back('\0');
  return key.append(std::to_string(frame.line));
}

}  // namespace

std::atomic<StackWalker> stack_walker{nullptr};

HostStacks& ProcessHostStacks() {
  static auto* const stacks = new HostStacks;
  return *stacks;
}

uint32_t HostStacks::FrameOf(const HostFrameEvent& frame) {
  std::string key = KeyOf(frame);
  const MutexLock lock(mutex_);
  const auto known = frame_ids_.find(key);
  if (known != frame_ids_.end()) return known->second;
  const size_t bytes = 2 * key.size();
  if (frames_.size() >= most_frames_ || frame_bytes_ + bytes > kMostFrameBytes) return 0;
  std::string file(frame.file);
  const auto stored = files_.try_emplace(file, file).first;
  frames_.push_back({std::string(frame.function), &stored->second, frame.first_line, frame.line});
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
    add_frame({frame->function, *frame->file, frame->first_line, frame->line});
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

void RegisterStackSource(StackSource* source) { stack_source.store(source); }
StackSource* RegisteredStackSource() { return stack_source.load(); }

void SetStackWalker(StackWalker walker) { stack_walker.store(walker, std::memory_order_release); }

uint32_t WalkStack(StackWalker walker) {
  ThreadState* const thread = calling_thread;  // nullptr: the first call of the thread
  return walker(thread != nullptr ? &thread->stacks : nullptr);
}

}  // namespace prof::capture
