// SPDX-License-Identifier: Apache-2.0
//
// The self-test runs an event of PyTorch through a callback of its own, before prof listens to the
// program's: whether callbacks get what torch_abi.h expects.
#ifndef PROF_TORCH_BRIDGE_SELF_TEST_H_
#define PROF_TORCH_BRIDGE_SELF_TEST_H_

#include <cstddef>
#include <optional>
#include <string>

#include "torch_bridge/torch_abi.h"

namespace prof::torch {

struct SelfTest {
  std::string problem;  // empty: all is as expected
  // Where an event has its sequence number, in bytes from its begin. Nothing: it was not found
  // there, or at several places; the forward op of backward work stays unknown.
  std::optional<size_t> sequence_offset;
};

// One at a time. The event is of a scope that nobody else listens to.
[[nodiscard]] SelfTest RunSelfTest(const Functions& functions);

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_SELF_TEST_H_
