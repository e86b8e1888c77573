// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_continuous.h"

#include <optional>
#include <string>
#include <utility>

#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/continuous/continuous.h"
#include "lib/text/metric_names.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {

bool ContinuousDramBound(const RuleInputs& inputs) {
  if (inputs.measured || inputs.duration_ns < kLaunchSizedNs) return false;
  const std::optional<ContinuousDram> dram = FindContinuousDram(inputs.kernel->continuous);
  return dram && dram->percent - dram->error >= 100 * kSaturated;
}

void FillContinuousDram(const RuleInputs& inputs, Verdict* verdict) {
  const ContinuousDram dram = *FindContinuousDram(inputs.kernel->continuous);
  const double least = (dram.percent - dram.error) / 100;
  verdict->summary = "Limited by DRAM at " + text::Fixed(dram.percent, 1) + " +-" +
                     text::Fixed(dram.error, 1) +
                     " % of its peak, by samples of the whole GPU while it ran.";
  AddContinuous(inputs, verdict);
  verdict->action =
      "Move fewer bytes: fuse with the neighbouring kernels, use a smaller type, reuse data from "
      "cache or shared memory.";
  verdict->gain_at_most = 1 - least / kDramCeiling;
  verdict->gain_formula = "1 - " + text::Fixed(least, 3) + " / " + text::Fixed(kDramCeiling, 2) +
                          " (more of the DRAM's peak than that is not expected, and it may be at "
                          "the lower end of the error bound)";
  verdict->confidence = Confidence::kMedium;
  verdict->missing = "counters of this kernel: the use of the other units, its traffic and stalls";
}

void AddContinuous(const RuleInputs& inputs, Verdict* verdict) {
  for (const auto& [metric, value] : inputs.kernel->continuous) {
    std::string line = metric;
    if (value.value) {
      line += " " + text::Fixed(*value.value, 1) + " +-" + text::Fixed(value.error, 1);
      line += text::IsPercentMetric(metric) ? " %" : "";
      line += " while it ran (PM samples, " + text::Time(value.seconds * 1e9) + " of it)";
    } else {
      line += ": no value from PM samples, " + value.missing;
    }
    verdict->evidence.push_back(std::move(line));
  }
}

}  // namespace prof::analyzer
