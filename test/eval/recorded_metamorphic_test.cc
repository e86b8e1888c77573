// SPDX-License-Identifier: Apache-2.0
//
// The recorded kernels of the zoo, changed: another name, another order, another clock, values
// anywhere in their error bounds, or less of what was measured. None of these may make another
// class certain.
#include <algorithm>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/continuous/pm_units.h"
#include "lib/analyzer/kernels/unit_use.h"
#include "lib/analyzer/rules/verdict_rules.h"
#include "lib/eval/score.h"
#include "lib/eval/zoo.h"
#include "lib/format/depth.h"
#include "lib/format/triage_metrics.h"
#include "test/support/catch.h"

namespace prof::eval::recorded_metamorphic_test {
namespace {

const Zoo& Recorded() {
  static const Zoo zoo = ReadZoo(PROF_TEST_DATA "/zoo_h200");
  return zoo;
}

// The labels do not have the device; the known kernels ran on the same model.
const model::Device& H200() {
  static const Zoo zoo = ReadZoo(PROF_TEST_DATA "/zoo");
  return zoo.kernels.front().device;
}

// The verdict on what `kernel` has now.
Verdict Decide(KernelReport kernel) {
  kernel.units = analyzer::FindUnits(kernel.metrics, analyzer::MayUseShared(kernel));
  analyzer::AddPmValues(&kernel);
  return analyzer::DecideKernel(kernel, &H200());
}

// Calls `check` with each recording of each kernel.
void ForAll(const std::function<void(const LabelledKernel&, const KernelReport&)>& check) {
  REQUIRE(Recorded().error.empty());
  REQUIRE(Recorded().kernels.size() == 117);  // a draw for each form
  for (const LabelledKernel& one : Recorded().kernels) {
    for (const auto* kernel : {&one.with_all, &one.with_default}) {
      if (!*kernel) continue;
      CAPTURE(one.family, kernel == &one.with_all ? "all counters" : "default options");
      check(one, **kernel);
    }
  }
}

bool Abstains(const Verdict& verdict) {
  return verdict.limiter == Limiter::kUnknown || verdict.limiter == Limiter::kNotMeasured;
}

// The verdict without a part of what was measured is of the same class, right, or not certain.
void CheckWithout(const std::function<void(KernelReport*)>& drop) {
  ForAll([&](const LabelledKernel& one, const KernelReport& kernel) {
    KernelReport less = kernel;
    drop(&less);
    const Verdict before = Decide(kernel), after = Decide(less);
    if (after.limiter == before.limiter || Abstains(after) || Judge(one, after).first) return;
    CAPTURE(before.rule, after.rule, ToString(after.confidence), after.missing);
    CHECK(after.confidence < Confidence::kHigh);
    CHECK((after.confidence <= Confidence::kLow || !after.missing.empty() ||
           std::any_of(after.actions.begin(), after.actions.end(),
                       [](const Action& action) { return !action.check.empty(); })));
  });
}

TEST_CASE("A recorded kernel is decided again as in its report") {
  ForAll([](const LabelledKernel&, const KernelReport& kernel) {
    const Verdict again = Decide(kernel);
    CHECK(again.rule == kernel.verdict.rule);
    CHECK(again.gain_at_most == Approx(kernel.verdict.gain_at_most));
  });
}

TEST_CASE("The name of a recorded kernel decides nothing") {
  ForAll([](const LabelledKernel&, const KernelReport& kernel) {
    KernelReport renamed = kernel;
    renamed.name = renamed.full_name = "void cutlass::gemm_wgmma_dram_atomics<float>(float*)";
    renamed.range = "attention/softmax";
    const Verdict before = Decide(kernel), after = Decide(renamed);
    CHECK(after.rule == before.rule);
    CHECK(after.confidence == before.confidence);
    CHECK(after.gain_at_most == before.gain_at_most);
    CHECK(after.evidence == before.evidence);
  });
}

TEST_CASE("The order of the recorded kernels decides nothing") {
  Zoo turned = Recorded();
  std::reverse(turned.kernels.begin(), turned.kernels.end());
  for (const Form form : {Form::kAll, Form::kDefault}) {
    const Evaluation there = Evaluate(Recorded(), form), back = Evaluate(turned, form);
    CHECK(there.top1.part == back.top1.part);
    CHECK(there.top2.part == back.top2.part);
    CHECK(there.harmful == back.harmful);
    CHECK(there.confusion == back.confusion);
  }
}

void Scale(Statistic* value, double scale) {
  for (double* const part : {&value->median, &value->min, &value->max, &value->sum}) {
    *part *= scale;
  }
}

TEST_CASE("At half of the clock a recorded kernel has the same limit, if it is not short by it") {
  ForAll([](const LabelledKernel&, const KernelReport& kernel) {
    if (kernel.verdict.limiter == Limiter::kLaunchSized) return;
    KernelReport slow = kernel;
    for (Statistic* const time : {&slow.duration_ns, &slow.clock.sampled_ns}) Scale(time, 2);
    for (double* const hz :
         {&slow.clock.run_hz.median, &slow.clock.run_hz.min, &slow.clock.run_hz.max}) {
      *hz /= 2;
    }
    for (auto& [name, value] : slow.metrics) {
      if (name.find("per_second") != std::string::npos) Scale(&value, 0.5);
      if (name.find("time_duration") != std::string::npos) Scale(&value, 2);
    }
    const Verdict before = Decide(kernel), after = Decide(slow);
    // A short kernel is less doubtful then, and its ramp is a smaller part.
    CAPTURE(before.rule, after.rule, before.summary, after.summary);
    CHECK((after.limiter == before.limiter || before.confidence < Confidence::kHigh));
  });
}

// A normal distribution whose interval of 95 % is the error bound.
constexpr double kBoundOfNormal = 1.96;

TEST_CASE("A recorded verdict that changes within the error bounds is never of high confidence") {
  std::mt19937_64 random(20261126);
  std::normal_distribution<double> normal(0, 1 / kBoundOfNormal);
  std::uniform_real_distribution<double> part(0, 1);
  ForAll([&](const LabelledKernel&, const KernelReport& kernel) {
    const Verdict before = Decide(kernel);
    for (int round = 0; round < 5; ++round) {
      KernelReport other = kernel;
      for (auto& [name, value] : other.metrics) {
        value.median = value.min + (value.max - value.min) * part(random);
      }
      for (auto& [name, value] : other.continuous) {
        if (!value.value) continue;
        const double beside = std::clamp(normal(random), -1.0, 1.0) * value.error;
        value.value = std::max(0.0, *value.value + beside);
      }
      const Verdict after = Decide(other);
      CAPTURE(round, before.rule, after.rule, after.summary);
      if (after.limiter != before.limiter) CHECK(before.confidence < Confidence::kHigh);
    }
  });
}

TEST_CASE("Without the counters of a question no other class of a recorded kernel is certain") {
  for (const format::Needs need : {format::kNeedsMemory, format::kNeedsShared, format::kNeedsStalls,
                                   format::kNeedsOperations, format::kNeedsUse}) {
    CAPTURE(need);
    CheckWithout([&](KernelReport* kernel) {
      for (auto metric = kernel->metrics.begin(); metric != kernel->metrics.end();) {
        const bool goes = format::AnswersOf(metric->first) == need;
        metric = goes ? kernel->metrics.erase(metric) : std::next(metric);
      }
    });
  }
}

// What belongs to one unit is there together, or not at all.
const std::vector<std::vector<format::TriageUnit>>& PmUnits() {
  using format::TriageUnit;
  static const std::vector<std::vector<TriageUnit>> units = {
      {TriageUnit::kDram, TriageUnit::kDramRead, TriageUnit::kDramWrite},
      {TriageUnit::kL2},
      {TriageUnit::kL1, TriageUnit::kL1Writeback, TriageUnit::kShared},
      {TriageUnit::kShared},
      {TriageUnit::kTensor},
      {TriageUnit::kFma, TriageUnit::kFmaHeavy},
      {TriageUnit::kAlu},
      {TriageUnit::kFp64},
      {TriageUnit::kXu},
      {TriageUnit::kIssue},
      {TriageUnit::kSmActive},
      {TriageUnit::kWarps}};
  return units;
}

TEST_CASE("Without the PM samples of a unit no other class of a recorded kernel is certain") {
  for (const std::vector<format::TriageUnit>& unit : PmUnits()) {
    CAPTURE(static_cast<int>(unit.front()));
    CheckWithout([&](KernelReport* kernel) {
      for (auto value = kernel->continuous.begin(); value != kernel->continuous.end();) {
        const format::TriageMetric* const triage = format::FindTriageMetric(value->first);
        const bool goes =
            triage != nullptr && std::find(unit.begin(), unit.end(), triage->unit) != unit.end();
        value = goes ? kernel->continuous.erase(value) : std::next(value);
      }
    });
  }
}

}  // namespace
}  // namespace prof::eval::recorded_metamorphic_test
