// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/explain.h"

#include <string>
#include <vector>

#include "lib/text/strings.h"
#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof {
namespace {

using test::Contains;
using test::Kernel;
using test::Run;
using test::With;

std::vector<Report> Side(const KernelReport& kernel, double factor, uint32_t pid) {
  std::vector<Report> runs;
  for (double time_ns : test::Around(100e3 * factor)) {
    KernelReport one = kernel;
    one.duration_ns = test::Median(time_ns);
    runs.push_back(Run({one}, pid++));
  }
  return runs;
}

std::string Explanation(const KernelReport& before, const KernelReport& after) {
  const Comparison comparison = Compare(Side(before, 1, 1), Side(after, 1.2, 100));
  REQUIRE(comparison.kernels.size() == 1);
  return text::Join(comparison.kernels[0].explanation, "\n");
}

TEST_CASE("More sectors for the same requests are less coalesced loads") {
  const KernelReport base = With(Kernel("k", 1), test::kLoadRequests, 1000);
  CHECK_THAT(
      Explanation(With(base, test::kLoadSectors, 4000), With(base, test::kLoadSectors, 16000)),
      Contains("global loads touch 16.0 sectors a request, before 4.0: they are less "
               "coalesced") &&
          Contains("sectors of global loads: 4,000 -> 16,000 (4.00 times)"));
}

TEST_CASE("More instructions, spilled registers and more bytes of DRAM are named") {
  KernelReport before = With(Kernel("k", 1), test::kInstructions, 1e6);
  KernelReport after = With(Kernel("k", 1), test::kInstructions, 1.5e6);
  after.local_bytes_per_thread = 64;
  before = With(With(before, test::kLoadSectors, 4000), test::kDramRead, 1e9);
  after = With(With(after, test::kLoadSectors, 4000), test::kDramRead, 2e9);
  CHECK_THAT(Explanation(before, after),
             Contains("it executes 1.50 times the instructions") &&
                 Contains("64 bytes of local memory for each thread, before 0") &&
                 Contains("2.00 times the bytes come from DRAM: the caches hit less"));
}

TEST_CASE("The same work in more cycles waits more, and the longest wait is named") {
  const std::string stall =
      "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
  const auto with = [&](double cycles, double waiting) {
    return With(With(With(Kernel("k", 1), test::kInstructions, 1e6), test::kCycles, cycles), stall,
                waiting);
  };
  CHECK_THAT(Explanation(with(100e3, 2), with(120e3, 5)),
             Contains("the work is the same by all exact counters, in 1.200 times the cycles") &&
                 Contains("the wait that grew most is long_scoreboard: 2.00 -> 5.00"));
  CHECK_THAT(Explanation(with(100e3, 2), with(100e3, 2)), Contains("the clock differs"));
}

TEST_CASE("Without counters the way to them is named") {
  CHECK_THAT(Explanation(Kernel("k", 1), Kernel("k", 1)), Contains("record with --counters all"));
}

TEST_CASE("A counter moves where it leaves its own spread and its class") {
  const auto changes = [](double before, double after, const char* metric) {
    const RunSet one = Collect({Run({With(Kernel("k", 1), metric, before)}, 1)});
    const RunSet other = Collect({Run({With(Kernel("k", 1), metric, after)}, 2)});
    for (const CounterChange& c : compare::CompareCounters(one.kernels[0], other.kernels[0])) {
      if (c.metric == metric) return c.moved;
    }
    FAIL("the counter is missing");
    return false;
  };
  CHECK(changes(1e6, 1.002e6, test::kInstructions));
  CHECK_FALSE(changes(1e6, 1.0005e6, test::kInstructions));
  CHECK(changes(1e9, 1.05e9, test::kDramRead));
  CHECK_FALSE(changes(1e9, 1.02e9, test::kDramRead));
}

TEST_CASE("The work ratio is of the exact counter that moved most") {
  const CounterChange instructions{"a", "instructions", 100, 120, true, true};
  const CounterChange sectors{"b", "sectors", 100, 50, true, true};
  const CounterChange cache{"c", "L2", 100, 900, true, false};
  CHECK(*compare::WorkRatio({instructions, sectors, cache}) == Approx(0.5));
  CHECK_FALSE(compare::WorkRatio({cache}).has_value());
  CHECK(*compare::WorkRatio({{"a", "instructions", 5, 5, false, true}}) == 1);
}

}  // namespace
}  // namespace prof
