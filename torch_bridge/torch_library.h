// SPDX-License-Identifier: Apache-2.0
//
// The torch library is the libtorch_cpu.so that the program has loaded.
#ifndef PROF_TORCH_BRIDGE_TORCH_LIBRARY_H_
#define PROF_TORCH_BRIDGE_TORCH_LIBRARY_H_

#include <string>

#include "torch_bridge/torch_abi.h"

namespace prof::torch {

// The path of libtorch_cpu.so; empty: it is not in the process, or nothing was loaded since the
// last call that found `*loads` as it is now. `loads`: 0 at first. Below a microsecond where
// nothing was loaded. Never waits for a library that is being loaded, and may find one whose
// constructors have not run yet.
[[nodiscard]] std::string FindTorchLibrary(unsigned long long* loads);

// Whether PyTorch's CUDA allocator is in the process.
[[nodiscard]] bool HasCudaAllocator();

// A loaded library: it is not unloaded before Release().
struct TorchLibrary {
  void* handle = nullptr;  // nullptr: it is gone
  Functions functions;
  InputFunctions input_functions;
};

// Waits while another thread loads a library, so that PyTorch's constructors have run.
[[nodiscard]] TorchLibrary Hold(const std::string& path);
void Release(const TorchLibrary& library);

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_TORCH_LIBRARY_H_
