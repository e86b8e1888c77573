// SPDX-License-Identifier: Apache-2.0
//
// The same kernel, measured in another way, must get the same verdict, or a less certain one.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "lib/eval/forms.h"
#include "lib/eval/score.h"
#include "lib/eval/zoo.h"
#include "lib/format/depth.h"
#include "test/support/catch.h"

namespace prof::eval::metamorphic_test {
namespace {

const Zoo& Kernels() {
  static const Zoo zoo = ReadZoo(PROF_TEST_DATA "/zoo");
  return zoo;
}

Verdict Decide(const LabelledKernel& one, const KernelReport& kernel, Form form) {
  return Decided(kernel, one.device, form).verdict;
}

bool Abstains(const Verdict& verdict) {
  return verdict.limiter == Limiter::kUnknown || verdict.limiter == Limiter::kNotMeasured;
}

// Runs `check` on each kernel in each form.
void ForAll(const std::function<void(const LabelledKernel&, Form)>& check) {
  REQUIRE(Kernels().error.empty());
  for (const LabelledKernel& one : Kernels().kernels) {
    for (const Form form : {Form::kAll, Form::kDefault}) {
      CAPTURE(one.kernel.name, ToString(form));
      check(one, form);
    }
  }
}

TEST_CASE("A kernel's name decides nothing") {
  ForAll([](const LabelledKernel& one, Form form) {
    KernelReport renamed = one.kernel;
    renamed.name = renamed.full_name = "gemm_copy_wgmma_dram";
    renamed.range = "attention/softmax";
    const Verdict before = Decide(one, one.kernel, form), after = Decide(one, renamed, form);
    CHECK(after.rule == before.rule);
    CHECK(after.gain_at_most == before.gain_at_most);
    CHECK(after.evidence == before.evidence);
  });
}

TEST_CASE("The order of the kernels decides nothing") {
  Zoo turned = Kernels();
  std::reverse(turned.kernels.begin(), turned.kernels.end());
  const Evaluation there = Evaluate(Kernels(), Form::kAll), back = Evaluate(turned, Form::kAll);
  CHECK(there.top1.part == back.top1.part);
  CHECK(there.confusion == back.confusion);
}

TEST_CASE("At half of the clock a kernel has the same limit") {
  ForAll([](const LabelledKernel& one, Form form) {
    KernelReport slow = one.kernel;
    for (double* const time :
         {&slow.duration_ns.median, &slow.duration_ns.min, &slow.duration_ns.max}) {
      *time *= 2;
    }
    for (auto& [name, value] : slow.metrics) {
      double scale = 1;
      if (name.find("per_second") != std::string::npos) scale = 0.5;
      if (name.find("time_duration") != std::string::npos) scale = 2;
      value.median *= scale;
      value.min *= scale;
      value.max *= scale;
    }
    const Verdict before = Decide(one, one.kernel, form), after = Decide(one, slow, form);
    // Only a kernel that is short by the clock is launch-sized.
    if (before.limiter != Limiter::kLaunchSized) CHECK(after.rule == before.rule);
  });
}

TEST_CASE("The values of Nsight Compute give the same limit") {
  ForAll([](const LabelledKernel& one, Form form) {
    KernelReport other = one.kernel;
    for (const auto& [name, value] : one.ncu) {
      const auto known = other.metrics.find(name);
      if (known != other.metrics.end()) known->second = value;
    }
    CHECK(Decide(one, other, form).rule == Decide(one, one.kernel, form).rule);
  });
}

// Drops what `drop` names, and expects no other class at more than low confidence.
void DropAndCompare(const std::function<bool(std::string_view)>& drop) {
  ForAll([&](const LabelledKernel& one, Form form) {
    KernelReport less = one.kernel;
    for (auto metric = less.metrics.begin(); metric != less.metrics.end();) {
      metric = drop(metric->first) ? less.metrics.erase(metric) : std::next(metric);
    }
    const Verdict before = Decide(one, one.kernel, form), after = Decide(one, less, form);
    CAPTURE(before.rule, after.rule, ToString(after.confidence));
    const bool is_same = after.limiter == before.limiter || Judge(one, after).first;
    CHECK((is_same || Abstains(after) || after.confidence <= Confidence::kLow ||
           !after.missing.empty()));
    if (!is_same) CHECK(after.confidence < Confidence::kHigh);
  });
}

TEST_CASE("Without the group of a question the class stays, or the verdict says what is missing") {
  for (const format::Needs need : {format::kNeedsMemory, format::kNeedsShared, format::kNeedsStalls,
                                   format::kNeedsOperations, format::kNeedsUse}) {
    CAPTURE(need);
    DropAndCompare([&](std::string_view metric) { return format::AnswersOf(metric) == need; });
  }
}

TEST_CASE("Without one unit's metrics no other unit becomes certain") {
  for (const char* unit : {"dram", "lts__", "l1tex__", "pipe_tensor", "pipe_fma", "pipe_alu",
                           "pipe_fp64", "pipe_xu", "pipe_lsu", "issue_active"}) {
    CAPTURE(unit);
    DropAndCompare([&](std::string_view metric) {
      return metric.find(unit) != std::string_view::npos &&
             metric.find("pct_of_peak_sustained_elapsed") != std::string_view::npos;
    });
  }
}

TEST_CASE("A verdict that changes within the spread of the samples is never of high confidence") {
  std::mt19937_64 random(20240607);
  std::uniform_real_distribution<double> part(0, 1);
  ForAll([&](const LabelledKernel& one, Form form) {
    const Verdict before = Decide(one, one.kernel, form);
    for (int round = 0; round < 10; ++round) {
      KernelReport jittered = one.kernel;
      for (auto& [name, value] : jittered.metrics) {
        value.median = value.min + (value.max - value.min) * part(random);
      }
      const Verdict after = Decide(one, jittered, form);
      CAPTURE(round, before.rule, after.rule);
      if (after.rule != before.rule) CHECK(before.confidence < Confidence::kHigh);
    }
  });
}

}  // namespace
}  // namespace prof::eval::metamorphic_test
