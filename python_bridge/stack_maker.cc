// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/stack_maker.h"

namespace prof::python {
namespace {

constexpr size_t kMostLines = size_t{1} << 17, kMostHashes = size_t{1} << 18;

// Stands for the frames outside those that are kept.
constexpr char kCutFrames[] = "(outer frames)";

}  // namespace

std::optional<uint32_t> StackMaker::Known(uint64_t hash) {
  const capture::MutexLock lock(mutex_);
  const auto known = by_hash_.find(hash);
  if (known == by_hash_.end()) return std::nullopt;
  return known->second;
}

uint32_t StackMaker::StackOf(uint64_t hash, const Frames& frames) {
  if (const std::optional<uint32_t> known = Known(hash)) return *known;
  const uint32_t stack = Make(frames);
  const capture::MutexLock lock(mutex_);
  if (by_hash_.size() >= kMostHashes) by_hash_.clear();
  by_hash_[hash] = stack;
  return stack;
}

bool StackMaker::CanRead(const Frames& frames) const {
  for (uint32_t i = 0; i < frames.count; ++i) {
    CodeLine line;
    if (!reader_.Read(frames.frame[i].code, frames.frame[i].instruction, &line)) return false;
  }
  return true;
}

uint32_t StackMaker::Make(const Frames& frames) {
  uint32_t stack = capture::kNoStack;
  if (frames.cut) {
    const uint32_t frame = stacks_->FrameOf({kCutFrames, {}, 0, 0});
    if (frame == 0) return kNoRoom;
    stack = stacks_->StackOf(stack, frame);
    if (stack == capture::kNoStack) return kNoRoom;
  }
  for (uint32_t i = frames.count; i > 0; --i) {
    const uint32_t frame = FrameOf(frames.frame[i - 1]);
    if (frame == 0) return kNoRoom;
    stack = stacks_->StackOf(stack, frame);
    if (stack == capture::kNoStack) return kNoRoom;
  }
  return stack;
}

// The frame's line; 0: no room. A frame that cannot be read has no name.
uint32_t StackMaker::FrameOf(const Frames::Frame& frame) {
  const LineKey key = {frame.code, frame.instruction, frame.mark};
  {
    const capture::MutexLock lock(mutex_);
    const auto known = lines_.find(key);
    if (known != lines_.end()) return known->second;
  }
  CodeLine line;
  const bool readable = reader_.Read(frame.code, frame.instruction, &line);
  if (!readable) line = {"(unknown)", {}, 0, 0};
  const uint32_t id = stacks_->FrameOf({line.function, line.file, line.first_line, line.line});
  if (id == 0 || !readable) return id;
  const capture::MutexLock lock(mutex_);
  if (lines_.size() >= kMostLines) lines_.clear();
  lines_[key] = id;
  return id;
}

}  // namespace prof::python
