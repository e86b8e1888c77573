// SPDX-License-Identifier: Apache-2.0
//
// A kernel that does most of its work in the middle, seen in bursts: its values come from the
// launches that samples cover from begin to end.
#include <cmath>
#include <string>

#include "test/analyzer/continuous/pm_plant.h"
#include "test/support/catch.h"

namespace prof::pm_whole_test {
namespace {

using test::CheckFound;
using test::PlantOptions;
using test::PmPlant;

constexpr int64_t kTurn = 1'000'000, kFirst = 20'000'000;
constexpr int64_t kLength = 34'000, kMiddle = 14'000, kNeighbour = 60'000, kGap = 1'500;
constexpr uint32_t kHidden = 9;  // the stream of what the middle of a launch does
constexpr double kMean = 20 + 80.0 * kMiddle / kLength;

struct Program {
  // Turns of three kernels, and other loops around them.
  explicit Program(int turns) {
    const uint32_t before = plant.Kernel({"before", kNeighbour, {30}});
    const uint32_t one = plant.Kernel({"one", kLength, {20}});
    const uint32_t middle = plant.Kernel({"middle", kMiddle, {80}});
    const uint32_t behind = plant.Kernel({"behind", kNeighbour, {70}});
    for (int turn = 0; turn < turns; ++turn) {
      int64_t at_ns = plant.Run(before, BeginOf(turn) - kGap - kNeighbour, kNeighbour) + kGap;
      plant.Run(middle, at_ns + (kLength - kMiddle) / 2, kMiddle, 0, kHidden);
      at_ns = plant.Run(one, at_ns, kLength) + kGap;
      plant.Run(behind, at_ns, kNeighbour);
    }
    options.interval_ns = 5'000;
    options.noise = 0.5;
  }
  static int64_t BeginOf(int turn) { return kFirst + turn * kTurn + 1'700 * turn; }
  // Samples of a turn, from `from_ns` after the begin of its launch on.
  void Sample(int turn, int64_t from_ns, int64_t to_ns) {
    plant.Sample(BeginOf(turn) + from_ns, BeginOf(turn) + to_ns, options);
  }
  ContinuousValue Value() {
    plant.JoinSeries();
    plant.Forget(kHidden);
    return plant.Attribute().Of("one");
  }

  PmPlant plant;
  PlantOptions options;
};

TEST_CASE("Launches that samples cover from begin to end have a value whatever their course is") {
  Program program(400);
  for (int turn = 0; turn < 4; ++turn) program.Sample(100 * turn, -40'000, 80'000);
  const ContinuousValue value = program.Value();
  CheckFound(value, kMean, 2);
  CHECK(value.error < 6);  // the fit alone has no value: its bound would be above 15
  CHECK(value.launches == 4);
  CHECK(value.samples >= 4 * 7);
  CHECK(value.direct >= 4 * 5);
  CHECK(value.seconds == Approx(4 * kLength * 1e-9).epsilon(0.02));
}

TEST_CASE("Bursts that see one half of each launch leave open what the other one does") {
  Program program(400);
  for (int turn = 0; turn < 4; ++turn) program.Sample(100 * turn, -40'000, kLength / 2);
  const ContinuousValue value = program.Value();
  if (value.value) {
    CHECK(value.error > 4);
    CHECK(std::abs(*value.value - kMean) <= value.error);
  }
}

TEST_CASE("One launch that was seen from begin to end is not all launches") {
  Program program(400);
  program.Sample(0, -40'000, 80'000);
  const ContinuousValue value = program.Value();
  CHECK_FALSE(value.value.has_value());
}

}  // namespace
}  // namespace prof::pm_whole_test
