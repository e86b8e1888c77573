// SPDX-License-Identifier: Apache-2.0
//
// The same program with prof's disturbances and without: the same findings, the same shares.
#include "lib/analyzer/timeline/disturbance.h"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "prof/analyzer.h"
#include "test/analyzer/timeline/planted_program.h"
#include "test/support/catch.h"
#include "test/support/rounds.h"

namespace prof::test::disturbance_test {
namespace {

// Shares by finding, row and cause of idle time.
std::map<std::string, double> Shares(const Report& report) {
  std::map<std::string, double> shares;
  for (const Finding& finding : report.findings) {
    shares["finding " + finding.id] = finding.gain_at_most_ns / report.undisturbed_ns;
  }
  for (const RangeRow& row : report.rows) {
    if (row.kind != RangeRow::Kind::kProfiler) shares["row " + row.label] += row.share;
  }
  for (const GapSummary& gap : report.gaps) {
    shares[std::string("idle, ") + ToString(gap.cause)] += gap.total_ns / report.undisturbed_ns;
  }
  for (const KernelReport& kernel : report.kernels) {
    shares["kernel " + kernel.name] += kernel.share;
  }
  return shares;
}

std::set<std::string> Findings(const Report& report) {
  std::set<std::string> ids;
  for (const Finding& finding : report.findings) ids.insert(finding.id);
  return ids;
}

Report Run(const PlantedKind& kind, uint32_t seed, const PlantedProf& prof) {
  PlantedProgram program(seed, prof);
  kind.run(&program);
  return program.Analyzed();
}

void RequireSame(const PlantedProf& prof) {
  for (const PlantedKind& kind : PlantedKinds()) {
    for (uint32_t seed = 1; seed <= uint32_t{test::Rounds(2, 1)}; ++seed) {
      INFO(kind.name << ", seed " << seed);
      const Report clean = Run(kind, seed, {});
      const Report disturbed = Run(kind, seed, prof);
      CHECK(clean.profiler_ns == 0);
      CHECK(disturbed.profiler_ns > 0);
      CHECK(disturbed.findings_missing.empty());
      INFO("undisturbed " << disturbed.undisturbed_ns / 1e6 << " of " << disturbed.span_ns / 1e6
                          << " ms, clean " << clean.span_ns / 1e6 << " ms");
      CHECK(Findings(disturbed) == Findings(clean));
      std::map<std::string, double> before = Shares(clean), after = Shares(disturbed);
      for (const auto& [name, share] : after) before.emplace(name, 0);
      for (const auto& [name, share] : before) {
        INFO(name << ": " << share << " clean, " << after[name] << " with prof");
        CHECK(std::abs(share - after[name]) <= 0.02);
      }
      double rows_ns = 0;
      for (const RangeRow& row : disturbed.rows) rows_ns += row.time_ns;
      CHECK(rows_ns == disturbed.span_ns);
    }
  }
}

TEST_CASE("Preparation and changes of counters on prof's thread change no finding and no share",
          "[long]") {
  PlantedProf prof;
  prof.setup = true;
  prof.changes = 8;
  RequireSame(prof);
}

TEST_CASE("Preparation and changes of counters in a launch change no finding and no share",
          "[long]") {
  PlantedProf prof;
  prof.setup = true;
  prof.changes = 8;
  prof.own_thread = false;
  RequireSame(prof);
}

TEST_CASE("Launch calls that are slower while counters are sampled change no finding and no share",
          "[long]") {
  PlantedProf prof;
  prof.setup = true;
  prof.changes = 3;
  prof.slower_launch_ns = 1'500;
  RequireSame(prof);
}

TEST_CASE("Samples that wait for the GPU change no finding and no share", "[long]") {
  PlantedProf prof;
  prof.sampled_share = 0.03;
  SECTION("few of them") {}
  SECTION("many of them, with a preparation and changes") {
    prof.sampled_share = 0.15;
    prof.setup = true;
    prof.changes = 8;
  }
  RequireSame(prof);
}

TEST_CASE("Samples that do not wait on the host change no finding and no share", "[long]") {
  PlantedProf prof;
  prof.sampled_share = 0.1;
  prof.waits = false;
  RequireSame(prof);
}

TEST_CASE("A preparation before the first launch disturbs nothing") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Profiler(model::ProfilerWork::kSetup, 0, 250'000'000);
  for (int64_t i = 0; i < 100; ++i) {
    const int64_t at_ns = 250'100'000 + i * 70'000;
    b.Kernel(shape, "", at_ns, at_ns + 50'000);
    if (i % 2 == 0) b.Api("cudaStreamSynchronize", at_ns + 1'000, at_ns + 52'000);
  }
  const Report report = Analyze(b.Snapshot());
  CHECK(report.profiler_ns == 0);
  CHECK(report.undisturbed_ns == report.span_ns);
  CHECK(report.devices.at(0).idle_ns == 99 * 20'000);
}

TEST_CASE("Where each launch of a waiting loop is sampled, the report says so instead of numbers") {
  PlantedProf prof;
  prof.sampled_share = 1;
  prof.pause_ns = 0;
  const Report report = Run(PlantedKinds().front(), 1, prof);
  CHECK(report.findings.empty());
  CHECK_THAT(report.findings_missing, Catch::Contains("prof disturbed all but"));
}

}  // namespace
}  // namespace prof::test::disturbance_test
