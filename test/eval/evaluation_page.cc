// SPDX-License-Identifier: Apache-2.0
#include "test/eval/evaluation_page.h"

#include <cstdint>
#include <fstream>
#include <sstream>

#include "lib/eval/calibration.h"
#include "lib/eval/describe.h"
#include "lib/eval/describe_timelines.h"
#include "lib/eval/recorded_timelines.h"
#include "lib/eval/score.h"
#include "lib/eval/zoo.h"
#include "test/eval/simulated_timelines.h"

namespace prof::eval {
namespace {

constexpr uint32_t kSeeds = 2;  // as the page has it

}  // namespace

std::string WithTodaysResults(const std::string& page, const std::string& data) {
  const Zoo known = ReadZoo(data + "/zoo"), recorded = ReadZoo(data + "/zoo_h200"),
            before = ReadZoo(data + "/zoo_h200_calibration"), h100 = ReadZoo(data + "/zoo_h100");
  const auto both_forms = [](const Zoo& zoo) {
    return "```text\n" + zoo.error + Describe(Evaluate(zoo, Form::kAll)) + "\n" +
           Describe(Evaluate(zoo, Form::kDefault)) + "```\n";
  };
  const std::string calibration =
      "```text\n" +
      Describe(Calibrate({Evaluate(known, Form::kAll), Evaluate(known, Form::kDefault),
                          Evaluate(before, Form::kAll), Evaluate(before, Form::kDefault),
                          Evaluate(h100, Form::kAll), Evaluate(h100, Form::kDefault)})) +
      "```\n";
  std::string filled = WithText(page, "results", both_forms(known));
  filled = WithText(filled, "recorded results", both_forms(recorded));
  filled = WithText(filled, "h100 results", both_forms(h100));
  filled = WithText(filled, "simulated timelines",
                    "```text\n" + DescribeTimelines(SimulatedTimelines(kSeeds)) + "```\n");
  filled =
      WithText(filled, "recorded timelines",
               "```text\n" + DescribeTimelines(ReadTimelines(data + "/timelines_h200")) + "```\n");
  return WithText(filled, "calibration", calibration);
}

std::string WithText(const std::string& page, const std::string& name, const std::string& text) {
  const std::string begin = "<!-- begin " + name + " -->\n", end = "<!-- end " + name + " -->";
  const size_t from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos) return page;
  return page.substr(0, from + begin.size()) + text + page.substr(to);
}

std::string ReadEvaluationPage(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace prof::eval
