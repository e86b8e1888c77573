// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/torch_ops.h"

#include <atomic>
#include <cstring>
#include <string_view>

#include "lib/capture/threads/thread_writes.h"
#include "lib/capture/threads/tick_clock.h"

namespace prof::capture {
namespace {

std::atomic<uint32_t> root{kNoPath};

// Threads that make the root at the same time get the same one.
uint32_t Root() {
  uint32_t id = root.load(std::memory_order_acquire);
  if (id != kNoPath) return id;
  format::NameNumbers numbers;
  RangeNode node;
  node.domain = RangeStrings::TorchDomain(TorchScope::kOutside);
  id = thread_registry.paths.NodeOf(node, &thread_registry.strings, &numbers);
  root.store(id, std::memory_order_release);
  return id;
}

// The names of ops begin alike, "aten::", and differ at the end.
uint32_t WeakHash(uint32_t parent, std::string_view name) {
  uint64_t end = 0;
  if (name.size() >= sizeof(end)) {
    std::memcpy(&end, name.data() + name.size() - sizeof(end), sizeof(end));
  } else if (!name.empty()) {
    end = static_cast<unsigned char>(name.back());
  }
  const uint64_t mixed = (end ^ parent * 0x9E3779B97F4A7C15U ^ name.size()) * 0xD6E8FEB86659FD93U;
  return static_cast<uint32_t>(mixed >> 40U);
}

uint32_t ChildOp(ThreadState& thread, uint32_t parent, TorchScope scope, std::string_view name) {
  const StoredString* domain = RangeStrings::TorchDomain(scope);
  uint32_t& cached = thread.torch.children[WeakHash(parent, name) % kTorchCacheSize];
  if (cached != kNoPath) {
    const PathNode& node = thread_registry.paths.At(cached);
    if (node.parent == parent && node.domain == domain && node.name->Is(name)) return cached;
  }
  return LookUpChild(thread, {parent, domain, name}, &cached);
}

uint32_t ShapesOf(const InputShapes& inputs) {
  const uint32_t shapes = thread_registry.shapes.IdOf(inputs);
  if (shapes == 0) Count(thread_registry.losses.torch_shapes_dropped);
  return shapes;
}

// As SetCurrentAt of ranges: `current` first.
void SetCurrentOp(ThreadState& thread, uint32_t path, const InputShapes* inputs = nullptr) {
  if (path == thread.torch.current.load(std::memory_order_relaxed)) return;
  thread.torch.current.store(path, std::memory_order_release);
  if (!Recording()) return;
  const int64_t now = NowTicks();  // before the table of shapes costs the op some of its time
  const uint32_t shapes = inputs == nullptr ? 0 : ShapesOf(*inputs);
  CheckWritten(thread.ring.Write(RingRecord::Step(now, path, shapes)));
}

void WriteSequence(ThreadState& thread, const TorchOpStart& op, uint32_t path) {
  const auto sequence = static_cast<uint64_t>(op.sequence);
  if (op.scope != TorchScope::kBackward) {
    if (sequence == thread.torch.sequence_written) return;
    thread.torch.sequence_written = sequence;
  }
  WritePayload(thread, {PayloadType::kUint64, sequence}, path, NowTicks());
}

uint32_t InnermostOp(const ThreadState& thread) {
  const TorchOps& ops = thread.torch;
  return ops.depth == 0 ? Root() : ops.open[ops.depth - 1].path;
}

}  // namespace

void PushTorchOp(const TorchOpStart& op) noexcept {
  ThreadState* thread = CallingThread();
  if (thread == nullptr) {
    if (Recording()) Count(thread_registry.losses.events_dropped);
    return;
  }
  TorchOps& ops = thread->torch;
  if (ops.depth == kMaxTorchDepth) {
    ++ops.overflow;
    if (Recording()) Count(thread_registry.losses.events_dropped);
    return;
  }
  const uint32_t parent = InnermostOp(*thread);
  if (parent == kNoPath) return;  // no room even for the root: the table counts it
  const uint32_t child = ChildOp(*thread, parent, op.scope, op.name != nullptr ? op.name : "");
  const uint32_t path = child != kNoPath ? child : parent;
  ops.open[ops.depth++] = {op.event, path, op.scope};
  SetCurrentOp(*thread, path, op.inputs);
  if (op.sequence >= 0 && child != kNoPath && Recording()) WriteSequence(*thread, op, child);
}

void PrepareTorchShapes() { thread_registry.shapes.Prepare(); }

void PopTorchOp(const void* event) noexcept {
  ThreadState* thread = calling_thread;
  if (thread == nullptr) return;
  TorchOps& ops = thread->torch;
  uint32_t at = ops.depth;
  while (at > 0 && ops.open[at - 1].event != event) --at;
  if (at == 0) {
    if (ops.overflow > 0) --ops.overflow;
    return;
  }
  uint32_t kept = at - 1;
  const bool nests = ops.open[kept].scope != TorchScope::kUser;
  ops.overflow = 0;
  for (uint32_t i = at; i < ops.depth; ++i) {
    if (nests && ops.open[i].scope != TorchScope::kUser) continue;
    ops.open[kept++] = ops.open[i];
  }
  ops.depth = kept;
  SetCurrentOp(*thread, InnermostOp(*thread));
}

uint32_t CurrentTorchOp() {
  const ThreadState* thread = calling_thread;
  return thread == nullptr || thread->torch.depth == 0
             ? kNoPath
             : thread->torch.open[thread->torch.depth - 1].path;
}

void EndTorchOps(ThreadState& thread) {
  TorchOps& ops = thread.torch;
  ops.depth = ops.overflow = 0;
  ops.sequence_written = 0;
  if (ops.current.load(std::memory_order_relaxed) == kNoPath) return;
  SetCurrentOp(thread, Root());
  ops.current.store(kNoPath, std::memory_order_release);
}

}  // namespace prof::capture
