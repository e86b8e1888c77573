// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "lib/eval/describe.h"
#include "lib/text/numbers.h"

namespace prof::eval {
namespace {

using Answers = std::vector<const Answer*>;

bool HasLabel(const Answer& answer) {
  return !answer.labelled->label.limiters.empty() || !answer.labelled->label.rules.empty();
}

Answers OfHalf(const std::vector<Evaluation>& evaluations, Half half) {
  Answers answers;
  for (const Evaluation& evaluation : evaluations) {
    for (const Answer& answer : evaluation.answers) {
      const bool has_level = answer.verdict.confidence != Confidence::kNone;
      if (has_level && HasLabel(answer) && HalfOf(*answer.labelled) == half) {
        answers.push_back(&answer);
      }
    }
  }
  return answers;
}

bool Has(const Answer& answer, const std::string& doubt) {
  return std::any_of(answer.verdict.doubts.begin(), answer.verdict.doubts.end(),
                     [&](const prof::Doubt& one) { return one.id == doubt; });
}

Rate RateOf(const Answers& answers) {
  const auto right = std::count_if(answers.begin(), answers.end(),
                                   [](const Answer* answer) { return answer->first; });
  return MakeRate(static_cast<int>(right), static_cast<int>(answers.size()));
}

std::map<Confidence, Rate> ByLevel(const Answers& answers) {
  std::map<Confidence, Answers> levels;
  for (const Answer* answer : answers) levels[answer->verdict.confidence].push_back(answer);
  std::map<Confidence, Rate> rates;
  for (const auto& [level, of_level] : levels) rates[level] = RateOf(of_level);
  return rates;
}

std::map<std::string, Rate> ByDoubt(const Answers& answers) {
  std::map<std::string, Answers> doubts;
  for (const Answer* answer : answers) {
    for (const prof::Doubt& doubt : answer->verdict.doubts) doubts[doubt.id].push_back(answer);
  }
  std::map<std::string, Rate> rates;
  for (const auto& [id, of_doubt] : doubts) rates[id] = RateOf(of_doubt);
  return rates;
}

double Share(const Rate& rate) {
  return rate.all == 0 ? 1 : static_cast<double>(rate.part) / rate.all;
}

std::vector<std::string> GraveOf(Answers answers) {
  std::vector<std::string> grave;
  while (true) {
    const std::map<std::string, Rate> rates = ByDoubt(answers);
    const std::pair<const std::string, Rate>* worst = nullptr;
    for (const auto& one : rates) {
      const int wrong = one.second.all - one.second.part;
      if (wrong < kFewestWrong || Share(one.second) >= kGraveBelow) continue;
      if (worst == nullptr || Share(one.second) < Share(worst->second)) worst = &one;
    }
    if (worst == nullptr) return grave;
    grave.push_back(worst->first);
    answers.erase(std::remove_if(answers.begin(), answers.end(),
                                 [&](const Answer* answer) { return Has(*answer, grave.back()); }),
                  answers.end());
  }
}

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// A line of the diagram: a bar of 25 signs for 0 to 100 %. `goal` 0: it has none.
std::string Line(const char* level, const char* half, const Rate& rate, double goal) {
  constexpr size_t kSigns = 25;
  const auto signs = static_cast<size_t>(std::lround(Share(rate) * kSigns));
  return "  " + Padded(level, 7) + Padded(half, 12) + Padded(std::string(signs, '#'), kSigns + 1) +
         std::to_string(rate.part) + " of " + std::to_string(rate.all) + " (" +
         text::Fixed(100 * Share(rate), 0) + " %; 95 %: " + text::Fixed(100 * rate.low, 0) +
         " to " + text::Fixed(100 * rate.high, 0) + " %)" + Shown(rate, goal) + "\n";
}

}  // namespace

Half HalfOf(const LabelledKernel& labelled) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char sign : labelled.family.empty() ? labelled.kernel.name : labelled.family) {
    hash = (hash ^ static_cast<unsigned char>(sign)) * 0x100000001b3;
  }
  return (hash >> 32U) % 2 == 0 ? Half::kCalibration : Half::kCheck;
}

Calibration Calibrate(const std::vector<Evaluation>& evaluations) {
  const Answers first = OfHalf(evaluations, Half::kCalibration);
  return {ByLevel(first), ByLevel(OfHalf(evaluations, Half::kCheck)), ByDoubt(first),
          GraveOf(first)};
}

std::string Describe(const Calibration& calibration) {
  std::string text = "right, by confidence and half of the families\n";
  for (const Confidence level : {Confidence::kHigh, Confidence::kMedium, Confidence::kLow}) {
    const auto one = calibration.calibration.find(level);
    const auto other = calibration.check.find(level);
    const char* const name = prof::ToString(level);
    const double goal = level == Confidence::kHigh ? kHighIsRight : 0;
    if (one != calibration.calibration.end()) text += Line(name, "calibration", one->second, goal);
    if (other != calibration.check.end()) text += Line(name, "check", other->second, goal);
  }
  text += "right with a doubt, in the calibration half\n";
  for (const auto& [id, rate] : calibration.doubts) {
    const bool is_grave = std::find(calibration.grave.begin(), calibration.grave.end(), id) !=
                          calibration.grave.end();
    text += "  " + Padded(id, 20) + std::to_string(rate.part) + " of " + std::to_string(rate.all) +
            (is_grave ? ", grave\n" : "\n");
  }
  return text;
}

}  // namespace prof::eval
