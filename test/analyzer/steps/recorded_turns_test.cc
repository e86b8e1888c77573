// SPDX-License-Identifier: Apache-2.0
//
// Launches tell the same steps as the ranges of recorded programs, and none in programs without a
// loop.
#include <string>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.h"
#include "test/support/catch.h"

namespace prof::test::recorded_turns_test {
namespace {

struct Recorded {
  std::string file;
  size_t least;  // turns: some steps at the begin launch something else
};

// Turns that end within each range.
void CheckTurns(const model::Model& model, const Recorded& recorded) {
  const analyzer::Iterations ranges =
      analyzer::FindIterations(model, analyzer::FindAllRangeFamilies(model), 3);
  const std::vector<analyzer::LaunchStretch> found = analyzer::FindLaunchStretches(model);
  REQUIRE(found.size() == 1);
  const analyzer::Intervals& turns = found[0].turns;
  CHECK(found[0].thread == ranges.front().thread);
  CHECK(turns.size() >= recorded.least);
  CHECK(turns.size() <= ranges.size());
  size_t next = 0, several = 0;
  for (const model::RangeInstance& range : ranges) {
    const size_t begin = next;
    while (next < turns.size() && turns[next].end_ns <= range.end_ns) ++next;
    if (next - begin > 1) ++several;
  }
  CHECK(several == 0);
  CHECK(next == turns.size());
}

TEST_CASE("In recorded programs each turn of launches ends within a range of its own") {
  for (const Recorded& recorded :
       {Recorded{"examples/recordings/transformer_layer_1.prof", 4'400},
        Recorded{"examples/recordings/transformer_layer_2048.prof", 1'800},
        Recorded{"test/data/transformer_layer_version_1.prof", 300},
        Recorded{"test/data/continuous/llama_like_train.prof", 56}}) {
    INFO(recorded.file);
    const auto model = ReadSnapshot(Snapshot::FromFile(PROF_SOURCE_DIR "/" + recorded.file));
    REQUIRE(model.ok());
    CheckTurns(*model, recorded);
  }
}

TEST_CASE("In recordings of many programs, one behind the other, launches tell no steps",
          "[long]") {
  for (const char* file : {"zoo_h200/zoo_all_0.prof", "zoo_h200/zoo_default_0.prof",
                           "zoo_h200/zoo_default_3.prof", "zoo_h100/zoo_default_0.prof"}) {
    INFO(file);
    const auto model =
        ReadSnapshot(Snapshot::FromFile(PROF_SOURCE_DIR "/test/data/" + std::string(file)));
    REQUIRE(model.ok());
    CHECK(analyzer::FindLaunchStretches(*model).empty());
  }
}

}  // namespace
}  // namespace prof::test::recorded_turns_test
