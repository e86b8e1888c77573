// SPDX-License-Identifier: Apache-2.0
//
// A program that launches kernels on the driver and CUPTI of faulty_cupti.cc, which its first
// argument names, and ends in the way that the second names. It writes to both outputs, and its
// exit code is 7.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kOwnExitCode = 7, kKernels = 5;

// A line to each output: one at once, one that waits in the C library's buffer.
void Say(const char* line) {
  std::printf("%s\n", line);
  std::fprintf(stderr, "%s\n", line);
}

template <typename Function>
Function* Find(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  void* const found = handle != nullptr ? dlsym(handle, name) : nullptr;
  if (found == nullptr) std::exit(90);
  return reinterpret_cast<Function*>(found);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  alarm(60);
  Say("begins");
  const auto launch = Find<void()>(argv[1], "FakeLaunch");
  // What cuInit does.
  if (const char* const injected = std::getenv("CUDA_INJECTION64_PATH")) {
    Find<int()>(injected, "InitializeInjection")();
  }
  for (int i = 0; i < kKernels; ++i) launch();
  Say("launched");
  if (std::strcmp(argv[2], "_exit") == 0) _exit(kOwnExitCode);
  return kOwnExitCode;
}
