// SPDX-License-Identifier: Apache-2.0
//
// What a test asks of the library that stands in for PyTorch (fake_torch.cc), by name.
#ifndef PROF_TEST_TORCH_BRIDGE_FAKE_TORCH_H_
#define PROF_TEST_TORCH_BRIDGE_FAKE_TORCH_H_

#include <cstddef>
#include <cstdint>

namespace prof::torch::test {

// Event begins and ends as at::RecordFunction does; `handle` is what Begin returned.
using BeginFunction = void* (*)(int scope, const char* name, int64_t sequence);
using BeginAsyncFunction = void* (*)(int scope, const char* name);
// An event with inputs: tensors of FakeTensor, nullptr for an input that is none.
using BeginWithInputsFunction = void* (*)(int scope, const char* name, void* const* tensors,
                                          size_t count);
using EndFunction = void (*)(void* handle);
// A tensor that lives until the process ends. kSymbolic: its sizes are no numbers, and what is in
// their place means nothing.
enum class TensorKind : int { kPlain, kStrided, kSymbolic, kUndefined };
using MakeTensorFunction = void* (*)(TensorKind kind, const int64_t* sizes, size_t count);
// Whether a callback that is registered now wants the inputs.
using WantsInputsFunction = bool (*)();
// The calling thread makes an autograd node, and gets its number.
using MakeNodeFunction = uint64_t (*)();
using CallbacksFunction = int (*)();
enum class Fault : int {
  kNone,
  kSilent,
  kWrongName,
  kNeverEnds,
  kNoHandle,
  kKeepsCallbacks,
  // Of the inputs.
  kOtherFlags,
  kOtherSizes,
  kThrows,
  kInputsElsewhere
};
using SetFaultFunction = void (*)(Fault fault);

}  // namespace prof::torch::test

#endif  // PROF_TEST_TORCH_BRIDGE_FAKE_TORCH_H_
