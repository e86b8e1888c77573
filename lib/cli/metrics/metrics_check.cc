// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/metrics/metrics_check.h"

#include <cstdint>
#include <optional>

#include "lib/cli/base/child_answer.h"
#include "lib/cli/metrics/metrics_cupti.h"
#include "lib/text/strings.h"

namespace prof::cli {
namespace {

constexpr int64_t kPatienceMs = 10'000;  // a GPU that nobody uses takes seconds to wake up
constexpr char kProblem = 'p';           // in a child's answer, before the text
constexpr char kNotChecked = 'n';

std::string TextOf(const MetricsCheck& check) {
  return check.problem.empty() ? kNotChecked + check.not_checked : kProblem + check.problem;
}

}  // namespace

MetricsCheck CheckOf(const cupti::CatalogueAnswer& answer) {
  MetricsCheck check;
  if (!answer.error.empty()) {
    check.not_checked = answer.error;
  } else if (text::StartsWith(answer.chip_source, "assumed: ")) {
    check.not_checked = answer.chip_source.substr(std::string("assumed: ").size());
  } else {
    check.problem = text::Join(answer.left_out, "; ");
  }
  return check;
}

MetricsCheck CheckMetrics(const std::vector<std::string>& metrics) {
  const auto ask = [&] {
    cupti::CatalogueQuestion question;
    question.metrics = metrics;
    return TextOf(CheckOf(AskCupti(question)));
  };
  const std::optional<std::string> text = ChildAnswer(ask, kPatienceMs);
  if (!text || text->empty()) return {"", "CUPTI did not answer"};
  return text->front() == kProblem ? MetricsCheck{text->substr(1), ""}
                                   : MetricsCheck{"", text->substr(1)};
}

}  // namespace prof::cli
