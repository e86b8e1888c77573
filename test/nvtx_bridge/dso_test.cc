// SPDX-License-Identifier: Apache-2.0
//
// Tests of several libraries in a program, each with its own NVTX, attached by the environment.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "nvtx_bridge/injection.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::dso_test {
namespace {

using Paths = std::vector<std::string>;

// Keeps the linker from dropping the function that forward.cc looks up.
const auto keep = &InitializeInjectionNvtx2;

struct Dso {
  explicit Dso(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    INFO(path);
    REQUIRE(handle != nullptr);
    push = Function<int (*)(const char*)>("DsoPush");
    pop = Function<int (*)()>("DsoPop");
    push_in = Function<int (*)(const char*, const char*)>("DsoPushInDomain");
    pop_in = Function<int (*)(const char*)>("DsoPopInDomain");
  }
  template <typename Type>
  Type Function(const char* name) const {
    return reinterpret_cast<Type>(dlsym(handle, name));
  }

  void* handle;
  int (*push)(const char*);
  int (*pop)();
  int (*push_in)(const char*, const char*);
  int (*pop_in)(const char*);
};

TEST_CASE("Ranges of several libraries share their thread's stack") {
  REQUIRE(keep != nullptr);
  setenv("NVTX_INJECTION64_PATH", PROF_TEST_FORWARD, 1);
  const Dso one(PROF_TEST_DSO_ONE);
  const Dso two(PROF_TEST_DSO_TWO);
  REQUIRE(one.push != two.push);

  // Both attach at their first call, from many threads at the same time.
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const Dso& mine = i % 2 == 0 ? one : two;
      if (mine.push("first call") != 0 || mine.pop() != 0) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);

  Recording recording;
  CHECK(one.push("torch") == 0);
  CHECK(two.push("extension") == 1);
  CHECK(two.push_in("NCCL", "AllReduce") == 0);
  CHECK(one.pop() == 1);  // the innermost of the default domain, whoever pushed it
  CHECK(one.pop_in("NCCL") == 0);
  CHECK(two.pop() == 0);
  CHECK(recording.MyPaths() == Paths{"torch", "torch/extension", "torch/extension/NCCL:AllReduce",
                                     "torch/NCCL:AllReduce", "torch", ""});
}

bool IsLoaded(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

TEST_CASE("A library that is unloaded while it is recorded leaves its ranges") {
  setenv("NVTX_INJECTION64_PATH", PROF_TEST_FORWARD, 1);
  REQUIRE_FALSE(IsLoaded(PROF_TEST_DSO_UNLOADED));
  const Dso plugin(PROF_TEST_DSO_UNLOADED);
  Recording recording;
  CHECK(plugin.push("left open") == 0);
  CHECK(plugin.push_in("a plugin", "closed") == 0);
  CHECK(plugin.pop_in("a plugin") == 0);
  REQUIRE(dlclose(plugin.handle) == 0);
  REQUIRE_FALSE(IsLoaded(PROF_TEST_DSO_UNLOADED));
  const Dso again(PROF_TEST_DSO_UNLOADED);  // attaches again
  CHECK(again.pop() == 0);
  CHECK(recording.MyPaths() == Paths{"left open", "left open/a plugin:closed", "left open", ""});
}

}  // namespace
}  // namespace prof::capture::dso_test
