// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/input_shapes.h"

namespace prof::torch {

void ReadShapes(const Event* event, const InputLayout& layout, capture::InputShapes* shapes) {
  Array<Value> inputs;
  std::memcpy(&inputs, static_cast<const char*>(event) + layout.inputs, sizeof(inputs));
  for (size_t i = 0; i < inputs.size && !shapes->cut(); ++i) {
    const Value& input = inputs.data[i];
    if (input.tag == kTensorTag && input.payload != layout.undefined) {
      const SizesPart& part = SizesOf(input.payload, layout);
      if (part.simple()) {
        shapes->Add(part.sizes(), part.count);
        continue;
      }
    }
    shapes->Add(nullptr, 0);
  }
}

}  // namespace prof::torch
