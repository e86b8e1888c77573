// SPDX-License-Identifier: Apache-2.0
//
// The memory of PyTorch's tensors, for lib/capture/threads/tensor_memory.h. Two parties tell of it:
// PyTorch's allocator, through libprof_inject.so (allocator_shim.cc), and Python, through
// site/prof_torch_memory.py.
#ifndef PROF_TORCH_BRIDGE_TENSORS_H_
#define PROF_TORCH_BRIDGE_TENSORS_H_

#include <cstdint>

// The interface between prof_torch_memory.py and this file. A change of either needs a new number.
#define PROF_TORCH_TENSORS_VERSION 1

extern "C" {

// The allocator has given `bytes` at `address` to a tensor (positive), or has got them back
// (negative). `type` and `device`: of c10::Device. Any thread, within a lock of the allocator: as
// capture::RecordTensor.
__attribute__((visibility("default"))) void prof_torch_memory(const void* address, int64_t bytes,
                                                              int type, int device);
// The allocator had no memory for a tensor of `bytes`. In the same way.
__attribute__((visibility("default"))) void prof_torch_no_memory(int64_t bytes, int type,
                                                                 int device);

// Called once in a process, by ctypes, with PyBytes_AsString, PyBytes_Size and Py_IncRef of the
// calling interpreter. `function` gets a function of the type PyCFunction with one argument: an
// object of type bytes, of which each 24 are a tensor: its address, its bytes, its device (4 bytes)
// and its TensorChange (4 bytes), in the machine's order. Returns 1; 0: `version` is not ours.
__attribute__((visibility("default"))) int prof_torch_tensors(int version, void* bytes_as_string,
                                                              void* bytes_size, void* inc_ref,
                                                              void** function);
}

namespace prof::torch {

// Whether the allocator of this process has told of a tensor of a GPU. Any thread.
[[nodiscard]] bool KnowsTensors();

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_TENSORS_H_
