// SPDX-License-Identifier: Apache-2.0
//
// This program stands in for libcuda: it loads a library and calls its injection entry twice, as a
// program does that initializes CUDA in two ways. With a second argument it closes the library
// while it records. It prints, and exits with 7.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (library == nullptr) return 1;
  using Entry = int (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "InitializeInjection"));
  if (entry == nullptr || entry() != 1 || entry() != 1) return 2;
  if (argc > 2 && dlclose(library) != 0) return 3;
  std::puts("the program's own output");
  return 7;
}
