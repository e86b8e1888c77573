// SPDX-License-Identifier: Apache-2.0
//
// The possible options are a recording's options without what the loaded CUPTI has no API for, and
// the words for what is missing.
#ifndef PROF_CUPTI_BACKEND_POSSIBLE_OPTIONS_H_
#define PROF_CUPTI_BACKEND_POSSIBLE_OPTIONS_H_

#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "lib/capture/events/events.h"
#include "prof/session.h"

namespace prof::cupti {

struct PossibleOptions {
  SessionOptions options;
  // kUnavailable where they were wanted and are not possible; else kOff, and their part says more.
  SubsystemStatus counters, continuous;
  std::vector<capture::NoticeEvent> notices;  // what else this CUPTI does not do
};
[[nodiscard]] PossibleOptions WhatIsPossible(const CuptiApi& api, const SessionOptions& wanted);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_POSSIBLE_OPTIONS_H_
