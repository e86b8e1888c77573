// SPDX-License-Identifier: Apache-2.0
//
// The library that stands in for PyTorch (fake_torch.cc), loaded, and prof meeting it.
#ifndef PROF_TEST_TORCH_BRIDGE_LOADED_TORCH_H_
#define PROF_TEST_TORCH_BRIDGE_LOADED_TORCH_H_

#include <dlfcn.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "test/support/catch.h"
#include "test/support/temp_folder.h"
#include "test/torch_bridge/fake_torch.h"
#include "torch_bridge/bridge.h"

namespace prof::torch::test {

// A PyTorch of some version, loaded until the end of the test, or for good where prof holds it.
class FakeTorch {
 public:
  explicit FakeTorch(const std::string& version) {
    std::filesystem::create_directories(folder_ / "torch/lib");
    path_ = folder_ / "torch/lib/libtorch_cpu.so";
    std::filesystem::copy_file(PROF_TEST_FAKE_TORCH, path_);
    std::ofstream(folder_ / "torch/version.py") << "__version__ = '" << version << "'\n";
    handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(handle_ != nullptr);
    Find("fake_torch_begin", &begin);
    Find("fake_torch_begin_async", &begin_async);
    Find("fake_torch_begin_with_inputs", &begin_with_inputs);
    Find("fake_torch_make_tensor", &make_tensor);
    Find("fake_torch_wants_inputs", &wants_inputs);
    Find("fake_torch_end", &end);
    Find("fake_torch_make_node", &make_node);
    Find("fake_torch_callbacks", &callbacks);
    Find("fake_torch_set_fault", &set_fault);
  }
  ~FakeTorch() { dlclose(handle_); }
  FakeTorch(const FakeTorch&) = delete;
  FakeTorch& operator=(const FakeTorch&) = delete;

  const std::string& path() const { return path_; }

  void Run(int scope, const char* name, int64_t sequence = -1) const {
    end(begin(scope, name, sequence));
  }

  BeginFunction begin = nullptr;
  BeginAsyncFunction begin_async = nullptr;
  BeginWithInputsFunction begin_with_inputs = nullptr;
  MakeTensorFunction make_tensor = nullptr;
  WantsInputsFunction wants_inputs = nullptr;
  EndFunction end = nullptr;
  MakeNodeFunction make_node = nullptr;
  CallbacksFunction callbacks = nullptr;
  SetFaultFunction set_fault = nullptr;

 private:
  template <typename Function>
  void Find(const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(handle_, name));
    REQUIRE(*function != nullptr);
  }

  prof::test::TempFolder folder_;
  std::string path_;
  void* handle_ = nullptr;
};

// As the collector does it, until prof listens or has given a reason not to.
inline std::string LookUntilDecided() {
  for (int i = 0; i < 5000 && !Listening(); ++i) {
    if (const auto notice = Look()) return notice->what;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return "";
}

}  // namespace prof::torch::test

#endif  // PROF_TEST_TORCH_BRIDGE_LOADED_TORCH_H_
