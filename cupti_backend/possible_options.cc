// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/possible_options.h"

#include <string>
#include <utility>

#include "cupti_backend/api/cupti_versions.h"
#include "cupti_backend/api/problem.h"
#include "lib/format/cupti_version.h"

namespace prof::cupti {
namespace {

SubsystemStatus Unavailable(Problem problem) {
  return {State::kUnavailable, problem.code, std::move(problem.what), std::move(problem.fix)};
}

capture::NoticeEvent Notice(std::string what, std::string fix) {
  return {capture::Severity::kInfo, capture::Subsystem::kTimeline, 0, std::move(what),
          std::move(fix)};
}

}  // namespace

PossibleOptions WhatIsPossible(const CuptiApi& api, const SessionOptions& wanted) {
  PossibleOptions possible;
  possible.options = wanted;
  SessionOptions& options = possible.options;
  const bool counts = options.counters != Counters::kNone || !options.metrics.empty();
  if (counts && !(api.Has(Feature::kMetrics) && api.Has(Feature::kRanges))) {
    options.counters = Counters::kNone;
    options.metrics.clear();
    possible.counters = Unavailable(MissingFeature(api, Feature::kRanges));
  }
  if (options.continuous && !(api.Has(Feature::kMetrics) && api.Has(Feature::kPmSampling))) {
    options.continuous = false;
    possible.continuous = Unavailable(MissingFeature(api, Feature::kPmSampling));
  }
  if (!api.also.empty()) {
    possible.notices.push_back(
        Notice("this process has more than one CUPTI library: prof uses " + api.path + ", not " +
                   api.also + "; work that another tool sees through another one may be missing",
               "take one of them off LD_LIBRARY_PATH"));
  }
  if (api.version < kCupti13) {
    possible.notices.push_back(Notice(
        "CUPTI " + format::CuptiVersion(api.version) +
            " does not show whether another profiler in this process takes its records: only "
            "torch.profiler is noticed, by what PyTorch says of it",
        "use one of the two at a time"));
  }
  return possible;
}

}  // namespace prof::cupti
