// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/modules.h"

#include <atomic>

#include "lib/capture/threads/torch_ops.h"
#include "torch_bridge/bridge.h"

namespace prof::torch {
namespace {

// Python's PyObject. Only its address is used.
using Object = void;

std::atomic<const char* (*)(Object*)> bytes_as_string{nullptr};
std::atomic<void (*)(Object*)> inc_ref{nullptr};

Object* ReturnIt(Object* object) {
  inc_ref.load(std::memory_order_relaxed)(object);
  return object;
}

// The program's threads. A name that is no object of type bytes becomes Python's TypeError, which
// is what null stands for; an empty name gets no scope.
Object* Enter(Object* /*module*/, Object* name) {
  const char* text = bytes_as_string.load(std::memory_order_relaxed)(name);
  if (text == nullptr) return nullptr;
  if (*text != '\0' && Listening()) {
    capture::PushTorchOp({capture::TorchScope::kModule, text, name, -1});
  }
  return ReturnIt(name);
}

// Also while nobody listens: the scope may be from before.
Object* Leave(Object* /*module*/, Object* name) {
  capture::PopTorchOp(name);
  return ReturnIt(name);
}

}  // namespace

bool KnowsModules() { return bytes_as_string.load() != nullptr; }

}  // namespace prof::torch

int prof_torch_modules(int version, void* bytes_as_string, void* inc_ref, void** functions) {
  if (version != PROF_TORCH_MODULES_VERSION) return 0;
  prof::torch::inc_ref.store(reinterpret_cast<void (*)(void*)>(inc_ref));
  prof::torch::bytes_as_string.store(reinterpret_cast<const char* (*)(void*)>(bytes_as_string));
  functions[0] = reinterpret_cast<void*>(&prof::torch::Enter);
  functions[1] = reinterpret_cast<void*>(&prof::torch::Leave);
  return 1;
}
