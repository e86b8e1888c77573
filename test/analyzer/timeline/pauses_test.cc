// SPDX-License-Identifier: Apache-2.0
//
// A pause of the recording in the report: it is no idle time, and no evidence.
#include <string>
#include <tuple>

#include "lib/analyzer/timeline/timeline.h"
#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::pauses_test {
namespace {

constexpr int64_t kStart = 1'700'000'000'000'000'000;
constexpr int64_t kUs = 1'000;

// Bursts of 100 kernels of 10 us with 5 us between them; 1 s between the bursts.
void AddBursts(int bursts, SnapshotBuilder* b) {
  const uint32_t shape = b->Shape("saxpy", {1000, 1, 1}, {256, 1, 1});
  for (int burst = 0; burst < bursts; ++burst) {
    for (int i = 0; i < 100; ++i) {
      const int64_t begin_ns = kStart + burst * 1'001'500 * kUs + 15 * i * kUs;
      b->Kernel(shape, "step", begin_ns, begin_ns + 10 * kUs);
    }
  }
}

TEST_CASE("A gap with a pause in it is not idle time, in no row, share, gap or finding") {
  SnapshotBuilder without, with;
  AddBursts(2, &without);
  AddBursts(2, &with);
  with.Profiler(model::ProfilerWork::kPause, kStart + 1'600 * kUs, kStart + 1'600 * kUs);
  with.Profiler(model::ProfilerWork::kPause, kStart + 1'600 * kUs, kStart + 1'001'400 * kUs);
  const Report idle = Analyze(without.Snapshot());
  const Report paused = Analyze(with.Snapshot());
  CHECK(idle.paused_ns == 0);
  CHECK(idle.devices.front().idle_ns > 1e9);
  CHECK(paused.paused_ns == 1'000'005.0 * kUs);  // from the last kernel to the next one
  CHECK(paused.profiler_ns == paused.paused_ns);
  CHECK(paused.span_ns == idle.span_ns);
  CHECK(paused.devices.front().busy_ns == idle.devices.front().busy_ns);
  CHECK(paused.devices.front().idle_ns == 198 * 5 * kUs);
  CHECK(paused.counter_cost_ns == 0);
  double gaps_ns = 0, rows_ns = 0;
  for (const GapSummary& gap : paused.gaps) gaps_ns += gap.total_ns;
  CHECK(gaps_ns == 198 * 5 * kUs);
  for (const RangeRow& row : paused.rows) rows_ns += row.time_ns;
  CHECK(rows_ns == paused.span_ns);
  const RangeRow& last = paused.rows.back();
  CHECK(last.kind == RangeRow::Kind::kProfiler);
  CHECK(last.label == "prof (paused)");
  CHECK(last.evidence == "paused 1.00 s");
  REQUIRE(paused.row("step") != nullptr);
  CHECK(paused.row("step")->share > 0.6);
  CHECK(idle.row("step")->share < 0.01);
  CHECK(paused.findings_missing.empty());  // what was recorded is evidence, however short it is
  for (const Finding& finding : paused.findings) {
    CHECK(finding.gain_at_most_ns <= 198 * 5 * kUs);
  }
}

TEST_CASE("A recording that ended in a pause, or was killed in one, loses nothing else") {
  SnapshotBuilder b;
  AddBursts(1, &b);
  b.Profiler(model::ProfilerWork::kPause, kStart + 2'000 * kUs, kStart + 2'000 * kUs);
  const Report report = Analyze(b.Snapshot());
  CHECK(report.paused_ns == 0);
  CHECK(report.profiler_ns == 0);
  CHECK(report.totals.kernels == 100);
}

TEST_CASE("Only the gap that a pause lies in is taken out, on each device") {
  model::Model m;
  for (const auto& [device, start, end] :
       {std::tuple(0U, 0, 10), std::tuple(1U, 5, 40), std::tuple(0U, 20, 30),
        std::tuple(0U, 50, 60), std::tuple(1U, 60, 70)}) {
    model::Op op;
    op.device = device;
    op.start_ns = start;
    op.end_ns = end;
    m.ops.push_back(op);
  }
  m.pauses = {{32, 35}};
  const analyzer::Timeline t = analyzer::BuildTimeline(m);
  REQUIRE(t.devices.size() == 2);
  CHECK(t.devices[0].paused_ns == 20);
  CHECK(t.devices[0].profiler_ns == 20);
  CHECK(t.devices[0].gaps[0].undisturbed_ns() == 10);
  CHECK(t.devices[1].paused_ns == 0);  // something ran there
}

}  // namespace
}  // namespace prof::test::pauses_test
