// SPDX-License-Identifier: Apache-2.0
//
// This file has the functions that torch_bridge/site/prof_torch_modules.py calls at the begin and
// the end of each call of a torch.nn.Module. The module becomes a scope among the ops of its thread
// (lib/capture/threads/torch_ops.h).
#ifndef PROF_TORCH_BRIDGE_MODULES_H_
#define PROF_TORCH_BRIDGE_MODULES_H_

// The interface between that file and this one. A change of either needs a new number.
#define PROF_TORCH_MODULES_VERSION 1

extern "C" {

// Called once in a process, by ctypes. `bytes_as_string` and `inc_ref` are PyBytes_AsString and
// Py_IncRef of the calling interpreter. `functions` gets two functions of the type PyCFunction:
// one that enters a scope, and one that leaves it. Both take the name as an object of type bytes,
// which is the same object in both calls, and return it. Recorded, they cost 0.07 us together; they
// hold the interpreter's lock as any function does, and do nothing while no ops are recorded. Any
// thread. Returns 1; 0: `version` is not ours, and nothing has changed.
__attribute__((visibility("default"))) int prof_torch_modules(int version, void* bytes_as_string,
                                                              void* inc_ref, void** functions);
}

namespace prof::torch {

// Whether an interpreter of this process reports its modules. Any thread.
[[nodiscard]] bool KnowsModules();

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_MODULES_H_
