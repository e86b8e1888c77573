// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/tensor_memory.h"

#include <algorithm>
#include <atomic>

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_writes.h"
#include "lib/capture/threads/tick_clock.h"

namespace prof::capture {
namespace {

std::atomic<bool> tensors_wanted{false};

bool HasPlace(TensorChange change) {
  return change == TensorChange::kAllocated || change == TensorChange::kRefused;
}

}  // namespace

void WantTensors(bool wanted) { tensors_wanted.store(wanted); }

bool TensorsWanted() { return tensors_wanted.load(std::memory_order_relaxed); }

void RecordTensor(const TensorRecord& tensor) noexcept {
  if (!TensorsWanted() || !Recording()) return;
  ThreadState* thread = CallingThread();
  if (thread == nullptr) return Count(thread_registry.losses.tensors_dropped);
  const uint32_t stack = HasPlace(tensor.change) ? CurrentStack() : kNoStack;
  const uint32_t device = std::min(tensor.device, RingRecord::kLargestDevice);
  CheckWritten(thread->ring.Write(RingRecord::Tensor(NowTicks(), tensor.change, device, stack),
                                  RingRecord::TensorMemory(tensor.address, tensor.bytes)),
               thread_registry.losses.tensors_dropped);
}

}  // namespace prof::capture
