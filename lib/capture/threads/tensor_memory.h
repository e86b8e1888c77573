// SPDX-License-Identifier: Apache-2.0
//
// The memory of PyTorch's tensors: what its allocator gives to them and gets back, and what the
// program uses them as. torch_bridge hears of it; the records go to the ring of the thread.
#ifndef PROF_LIB_CAPTURE_THREADS_TENSOR_MEMORY_H_
#define PROF_LIB_CAPTURE_THREADS_TENSOR_MEMORY_H_

#include <cstdint>

#include "lib/capture/events/events.h"

namespace prof::capture {

// Whether a recording wants them. Any thread.
void WantTensors(bool wanted);
[[nodiscard]] bool TensorsWanted();

// The program's threads, maybe within a lock of PyTorch: takes none, makes no CUDA call, and does
// not allocate once the thread is known, but for the stack of an allocation, which is walked as
// that of a CUDA call. 32 bytes of the ring. What has no room is counted. Nothing is written while
// nothing is recorded or wanted.
struct TensorRecord {
  TensorChange change = TensorChange::kUnknown;
  uint32_t device = 0;  // beyond 255: 255
  uint64_t address = 0, bytes = 0;
};
void RecordTensor(const TensorRecord& tensor) noexcept;

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_TENSOR_MEMORY_H_
