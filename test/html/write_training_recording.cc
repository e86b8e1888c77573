// SPDX-License-Identifier: Apache-2.0
//
// write_training_recording FILE writes the made-up training run, for the tests of the page.
#include <cstdio>
#include <fstream>

#include "test/html/training_recording.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_training_recording FILE\n", stderr);
    return 2;
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << prof::test::TrainingRecording();
  return file.flush() ? 0 : 1;
}
