// SPDX-License-Identifier: Apache-2.0
//
// This program runs the launch storm without prof: to compare with, and to run under other tools.
//
// usage: storm_bare [kernels per thread] [threads] [plain|ranges|graph] [rounds] [sets]
//
// It runs `rounds` times, by default once. With `sets`, it then runs `rounds` times more under each
// set of parts of tracing_parts.cc in turns. The sets have the numbers 1 to `sets`.
#include <cstdlib>
#include <string>

#include "storm.h"

int main(int argc, char** argv) {
  const std::optional<StormOptions> options = ParseStorm(argc - 1, argv + 1);
  if (!options) return 2;
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 1;
  const int sets = argc > 5 ? std::atoi(argv[5]) : 0;
  Storm storm;
  if (!storm.Prepare(*options)) return 0;
  for (int round = 0; round < rounds; ++round) PrintStorm("bare", *options, storm.Run());
  for (int round = 0; round < rounds; ++round) {
    for (int set = 1; set <= sets; ++set) {
      RunUnderParts(storm, *options, set);
    }
  }
  return storm.CountIsRight() ? 0 : 1;
}
