// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/score.h"

#include <algorithm>
#include <cmath>

#include "lib/analyzer/kernels/unit_metrics.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::eval {
namespace {

constexpr double kNormal95 = 1.96;

bool Has(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool IsRight(const Label& label, const Verdict& verdict) {
  if (!label.rules.empty()) return Has(label.rules, verdict.rule);
  return Has(label.limiters, ToString(verdict.limiter));
}

// The runner-up starts with the name of its unit.
bool NextIsRight(const Label& label, const Verdict& verdict) {
  if (!label.rules.empty()) return false;
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
    if (action.id != gain.action) continue;
    answer->offered = true;
    answer->exceeded = action.gain_at_most && *action.gain_at_most < gain.part;
  }
}

void Count(const Answer& answer, Evaluation* evaluation) {
  const Label& label = answer.labelled->label;
  evaluation->harmful += answer.harmful.empty() ? 0 : 1;
  evaluation->pairs += label.saves ? 1 : 0;
  evaluation->offered += answer.offered ? 1 : 0;
  evaluation->exceeded += answer.exceeded ? 1 : 0;
  const std::string limiter = prof::ToString(answer.verdict.limiter);
  const std::string truth =
      answer.first || label.limiters.empty() ? limiter : label.limiters.front();
  ++evaluation->confusion[{truth, limiter}];
}

std::string Percent(double share) { return text::Fixed(100 * share, 0); }

std::string Line(const std::string& what, const Rate& rate) {
  std::string line = what + ": " + std::to_string(rate.part) + " of " + std::to_string(rate.all);
  if (rate.all == 0) return line + "\n";
  return line + " (" + Percent(static_cast<double>(rate.part) / rate.all) +
         " %; 95 %: " + Percent(rate.low) + " to " + Percent(rate.high) + " %)\n";
}

std::string Misses(const Evaluation& evaluation) {
  std::string text;
  for (const Answer& answer : evaluation.answers) {
    if (answer.first) continue;
    const Label& label = answer.labelled->label;
    const std::vector<std::string>& wanted = label.rules.empty() ? label.limiters : label.rules;
    text += "  " + answer.labelled->kernel.name + ": " + text::Join(wanted, " or ") +
            " expected, " + prof::ToString(answer.verdict.limiter) + " (" + answer.verdict.rule +
            ", confidence " + prof::ToString(answer.verdict.confidence) + ")";
    text += answer.among_two ? ", right at the second place" : "";
    if (!label.why.empty()) text += ". " + label.why;
    text += "\n";
  }
  return text.empty() ? "" : "misses:\n" + text;
}

std::string Harm(const Evaluation& evaluation) {
  std::string text;
  for (const Answer& answer : evaluation.answers) {
    if (answer.harmful.empty()) continue;
    text += "  " + answer.labelled->kernel.name + ": " + text::Join(answer.harmful, ", ") + "\n";
  }
  return text;
}

std::string Gains(const Evaluation& evaluation) {
  std::string text;
  for (const Answer& answer : evaluation.answers) {
    const std::optional<KnownGain>& gain = answer.labelled->label.saves;
    if (!gain) continue;
    std::string bound = "not offered";
    for (const Action& action : answer.verdict.actions) {
      if (action.id != gain->action) continue;
      bound =
          action.gain_at_most ? "at most " + text::Percent(*action.gain_at_most) : "no bound known";
    }
    text += "  " + answer.labelled->kernel.name + ", " + gain->action + ": " + bound + "; known " +
            text::Percent(gain->part) + " (" + gain->source + ")\n";
  }
  return text;
}

std::string Confusion(const Evaluation& evaluation) {
  std::string text = "label -> verdict, where they differ:\n";
  const size_t start = text.size();
  for (const auto& [cell, count] : evaluation.confusion) {
    if (cell.first == cell.second) continue;
    text += "  " + cell.first + " -> " + cell.second + ": " + std::to_string(count) + "\n";
  }
  return text.size() == start ? "" : text;
}

}  // namespace

Rate MakeRate(int part, int all) {
  Rate rate{part, all, 0, 1};
  if (all <= 0) return rate;
  const double n = all, p = part / n, z2 = kNormal95 * kNormal95;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormal95 * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
  rate.low = std::max(0.0, middle - half);
  rate.high = std::min(1.0, middle + half);
  return rate;
}

Answer Judge(const LabelledKernel& labelled, const Verdict& verdict) {
  const Label& label = labelled.label;
  Answer answer;
  answer.labelled = &labelled;
  answer.verdict = verdict;
  answer.first = IsRight(label, verdict);
  answer.among_two =
      answer.first || NextIsRight(label, verdict) || SecondActionHelps(label, verdict);
  answer.abstained = !verdict.decided;
  for (const Action& action : verdict.actions) {
    if (Has(label.harmful, action.id)) answer.harmful.push_back(action.id);
    answer.helps |= Has(label.helpful, action.id);
  }
  if (label.saves) JudgeGain(*label.saves, verdict, &answer);
  return answer;
}

Evaluation Evaluate(const Zoo& zoo, Form form) {
  Evaluation evaluation;
  evaluation.form = form;
  int first = 0, two = 0, helpful = 0, sure = 0, sure_and_right = 0;
  for (const LabelledKernel& labelled : zoo.kernels) {
    const KernelReport kernel = Decided(labelled.kernel, labelled.device, form);
    const Answer answer = Judge(labelled, kernel.verdict);
    first += answer.first ? 1 : 0;
    two += answer.among_two ? 1 : 0;
    helpful += answer.helps ? 1 : 0;
    const bool is_sure = kernel.verdict.confidence == Confidence::kHigh;
    sure += is_sure ? 1 : 0;
    sure_and_right += is_sure && answer.first ? 1 : 0;
    Count(answer, &evaluation);
    evaluation.answers.push_back(answer);
  }
  const int all = static_cast<int>(evaluation.answers.size());
  evaluation.top1 = MakeRate(first, all);
  evaluation.top2 = MakeRate(two, all);
  evaluation.helpful = MakeRate(helpful, all);
  evaluation.confident = MakeRate(sure_and_right, sure);
  return evaluation;
}

std::string Describe(const Evaluation& evaluation) {
  std::string text = std::string("with ") + ToString(evaluation.form) + "\n";
  text += Line("right", evaluation.top1);
  text += Line("right among the first two", evaluation.top2);
  text += Line("with an action that helps", evaluation.helpful);
  text += Line("right where the confidence is high", evaluation.confident);
  text += "with an action that harms: " + std::to_string(evaluation.harmful) + "\n";
  text += Harm(evaluation);
  text += "known gains above \"at most\": " + std::to_string(evaluation.exceeded) + " of " +
          std::to_string(evaluation.offered) + " that were offered, of " +
          std::to_string(evaluation.pairs) + "\n";
  return text + Gains(evaluation) + Misses(evaluation) + Confusion(evaluation);
}

}  // namespace prof::eval
