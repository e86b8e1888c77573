// SPDX-License-Identifier: Apache-2.0
//
// What holds for any kernel, however odd its metrics.
#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>

#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_causes.h"
#include "lib/analyzer/rules/rule_stalls.h"
#include "lib/analyzer/rules/rule_suspicions.h"
#include "lib/analyzer/rules/verdict_rules.h"
#include "lib/analyzer/rules/verdict_table.h"
#include "test/analyzer/rules/kernels.h"
#include "test/support/catch.h"
#include "test/support/rounds.h"

namespace prof::test::property_test {
namespace {

// Metrics of all levels with values from all over their range, some absent, some not finite.
KernelReport RandomKernel(std::mt19937_64* random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto chance = [&](double p) { return uniform(*random) < p; };
  KernelReport kernel = QuietKernel();
  const bool strange = chance(0.3);
  const double scale = chance(0.5) ? 100 : 55;
  for (auto& [name, value] : kernel.metrics) {
    if (name.find("pct_of_peak") != std::string::npos) value.median = scale * uniform(*random);
    if (name.find("stalled") != std::string::npos) value.median = 50 * uniform(*random);
    if (name.find("per_cycle") != std::string::npos) value.median = 1.5 * uniform(*random);
    if (name.find("cycles_active") != std::string::npos && name.find("pct") == std::string::npos) {
      value.median = 1e5 * uniform(*random);
    }
    if (!strange || !chance(0.1)) continue;
    const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity(),
                          -5,
                          0,
                          1e300,
                          140};
    value.median = odd[(*random)() % std::size(odd)];
  }
  for (const char* metric :
       {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "lts__t_sectors.sum",
        "lts__t_sectors_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}) {
    if (chance(0.5)) Set(&kernel, metric, 1e6 * uniform(*random));
  }
  for (auto it = kernel.metrics.begin(); strange && it != kernel.metrics.end();) {
    it = chance(0.1) ? kernel.metrics.erase(it) : std::next(it);
  }
  if (chance(0.3)) {
    SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared", scale * uniform(*random));
  }
  kernel.dynamic_shared_bytes = chance(0.5) ? 0 : 16384;
  kernel.duration_ns.median = chance(0.1) ? 0 : 2e5 * uniform(*random);
  kernel.launches = static_cast<int64_t>((*random)() % 8);
  const auto blocks = static_cast<uint32_t>(1 + (*random)() % 5000);
  SetGrid(&kernel, blocks, static_cast<int>(1 + (*random)() % 32));
  kernel.occupancy.theoretical = uniform(*random);
  kernel.occupancy.achieved = uniform(*random);
  kernel.occupancy.limited_by = {"registers"};
  kernel.occupancy.known = chance(0.9);
  return kernel;
}

double SpeedOfLight(const KernelReport& kernel) {
  double highest = 0;
  for (const auto& [name, value] : kernel.metrics) {
    if (name.find("pct_of_peak_sustained_elapsed") == std::string::npos) continue;
    if (name.find("mem_shared.") != std::string::npos) continue;
    if (std::isfinite(value.median)) highest = std::max(highest, value.median);
  }
  return highest;
}

// What the row of a rule may leave out: actions of causes and suspicions stand beside any verdict,
// and a wait has those of the stall and of the level that serves it.
std::set<std::string> ActionsOfTheirOwn() {
  std::set<std::string> ids = {"independent-loads", "keep-data-closer", "read-sectors",
                               "read-stalls"};
  for (const analyzer::CauseRow& row : analyzer::CauseRows()) ids.insert(std::string(row.action));
  for (const analyzer::SuspicionRow& row : analyzer::SuspicionRows()) {
    ids.insert(std::string(row.action));
  }
  for (const analyzer::StallAdvice& row : analyzer::StallRows()) {
    ids.insert(std::string(row.action_id));
  }
  return ids;
}

// The texts about actions in the rows of the rules, by id.
std::map<std::string, std::string> ActionsOfRules() {
  std::map<std::string, std::string> texts;
  for (const auto* rules : {&analyzer::RulesBeforeCauses(), &analyzer::RulesAfterCauses()}) {
    for (const analyzer::VerdictRule& rule : *rules) {
      texts[std::string(rule.text.id)] = rule.text.actions;
    }
  }
  texts["issue-slots"] = texts["issue-throughput"];
  for (const analyzer::CauseRow& row : analyzer::CauseRows()) {
    texts[std::string(row.id)] = analyzer::AsCode(row.action);
  }
  return texts;
}

TEST_CASE("A verdict has no action that the page does not name for its rule", "[long]") {
  std::mt19937_64 random(20251129);
  const std::set<std::string> anywhere = ActionsOfTheirOwn();
  const std::map<std::string, std::string> texts = ActionsOfRules();
  for (int i = 0; i < test::Rounds(20'000, 4'000); ++i) {
    const Verdict verdict = Decide(RandomKernel(&random));
    for (const Action& action : verdict.actions) {
      if (anywhere.count(action.id) == 1) continue;
      CAPTURE(i, verdict.rule, action.id);
      REQUIRE(texts.at(verdict.rule).find(analyzer::AsCode(action.id)) != std::string::npos);
    }
  }
}

TEST_CASE("No kernel gets a gain outside 0..1, occupancy advice at a busy unit, or an exception",
          "[long]") {
  std::mt19937_64 random(20240607);
  const auto ids = analyzer::VerdictRuleIds();
  std::set<std::string> seen, actions;
  for (const analyzer::ActionRow& row : analyzer::ActionRows()) {
    actions.insert(std::string(row.id));
  }
  for (int i = 0; i < test::Rounds(20'000, 4'000); ++i) {
    const KernelReport kernel = RandomKernel(&random);
    Verdict verdict;
    REQUIRE_NOTHROW(verdict = Decide(kernel));
    CAPTURE(i, verdict.rule, verdict.summary, verdict.action);
    REQUIRE(verdict.gain_at_most >= 0);
    REQUIRE(verdict.gain_at_most <= 1);
    REQUIRE((verdict.gain_at_most == 0 || !verdict.gain_formula.empty()));
    REQUIRE_FALSE(verdict.summary.empty());
    REQUIRE(std::find(ids.begin(), ids.end(), verdict.rule) != ids.end());
    if (SpeedOfLight(kernel) >= 80) REQUIRE_FALSE(AdvisesOccupancy(verdict));
    const bool names_stall = verdict.limiter == Limiter::kLatency &&
                             verdict.rule != "no-unit-busy" && verdict.rule != "partial-wave" &&
                             verdict.rule != "several-stalls" &&
                             verdict.rule != "atomics";  // sectors alone show them
    if (names_stall) REQUIRE_FALSE(verdict.stall.empty());
    const bool unsure =
        verdict.limiter == Limiter::kNotMeasured || verdict.limiter == Limiter::kUnknown;
    if (unsure) REQUIRE_FALSE(verdict.missing.empty());
    if (!unsure) REQUIRE_FALSE(verdict.evidence.empty());
    for (const Action& action : verdict.actions) {
      REQUIRE(actions.count(action.id) == 1);
      REQUIRE_FALSE(action.floor.empty());
      REQUIRE((!action.gain_at_most || *action.gain_at_most <= verdict.gain_at_most));
    }
    seen.insert(verdict.rule);
  }
  // The generator reaches most of the table, so the property is not an empty one.
  CHECK(seen.size() >= 15);
}

TEST_CASE("An empty report gets a verdict") {
  CHECK(analyzer::DecideKernel(KernelReport{}, nullptr).limiter == Limiter::kNotMeasured);
}

}  // namespace
}  // namespace prof::test::property_test
