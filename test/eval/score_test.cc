// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/score.h"

#include <algorithm>
#include <string>
#include <vector>

#include "lib/eval/zoo.h"
#include "test/eval/evaluation_page.h"
#include "test/support/catch.h"

namespace prof::eval {
namespace {

std::vector<std::string> Misses(const Evaluation& evaluation) {
  std::vector<std::string> names;
  for (const Answer& answer : evaluation.answers) {
    if (!answer.first) names.push_back(answer.labelled->kernel.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("Wilson's interval of 35 of 36 begins at 86 %") {
  const Rate rate = MakeRate(35, 36);
  CHECK(rate.low == Approx(0.858).margin(0.001));
  CHECK(rate.high == Approx(0.995).margin(0.001));
  CHECK(MakeRate(0, 0).high == 1);
}

LabelledKernel Planted() {
  LabelledKernel one;
  one.label.limiters = {"dram"};
  one.label.helpful = {"coalesce"};
  one.label.harmful = {"raise-occupancy"};
  one.label.saves = KnownGain{"coalesce", 0.5, "a pair"};
  return one;
}

TEST_CASE("A bound below a known gain is counted, and so is an action that harms") {
  const LabelledKernel one = Planted();
  Verdict verdict;
  verdict.limiter = Limiter::kDram;
  Action action;
  action.id = "coalesce";
  action.gain_at_most = 0.4;
  verdict.actions.push_back(action);
  Answer answer = Judge(one, verdict);
  CHECK(answer.first);
  CHECK(answer.offered);
  CHECK(answer.exceeded);
  CHECK(answer.helps);
  CHECK(answer.harmful.empty());

  verdict.actions[0].gain_at_most.reset();  // nothing bounds it: nothing exceeds it
  verdict.actions.push_back(action);
  verdict.actions[1].id = "raise-occupancy";
  answer = Judge(one, verdict);
  CHECK_FALSE(answer.exceeded);
  CHECK(answer.harmful == std::vector<std::string>{"raise-occupancy"});
}

TEST_CASE("A planted waste must be found by its rule, not by the unit that it loads") {
  LabelledKernel one = Planted();
  one.label.rules = {"uncoalesced"};
  Verdict verdict;
  verdict.limiter = Limiter::kDram;
  verdict.rule = "dram-throughput";
  CHECK_FALSE(Judge(one, verdict).first);
  verdict.rule = "uncoalesced";
  CHECK(Judge(one, verdict).first);
}

// What the rules reach today. A change that makes one of these worse needs a reason.
TEST_CASE("The known kernels are right but for those whose labels are doubtful") {
  const Zoo zoo = ReadZoo(PROF_TEST_DATA "/zoo");
  const Evaluation all = Evaluate(zoo, Form::kAll);
  CAPTURE(Describe(all));
  CHECK(Misses(all) == std::vector<std::string>{"shared_reads", "softmax"});
  CHECK(all.harmful == 0);
  CHECK(all.exceeded == 0);
  CHECK(all.offered == all.pairs);
  CHECK(all.confident.all - all.confident.part == 1);  // shared_reads, whose label is doubtful
}

TEST_CASE("With the default options the same kernels are right, but for the atomics") {
  const Zoo zoo = ReadZoo(PROF_TEST_DATA "/zoo");
  const Evaluation usual = Evaluate(zoo, Form::kDefault);
  CAPTURE(Describe(usual));
  CHECK(Misses(usual) ==
        std::vector<std::string>{"contended_atomics", "shared_reads", "softmax", "spread_atomics"});
  CHECK(usual.harmful == 0);
  CHECK(usual.exceeded == 0);
  CHECK(usual.confident.all - usual.confident.part == 1);  // shared_reads, whose label is doubtful
}

// build/.../write_evaluation_page writes it.
TEST_CASE("The page about the evaluation holds today's results") {
  const std::string page = ReadEvaluationPage(PROF_EVALUATION_PAGE);
  REQUIRE(page.find("<!-- begin results -->") != std::string::npos);
  CHECK(WithResults(page, ResultText(PROF_TEST_DATA "/zoo")) == page);
  CHECK(WithResults("# Page\n", "text") == "# Page\n");
}

}  // namespace
}  // namespace prof::eval
