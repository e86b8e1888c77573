// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/other_work.h"

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/format/triage_metrics.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {

std::string OtherWork::Describe() const {
  return "SMs of device " + std::to_string(device) + " were active for " + text::Percent(active) +
         " +-" + text::Percent(error) +
         " of the time in which nothing of this recording ran (PM samples of " +
         text::Time(seconds * 1e9) + ")";
}

std::optional<OtherWork> FindOtherWork(const model::Model& model, uint32_t device,
                                       const ContinuousValues& idle) {
  if (RecordsLost(model) || !model.pauses.empty()) return std::nullopt;
  for (const auto& [metric, value] : idle) {
    const format::TriageMetric* const triage = format::FindTriageMetric(metric);
    if (triage == nullptr || triage->unit != format::TriageUnit::kSmActive || !value.value) {
      continue;
    }
    if (value.seconds < kLeastIdleSeconds) return std::nullopt;
    const OtherWork work = {device, *value.value / 100, value.error / 100, value.seconds};
    if (work.active - work.error < kOtherWork) return std::nullopt;
    return work;
  }
  return std::nullopt;
}

}  // namespace prof::analyzer
