// SPDX-License-Identifier: Apache-2.0
//
// write_storm FILE LAUNCHES writes the recording of a storm of launches (test/support), for
// measurements of what is made from recordings. The HTML report's figures come from it.
#include <cstdio>
#include <cstdlib>

#include "bench/storm_recording.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: write_storm FILE LAUNCHES\n", stderr);
    return 2;
  }
  prof::bench::WriteStormRecording(argv[1], std::strtoll(argv[2], nullptr, 10));
  return 0;
}
