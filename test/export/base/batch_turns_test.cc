// SPDX-License-Identifier: Apache-2.0
//
// Threads that write batches to one file in turns.
#include "lib/export/base/batch_turns.h"

#include <chrono>
#include <cstddef>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "test/support/catch.h"

namespace prof::exporting {
namespace {

// What the file has after each lane wrote as many batches, each its lane's letter.
std::string Written(const std::vector<size_t>& batches_of_lane, unsigned seed) {
  std::ostringstream out;
  BatchTurns file(&out, batches_of_lane.size());
  std::vector<std::thread> threads;
  for (size_t lane = 0; lane < batches_of_lane.size(); ++lane) {
    threads.emplace_back([&file, &batches_of_lane, lane, seed] {
      std::mt19937 random(seed + static_cast<unsigned>(lane));
      for (size_t batch = 0; batch < batches_of_lane[lane]; ++batch) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
        file.Write(lane, std::string(1, static_cast<char>('a' + lane)));
      }
      file.Finish(lane);
      file.Finish(lane);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return out.str();
}

TEST_CASE("Batches of several threads have one order, whoever is faster") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CHECK(Written({3, 5}, seed) == "abababbb");
    CHECK(Written({5, 2, 1}, seed) == "abcabaaa");
    CHECK(Written({0, 3, 0, 1}, seed) == "bdbb");
    CHECK(Written({4}, seed) == "aaaa");
  }
}

TEST_CASE("A lane that ends without a batch holds up no other") {
  CHECK(Written({0, 0}, 1).empty());
  CHECK(Written({0, 2}, 1) == "bb");
}

}  // namespace
}  // namespace prof::exporting
