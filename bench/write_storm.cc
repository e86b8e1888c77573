// SPDX-License-Identifier: Apache-2.0
//
// write_storm FILE LAUNCHES writes the recording of a storm of launches (test/support), for
// measurements of what is made from recordings. The HTML report's figures come from it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "lib/capture/collector/file_output.h"
#include "lib/capture/wire/encoder.h"
#include "test/support/launch_storm.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: write_storm FILE LAUNCHES\n", stderr);
    return 2;
  }
  prof::capture::FileOutput output(argv[1]);
  prof::capture::Encoder encoder(&output);
  prof::test::LaunchStorm storm(&encoder, 20);
  const int64_t launches = std::strtoll(argv[2], nullptr, 10);
  for (int64_t i = 0; i < launches; ++i) {
    storm.Launch();
    if (i % 64 == 0) encoder.WriteIfLarge();
  }
  encoder.WriteLastBlock({}, storm.host_ns());
  return 0;
}
