// SPDX-License-Identifier: Apache-2.0
//
// A library that a program loads when it likes, and that brings libprof.so with it.
#include <cstdio>

#include "prof/session.h"

// What is wrong with NVTX ranges.
extern "C" __attribute__((visibility("default"))) void PrintRangesProblem() {
  const prof::Session session;
  std::printf("%s\n", session.status().ranges.what.c_str());
}
