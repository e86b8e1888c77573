// SPDX-License-Identifier: Apache-2.0
//
// The launch storm in a program without prof: what is left to compare with, and what other tools
// are put around.
//
// usage: storm_bare [kernels per thread] [threads] [plain|ranges|graph] [signal]
//
// signal: runs twice and raises SIGUSR2 in between, for a library that stops tracing then.
#include <csignal>
#include <cstring>

#include "storm.h"

int main(int argc, char** argv) {
  const std::optional<StormOptions> options = ParseStorm(argc - 1, argv + 1);
  if (!options) return 2;
  Storm storm;
  if (!storm.Prepare(*options)) return 0;
  PrintStorm("bare", *options, storm.Run());
  if (argc > 4 && std::strcmp(argv[4], "signal") == 0) {
    std::raise(SIGUSR2);
    PrintStorm("after", *options, storm.Run());
  }
  return storm.CountIsRight() ? 0 : 1;
}
