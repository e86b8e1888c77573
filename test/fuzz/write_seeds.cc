// SPDX-License-Identifier: Apache-2.0
//
// write_seeds <folder> writes the seeds to files, for libFuzzer.
#include <filesystem>
#include <fstream>

#include "test/fuzz/seeds.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : prof::test::Seeds()) {
    std::ofstream out(folder / ("seed" + std::to_string(++number) + ".prof"), std::ios::binary);
    out << seed;
    if (!out.flush()) return 1;
  }
  return 0;
}
