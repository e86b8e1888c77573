// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/modules.h"

#include "lib/capture/threads/torch_ops.h"
#include "torch_bridge/bridge.h"
#include "torch_bridge/python_functions.h"

namespace prof::torch {
namespace {

PythonFunctions of_modules;

// The program's threads. A name that is no object of type bytes becomes Python's TypeError, which
// is what null stands for; an empty name gets no scope.
Object* Enter(Object* /*module*/, Object* name) {
  const char* text = of_modules.Bytes(name);
  if (text == nullptr) return nullptr;
  if (*text != '\0' && Listening()) {
    capture::PushTorchOp({capture::TorchScope::kModule, text, name, -1});
  }
  return of_modules.Return(name);
}

// Also while nobody listens: the scope may be from before.
Object* Leave(Object* /*module*/, Object* name) {
  capture::PopTorchOp(name);
  return of_modules.Return(name);
}

}  // namespace

bool KnowsModules() { return of_modules.known(); }

}  // namespace prof::torch

int prof_torch_modules(int version, void* bytes_as_string, void* inc_ref, void** functions) {
  if (version != PROF_TORCH_MODULES_VERSION) return 0;
  prof::torch::of_modules.Set(bytes_as_string, inc_ref);
  functions[0] = reinterpret_cast<void*>(&prof::torch::Enter);
  functions[1] = reinterpret_cast<void*>(&prof::torch::Leave);
  return 1;
}
