// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/sampling_budget.h"

#include "test/support/catch.h"

namespace prof::cupti::test::sampling_budget_test {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

SessionOptions Options(double seconds, double percent) {
  SessionOptions options;
  options.counter_budget_seconds = seconds;
  options.counter_budget_percent = percent;
  return options;
}

TEST_CASE("The budget is some seconds at once and a share of the run time") {
  SamplingBudget budget(Options(2, 10), 5 * kSecond);
  budget.Spend(2 * kSecond);
  CHECK(budget.Allows(5 * kSecond));
  budget.Spend(kSecond);
  CHECK_FALSE(budget.Allows(14 * kSecond));
  CHECK(budget.Allows(15 * kSecond));
  CHECK(budget.Text() == "2 s + 10 %");
}

TEST_CASE("The processes of a job divide the budget, as soon as it is known how many there are") {
  SamplingBudget budget(Options(2, 10), 0);
  CHECK(budget.ranks() == 1);
  budget.Spend(kSecond);
  CHECK(budget.Affords(kSecond, 0));
  budget.SetRanks(4);
  CHECK(budget.Text() == "0.5 s + 2.5 %");
  CHECK_FALSE(budget.Allows(0));
  CHECK(budget.Allows(20 * kSecond));
  budget.SetRanks(0);
  CHECK(budget.ranks() == 1);
}

TEST_CASE("What all ranks prepare at once costs the job once, whenever their number is known") {
  SamplingBudget budget(Options(2, 0), 0);
  budget.SpendAtOnce(kSecond);
  CHECK(budget.Affords(kSecond, 0));
  CHECK_FALSE(budget.Affords(kSecond + 1, 0));
  budget.SetRanks(4);
  CHECK(budget.Affords(kSecond / 4, 0));
  CHECK_FALSE(budget.Affords(kSecond / 4 + 1, 0));
}

TEST_CASE("A budget remembers that it was used up") {
  SamplingBudget budget(Options(1, 10), 0);
  CHECK(budget.Allows(0));
  CHECK_FALSE(budget.was_used_up());
  budget.Spend(kSecond + 1);
  CHECK_FALSE(budget.Allows(0));
  CHECK(budget.Allows(kSecond));
  CHECK(budget.was_used_up());
}

TEST_CASE("Only a budget without a share of the run time is exhausted") {
  SamplingBudget growing(Options(1, 10), 0), fixed(Options(1, 0), 0);
  growing.Spend(2 * kSecond);
  CHECK_FALSE(growing.Exhausted(0));
  CHECK_FALSE(fixed.Exhausted(0));
  fixed.Spend(2 * kSecond);
  CHECK(fixed.Exhausted(100 * kSecond));
}

TEST_CASE("Replay has no budget") {
  SessionOptions options = Options(0, 0);
  options.replay = Replay::kKernel;
  SamplingBudget budget(options, 0);
  budget.Spend(100 * kSecond);
  CHECK(budget.Allows(0));
  CHECK_FALSE(budget.Exhausted(0));
}

TEST_CASE("By need the budget is smaller, unless the options have another") {
  SessionOptions options;
  options.counters = Counters::kAuto;
  CHECK(SamplingBudget(options, 0).Text() == "0.5 s + 2 %");
  options.counter_budget_percent = 7;
  CHECK(SamplingBudget(options, 0).Text() == "0.5 s + 7 %");
  options.counters = Counters::kStalls;
  CHECK(SamplingBudget(options, 0).Text() == "3 s + 7 %");
}

TEST_CASE("The processes of a job divide the budget") {
  CHECK(SamplingBudget(Options(2, 10), 0, 4).Text() == "0.5 s + 2.5 %");
  CHECK(SamplingBudget(Options(2, 10), 0, 0).Text() == "2 s + 10 %");
}

TEST_CASE("A budget knows what it affords, and whether half of it is left") {
  SamplingBudget budget(Options(2, 0), 0);
  CHECK(budget.Affords(2 * kSecond, 0));
  CHECK_FALSE(budget.Affords(2 * kSecond + 1, 0));
  budget.Spend(kSecond);
  CHECK(budget.Plenty(0));
  budget.Spend(1);
  CHECK_FALSE(budget.Plenty(0));
}

TEST_CASE("A budget knows for how long it has been used up") {
  SamplingBudget budget(Options(1, 10), 0);
  CHECK(budget.UsedUpFor(kSecond) == 0);
  budget.Spend(2 * kSecond);
  CHECK(budget.UsedUpFor(2 * kSecond) > 0);
  CHECK(budget.UsedUpFor(5 * kSecond) == 3 * kSecond);
  CHECK(budget.UsedUpFor(10 * kSecond) == 0);
  budget.Spend(kSecond);
  CHECK_FALSE(budget.Allows(11 * kSecond));
  CHECK(budget.UsedUpFor(12 * kSecond) == kSecond);
}

}  // namespace
}  // namespace prof::cupti::test::sampling_budget_test
