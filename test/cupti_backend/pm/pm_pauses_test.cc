// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/pm_pauses.h"

#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test::pm_pauses_test {
namespace {

// Samples of 10 ns from `begin_ns` on, with two metrics.
capture::PmBatchEvent Samples(int64_t begin_ns, int count) {
  capture::PmBatchEvent batch;
  for (int i = 0; i < count; ++i) {
    batch.begin_ns.push_back(begin_ns + 10 * i);
    batch.end_ns.push_back(begin_ns + 10 * (i + 1));
    batch.values.push_back(i);
    batch.values.push_back(-i);
  }
  return batch;
}

TEST_CASE("Samples that lie in a pause or reach into one are taken out, the others stay whole") {
  PmPauses pauses;
  pauses.Begin(125);
  pauses.End(150);
  capture::PmBatchEvent batch = Samples(100, 8);
  pauses.TakeOut(&batch);
  CHECK(batch.begin_ns == std::vector<int64_t>{100, 110, 150, 160, 170});
  CHECK(batch.end_ns == std::vector<int64_t>{110, 120, 160, 170, 180});
  CHECK(batch.values == std::vector<double>{0, 0, 1, -1, 5, -5, 6, -6, 7, -7});
}

TEST_CASE("While a pause goes on all samples after its begin are taken out") {
  PmPauses pauses;
  capture::PmBatchEvent batch = Samples(100, 4);
  pauses.TakeOut(&batch);
  CHECK(batch.begin_ns.size() == 4);
  pauses.Begin(110);
  pauses.TakeOut(&batch);
  CHECK(batch.begin_ns == std::vector<int64_t>{100});
}

TEST_CASE("The pauses that are remembered are the latest") {
  PmPauses pauses;
  for (int i = 0; i < 1000; ++i) {
    pauses.Begin(100 * i);
    pauses.End(100 * i + 50);
  }
  capture::PmBatchEvent early = Samples(0, 5), late = Samples(99'900, 10);
  pauses.TakeOut(&early);
  pauses.TakeOut(&late);
  CHECK(early.begin_ns.size() == 5);
  CHECK(late.begin_ns.size() == 5);
}

}  // namespace
}  // namespace prof::cupti::test::pm_pauses_test
