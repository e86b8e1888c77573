// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/native_walker.h"

#include <algorithm>
#include <exception>
#include <string_view>

#include "native_bridge/stack_bounds.h"

namespace prof::native {
namespace {

constexpr uint32_t kNoRoom = UINT32_MAX;
constexpr size_t kMostFrames = size_t{1} << 17, kMostHashes = size_t{1} << 18;

// Stand for the frames outside those that are kept, and for those that could not be read.
constexpr char kCutFrames[] = "(outer frames)", kUnreadFrames[] = "(frames not readable)";

// The libraries between a launch and the program's own code.
bool IsHidden(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = std::string_view(path).substr(slash + 1);  // npos + 1 is 0
  const auto is = [&](std::string_view library) {
    return name.substr(0, library.size()) == library;
  };
  return is("libprof.so") || is("libprof_inject.so") || is("libcupti.so") || is("libcuda.so") ||
         is("libcudart.so");
}

// The frame that asks: `pc` is an instruction of it.
[[gnu::always_inline]] inline FrameRegisters OwnRegisters() {
  FrameRegisters at;
#if defined(__x86_64__)
  asm volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
               : "=&r"(at.pc), "=&r"(at.sp), "=&r"(at.fp));
#endif
  return at;
}

}  // namespace

void NativeWalker::WalkFrom(const FrameRegisters& at, Stack* stack) {
  StackBounds bounds = OwnStack(at.sp);
  if (bounds.high != 0) {
    bounds.low = std::max(bounds.low, at.sp);  // below it a program may have protected pages
    WalkNative(at, modules_.generation(), rules_, bounds, stack);
  } else {
    const StackCopy copy(at.sp);
    WalkNative(at, modules_.generation(), rules_, copy, stack);
  }
}

// noinline: its own frame is the one that the walk begins in.
[[gnu::noinline]] uint32_t NativeWalker::Walk(capture::StackCache* cache) noexcept {
  Stack stack;
  const FrameRegisters at = OwnRegisters();
  WalkFrom(at, &stack);
  if (cache != nullptr) {
    const capture::StackCache::Slot& slot =
        cache->slots[(stack.hash >> 40) % capture::StackCache::kSlots];
    if (slot.hash == stack.hash && slot.stack != kNoRoom) return slot.stack;
  }
  uint32_t id = kNoRoom;
  try {
    id = Find(at, &stack);
  } catch (const std::exception&) {  // no memory, in all likelihood
  }
  if (cache != nullptr) {
    cache->slots[(stack.hash >> 40) % capture::StackCache::kSlots] = {stack.hash, id};
  }
  if (id != kNoRoom) return id;
  dropped_.fetch_add(1, std::memory_order_relaxed);
  return capture::kNoStack;
}

// A stack that is not in the cache of its thread.
[[gnu::noinline]] uint32_t NativeWalker::Find(const FrameRegisters& at, Stack* stack) {
  Refresh();
  if (modules_.generation() != stack->generation) WalkFrom(at, stack);  // by the rules of now
  {
    const capture::MutexLock lock(mutex_);
    const auto known = by_hash_.find(stack->hash);
    if (known != by_hash_.end()) return known->second;
  }
  const uint32_t id = Make(*stack);
  const capture::MutexLock lock(mutex_);
  if (by_hash_.size() >= kMostHashes) by_hash_.clear();
  by_hash_[stack->hash] = id;
  return id;
}

void NativeWalker::Refresh() {
  (void)modules_.Refresh();
  const uint32_t generation = modules_.generation();
  const capture::MutexLock lock(mutex_);
  if (known_generation_ == generation) return;
  known_generation_ = generation;
  frames_.clear();
}

uint32_t NativeWalker::Named(const char* name, uint32_t parent) {
  const uint32_t frame = stacks_->FrameOf({name, {}, 0, 0});
  const uint32_t stack = frame != 0 ? stacks_->StackOf(parent, frame) : capture::kNoStack;
  return stack != capture::kNoStack ? stack : kNoRoom;
}

uint32_t NativeWalker::Make(const Stack& stack) {
  uint32_t first = 0;  // the innermost frame that is the program's
  for (; first < stack.count; ++first) {
    bool hidden = false;
    if (FrameOf(stack.pc[first], &hidden) == 0) return kNoRoom;
    if (!hidden) break;
  }
  if (first == stack.count) {
    empty_.fetch_add(1, std::memory_order_relaxed);
    return capture::kNoStack;
  }
  const uint32_t last = std::min(stack.count, first + kMostDepth);
  uint32_t id = capture::kNoStack;
  if (last < stack.count || stack.count == kMostSteps) {
    id = Named(kCutFrames, id);
  } else if (!stack.complete) {
    id = Named(kUnreadFrames, id);
  }
  if (id == kNoRoom) return kNoRoom;
  for (uint32_t i = last; i > first; --i) {
    bool hidden = false;
    const uint32_t frame = FrameOf(stack.pc[i - 1], &hidden);
    if (frame == 0) return kNoRoom;
    id = stacks_->StackOf(id, frame);
    if (id == capture::kNoStack) return kNoRoom;
  }
  made_.fetch_add(1, std::memory_order_relaxed);
  return id;
}

// The frame of an instruction; 0: no room.
uint32_t NativeWalker::FrameOf(uintptr_t pc, bool* hidden) {
  {
    const capture::MutexLock lock(mutex_);
    const auto known = frames_.find(pc);
    if (known != frames_.end()) {
      *hidden = known->second.hidden;
      return known->second.frame;
    }
  }
  const std::shared_ptr<const Module> module = modules_.Find(pc);
  capture::HostFrameEvent frame;
  if (module == nullptr) {
    frame.function = "(code that the program made)";
  } else {
    frame.module = module->path;
    frame.build_id = module->build_id;
    frame.offset = pc - module->bias;
    if (module->path.empty()) frame.function = "(code without a file)";
  }
  *hidden = module != nullptr && IsHidden(module->path);
  const uint32_t id = stacks_->FrameOf(frame);
  if (id == 0) return 0;
  const capture::MutexLock lock(mutex_);
  if (frames_.size() >= kMostFrames) frames_.clear();
  frames_[pc] = {id, *hidden};
  return id;
}

// A single stack may be of a thread of CUDA's own.
std::string NativeWalker::problem() const {
  constexpr uint64_t kMany = 8;
  if (made_.load(std::memory_order_relaxed) != 0 ||
      empty_.load(std::memory_order_relaxed) < kMany) {
    return {};
  }
  return "no frame of the program was found behind those of CUDA: a library between them has no "
         "call frame information (.eh_frame)";
}

}  // namespace prof::native
