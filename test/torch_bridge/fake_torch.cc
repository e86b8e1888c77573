// SPDX-License-Identifier: Apache-2.0
//
// As much of libtorch_cpu.so and libc10.so as torch_bridge uses, with the types and the names of
// ATen/record_function.h, c10/core/TensorImpl.h and ATen/core/ivalue.h: the same symbols, passed
// and returned as there.
#include "test/torch_bridge/fake_torch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#define PROF_TEST_API __attribute__((visibility("default")))

using prof::torch::test::Fault;

namespace caffe2 {
struct TypeMeta {
  uint16_t index = 0;
};
}  // namespace caffe2

namespace c10 {

struct FunctionSchema {};

struct DispatchKeySet {
  uint64_t keys = 0;
};

struct Device {
  int8_t type = 0, index = -1;
};

struct SymInt {
  int64_t value = 0;
  ~SymInt() {}  // NOLINT(modernize-use-equals-default): a SymInt is passed by address
};

template <typename T>
struct ArrayRef {
  const T* data = nullptr;
  size_t size = 0;
};

struct SizesAndStrides {
  size_t size = 1;
  union {
    int64_t* elsewhere;
    int64_t here[10] = {};
  };
};

// A policy of the sizes: 2 is "ask a virtual function".
constexpr uint8_t kCustomStrides = 1, kCustomSizes = 2;

struct PROF_TEST_API TensorImpl {
  TensorImpl(DispatchKeySet keys, caffe2::TypeMeta type, std::optional<Device> device);
  virtual ~TensorImpl() = default;
  void set_sizes_and_strides(ArrayRef<SymInt> sizes, ArrayRef<SymInt> strides,
                             std::optional<SymInt> offset);
  // Throws where the sizes are no numbers.
  [[nodiscard]] std::vector<int64_t> sizes() const;

  std::atomic<uint64_t> refcount{0};
  void *storage = nullptr, *autograd_meta = nullptr, *extra_meta = nullptr, *version = nullptr;
  void *interpreter = nullptr, *py_object = nullptr;
  SizesAndStrides sizes_and_strides;
  int64_t storage_offset = 0, numel = 0;
  caffe2::TypeMeta type;
  std::optional<Device> device;
  bool is_contiguous : 1;
  bool storage_access_should_throw : 1;
  bool is_channels_last : 1;
  bool is_channels_last_contiguous : 1;
  bool is_channels_last_3d : 1;
  bool is_channels_last_3d_contiguous : 1;
  bool is_non_overlapping_and_dense : 1;
  bool is_wrapped_number : 1;
  bool allow_tensor_metadata_change : 1;
  bool reserved : 1;
  uint8_t sizes_strides_policy : 2;
  bool has_symbolic_sizes_strides : 1;
  uint8_t custom_sizes_strides : 2;
  DispatchKeySet key_set;
};

struct PROF_TEST_API UndefinedTensorImpl : TensorImpl {
  UndefinedTensorImpl();
  static UndefinedTensorImpl _singleton;
};

struct IValue {
  TensorImpl* tensor = nullptr;
  uint32_t tag = 0;  // 0: None, 1: Tensor
};

}  // namespace c10

namespace at {

enum class RecordScope : uint8_t { FUNCTION = 0, BACKWARD_FUNCTION = 1, USER_SCOPE = 7 };

struct RecordFunction;

struct ObserverContext {
  virtual ~ObserverContext() = default;
};

class RecordFunctionCallback {
 public:
  using StartCallback = std::unique_ptr<ObserverContext> (*)(const RecordFunction&);
  using EndCallback = void (*)(const RecordFunction&, ObserverContext*);

  [[nodiscard]] bool checkScope(RecordScope scope) const {
    return scopes_[static_cast<size_t>(scope)];
  }
  [[nodiscard]] StartCallback start() const { return start_; }
  [[nodiscard]] EndCallback end() const { return end_; }
  [[nodiscard]] bool needs_inputs() const { return needs_inputs_; }

 private:
  StartCallback start_ = nullptr;
  EndCallback end_ = nullptr;
  [[maybe_unused]] double sampling_prob_ = 1.0;
  std::array<bool, 10> scopes_ = {};
  bool needs_inputs_ = false;
  [[maybe_unused]] bool needs_outputs_ = false, needs_ids_ = false;
};

struct PROF_TEST_API RecordFunction {
  using Descriptor =
      std::variant<std::string_view, std::reference_wrapper<const c10::FunctionSchema>>;

  explicit RecordFunction(RecordScope scope);
  virtual ~RecordFunction();
  RecordFunction(const RecordFunction&) = delete;
  RecordFunction& operator=(const RecordFunction&) = delete;

  void before(Descriptor name, int64_t sequence);
  [[nodiscard]] const char* name() const;
  [[nodiscard]] size_t num_inputs() const;
  [[nodiscard]] bool isAsync() const;

  struct Started {
    RecordFunctionCallback callback;
    std::unique_ptr<ObserverContext> context;
  };
  std::vector<Started> started_;
  std::string name_;
  int64_t sequence_nr_ = -1;
  c10::ArrayRef<c10::IValue> inputs_;
  bool async_ = false;
};

namespace {

struct Entry {
  uint64_t handle = 0;
  RecordFunctionCallback callback;
};

Fault fault = Fault::kNone;
std::mutex mutex;
std::vector<Entry> callbacks;
uint64_t last_handle = 0;
thread_local uint64_t next_node = 0;

}  // namespace

PROF_TEST_API uint64_t addGlobalCallback(RecordFunctionCallback callback);
uint64_t addGlobalCallback(RecordFunctionCallback callback) {
  if (fault == Fault::kNoHandle) return 0;
  const std::lock_guard<std::mutex> lock(mutex);
  callbacks.push_back({++last_handle, callback});
  return last_handle;
}

PROF_TEST_API void removeCallback(uint64_t handle);
void removeCallback(uint64_t handle) {
  if (fault == Fault::kKeepsCallbacks) return;
  const std::lock_guard<std::mutex> lock(mutex);
  for (size_t i = callbacks.size(); i > 0; --i) {
    if (callbacks[i - 1].handle == handle) {
      callbacks.erase(callbacks.begin() + static_cast<ptrdiff_t>(i - 1));
    }
  }
}

namespace sequence_number {
PROF_TEST_API uint64_t peek();
uint64_t peek() { return next_node; }
}  // namespace sequence_number

RecordFunction::RecordFunction(RecordScope scope) {
  const std::lock_guard<std::mutex> lock(mutex);
  for (const Entry& entry : callbacks) {
    if (entry.callback.checkScope(scope)) started_.push_back({entry.callback, nullptr});
  }
}

void RecordFunction::before(Descriptor name, int64_t sequence) {
  const auto* text = std::get_if<std::string_view>(&name);
  name_ = text != nullptr && fault != Fault::kWrongName ? std::string(*text) : "schema";
  sequence_nr_ = sequence;
  if (fault == Fault::kSilent) return;
  for (Started& started : started_) started.context = started.callback.start()(*this);
}

RecordFunction::~RecordFunction() {
  if (fault == Fault::kSilent || fault == Fault::kNeverEnds) return;
  for (const Started& started : started_) started.callback.end()(*this, started.context.get());
}

const char* RecordFunction::name() const { return name_.c_str(); }

bool RecordFunction::isAsync() const { return async_; }

size_t RecordFunction::num_inputs() const {
  return fault == Fault::kInputsElsewhere ? 0 : inputs_.size;
}

}  // namespace at

namespace c10 {

TensorImpl::TensorImpl(DispatchKeySet keys, caffe2::TypeMeta of, std::optional<Device> on)
    : type(of),
      device(on),
      is_contiguous(true),
      storage_access_should_throw(false),
      is_channels_last(at::fault == Fault::kOtherFlags),
      is_channels_last_contiguous(false),
      is_channels_last_3d(false),
      is_channels_last_3d_contiguous(false),
      is_non_overlapping_and_dense(true),
      is_wrapped_number(false),
      allow_tensor_metadata_change(true),
      reserved(false),
      sizes_strides_policy(0),
      has_symbolic_sizes_strides(false),
      custom_sizes_strides(0),
      key_set(keys) {}

void TensorImpl::set_sizes_and_strides(ArrayRef<SymInt> sizes, ArrayRef<SymInt> strides,
                                       std::optional<SymInt> /*offset*/) {
  constexpr size_t kInline = 5;
  int64_t* to = &sizes_and_strides.here[0];
  int64_t* strides_to = to + kInline;
  if (sizes.size > kInline) {
    static std::deque<std::vector<int64_t>> lists;  // they live as long as the tensors
    const std::lock_guard<std::mutex> lock(at::mutex);
    to = lists.emplace_back(2 * sizes.size).data();
    strides_to = to + sizes.size;
    sizes_and_strides.elsewhere = to;
  }
  sizes_and_strides.size = sizes.size;
  numel = 1;
  for (size_t i = 0; i < sizes.size; ++i) {
    to[i] = sizes.data[i].value;
    strides_to[i] = strides.data[i].value;
    numel *= to[i];
  }
}

std::vector<int64_t> TensorImpl::sizes() const {
  if (sizes_strides_policy >= kCustomSizes) throw std::runtime_error("symbolic sizes");
  const int64_t* from =
      sizes_and_strides.size > 5 ? sizes_and_strides.elsewhere : &sizes_and_strides.here[0];
  return {from, from + sizes_and_strides.size};
}

UndefinedTensorImpl::UndefinedTensorImpl() : TensorImpl({}, {}, std::nullopt) {
  storage_access_should_throw = true;
  sizes_strides_policy = custom_sizes_strides = kCustomStrides;
}

UndefinedTensorImpl UndefinedTensorImpl::_singleton;

}  // namespace c10

namespace torch::profiler::impl {

PROF_TEST_API std::vector<std::vector<int64_t>> inputSizes(const at::RecordFunction& event,
                                                           bool flatten);
std::vector<std::vector<int64_t>> inputSizes(const at::RecordFunction& event, bool /*flatten*/) {
  if (at::fault == Fault::kThrows) throw std::runtime_error("no sizes today");
  std::vector<std::vector<int64_t>> sizes;
  for (size_t i = 0; i < event.inputs_.size; ++i) {
    const c10::IValue& input = event.inputs_.data[i];
    const bool is_tensor = input.tag == 1 && input.tensor != &c10::UndefinedTensorImpl::_singleton;
    sizes.push_back(is_tensor ? input.tensor->sizes() : std::vector<int64_t>());
  }
  if (at::fault == Fault::kOtherSizes) sizes.front().push_back(1);
  return sizes;
}

}  // namespace torch::profiler::impl

extern "C" {

PROF_TEST_API void* fake_torch_begin(int scope, const char* name, int64_t sequence) {
  auto* event = new at::RecordFunction(static_cast<at::RecordScope>(scope));
  event->before(std::string_view(name), sequence);
  return event;
}

PROF_TEST_API void* fake_torch_begin_async(int scope, const char* name) {
  auto* event = new at::RecordFunction(static_cast<at::RecordScope>(scope));
  event->async_ = true;
  event->before(std::string_view(name), -1);
  return event;
}

PROF_TEST_API void* fake_torch_begin_with_inputs(int scope, const char* name, void* const* tensors,
                                                 size_t count) {
  auto* event = new at::RecordFunction(static_cast<at::RecordScope>(scope));
  std::vector<c10::IValue> inputs;
  for (size_t i = 0; i < count; ++i) {
    inputs.push_back({static_cast<c10::TensorImpl*>(tensors[i]), tensors[i] != nullptr ? 1U : 0U});
  }
  event->inputs_ = {inputs.data(), inputs.size()};
  event->before(std::string_view(name), -1);
  event->inputs_ = {};  // they are there for the start callback only
  return event;
}

PROF_TEST_API void* fake_torch_make_tensor(prof::torch::test::TensorKind kind, const int64_t* sizes,
                                           size_t count) {
  using prof::torch::test::TensorKind;
  if (kind == TensorKind::kUndefined) return &c10::UndefinedTensorImpl::_singleton;
  static std::deque<c10::TensorImpl> tensors;
  c10::TensorImpl& tensor =
      tensors.emplace_back(c10::DispatchKeySet(), caffe2::TypeMeta{6}, c10::Device());
  std::vector<c10::SymInt> values(count);
  for (size_t i = 0; i < count; ++i) values[i].value = sizes[i];
  tensor.set_sizes_and_strides({values.data(), count}, {values.data(), count}, std::nullopt);
  if (kind == TensorKind::kStrided) tensor.sizes_strides_policy = c10::kCustomStrides;
  if (kind == TensorKind::kSymbolic) tensor.sizes_strides_policy = c10::kCustomSizes;
  return &tensor;
}

PROF_TEST_API bool fake_torch_wants_inputs() {
  const std::lock_guard<std::mutex> lock(at::mutex);
  return std::any_of(at::callbacks.begin(), at::callbacks.end(),
                     [](const at::Entry& entry) { return entry.callback.needs_inputs(); });
}

PROF_TEST_API void fake_torch_end(void* event) { delete static_cast<at::RecordFunction*>(event); }

PROF_TEST_API uint64_t fake_torch_make_node() { return at::next_node++; }

PROF_TEST_API int fake_torch_callbacks() {
  const std::lock_guard<std::mutex> lock(at::mutex);
  return static_cast<int>(at::callbacks.size());
}

PROF_TEST_API void fake_torch_set_fault(Fault fault) { at::fault = fault; }
}
