// SPDX-License-Identifier: Apache-2.0
//
// This program loads the library that its first argument names, with a second argument while it has
// another thread. It prints what the library has made of the environment, and its problem.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

int main(int argc, char** argv) {
  if (argc > 2) {
    std::thread([] {
      while (true) pause();
    }).detach();
  }
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  void* print = library != nullptr ? dlsym(library, "PrintRangesProblem") : nullptr;
  if (print == nullptr) return 1;
  std::puts(std::getenv("NVTX_INJECTION64_PATH") != nullptr ? "named" : "not named");
  reinterpret_cast<void (*)()>(print)();
  std::fflush(stdout);
  _exit(7);
}
