// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/score.h"

#include <algorithm>
#include <cmath>

#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/kernels/unit_metrics.h"
#include "lib/analyzer/rules/verdict_rules.h"

namespace prof::eval {
namespace {

bool Has(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool IsRight(const Label& label, const Verdict& verdict) {
  if (!label.rules.empty()) return Has(label.rules, verdict.rule);
  return Has(label.limiters, ToString(verdict.limiter));
}

// The runner-up starts with the name of its unit, or with the warps that wait.
bool NextIsRight(const Label& label, const Verdict& verdict) {
  if (!label.rules.empty()) return false;
  if (verdict.runner_up.rfind(analyzer::kWaitingWarps, 0) == 0) {
    return Has(label.limiters, ToString(Limiter::kLatency));
  }
  return std::any_of(std::begin(analyzer::kUnitNames), std::end(analyzer::kUnitNames),
                     [&](const analyzer::UnitName& name) {
                       return Has(label.limiters, ToString(name.unit)) &&
                              verdict.runner_up.rfind(std::string(name.name) + " ", 0) == 0;
                     });
}

bool SecondActionHelps(const Label& label, const Verdict& verdict) {
  for (size_t i = 0; i < std::min<size_t>(2, verdict.actions.size()); ++i) {
    if (Has(label.helpful, verdict.actions[i].id)) return true;
  }
  return false;
}

void JudgeGain(const KnownGain& gain, const Verdict& verdict, Answer* answer) {
  for (const Action& action : verdict.actions) {
    if (!IsChange(action.id, gain.action, gain.same)) continue;
    answer->offered = true;
    answer->exceeded |= action.gain_at_most && *action.gain_at_most < gain.part;
  }
}

// Nothing: the recordings lack it.
std::optional<Verdict> VerdictOf(const LabelledKernel& labelled, Form form) {
  if (!labelled.is_recorded) return Decided(labelled.kernel, labelled.device, form).verdict;
  const std::optional<KernelReport>& recorded =
      form == Form::kAll ? labelled.with_all : labelled.with_default;
  return recorded ? std::optional<Verdict>(recorded->verdict) : std::nullopt;
}

void JudgePairs(const Label& label, const Verdict& verdict, Answer* answer) {
  for (const MeasuredPair& pair : label.pairs) {
    for (const Action& action : verdict.actions) {
      if (IsChange(action.id, pair.action, pair.same))
        answer->tried.push_back({&pair, action.gain_at_most});
    }
  }
  if (verdict.actions.empty()) return;
  const std::string& first = verdict.actions.front().id;
  const bool was_tried = std::any_of(
      label.pairs.begin(), label.pairs.end(),
      [&](const MeasuredPair& pair) { return IsChange(first, pair.action, pair.same); });
  if (!was_tried) answer->first_untried = first;
}

void CountTried(const Answer& answer, Evaluation* evaluation) {
  for (const TriedAction& one : answer.tried) {
    ++evaluation->tried;
    evaluation->helped += one.pair->low >= kHelps ? 1 : 0;
    evaluation->useless += one.pair->high < kUseless && one.pair->high > -kUseless ? 1 : 0;
    evaluation->slowed += one.pair->high <= -kUseless ? 1 : 0;
    evaluation->tried_exceeded += one.exceeded() ? 1 : 0;
  }
}

void AddLogRatios(const Answer& answer, std::vector<double>* ratios) {
  for (const TriedAction& one : answer.tried) {
    if (!one.pair->is_fix || one.pair->gain < kHelps) continue;
    if (one.at_most.value_or(0) > 0) {
      ratios->push_back(std::abs(std::log(*one.at_most / one.pair->gain)));
    }
  }
}

void Count(const Answer& answer, Evaluation* evaluation) {
  const Label& label = answer.labelled->label;
  evaluation->harmful += answer.harmful.empty() ? 0 : 1;
  evaluation->first_harms += answer.first_harms ? 1 : 0;
  evaluation->pairs += label.saves ? 1 : 0;
  evaluation->offered += answer.offered ? 1 : 0;
  evaluation->exceeded += answer.exceeded ? 1 : 0;
  CountTried(answer, evaluation);
  if (!answer.first_untried.empty()) ++evaluation->first_untried[answer.first_untried];
  if (label.limiters.empty()) return;
  const std::string limiter = prof::ToString(answer.verdict.limiter);
  const std::string truth = answer.first ? limiter : label.limiters.front();
  ++evaluation->confusion[{truth, limiter}];
}

}  // namespace

Rate MakeRate(int part, int all) {
  const analyzer::ShareInterval interval = analyzer::WilsonInterval(part, all);
  return {part, all, interval.low, interval.high};
}

Answer Judge(const LabelledKernel& labelled, const Verdict& verdict) {
  const Label& label = labelled.label;
  Answer answer;
  answer.labelled = &labelled;
  answer.verdict = verdict;
  answer.first = IsRight(label, verdict);
  answer.limiter_right = answer.first || Has(label.limiters, ToString(verdict.limiter));
  answer.among_two =
      answer.first || NextIsRight(label, verdict) || SecondActionHelps(label, verdict);
  answer.abstained = !verdict.decided;
  for (const Action& action : verdict.actions) {
    if (Has(label.harmful, action.id)) answer.harmful.push_back(action.id);
    answer.helps |= Has(label.helpful, action.id);
  }
  answer.first_harms = !verdict.actions.empty() && Has(label.harmful, verdict.actions.front().id);
  if (label.saves) JudgeGain(*label.saves, verdict, &answer);
  JudgePairs(label, verdict, &answer);
  return answer;
}

Evaluation Evaluate(const Zoo& zoo, Form form) {
  Evaluation evaluation;
  evaluation.form = form;
  int all = 0, first = 0, two = 0, limiter = 0, sure_limiter = 0;
  int helpful = 0, could_help = 0;
  std::map<Confidence, std::pair<int, int>> by_confidence;  // right, all
  std::vector<double> log_ratios;
  for (const LabelledKernel& labelled : zoo.kernels) {
    const std::optional<Verdict> verdict = VerdictOf(labelled, form);
    if (!verdict) {
      const bool was_recorded =
          form == Form::kAll ? labelled.all_was_recorded : labelled.default_was_recorded;
      if (was_recorded) ++evaluation.not_recorded;
      continue;
    }
    const Answer answer = Judge(labelled, *verdict);
    Count(answer, &evaluation);
    AddLogRatios(answer, &log_ratios);
    evaluation.answers.push_back(answer);
    if (labelled.label.limiters.empty() && labelled.label.rules.empty()) {
      ++evaluation.without_label;
      continue;
    }
    ++all;
    first += answer.first ? 1 : 0;
    two += answer.among_two ? 1 : 0;
    helpful += answer.helps ? 1 : 0;
    could_help += labelled.label.helpful.empty() ? 0 : 1;
    limiter += answer.limiter_right ? 1 : 0;
    const bool is_sure = verdict->confidence == Confidence::kHigh;
    sure_limiter += is_sure && answer.limiter_right ? 1 : 0;
    evaluation.abstained += answer.abstained ? 1 : 0;
    auto& [right, judged] = by_confidence[verdict->confidence];
    right += answer.first ? 1 : 0;
    ++judged;
  }
  evaluation.log_ratio = analyzer::Summarize(log_ratios.begin(), log_ratios.end());
  evaluation.top1 = MakeRate(first, all);
  evaluation.top2 = MakeRate(two, all);
  evaluation.helpful = MakeRate(helpful, could_help);
  for (const auto& [confidence, counts] : by_confidence) {
    evaluation.reliability[confidence] = MakeRate(counts.first, counts.second);
  }
  const auto [sure_and_right, sure] = by_confidence[Confidence::kHigh];
  evaluation.confident = MakeRate(sure_and_right, sure);
  evaluation.limiter = MakeRate(limiter, all);
  evaluation.confident_limiter = MakeRate(sure_limiter, sure);
  return evaluation;
}

}  // namespace prof::eval
