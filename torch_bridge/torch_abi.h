// SPDX-License-Identifier: Apache-2.0
//
// What of PyTorch's C++ interface prof calls, as its compiled code has it. The types stand for
// those of ATen/record_function.h: the same size, and passed and returned in the same way.
#ifndef PROF_TORCH_BRIDGE_TORCH_ABI_H_
#define PROF_TORCH_BRIDGE_TORCH_ABI_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace prof::torch {

// at::RecordFunction: an event that has begun and will end. Only its address is used, and what the
// self-test has found in it.
using Event = void;
// Room for one of ours: it takes some 400 bytes.
constexpr size_t kEventBytes = 8192;

// std::unique_ptr<at::ObserverContext>, always null. The destructor makes the compiler return it as
// it returns a unique_ptr: through a place that the caller gives.
struct Context {
  void* null = nullptr;
  // NOLINTNEXTLINE(modernize-use-equals-default): a defaulted one would be trivial
  ~Context() {}
};
static_assert(!std::is_trivially_copyable_v<Context> && sizeof(Context) == sizeof(void*));

// at::RecordScope; as indices of Callback::scopes.
enum class Scope : uint8_t {
  kFunction = 0,
  kBackwardFunction = 1,
  kUserScope = 7,
  kStaticRuntimeModel = 9  // nobody has it but a runtime for servers
};

// at::RecordFunctionCallback. It is passed by value: on x86-64 on the stack, on aarch64 as the
// address of a copy, which is what the compiler does for any struct of this size.
struct Callback {
  Context (*start)(const Event*) = nullptr;
  void (*end)(const Event*, void* context) = nullptr;
  double probability = 1.0;
  std::array<bool, 10> scopes{};
  bool needs_inputs = false, needs_outputs = false, needs_ids = false;
};
static_assert(sizeof(Callback) == 40 && offsetof(Callback, scopes) == 24 &&
              offsetof(Callback, needs_ids) == 36 && std::is_trivially_copyable_v<Callback>);

// std::variant<std::string_view, std::reference_wrapper<const c10::FunctionSchema>> with a text.
struct Descriptor {
  size_t size = 0;
  const char* text = nullptr;
  uint8_t index = 0;
};
static_assert(sizeof(Descriptor) == 24);

// Functions of libtorch_cpu.so. A this pointer is the first argument.
struct Functions {
  uint64_t (*add_global_callback)(Callback callback) = nullptr;  // a handle; 0: it was not added
  void (*remove_callback)(uint64_t handle) = nullptr;
  const char* (*name)(const Event*) = nullptr;  // valid in the start callback
  bool (*is_async)(const Event*) = nullptr;     // it may end on another thread
  uint64_t (*next_sequence)() = nullptr;        // the number of this thread's next autograd node
  void (*construct)(Event*, Scope) = nullptr;
  void (*destroy)(Event*) = nullptr;                                              // ends it
  void (*begin_text)(Event*, const char* name, int64_t sequence) = nullptr;       // up to 2.x
  void (*begin_descriptor)(Event*, Descriptor name, int64_t sequence) = nullptr;  // after that

  [[nodiscard]] bool complete() const {
    return add_global_callback != nullptr && remove_callback != nullptr && name != nullptr &&
           is_async != nullptr && next_sequence != nullptr && construct != nullptr &&
           destroy != nullptr && (begin_text != nullptr || begin_descriptor != nullptr);
  }
};

// --- What the inputs of an event are -------------------------------------------------------------

// c10::TensorImpl and its like. Only their addresses are used, and what input_test.h has found.
using Tensor = void;

// c10::IValue.
struct Value {
  const Tensor* payload = nullptr;
  uint32_t tag = 0;
};
static_assert(sizeof(Value) == 16);
constexpr uint32_t kTensorTag = 1;

// c10::ArrayRef.
template <typename T>
struct Array {
  const T* data = nullptr;
  size_t size = 0;
};

// c10::DispatchKeySet, caffe2::TypeMeta, std::optional<c10::Device>: passed by value in registers.
struct KeySet {
  uint64_t keys = 0;
};
struct TypeMeta {
  uint16_t index = 0;
};
struct MaybeDevice {
  int8_t type = 0, index = -1;
  bool known = false;
};

// std::optional<c10::SymInt>, which is passed by the address of a copy.
struct MaybeSymInt {
  int64_t value = 0;
  bool known = false;
};

// std::vector<std::vector<int64_t>>, as PyTorch returns it: through a place that the caller gives.
// It is never freed, because only PyTorch's own allocator may do that.
struct Sizes {
  struct OfOne {
    const int64_t *begin = nullptr, *end = nullptr, *capacity = nullptr;
  };
  const OfOne *begin = nullptr, *end = nullptr, *capacity = nullptr;
  // NOLINTNEXTLINE(modernize-use-equals-default): as that of Context
  ~Sizes() {}
};

// Functions and data of libtorch_cpu.so and libc10.so that the test of inputs needs.
struct InputFunctions {
  size_t (*num_inputs)(const Event*) = nullptr;
  Sizes (*input_sizes)(const Event*, bool flatten_lists) = nullptr;
  void (*construct_tensor)(Tensor*, KeySet, TypeMeta, MaybeDevice) = nullptr;
  void (*set_sizes)(Tensor*, Array<int64_t> sizes, Array<int64_t> strides,
                    const MaybeSymInt* offset) = nullptr;
  const Tensor* undefined = nullptr;  // what an undefined at::Tensor points to

  [[nodiscard]] bool complete() const {
    return num_inputs != nullptr && input_sizes != nullptr && construct_tensor != nullptr &&
           set_sizes != nullptr && undefined != nullptr;
  }
};

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_TORCH_ABI_H_
