// SPDX-License-Identifier: Apache-2.0
//
// The shapes of an event's inputs, read from PyTorch's own objects: no function of PyTorch is
// called for them, because those that return sizes throw for some tensors.
#ifndef PROF_TORCH_BRIDGE_INPUT_SHAPES_H_
#define PROF_TORCH_BRIDGE_INPUT_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/capture/threads/torch_shapes.h"
#include "torch_bridge/torch_abi.h"

namespace prof::torch {

// Where the objects of this PyTorch have what is read, in bytes from their begin. input_test.h
// finds it.
struct InputLayout {
  size_t inputs = 0;                  // of an event: its c10::ArrayRef<const c10::IValue>
  size_t sizes = 0;                   // of a tensor: its c10::impl::SizesAndStrides
  const Tensor* undefined = nullptr;  // as in InputFunctions
};

// The part of c10::TensorImpl that begins at InputLayout::sizes. One that has no simple sizes
// (symbolic ones, a nested tensor, sizes that a subclass in Python answers for) says so in its
// flags.
struct SizesPart {
  static constexpr size_t kInline = 5;  // more sizes are elsewhere

  size_t count = 0;
  union {
    int64_t here[2 * kInline];  // sizes, then strides
    const int64_t* elsewhere;
  };
  int64_t storage_offset = 0;
  int64_t elements = 0;
  uint64_t type_device_flags = 0;  // 16 bits, 24 bits, 24 bits

  [[nodiscard]] const int64_t* sizes() const { return count <= kInline ? here : elsewhere; }
  [[nodiscard]] uint64_t flags() const { return type_device_flags >> 40U; }
  // c10::TensorImpl::SizesStridesPolicy: 0 and 1, the sizes are here; above, they are not.
  [[nodiscard]] bool simple() const { return (flags() >> 10U & 3U) < 2; }
};
static_assert(sizeof(SizesPart) == 112 && offsetof(SizesPart, storage_offset) == 88);

inline const SizesPart& SizesOf(const Tensor* tensor, const InputLayout& layout) {
  return *reinterpret_cast<const SizesPart*>(static_cast<const char*>(tensor) + layout.sizes);
}

// In a start callback with needs_inputs; the program's threads. Adds each input of `event`: its
// sizes where it is a tensor that has simple ones, none for anything else.
void ReadShapes(const Event* event, const InputLayout& layout, capture::InputShapes* shapes);

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_INPUT_SHAPES_H_
