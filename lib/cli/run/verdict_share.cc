// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/verdict_share.h"

#include "lib/cli/base/child_answer.h"
#include "lib/report/base/kernel_text.h"
#include "lib/text/numbers.h"
#include "prof/analyzer.h"

namespace prof::cli {
namespace {

std::string ShareOf(const Report& report) {
  const bool was_measured = report.totals.samples > 0 || !report.continuous.empty();
  if (!was_measured || report.kernels.empty()) return "";
  return "verdicts for " + text::Percent(report.verdicts.share) + " of " +
         report::CoveredTime(report) + report::OfLongerRun(report);
}

}  // namespace

std::string VerdictShare(const std::string& path, int64_t limit_ms) {
  const auto share = [&] { return ShareOf(Analyze(Snapshot::FromFile(path))); };
  return ChildAnswer(share, limit_ms).value_or("");
}

}  // namespace prof::cli
