// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/evaluation_json.h"

#include <nlohmann/json.hpp>

#include "prof/kernel_report.h"

namespace prof::eval {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered RateJson(const Rate& rate) {
  return {{"part", rate.part}, {"all", rate.all}, {"low", rate.low}, {"high", rate.high}};
}

Ordered ActionsJson(const Verdict& verdict) {
  Ordered actions = Ordered::array();
  for (const Action& action : verdict.actions) {
    Ordered one = {{"id", action.id}};
    one["gain_at_most"] = action.gain_at_most ? Ordered(*action.gain_at_most) : Ordered();
    actions.push_back(std::move(one));
  }
  return actions;
}

Ordered KernelJson(const Answer& answer) {
  const LabelledKernel& labelled = *answer.labelled;
  Ordered doubts = Ordered::array();
  for (const prof::Doubt& doubt : answer.verdict.doubts) doubts.push_back(doubt.id);
  return {{"kernel", labelled.kernel.name},
          {"family", labelled.family},
          {"expected_limiters", labelled.label.limiters},
          {"expected_rules", labelled.label.rules},
          {"limiter", ToString(answer.verdict.limiter)},
          {"rule", answer.verdict.rule},
          {"confidence", ToString(answer.verdict.confidence)},
          {"right", answer.first},
          {"right_among_two", answer.among_two},
          {"action_helps", answer.helps},
          {"harmful_actions", answer.harmful},
          {"doubts", std::move(doubts)},
          {"actions", ActionsJson(answer.verdict)}};
}

Ordered EvaluationJson(const Evaluation& evaluation) {
  Ordered reliability = Ordered::object();
  for (const auto& [confidence, rate] : evaluation.reliability) {
    reliability[ToString(confidence)] = RateJson(rate);
  }
  Ordered kernels = Ordered::array();
  for (const Answer& answer : evaluation.answers) kernels.push_back(KernelJson(answer));
  return {{"form", evaluation.form == Form::kAll ? "all" : "default"},
          {"right", RateJson(evaluation.top1)},
          {"right_among_two", RateJson(evaluation.top2)},
          {"helpful", RateJson(evaluation.helpful)},
          {"right_by_confidence", std::move(reliability)},
          {"harmful", evaluation.harmful},
          {"tried", evaluation.tried},
          {"tried_that_helped", evaluation.helped},
          {"tried_that_slowed", evaluation.slowed},
          {"known_gains_offered", evaluation.offered},
          {"known_gains_above_bound", evaluation.exceeded},
          {"without_label", evaluation.without_label},
          {"not_recorded", evaluation.not_recorded},
          {"kernels", std::move(kernels)}};
}

}  // namespace

std::string ToJson(const std::vector<Evaluation>& evaluations) {
  Ordered all = Ordered::array();
  for (const Evaluation& evaluation : evaluations) all.push_back(EvaluationJson(evaluation));
  return Ordered{{"evaluations", std::move(all)}}.dump(1, ' ', false,
                                                       Ordered::error_handler_t::replace) +
         "\n";
}

}  // namespace prof::eval
