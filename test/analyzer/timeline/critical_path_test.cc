// SPDX-License-Identifier: Apache-2.0
//
// The critical path: what of each operation made the work of its device last.
#include "lib/analyzer/timeline/critical_path.h"

#include <numeric>
#include <random>
#include <vector>

#include "test/support/catch.h"

namespace prof::analyzer::critical_path_test {
namespace {

model::Op Op(uint32_t stream, int64_t start_us, int64_t end_us, uint32_t device = 0) {
  model::Op op;
  op.device = device;
  op.context = 1;
  op.stream = stream;
  op.start_ns = start_us * 1000;
  op.end_ns = end_us * 1000;
  return op;
}

std::vector<int64_t> CriticalUs(const model::Model& m) {
  const Timeline timeline = BuildTimeline(m);
  std::vector<int64_t> times = CriticalTimes(m, timeline);
  if (times.empty()) times = timeline.exclusive_ns;
  for (int64_t& time : times) time /= 1000;
  return times;
}

using Times = std::vector<int64_t>;

TEST_CASE("Work of one stream is all on the path, which nobody has to walk") {
  model::Model m;
  m.ops = {Op(7, 0, 10), Op(7, 12, 30), Op(7, 90, 100)};
  CHECK(CriticalTimes(m, BuildTimeline(m)).empty());
  CHECK(CriticalUs(m) == Times{10, 18, 10});
}

TEST_CASE("What runs beside a longer chain is off the path") {
  model::Model m;
  m.ops = {Op(7, 0, 100), Op(8, 10, 60)};
  CHECK(CriticalUs(m) == Times{100, 0});
}

TEST_CASE("A chain of one stream stays on the path under the work of another stream") {
  model::Model m;  // the kernel in front of the longest one is covered, and still decides
  m.ops = {Op(7, 0, 10), Op(8, 1, 15), Op(7, 10, 100)};
  CHECK(CriticalUs(m) == Times{10, 0, 90});
}

TEST_CASE("Where two kernels of a stream overlap, the first one has the time") {
  model::Model m;
  m.ops = {Op(7, 0, 12), Op(7, 10, 30)};
  CHECK(CriticalUs(m) == Times{12, 18});
}

TEST_CASE("A kernel that was launched late belongs behind the work that ran until then") {
  model::Model m;
  m.ops = {Op(7, 0, 10), Op(8, 0, 50), Op(7, 50, 70)};
  CHECK(CriticalUs(m) == Times{0, 50, 20});
}

TEST_CASE("Each device has its own path, and operations without a time are on none") {
  model::Model m;
  m.ops = {Op(7, 0, 10, 0), Op(7, 0, 30, 1), Op(8, 5, 8, 1), Op(7, 0, 0)};
  m.ops.Edit(3, [](model::Op* op) { op->timed = false; });
  CHECK(CriticalUs(m) == Times{10, 30, 0, 0});
}

TEST_CASE("The path is never longer than the busy time, whatever the streams do") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    model::Model m;
    std::vector<model::Op> ops;
    int64_t start = 0;
    for (int i = 0; i < 40; ++i) {
      start += static_cast<int64_t>(random() % 20);
      ops.push_back(Op(random() % 3, start, start + static_cast<int64_t>(random() % 30)));
    }
    for (const model::Op& op : ops) m.ops.push_back(op);
    const Timeline timeline = BuildTimeline(m);
    const std::vector<int64_t> times = CriticalTimes(m, timeline);
    CHECK(std::accumulate(times.begin(), times.end(), int64_t{0}) <= timeline.devices[0].busy_ns);
    for (size_t i = 0; i < times.size(); ++i) {
      CHECK(times[i] >= 0);
      CHECK(times[i] <= m.ops[i].end_ns - m.ops[i].start_ns);
    }
  }
}

}  // namespace
}  // namespace prof::analyzer::critical_path_test
