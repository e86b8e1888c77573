// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/base/ranks.h"

#include <random>
#include <vector>

#include "test/support/catch.h"

namespace prof::compare::ranks_test {
namespace {

using Values = std::vector<double>;

TEST_CASE("Separated groups reach the least level, and no less") {
  CHECK(MannWhitney({1, 2, 3}, {4, 5, 6}) == Approx(0.1));
  CHECK(LeastLevel(3, 3) == Approx(0.1));
  CHECK(MannWhitney({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}) == Approx(2.0 / 252));
  CHECK(LeastLevel(5, 5) == Approx(2.0 / 252));
  CHECK(LeastLevel(1, 1) == 1);
}

// scipy.stats.mannwhitneyu(method="exact") gives these.
TEST_CASE("The exact level is that of the literature") {
  CHECK(MannWhitney({1.1, 2.2, 3.3, 4.4}, {2.5, 3.5, 5.5, 6.5, 7.5}) ==
        Approx(0.1111).margin(0.0001));
  CHECK(MannWhitney({1, 4, 6, 7}, {2, 3, 5, 8}) == 1);
}

TEST_CASE("Equal values show nothing, and ties are counted in all splits") {
  CHECK(MannWhitney({5, 5, 5, 5}, {5, 5, 5, 5}) == 1);
  // Of the 20 ways to choose 3 of {1, 1, 1, 2, 2, 2} one has the lowest sum, one the highest.
  CHECK(MannWhitney({1, 1, 1}, {2, 2, 2}) == Approx(0.1));
  CHECK(MannWhitney({}, {1, 2}) == 1);
}

TEST_CASE("The normal approximation agrees with the exact level where it takes over") {
  Values before, after;
  std::mt19937_64 random(7);
  for (int i = 0; i < 30; ++i) {
    before.push_back(static_cast<double>(random() % 1000));
    after.push_back(static_cast<double>(random() % 1000) + 150);
  }
  const double exact = MannWhitney(before, after);
  before.push_back(500);
  const double approximate = MannWhitney(before, after);
  CHECK(approximate == Approx(exact).margin(0.03));
}

TEST_CASE("Holm multiplies the smallest level by the number of tests, the next by one less") {
  const Values corrected = Holm({0.01, 0.04, 0.03});
  CHECK(corrected[0] == Approx(0.03));
  CHECK(corrected[2] == Approx(0.06));
  CHECK(corrected[1] == Approx(0.06));  // not below that of a smaller one
  CHECK(Holm({}).empty());
  CHECK(Holm({0.9, 0.8})[0] == 1);
}

}  // namespace
}  // namespace prof::compare::ranks_test
