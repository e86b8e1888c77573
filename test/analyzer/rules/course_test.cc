// SPDX-License-Identifier: Apache-2.0
//
// What the course of a launch decides: phases, and idle SMs at its end.
#include <cmath>
#include <limits>
#include <vector>

#include "lib/analyzer/rules/rule_course.h"
#include "test/analyzer/rules/kernels.h"
#include "test/analyzer/rules/pm_kernels.h"
#include "test/support/catch.h"

namespace prof::test::course_test {
namespace {

// In ten parts: DRAM first, then the tensor pipe, and the SMs' activity.
LaunchCourse OneAfterTheOther() {
  LaunchCourse course;
  course.launches = 30;
  course.samples_of_part.assign(10, 30);
  course.units = {{"DRAM",
                   "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                   {90, 90, 90, 90, 10, 10, 10, 10, 10, 10}},
                  {"tensor",
                   "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
                   {5, 5, 5, 5, 80, 80, 80, 80, 80, 80}},
                  {"SM activity", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                   std::vector<double>(10, 99)}};
  return course;
}

std::vector<double>* SmsOf(KernelReport* kernel) { return &kernel->course.units[2].percent; }

TEST_CASE("Units that are busy one after the other are phases, which can overlap") {
  KernelReport kernel = QuietKernel();
  CHECK(Decide(kernel).rule != "phases");
  kernel.course = OneAfterTheOther();
  SetUse(&kernel, "gpu__dram_throughput", 42);
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 50);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "phases");
  CHECK(verdict.limiter == Limiter::kMixed);
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(Doubts(verdict) == std::vector<std::string>{"course"});
  CHECK(verdict.actions.front().id == "overlap-phases");
  CHECK(verdict.gain_at_most == Approx(0.5));  // the tensor pipe works half of the time
  CHECK(verdict.summary ==
        "It uses one unit after the other: tensor at 80.0 % for 60 % of a launch, and DRAM at "
        "90.0 % for 40 % of a launch.");
  CHECK_FALSE(HasNote(verdict, "phases"));  // it is the verdict
}

TEST_CASE("Phases beside a unit that is busy on average are an action, and a note") {
  KernelReport kernel = QuietKernel();
  kernel.course = OneAfterTheOther();
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 82);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "tensor-throughput");
  CHECK(
      Mentions(verdict.notes,
               "tensor is at 80.0 % of its peak in 60 % of a launch, and at 5.0 % while the other "
               "one leads; DRAM is at 90.0 % of its peak in 40 % of a launch, and at 10.0 %"));
  bool is_offered = false;
  for (const Action& action : verdict.actions) {
    if (action.id != "overlap-phases") continue;
    is_offered = true;
    CHECK(action.gain_at_most == Approx(0.18));
  }
  CHECK(is_offered);
}

TEST_CASE("Units that are busy at the same time, or hardly, are no phases") {
  KernelReport kernel = QuietKernel();
  kernel.course = OneAfterTheOther();
  std::vector<double>& dram = kernel.course.units[0].percent;
  for (const std::vector<double>& other : std::vector<std::vector<double>>{
           {90, 90, 90, 90, 70, 70, 70, 70, 70, 70},
           {50, 50, 50, 50, 5, 5, 5, 5, 5, 5},
           {90, 10, 10, 10, 10, 10, 10, 10, 10, 10}}) {  // it leads a tenth
    dram = other;
    CHECK_FALSE(HasNote(Decide(kernel), "phases"));
    CHECK(Decide(kernel).rule != "phases");
  }
}

TEST_CASE("SMs without work at the end of a launch are a drain") {
  KernelReport kernel = QuietKernel();
  kernel.course = OneAfterTheOther();
  CHECK_FALSE(HasNote(Decide(kernel), "drain"));
  *SmsOf(&kernel) = {20, 99, 99, 99, 99, 99, 99, 99, 30, 10};  // its start is none
  CHECK(Mentions(Decide(kernel).notes, "drain: in the last 20 % of a launch"));
  SmsOf(&kernel)->back() = 60;
  CHECK_FALSE(HasNote(Decide(kernel), "drain"));
}

TEST_CASE("The idle time of the SMs is divided into start, middle and end of a launch") {
  LaunchCourse course = OneAfterTheOther();
  course.units[2].percent = {40, 80, 80, 40, 80, 80, 80, 80, 40, 0};
  const auto idle = analyzer::IdleOf(course);
  REQUIRE(idle);
  CHECK(idle->all == Approx(0.25));
  CHECK(idle->start == Approx(0.05));
  CHECK(idle->end == Approx(0.15));
  course.units[2].percent[5] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(analyzer::IdleOf(course));
  course.units.pop_back();
  CHECK_FALSE(analyzer::IdleOf(course));
}

// By PM samples, the SMs are active for `percent` of the time; four waves of blocks.
KernelReport ActiveFor(double percent) {
  KernelReport kernel = QuietByPmSamples();
  SetGrid(&kernel, 4 * 8 * 132, 8);
  SetPm(&kernel, format::TriageUnit::kSmActive, percent);
  kernel.course = OneAfterTheOther();
  kernel.course.units.erase(kernel.course.units.begin());  // no phases
  return kernel;
}

TEST_CASE("Idle SMs at the end of a launch are uneven blocks, and in its middle they are not") {
  KernelReport kernel = ActiveFor(84);
  std::vector<double>& sms = kernel.course.units[1].percent;
  sms = {99, 99, 99, 99, 99, 99, 99, 80, 50, 20};
  CHECK(Decide(kernel).rule == "imbalance");
  sms = {99, 50, 50, 99, 99, 50, 99, 99, 99, 99};
  CHECK(Decide(kernel).rule != "imbalance");
  kernel.course = {};
  CHECK(Decide(kernel).rule != "imbalance");  // 16 % by an average are not clear enough
}

TEST_CASE("A partial last wave is a tail where the SMs are idle at the end of a launch") {
  KernelReport kernel = ActiveFor(75);
  SetGrid(&kernel, 8 * 132 + 132, 8);  // 1.125 waves
  std::vector<double>& sms = kernel.course.units[1].percent;
  sms = {99, 99, 99, 99, 99, 50, 50, 50, 50, 50};
  CHECK(Decide(kernel).rule == "tail");
  sms = {50, 50, 99, 50, 99, 50, 99, 99, 50, 99};
  CHECK(Decide(kernel).rule != "tail");
  kernel.course = {};
  CHECK(Decide(kernel).rule == "tail");
}

}  // namespace
}  // namespace prof::test::course_test
