// SPDX-License-Identifier: Apache-2.0
//
// A program that links libprof.so, and that the test gives more rights than its user has.
#include <sys/auxv.h>

#include <cstdio>
#include <cstdlib>

#include "lib/capture/injection.h"
#include "prof/session.h"

int main() {
  std::printf("secure %lu\n", getauxval(AT_SECURE));
  std::puts(std::getenv("NVTX_INJECTION64_PATH") != nullptr ? "named" : "not named");
  prof::StartInjectedRecording();
  const prof::Session session;  // what the program's own code asks for works
  const bool works = session.status().ranges.state == prof::State::kWorking;
  std::puts(works ? "session works" : "no session");
  return 7;
}
