// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/outside_walker.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>

#include "lib/capture/process/clock.h"

namespace prof::python {
namespace {

using capture::HostSampleKind;

constexpr int kTries = 4;
// A thread that runs may change under each of the first looks. An interpreter of other structs
// fails all of them.
constexpr int kMostFailedTests = 200;

template <typename Value>
Value At(const char* bytes, uint32_t offset) {
  Value value;
  std::memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

uint32_t FrameBytes(const PythonLayout& layout) {
  uint32_t most = std::max({layout.frame_code, layout.frame_previous, layout.frame_instruction});
  if (layout.frame_owner != kNoOffset) most = std::max(most, layout.frame_owner);
  return most + sizeof(uint64_t);
}

uint32_t CodeBytes(const PythonLayout& layout) {
  uint32_t most = std::max(
      {layout.code_name, layout.code_file, layout.code_lines, layout.code_first_line, kObjectType});
  if (layout.code_version != kNoOffset) most = std::max(most, layout.code_version);
  return most + sizeof(uint64_t);
}

constexpr uint64_t MixIn(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

uint64_t HashOf(const Frames& frames) {
  uint64_t hash = frames.cut ? 2 : 1;
  for (uint32_t i = 0; i < frames.count; ++i) {
    const Frames::Frame& frame = frames.frame[i];
    hash = MixIn(MixIn(MixIn(hash, frame.code), frame.instruction), frame.mark);
  }
  return hash;
}

}  // namespace

OutsideWalker::OutsideWalker(const PythonSymbols& python, const PythonLayout& layout,
                             StackMaker* maker)
    : code_type_(python.code_type),
      layout_(layout),
      frame_bytes_(FrameBytes(layout)),
      code_bytes_(CodeBytes(layout)),
      maker_(maker),
      threads_(python.runtime, layout) {
  if (python.runtime == 0) state_ = State::kBroken;
}

OutsideWalker::Frame OutsideWalker::Parse(uintptr_t address, const char* bytes) const {
  Frame frame;
  frame.address = address;
  frame.code = At<uintptr_t>(bytes, layout_.frame_code) & ~layout_.code_flags;
  frame.previous = At<uintptr_t>(bytes, layout_.frame_previous);
  frame.instruction = layout_.counts_units ? At<uint32_t>(bytes, layout_.frame_instruction)
                                           : At<uintptr_t>(bytes, layout_.frame_instruction);
  if (layout_.frame_owner != kNoOffset) frame.owner = At<uint8_t>(bytes, layout_.frame_owner);
  return frame;
}

bool OutsideWalker::ReadTop(uintptr_t state, Top* top) const {
  top->link = state + layout_.state_to_frame;
  if (!capture::ReadOwn(top->link, &top->linked)) return false;
  top->holder = top->link;
  top->frame = top->linked;
  if (layout_.cframe_to_frame == kNoOffset || top->linked == 0) return true;
  top->holder = top->linked + layout_.cframe_to_frame;
  return capture::ReadOwn(top->holder, &top->frame);
}

// Copies the frames that the last look found, in one call of the kernel.
void OutsideWalker::ReadLastChain(uint32_t tid) {
  const Chain& chain = last_chains_[tid % kChains];
  expected_ = nullptr;
  next_expected_ = 0;
  if (chain.tid != tid || chain.frames.empty()) return;
  frame_copies_.resize(chain.frames.size() * frame_bytes_);
  pieces_.clear();
  for (size_t i = 0; i < chain.frames.size(); ++i) {
    pieces_.push_back({chain.frames[i], &frame_copies_[i * frame_bytes_], frame_bytes_});
  }
  if (capture::ReadOwnPieces(pieces_.data(), pieces_.size())) expected_ = &chain;
}

bool OutsideWalker::ReadFrame(uintptr_t address, Frame* frame) {
  if (expected_ != nullptr) {
    const auto begin = expected_->frames.begin();
    const auto found =
        std::find(begin + static_cast<ptrdiff_t>(next_expected_), expected_->frames.end(), address);
    if (found != expected_->frames.end()) {
      const auto at = static_cast<size_t>(found - begin);
      *frame = Parse(address, &frame_copies_[at * frame_bytes_]);
      next_expected_ = at + 1;
      return true;
    }
  }
  char bytes[kMostPiece];
  if (!capture::ReadOwnMemory(address, bytes, frame_bytes_)) return false;
  *frame = Parse(address, bytes);
  return true;
}

// The first reading: from frame to frame. Of a deep stack it reads the innermost frames.
bool OutsideWalker::ReadChain(uintptr_t innermost) {
  chain_.clear();
  frames_.count = 0;
  frames_.cut = false;
  for (uintptr_t address = innermost; address != 0;) {
    if (frames_.count == kMostDepth) {
      frames_.cut = true;
      break;
    }
    Frame frame;
    if (chain_.size() == kMostSteps || !ReadFrame(address, &frame)) return false;
    chain_.push_back(frame);
    if (!IsShim(frame)) frames_.frame[frames_.count++] = {frame.code, frame.instruction, 0};
    address = frame.previous;
  }
  return true;
}

// The second reading: all frames and their code objects in one call of the kernel. The innermost
// frame may have gone on to another instruction.
bool OutsideWalker::ReadAgain(const Top& top, int64_t* time_ns) {
  frame_copies_.resize(chain_.size() * frame_bytes_);
  code_copies_.resize(size_t{frames_.count} * code_bytes_);
  pieces_.clear();
  uintptr_t linked = 0, innermost_frame = 0;
  pieces_.push_back({top.link, &linked, sizeof(linked)});
  pieces_.push_back({top.holder, &innermost_frame, sizeof(innermost_frame)});
  for (size_t i = 0; i < chain_.size(); ++i) {
    pieces_.push_back({chain_[i].address, &frame_copies_[i * frame_bytes_], frame_bytes_});
  }
  for (uint32_t i = 0; i < frames_.count; ++i) {
    char* const copy = &code_copies_[size_t{i} * code_bytes_];
    pieces_.push_back({frames_.frame[i].code, copy, code_bytes_});
  }
  // Once more behind the frames: a call that began or ended between them shows here.
  uintptr_t at_end = 0;
  pieces_.push_back({top.holder, &at_end, sizeof(at_end)});
  if (!capture::ReadOwnPieces(pieces_.data(), pieces_.size())) return false;
  *time_ns = capture::RealtimeNs();
  if (linked != top.linked || innermost_frame != top.frame || at_end != top.frame) return false;
  uint32_t visible = 0;
  for (size_t i = 0; i < chain_.size(); ++i) {
    const Frame& before = chain_[i];
    const Frame now = Parse(before.address, &frame_copies_[i * frame_bytes_]);
    const bool innermost = visible == 0;
    if (now.previous != before.previous || now.owner != before.owner) return false;
    if (IsShim(now)) continue;
    if (now.code != before.code || (now.instruction != before.instruction && !innermost)) {
      return false;
    }
    frames_.frame[visible].instruction = now.instruction;
    if (At<uintptr_t>(&code_copies_[size_t{visible} * code_bytes_], kObjectType) != code_type_) {
      return false;
    }
    ++visible;
  }
  return ReadMarks();
}

// As CodeMark(), from the copies. Without versions it takes one more call of the kernel.
bool OutsideWalker::ReadMarks() {
  struct Content {
    uint64_t name_hash, lines_size, lines_begin;
  };
  const bool versions = layout_.code_version != kNoOffset;
  std::vector<Content> contents(versions ? 0 : frames_.count);
  pieces_.clear();
  for (uint32_t i = 0; i < frames_.count; ++i) {
    const char* const code = &code_copies_[size_t{i} * code_bytes_];
    if (versions) {
      frames_.frame[i].mark = At<uint32_t>(code, layout_.code_version);
      continue;
    }
    const auto name = At<uintptr_t>(code, layout_.code_name);
    const auto lines = At<uintptr_t>(code, layout_.code_lines);
    uint64_t mark = At<uint32_t>(code, layout_.code_first_line);
    frames_.frame[i].mark = mark << 32 ^ At<uintptr_t>(code, layout_.code_file);
    pieces_.push_back({name + kTextHash, &contents[i].name_hash, sizeof(uint64_t)});
    pieces_.push_back({lines + kBytesSize, &contents[i].lines_size, sizeof(uint64_t)});
    pieces_.push_back({lines + kBytesData, &contents[i].lines_begin, sizeof(uint64_t)});
  }
  if (versions) return true;
  if (!capture::ReadOwnPieces(pieces_.data(), pieces_.size())) return false;
  for (uint32_t i = 0; i < frames_.count; ++i) {
    uint64_t& mark = frames_.frame[i].mark;
    mark = (mark ^ contents[i].name_hash) * 0x9e3779b97f4a7c15;
    mark ^= contents[i].lines_size << 40 ^ contents[i].lines_begin;
  }
  return true;
}

OutsideWalker::Result OutsideWalker::Read(const capture::ThreadNumbers& thread, int64_t* time_ns) {
  const std::optional<uintptr_t> state = threads_.Find(thread);
  if (!state) return Result::kChanged;
  Top top;
  if (*state != 0 && !ReadTop(*state, &top)) return Result::kChanged;
  if (top.frame == 0) {
    *time_ns = capture::RealtimeNs();
    return Result::kNative;
  }
  ReadLastChain(thread.tid);
  if (!ReadChain(top.frame)) return Result::kChanged;
  Chain& last = last_chains_[thread.tid % kChains];
  last.tid = thread.tid;
  last.frames.clear();
  for (const Frame& frame : chain_) last.frames.push_back(frame.address);
  if (!ReadAgain(top, time_ns)) return Result::kChanged;
  return frames_.count == 0 ? Result::kNative : Result::kRead;
}

// The first stack whose names, files and lines can all be read shows that the layout is right.
bool OutsideWalker::Test() {
  if (state_.load(std::memory_order_relaxed) == State::kWorks) return true;
  if (!maker_->CanRead(frames_)) return false;
  state_.store(State::kWorks, std::memory_order_relaxed);
  return true;
}

capture::HostLook OutsideWalker::LookAt(const capture::ThreadNumbers& thread) noexcept {
  capture::HostLook look;
  look.kind = HostSampleKind::kUnread;
  if (state_.load(std::memory_order_relaxed) == State::kBroken) {
    look.time_ns = capture::RealtimeNs();
    return look;
  }
  try {
    look.kind = HostSampleKind::kTorn;
    for (int tries = 0; tries < kTries && look.kind == HostSampleKind::kTorn; ++tries) {
      const Result result = Read(thread, &look.time_ns);
      if (result == Result::kNative) look.kind = HostSampleKind::kNative;
      if (result != Result::kRead || !Test()) continue;
      look.stack = maker_->StackOf(HashOf(frames_), frames_);
      look.kind = look.stack == kNoRoom ? HostSampleKind::kUnread : HostSampleKind::kStack;
    }
  } catch (const std::exception&) {  // no memory, in all likelihood
    look.kind = HostSampleKind::kUnread;
  }
  if (look.kind != HostSampleKind::kStack) look.stack = capture::kNoStack;
  if (look.kind == HostSampleKind::kTorn) {
    look.time_ns = capture::RealtimeNs();
    const bool tested = state_.load(std::memory_order_relaxed) == State::kWorks;
    if (!tested && ++failed_tests_ == kMostFailedTests) {
      state_.store(State::kBroken, std::memory_order_relaxed);
    }
  }
  return look;
}

std::string OutsideWalker::problem() const {
  if (state_.load(std::memory_order_relaxed) != State::kBroken) return {};
  return "its threads or frames are not laid out as in CPython 3." + std::to_string(layout_.minor) +
         ", or a filter of system calls forbids process_vm_readv";
}

}  // namespace prof::python
