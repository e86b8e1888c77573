// SPDX-License-Identifier: Apache-2.0
//
// Busy time, exclusive time and gaps: sums that hold to the nanosecond. Causes are in gaps_test.cc.
#include "lib/analyzer/timeline/timeline.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::analyzer::timeline_test {
namespace {

model::Op Op(int64_t start_ns, int64_t end_ns, uint32_t device = 0) {
  model::Op op;
  op.device = device;
  op.start_ns = start_ns;
  op.end_ns = end_ns;
  return op;
}

TEST_CASE("Each moment belongs to the operation that had started first") {
  model::Model m;
  m.ops = {Op(0, 10), Op(2, 30), Op(5, 20), Op(40, 50)};
  const Timeline t = BuildTimeline(m);
  CHECK(t.exclusive_ns == std::vector<int64_t>{10, 20, 0, 10});
  REQUIRE(t.devices.size() == 1);
  CHECK(t.devices[0].busy_ns == 40);
  REQUIRE(t.devices[0].gaps.size() == 1);
  CHECK(t.devices[0].gaps[0].start_ns == 30);
  CHECK(t.devices[0].gaps[0].end_ns == 40);
  CHECK(t.devices[0].gaps[0].previous_op == 1);  // the one that ended last, not the one before
  CHECK(t.devices[0].gaps[0].next_op == 3);
}

TEST_CASE("Operations that touch leave no gap, and one of no length takes no time") {
  model::Model m;
  m.ops = {Op(0, 10), Op(10, 10), Op(10, 20), Op(25, 25)};
  const Timeline t = BuildTimeline(m);
  CHECK(t.devices[0].busy_ns == 20);
  CHECK(t.devices[0].gaps.size() == 1);
  CHECK(t.devices[0].end_ns == 25);
}

TEST_CASE("Devices idle on their own; operations without a time belong to none") {
  model::Model m;
  m.ops = {Op(0, 10, 1), Op(5, 30, 0), Op(20, 30, 1), Op(0, 0, 2)};
  m.ops.Edit(3, [](model::Op* op) { op->timed = false; });
  const Timeline t = BuildTimeline(m);
  REQUIRE(t.devices.size() == 2);
  CHECK(t.devices[0].device == 0);
  CHECK(t.devices[0].gaps.empty());
  CHECK(t.devices[1].gaps.size() == 1);
  CHECK(t.exclusive_ns.back() == 0);
}

TEST_CASE("An empty model has an empty timeline") {
  CHECK(BuildTimeline(model::Model{}).devices.empty());
}

TEST_CASE("Busy time and gaps sum to the span on random timelines, as counting each moment does",
          "[long]") {
  std::mt19937 random(20240607);
  const auto pick = [&](int64_t below) {
    return static_cast<int64_t>(random() % static_cast<uint32_t>(below));
  };
  for (int round = 0; round < 300; ++round) {
    model::Model m;
    const int64_t ops = 1 + pick(60), devices = 1 + pick(3), spread = 20 + pick(2000);
    for (int64_t i = 0; i < ops; ++i) {
      const int64_t start_ns = pick(spread);
      m.ops.push_back(Op(start_ns, start_ns + pick(60), static_cast<uint32_t>(pick(devices))));
    }
    m.ops.Sort();
    const Timeline t = BuildTimeline(m);

    // The owner of each nanosecond by the definition.
    std::vector<int64_t> exclusive_ns(m.ops.size());
    std::map<uint32_t, int64_t> busy_ns;
    for (uint32_t device = 0; device < devices; ++device) {
      for (int64_t now = 0; now < spread + 60; ++now) {
        for (size_t i = 0; i < m.ops.size(); ++i) {
          if (m.ops[i].device != device || m.ops[i].start_ns > now || m.ops[i].end_ns <= now) {
            continue;
          }
          ++exclusive_ns[i];
          ++busy_ns[device];
          break;
        }
      }
    }
    INFO("round " << round);
    REQUIRE(t.exclusive_ns == exclusive_ns);
    for (const DeviceTimeline& device : t.devices) {
      int64_t gaps_ns = 0, last_ns = device.start_ns;
      for (const Gap& gap : device.gaps) {
        REQUIRE(gap.end_ns > gap.start_ns);
        REQUIRE(gap.start_ns >= last_ns);
        last_ns = gap.end_ns;
        gaps_ns += gap.end_ns - gap.start_ns;
        REQUIRE(m.ops[gap.previous_op].end_ns == gap.start_ns);
        REQUIRE(m.ops[gap.next_op].start_ns == gap.end_ns);
      }
      REQUIRE(device.busy_ns == busy_ns[device.device]);
      REQUIRE(device.busy_ns + gaps_ns == device.end_ns - device.start_ns);
    }
  }
}

}  // namespace
}  // namespace prof::analyzer::timeline_test
