// SPDX-License-Identifier: Apache-2.0
#include "test/processes/fake_cuda_calls.h"

#include <dlfcn.h>

#include <cstdlib>

namespace prof::test {
namespace {

template <typename Function>
Function* Find(const char* name) {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  void* library = path != nullptr ? dlopen(path, RTLD_NOW) : nullptr;
  void* found = library != nullptr ? dlsym(library, name) : nullptr;
  if (found == nullptr) exit(90);
  return reinterpret_cast<Function*>(found);
}

}  // namespace

void InitializeCuda() { Find<int()>("InitializeInjection")(); }
void Launch(int count) { Find<void(int)>("FakeLaunch")(count); }
void Push(const char* name) { Find<void(const char*)>("FakePush")(name); }
int Pop() { return Find<int()>("FakePop")(); }
void Hang() { Find<void()>("FakeHang")(); }
void HangAtStop() { Find<void()>("FakeHangAtStop")(); }
int SessionRecords() { return Find<int()>("FakeSessionRecords")(); }

}  // namespace prof::test
