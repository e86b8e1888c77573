// SPDX-License-Identifier: Apache-2.0
//
// This test runs the entry of the fuzzer with its seeds, each damaged in many places.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "prof/analyzer.h"
#include "test/fuzz/seeds.h"
#include "test/support/catch.h"
#include "test/support/rounds.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace prof::test::mutation_test {
namespace {

void Run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

TEST_CASE("The seeds are valid snapshots") {
  for (const std::string& seed : Seeds()) {
    const Report report = Analyze(Snapshot::FromBytes(seed));
    CHECK(report.error.empty());
    CHECK(report.pid == 4242);
  }
}

// Each file showed an error in prof, and is named after it. Sanitizers see more of them than a
// plain build does.
TEST_CASE("Files that the fuzzer found no longer do harm") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PROF_FUZZ_FOUND)) {
    INFO(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    Run(std::string(std::istreambuf_iterator<char>(file), {}));
    ++files;
  }
  CHECK(files > 0);
}

TEST_CASE("Snapshots with damaged bytes never crash the analysis") {
  std::mt19937 random(20240229);  // the same damage each time
  for (const std::string& seed : Seeds()) {
    for (int round = 0; round < Rounds(1000, 200); ++round) {
      std::string damaged = seed;
      for (int i = 0; i <= round % 4; ++i) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      if (round % 5 == 0) damaged.resize(random() % damaged.size());
      Run(damaged);
    }
  }
  SUCCEED();
}

}  // namespace
}  // namespace prof::test::mutation_test
