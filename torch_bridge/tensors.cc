// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/tensors.h"

#include <atomic>
#include <cstddef>
#include <cstring>

#include "lib/capture/threads/tensor_memory.h"
#include "torch_bridge/python_functions.h"

namespace prof::torch {
namespace {

using capture::TensorChange;

constexpr int kCudaType = 1;  // c10::DeviceType::CUDA

std::atomic<bool> told{false};
PythonFunctions of_tensors;
std::atomic<std::ptrdiff_t (*)(Object*)> bytes_size{nullptr};

// As Python packs it.
struct Used {
  uint64_t address, bytes;
  uint32_t device, change;
};
static_assert(sizeof(Used) == 24, "as in prof_torch_memory.py");

bool IsUse(uint32_t change) {
  return change >= static_cast<uint32_t>(TensorChange::kWeight) &&
         change <= static_cast<uint32_t>(TensorChange::kCache);
}

// The program's threads. What is no object of type bytes becomes Python's TypeError, which is what
// null stands for.
Object* Mark(Object* /*module*/, Object* tensors) {
  const char* from = of_tensors.Bytes(tensors);
  if (from == nullptr) return nullptr;
  const auto size = static_cast<size_t>(bytes_size.load(std::memory_order_relaxed)(tensors));
  for (size_t at = 0; at + sizeof(Used) <= size; at += sizeof(Used)) {
    Used used{};
    std::memcpy(&used, from + at, sizeof(used));
    if (!IsUse(used.change)) continue;
    capture::RecordTensor(
        {static_cast<TensorChange>(used.change), used.device, used.address, used.bytes});
  }
  return of_tensors.Return(tensors);
}

void Record(TensorChange change, const void* address, uint64_t bytes, int type, int device) {
  if (type != kCudaType || device < 0) return;
  if (!told.load(std::memory_order_relaxed)) told.store(true, std::memory_order_relaxed);
  capture::RecordTensor({change, static_cast<uint32_t>(device),
                         static_cast<uint64_t>(reinterpret_cast<uintptr_t>(address)), bytes});
}

}  // namespace

bool KnowsTensors() { return told.load(); }

}  // namespace prof::torch

void prof_torch_memory(const void* address, int64_t bytes, int type, int device) {
  using prof::torch::TensorChange;
  if (bytes > 0) {
    prof::torch::Record(TensorChange::kAllocated, address, static_cast<uint64_t>(bytes), type,
                        device);
  } else {
    prof::torch::Record(TensorChange::kFreed, address, 0, type, device);
  }
}

void prof_torch_no_memory(int64_t bytes, int type, int device) {
  prof::torch::Record(prof::torch::TensorChange::kRefused, nullptr,
                      bytes > 0 ? static_cast<uint64_t>(bytes) : 0, type, device);
}

int prof_torch_tensors(int version, void* bytes_as_string, void* bytes_size, void* inc_ref,
                       void** function) {
  if (version != PROF_TORCH_TENSORS_VERSION) return 0;
  prof::torch::bytes_size.store(reinterpret_cast<std::ptrdiff_t (*)(void*)>(bytes_size));
  prof::torch::of_tensors.Set(bytes_as_string, inc_ref);
  *function = reinterpret_cast<void*>(&prof::torch::Mark);
  return 1;
}
