// SPDX-License-Identifier: Apache-2.0
//
// The launch storm in a program without prof: what is left to compare with, and what other tools
// are put around.
//
// usage: storm_bare [kernels per thread] [threads] [plain|ranges|graph] [rounds] [sets]
//
// Runs `rounds` times, by default once. With `sets`, then `rounds` times more under each of that
// many sets of parts of tracing_parts.cc in turns, the first of which is number 1.
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
