// SPDX-License-Identifier: Apache-2.0
//
// What a test asks of the library that stands in for PyTorch (fake_torch.cc), by name.
#ifndef PROF_TEST_TORCH_BRIDGE_FAKE_TORCH_H_
#define PROF_TEST_TORCH_BRIDGE_FAKE_TORCH_H_

#include <cstdint>

namespace prof::torch::test {

// Event begins and ends as at::RecordFunction does; `handle` is what Begin returned.
using BeginFunction = void* (*)(int scope, const char* name, int64_t sequence);
using BeginAsyncFunction = void* (*)(int scope, const char* name);
using EndFunction = void (*)(void* handle);
// The calling thread makes an autograd node, and gets its number.
using MakeNodeFunction = uint64_t (*)();
using CallbacksFunction = int (*)();
enum class Fault : int { kNone, kSilent, kWrongName, kNeverEnds, kNoHandle, kKeepsCallbacks };
using SetFaultFunction = void (*)(Fault fault);

}  // namespace prof::torch::test

#endif  // PROF_TEST_TORCH_BRIDGE_FAKE_TORCH_H_
