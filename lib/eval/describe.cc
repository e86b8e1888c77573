// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/describe.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::eval {
namespace {

std::string Percent(double share) { return text::Fixed(100 * share, 0); }

std::string Misses(const Evaluation& evaluation) {
  std::string text;
  for (const Answer& answer : evaluation.answers) {
    const Label& label = answer.labelled->label;
    if (answer.first || (label.limiters.empty() && label.rules.empty())) continue;
    const std::vector<std::string>& wanted = label.rules.empty() ? label.limiters : label.rules;
    text += "  " + NameOf(*answer.labelled) + ": " + text::Join(wanted, " or ") + " expected, " +
            prof::ToString(answer.verdict.limiter) + " (" + answer.verdict.rule + ", confidence " +
            prof::ToString(answer.verdict.confidence) + ")";
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
    text += "  " + NameOf(*answer.labelled) + ": " + text::Join(answer.harmful, ", ") + "\n";
  }
  return text;
}

// Nobody knows whether these help. The ids of most kernels come first.
std::string Untried(const Evaluation& evaluation) {
  std::vector<std::pair<std::string, int>> ids(evaluation.first_untried.begin(),
                                               evaluation.first_untried.end());
  std::stable_sort(ids.begin(), ids.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  int kernels = 0;
  std::vector<std::string> counts;
  for (const auto& [id, count] : ids) {
    kernels += count;
    counts.push_back(id + " " + std::to_string(count));
  }
  std::string line =
      "offered first, never tried: " + std::to_string(kernels) + " of " +
      text::Plural(static_cast<double>(evaluation.answers.size()), "kernel", "kernels");
  if (kernels > 0) line += " (" + text::Join(counts, ", ") + ")";
  return line + "\n";
}

// Interventions alone have them: a zoo of known kernels has no such lines.
std::string Tried(const Evaluation& evaluation) {
  if (evaluation.tried == 0) return "";
  std::string text = "actions that were tried: " + std::to_string(evaluation.tried) + " offered; " +
                     std::to_string(evaluation.helped) + " gained " + text::Percent(kHelps) +
                     " or more, " + std::to_string(evaluation.useless) + " nothing, " +
                     std::to_string(evaluation.slowed) + " made it slower; " +
                     std::to_string(evaluation.tried_exceeded) + " gained more than \"at most\"\n" +
                     Untried(evaluation);
  for (const Answer& answer : evaluation.answers) {
    for (const TriedAction& one : answer.tried) {
      if (!one.exceeded() && one.pair->high >= kUseless) continue;
      text += "  " + NameOf(*answer.labelled) + ", " + one.pair->action + ": " +
              (one.at_most ? "at most " + text::Percent(*one.at_most) : "no bound known") +
              "; measured " + text::Percent(one.pair->gain) +
              " (95 %: " + text::Percent(one.pair->low) + " to " + text::Percent(one.pair->high) +
              ")\n";
    }
  }
  return text;
}

std::string Reliability(const Evaluation& evaluation) {
  std::string text;
  for (const auto& [confidence, rate] : evaluation.reliability) {
    if (confidence == Confidence::kHigh) continue;
    text +=
        RateLine(std::string("right where the confidence is ") + prof::ToString(confidence), rate);
  }
  return text;
}

std::string Missing(const Evaluation& evaluation) {
  std::string text;
  if (evaluation.not_recorded > 0) {
    text += "not in the recordings: " + std::to_string(evaluation.not_recorded) + "\n";
  }
  if (evaluation.without_label > 0) {
    text += "without a label, because no dose had an effect: " +
            std::to_string(evaluation.without_label) + "\n";
  }
  return text;
}

const Action* Offered(const Answer& answer, const KnownGain& gain) {
  const Action* last = nullptr;
  for (const Action& action : answer.verdict.actions) {
    if (IsChange(action.id, gain.action, gain.same)) last = &action;
  }
  return last;
}

std::string Listed(const char* what, const std::vector<std::string>& names) {
  return names.empty() ? "" : std::string("  ") + what + ": " + text::Join(names, ", ") + "\n";
}

// A line for each gain whose action has a bound. The others are named.
std::string Gains(const Evaluation& evaluation) {
  std::string text;
  std::vector<std::string> unbounded, not_offered;
  for (const Answer& answer : evaluation.answers) {
    const std::optional<KnownGain>& gain = answer.labelled->label.saves;
    if (!gain) continue;
    const Action* const action = Offered(answer, *gain);
    const std::string name = NameOf(*answer.labelled) + " " + gain->action;
    if (action == nullptr) {
      not_offered.push_back(name);
    } else if (!action->gain_at_most) {
      unbounded.push_back(name);
    } else {
      text += "  " + name + ": at most " + text::Percent(*action->gain_at_most) + ", known " +
              text::Percent(gain->part) + "\n";
    }
  }
  return text + Listed("offered without a bound", unbounded) + Listed("not offered", not_offered);
}

std::string LogRatio(const Evaluation& evaluation) {
  const Statistic& ratio = evaluation.log_ratio;
  if (ratio.n == 0) return "";
  return "median |log(at most / gained)|: " + text::Fixed(ratio.median, 2) + ", a factor of " +
         text::Fixed(std::exp(ratio.median), 2) + ", over " +
         text::Plural(ratio.n, "fix", "fixes") + " with a bound\n";
}

// A line for each label.
std::string Confusion(const Evaluation& evaluation) {
  std::map<std::string, std::vector<std::string>> lines;
  for (const auto& [cell, count] : evaluation.confusion) {
    lines[cell.first].push_back(cell.second + " " + std::to_string(count));
  }
  std::string text = lines.empty() ? "" : "label -> verdicts:\n";
  for (const auto& [label, verdicts] : lines) {
    text += "  " + label + " -> " + text::Join(verdicts, ", ") + "\n";
  }
  return text;
}

}  // namespace

std::string Shown(const Rate& rate, double goal) {
  if (!(goal > 0)) return "";
  return ", " + Percent(goal) + " % is " + (rate.low >= goal ? "shown" : "not shown");
}

std::string RateLine(const std::string& what, const Rate& rate, double goal) {
  std::string line = what + ": " + std::to_string(rate.part) + " of " + std::to_string(rate.all);
  if (rate.all == 0) return line + Shown(rate, goal) + "\n";
  return line + " (" + Percent(static_cast<double>(rate.part) / rate.all) +
         " %; 95 %: " + Percent(rate.low) + " to " + Percent(rate.high) + " %)" +
         Shown(rate, goal) + "\n";
}

std::string NameOf(const LabelledKernel& labelled) {
  const std::string& name = labelled.kernel.name;
  return labelled.family.empty() ? name : name + " (" + labelled.family + ")";
}

std::string Describe(const Evaluation& evaluation) {
  std::string text = std::string("with ") + ToString(evaluation.form) + "\n";
  text += RateLine("right", evaluation.top1);
  text += RateLine("right among the first two", evaluation.top2);
  text += RateLine("with an action that helps, where one is known", evaluation.helpful);
  text += RateLine("right where the confidence is high", evaluation.confident, kHighIsRight);
  text += Reliability(evaluation);
  text += RateLine("with the right limiter", evaluation.limiter);
  text +=
      RateLine("with the right limiter where the confidence is high", evaluation.confident_limiter);
  text += Missing(evaluation);
  text +=
      "with an action that costs work and gains nothing: " + std::to_string(evaluation.harmful) +
      "; it comes first in " + std::to_string(evaluation.first_harms) + "\n";
  text += Harm(evaluation) + Tried(evaluation);
  text += "known gains above \"at most\": " + std::to_string(evaluation.exceeded) + " of " +
          std::to_string(evaluation.offered) + " that were offered, of " +
          std::to_string(evaluation.pairs) + "\n";
  return text + Gains(evaluation) + LogRatio(evaluation) + Misses(evaluation) +
         Confusion(evaluation);
}

}  // namespace prof::eval
