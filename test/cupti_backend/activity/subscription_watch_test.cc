// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/subscription_watch.h"

#include "test/support/catch.h"

namespace prof::cupti::subscription_watch_test {
namespace {

using Act = SubscriptionWatch::Act;

constexpr int64_t kCheckNs = 200'000'000;

struct Watched {
  Act Check(bool answered) { return watch.Check(answered, now_ns += kCheckNs); }
  // The time until `act`; 0: it does not come within two minutes.
  int64_t Until(Act act) {
    const int64_t begin_ns = now_ns;
    for (int i = 0; i < 600; ++i) {
      if (Check(false) == act) return now_ns - begin_ns;
    }
    return 0;
  }
  SubscriptionWatch watch;
  int64_t now_ns = 0;
};

TEST_CASE("A CUPTI that answers is not doubted, and one that never did is not either") {
  Watched never, always;
  for (int i = 0; i < 100; ++i) {
    CHECK(never.Check(false) == Act::kNothing);
    CHECK(always.Check(true) == Act::kNothing);
  }
  CHECK_FALSE(never.watch.lost());
  CHECK_FALSE(always.watch.lost());
}

TEST_CASE("A lost subscription is noticed at the first call without an answer, and reported once") {
  Watched program;
  program.Check(true);
  CHECK(program.Check(false) == Act::kReportLost);
  CHECK(program.watch.lost());
  CHECK(program.watch.times_lost() == 1);
  CHECK(program.Check(false) != Act::kReportLost);
}

TEST_CASE("CUPTI is tried again a second after the loss, then ever more rarely, for ever") {
  Watched program;
  program.Check(true);
  program.Check(false);
  CHECK(program.Until(Act::kSubscribe) == 1'000'000'000);
  CHECK(program.Until(Act::kSubscribe) == 2'000'000'000);
  CHECK(program.Until(Act::kSubscribe) == 4'000'000'000);
  for (int i = 0; i < 5; ++i) program.Until(Act::kSubscribe);
  CHECK(program.Until(Act::kSubscribe) == 60'000'000'000);
  CHECK(program.Until(Act::kSubscribe) == 60'000'000'000);
}

TEST_CASE("After a new subscription each further loss counts, with its time") {
  Watched program;
  for (uint64_t loss = 1; loss <= 3; ++loss) {
    CHECK(program.Check(true) == Act::kNothing);
    CHECK(program.Check(false) == Act::kReportLost);
    CHECK(program.Until(Act::kSubscribe) == 1'000'000'000);
    program.watch.OnSubscribed(program.now_ns);
    CHECK_FALSE(program.watch.lost());
    CHECK(program.watch.times_lost() == loss);
    CHECK(program.watch.gone_ns() == static_cast<int64_t>(loss) * 1'200'000'000);
    CHECK(program.Check(false) == Act::kNothing);  // the new one has yet to answer
  }
}

}  // namespace
}  // namespace prof::cupti::subscription_watch_test
