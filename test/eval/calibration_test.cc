// SPDX-License-Identifier: Apache-2.0
//
// The levels of confidence on two halves of the labelled families.
#include "lib/eval/calibration.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/eval/zoo.h"
#include "test/support/catch.h"

namespace prof::eval::calibration_test {
namespace {

// A name that the hash puts into `half`.
std::string NameIn(Half half, int number) {
  for (int i = 0;; ++i) {
    LabelledKernel kernel;
    kernel.family = "family " + std::to_string(number) + "." + std::to_string(i);
    if (HalfOf(kernel) == half) return kernel.family;
  }
}

struct Made {
  std::deque<LabelledKernel> kernels;
  Evaluation evaluation;

  void Add(Half half, bool right, Confidence confidence, const std::vector<std::string>& doubts) {
    LabelledKernel& kernel = kernels.emplace_back();
    kernel.family = NameIn(half, static_cast<int>(kernels.size()));
    kernel.label.limiters = {"dram"};
    Answer answer;
    answer.labelled = &kernel;
    answer.first = right;
    answer.verdict.confidence = confidence;
    for (const std::string& id : doubts) answer.verdict.doubts.push_back({id, id});
    evaluation.answers.push_back(answer);
  }
};

TEST_CASE("A doubt is grave where too few verdicts with it are right, the worst one first") {
  Made made;
  for (int i = 0; i < 2; ++i)
    made.Add(Half::kCalibration, false, Confidence::kLow, {"bad", "beside"});
  for (int i = 0; i < 8; ++i) made.Add(Half::kCalibration, true, Confidence::kLow, {"beside"});
  made.Add(Half::kCalibration, false, Confidence::kLow, {"alone"});
  for (const bool right : {true, false}) {
    made.Add(Half::kCalibration, right, Confidence::kLow, {"one wrong"});
  }
  for (int i = 0; i < 9; ++i)
    made.Add(Half::kCheck, false, Confidence::kLow, {"of the other half"});
  const Calibration calibration = Calibrate({made.evaluation});
  // "beside" has 8 of 10; without those that "bad" explains it has 8 of 8.
  CHECK(calibration.grave == std::vector<std::string>{"bad"});
  CHECK(calibration.doubts.at("beside").part == 8);
  CHECK(calibration.doubts.at("beside").all == 10);
  CHECK(calibration.doubts.count("of the other half") == 0);
}

TEST_CASE("The halves count apart, and what has no level or no label does not count") {
  Made made;
  made.Add(Half::kCalibration, true, Confidence::kHigh, {});
  made.Add(Half::kCheck, false, Confidence::kHigh, {});
  made.Add(Half::kCheck, false, Confidence::kNone, {});
  made.Add(Half::kCheck, true, Confidence::kMedium, {"some"});
  made.kernels.back().label.limiters.clear();
  const Calibration calibration = Calibrate({made.evaluation});
  CHECK(calibration.calibration.at(Confidence::kHigh).part == 1);
  CHECK(calibration.check.at(Confidence::kHigh).all == 1);
  CHECK(calibration.check.count(Confidence::kNone) == 0);
  CHECK(calibration.check.count(Confidence::kMedium) == 0);
  const std::string text = Describe(calibration);
  CAPTURE(text);
  CHECK(text.find("  high   calibration ######################### 1 of 1 (100 %") !=
        std::string::npos);
  CHECK(text.find("  high   check                                 0 of 1 (0 %") !=
        std::string::npos);
}

#if !defined(PROF_SANITIZED)  // it analyzes all of the zoo, which takes half a minute then
// In both forms.
Calibration CalibrateFolders(const std::vector<std::string>& folders) {
  std::deque<Zoo> zoos;
  std::vector<Evaluation> evaluations;
  for (const std::string& folder : folders) {
    zoos.push_back(ReadZoo(PROF_TEST_DATA + folder));
    REQUIRE(zoos.back().error.empty());
    for (const Form form : {Form::kAll, Form::kDefault}) {
      evaluations.push_back(Evaluate(zoos.back(), form));
    }
  }
  return Calibrate(evaluations);
}

TEST_CASE("Confidence keeps what it promises on a draw that came after its levels were set") {
  const Calibration drawn = CalibrateFolders({"/zoo_h200"});
  CAPTURE(Describe(drawn));
  for (const auto* const half : {&drawn.calibration, &drawn.check}) {
    const Rate& high = half->at(Confidence::kHigh);
    CHECK(high.all >= 50);
    CHECK(high.part >= 0.98 * high.all);
    const Rate& medium = half->at(Confidence::kMedium);
    CHECK(medium.all >= 20);
    CHECK(medium.part >= 0.9 * medium.all);
  }
}

TEST_CASE("Confidence keeps what it promises on families that did not set its levels") {
  const Calibration calibration = CalibrateFolders({"/zoo", "/zoo_h200_calibration", "/zoo_h100"});
  CAPTURE(Describe(calibration));
  const auto share = [&](Confidence level) {
    const Rate& rate = calibration.check.at(level);
    return static_cast<double>(rate.part) / rate.all;
  };
  CHECK(calibration.check.at(Confidence::kHigh).all >= 50);
  CHECK(share(Confidence::kHigh) >= 0.98);
  CHECK(share(Confidence::kMedium) >= 0.9);
  CHECK(share(Confidence::kLow) < share(Confidence::kMedium));

  // The table of doubts weighs as the calibration half says.
  for (const analyzer::DoubtRow& row : analyzer::DoubtRows()) {
    const std::string id(row.id);
    CAPTURE(id);
    const bool is_picked = std::find(calibration.grave.begin(), calibration.grave.end(), id) !=
                           calibration.grave.end();
    const bool is_calibrated = row.when.find("(calibrated)") != std::string_view::npos;
    CHECK(is_picked == is_calibrated);
    if (is_calibrated) CHECK(row.is_grave);
  }
}
#endif

}  // namespace
}  // namespace prof::eval::calibration_test
