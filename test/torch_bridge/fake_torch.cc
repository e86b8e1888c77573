// SPDX-License-Identifier: Apache-2.0
//
// As much of libtorch_cpu.so as torch_bridge uses, with the types and the names of
// ATen/record_function.h: the same symbols, passed and returned as there.
#include "test/torch_bridge/fake_torch.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#define PROF_TEST_API __attribute__((visibility("default")))

using prof::torch::test::Fault;

namespace c10 {
struct FunctionSchema {};
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

 private:
  StartCallback start_ = nullptr;
  EndCallback end_ = nullptr;
  [[maybe_unused]] double sampling_prob_ = 1.0;
  std::array<bool, 10> scopes_ = {};
  [[maybe_unused]] bool needs_inputs_ = false, needs_outputs_ = false, needs_ids_ = false;
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
  [[nodiscard]] bool isAsync() const;

  struct Started {
    RecordFunctionCallback callback;
    std::unique_ptr<ObserverContext> context;
  };
  std::vector<Started> started_;
  std::string name_;
  int64_t sequence_nr_ = -1;
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

}  // namespace at

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

PROF_TEST_API void fake_torch_end(void* event) { delete static_cast<at::RecordFunction*>(event); }

PROF_TEST_API uint64_t fake_torch_make_node() { return at::next_node++; }

PROF_TEST_API int fake_torch_callbacks() {
  const std::lock_guard<std::mutex> lock(at::mutex);
  return static_cast<int>(at::callbacks.size());
}

PROF_TEST_API void fake_torch_set_fault(Fault fault) { at::fault = fault; }
}
