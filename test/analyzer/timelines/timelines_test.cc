// SPDX-License-Identifier: Apache-2.0
//
// The findings on simulated programs. The seed is another one in each run; a failure prints it, and
// PROF_TIMELINES_SEED repeats it.
#include "test/analyzer/timelines/timelines.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "test/support/catch.h"
#include "test/support/rounds.h"

namespace prof::test::timelines_test {
namespace {

constexpr uint32_t kRuns = Rounds(2, 1);

uint32_t FirstSeed() {
  static const uint32_t seed = [] {
    const char* const given = std::getenv("PROF_TIMELINES_SEED");
    return given != nullptr ? static_cast<uint32_t>(std::atoi(given)) : std::random_device()();
  }();
  return seed;
}

Report RunCase(const TimelineCase& timeline, uint32_t seed, bool fixed,
               const SimulatedProf& prof = {}) {
  SimulatedRun run(seed, prof);
  timeline.run(&run, fixed);
  return run.Analyzed();
}

std::set<std::string> Ids(const Report& report) {
  std::set<std::string> ids;
  for (const Finding& finding : report.findings) ids.insert(finding.id);
  return ids;
}

std::string Text(const Report& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += finding.id + ": " + finding.title + " at most " +
            std::to_string(finding.gain_at_most_ns / 1e6) + " ms\n";
    for (const std::string& line : finding.evidence) text += "    " + line + '\n';
  }
  for (const GapSummary& gap : report.gaps) {
    text += std::string("gaps, ") + ToString(gap.cause) + ": " + std::to_string(gap.count) + ", " +
            std::to_string(gap.total_ns / 1e6) + " ms; " + gap.example + '\n';
  }
  return text;
}

bool Has(const std::vector<std::string>& list, const std::string& id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

template <typename Check>
void ForEachCase(Check check) {
  for (const TimelineCase& timeline : TimelineCases()) {
    for (uint32_t i = 0; i < kRuns; ++i) {
      const uint32_t seed = FirstSeed() + i;
      INFO(timeline.id << ", " << timeline.what << "; PROF_TIMELINES_SEED=" << seed);
      check(timeline, seed);
    }
  }
}

TEST_CASE("The finding that comes first is the trouble that was planted") {
  ForEachCase([](const TimelineCase& timeline, uint32_t seed) {
    const Report report = RunCase(timeline, seed, false);
    INFO(Text(report));
    const std::string first = report.findings.empty() ? "" : report.findings.front().id;
    INFO("first: " << first);
    CHECK((timeline.first.empty() ? first.empty() : Has(timeline.first, first)));
    for (const std::string& id : timeline.never) {
      INFO("never: " << id);
      CHECK(Ids(report).count(id) == 0);
    }
  });
}

TEST_CASE("The device with most work is named, also where no kernel communicates") {
  ForEachCase([](const TimelineCase& timeline, uint32_t seed) {
    if (std::string(timeline.id) != "T33") return;
    const Report report = RunCase(timeline, seed, false);
    INFO(Text(report));
    CHECK(Ids(report).count("busiest-device") == 1);
  });
}

TEST_CASE("What the fix saves is no more than the first finding offers at most") {
  ForEachCase([](const TimelineCase& timeline, uint32_t seed) {
    if (!timeline.has_fix) return;
    const Report planted = RunCase(timeline, seed, false);
    const Report fixed = RunCase(timeline, seed, true);
    INFO(Text(planted));
    REQUIRE_FALSE(planted.findings.empty());
    const double saved_ns = planted.span_ns - fixed.span_ns;
    INFO("saved " << saved_ns / 1e6 << " of " << planted.span_ns / 1e6 << " ms");
    // The two runs differ in their jitter. And what was launched less than a slow launch takes
    // before the GPU ran dry counts as queued in time: a few microseconds of a wait's gap are not
    // its.
    CHECK(saved_ns <= planted.findings.front().gain_at_most_ns + 0.02 * planted.span_ns);
  });
}

// Four waits, and then work that is longer than each of them: a host that never waits is ahead by
// all four when it begins that work.
Report WaitsAndWork(uint32_t seed, bool fixed) {
  SimulatedRun run(seed);
  const SimulatedKernel k = run.Plan("k", run.DrawUs(250, 350)), last = run.Plan("last", 20'000);
  const int64_t work_ns = run.DrawUs(850, 950);
  for (int step = 0; step < 40; ++step) {
    for (int i = 0; i < 4; ++i) {
      run.Kernel(k);
      if (!fixed) run.SyncStream();
    }
    run.Work(work_ns);
    run.Kernel(last);
    if (!fixed) run.SyncStream();
  }
  return run.Analyzed();
}

TEST_CASE("Waits add up: a host without any of them is ahead by all of them") {
  const uint32_t seed = FirstSeed();
  const Report planted = WaitsAndWork(seed, false), fixed = WaitsAndWork(seed, true);
  INFO("PROF_TIMELINES_SEED=" << seed << '\n' << Text(planted));
  const double saved_ns = planted.span_ns - fixed.span_ns;
  INFO("saved " << saved_ns / 1e6 << " of " << planted.span_ns / 1e6 << " ms");
  const auto waits = std::find_if(planted.findings.begin(), planted.findings.end(),
                                  [](const Finding& f) { return f.id == "sync-bound"; });
  REQUIRE(waits != planted.findings.end());
  CHECK(saved_ns >= 0.3 * planted.span_ns);
  CHECK(waits->gain_at_most_ns >= saved_ns - 0.02 * planted.span_ns);
}

TEST_CASE("The fix removes the finding") {
  ForEachCase([](const TimelineCase& timeline, uint32_t seed) {
    if (!timeline.has_fix) return;
    const Report fixed = RunCase(timeline, seed, true);
    INFO(Text(fixed));
    const std::string first = RunCase(timeline, seed, false).findings.at(0).id;
    INFO("was first: " << first);
    CHECK(Ids(fixed).count(first) == 0);
  });
}

TEST_CASE("The idle time by cause sums to the idle time") {
  ForEachCase([](const TimelineCase& timeline, uint32_t seed) {
    const Report report = RunCase(timeline, seed, false);
    double gaps_ns = 0, idle_ns = 0;
    for (const GapSummary& gap : report.gaps) gaps_ns += gap.total_ns;
    for (const DeviceReport& device : report.devices) idle_ns += device.idle_ns;
    CHECK(gaps_ns == idle_ns);
  });
}

// The program ends with a wait, `pause_ns` of work outside CUDA, and a kernel.
Report WithPause(const TimelineCase& timeline, uint32_t seed, int64_t pause_ns) {
  SimulatedRun run(seed);
  timeline.run(&run, false);
  const SimulatedKernel last = run.Plan("after the pause", 50'000);
  run.SyncDevice();
  run.Work(pause_ns);
  run.Kernel(last);
  run.SyncDevice();
  return run.Analyzed();
}

TEST_CASE("Time in which the host does nothing is idle time, and changes no kernel") {
  static constexpr int64_t kPauseNs = 300'000'000;
  ForEachCase([](const TimelineCase& timeline, uint32_t seed) {
    const Report before = WithPause(timeline, seed, 0);
    const Report after = WithPause(timeline, seed, kPauseNs);
    // Both the pause and the costs of its calls are jittered.
    CHECK(after.span_ns - before.span_ns == Approx(kPauseNs).epsilon(0.1));
    CHECK(after.devices.front().idle_ns - before.devices.front().idle_ns ==
          Approx(kPauseNs).epsilon(0.1));
    CHECK(after.devices.front().busy_ns == Approx(before.devices.front().busy_ns).epsilon(1e-4));
    REQUIRE(after.kernels.size() == before.kernels.size());
    for (const KernelReport& kernel : after.kernels) {
      if (kernel.name == "after the pause") continue;
      INFO(kernel.name);
      const auto same = std::find_if(
          before.kernels.begin(), before.kernels.end(), [&](const KernelReport& other) {
            return other.name == kernel.name && other.range == kernel.range;
          });
      REQUIRE(same != before.kernels.end());
      CHECK(same->launches == kernel.launches);
      CHECK(same->total_ns == kernel.total_ns);
      CHECK(same->verdict.limiter == kernel.verdict.limiter);
    }
  });
}

// T31.
TEST_CASE("With and without counters the same finding comes first") {
  SimulatedProf prof;
  prof.sampled_share = 0.05;
  int disturbed = 0;
  ForEachCase([&](const TimelineCase& timeline, uint32_t seed) {
    if (!timeline.same_with_counters) return;
    const Report clean = RunCase(timeline, seed, false);
    const Report sampled = RunCase(timeline, seed, false, prof);
    INFO("clean:\n" << Text(clean) << "sampled:\n" << Text(sampled));
    disturbed += sampled.profiler_ns > 0 ? 1 : 0;
    if (!sampled.findings_missing.empty()) return;  // the report has the reason
    const std::string first = clean.findings.empty() ? "" : clean.findings.front().id;
    const std::string then = sampled.findings.empty() ? "" : sampled.findings.front().id;
    // Where two findings are as good, either may come first.
    CHECK((first == then || (Has(timeline.first, first) && Has(timeline.first, then))));
  });
  CHECK(disturbed >= 10 * static_cast<int>(kRuns));
}

}  // namespace
}  // namespace prof::test::timelines_test
