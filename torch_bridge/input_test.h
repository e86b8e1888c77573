// SPDX-License-Identifier: Apache-2.0
//
// The input test makes two tensors and an event of PyTorch that has them as inputs, finds where
// they have what prof reads, and compares what it reads with PyTorch's own answer.
#ifndef PROF_TORCH_BRIDGE_INPUT_TEST_H_
#define PROF_TORCH_BRIDGE_INPUT_TEST_H_

#include <cstddef>
#include <optional>
#include <string>

#include "torch_bridge/input_shapes.h"
#include "torch_bridge/torch_abi.h"

namespace prof::torch {

struct InputTest {
  std::string problem;  // empty: `layout` is known
  InputLayout layout;
};

// One at a time, on a thread of prof: an exception of PyTorch ends here, but the thread may count
// it as one under way. `sequence_offset`: SelfTest's.
[[nodiscard]] InputTest RunInputTest(const Functions& functions, const InputFunctions& inputs,
                                     std::optional<size_t> sequence_offset);

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_INPUT_TEST_H_
