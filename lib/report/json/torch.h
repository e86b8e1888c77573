// SPDX-License-Identifier: Apache-2.0
//
// The ops of PyTorch as JSON.
#ifndef PROF_LIB_REPORT_JSON_TORCH_H_
#define PROF_LIB_REPORT_JSON_TORCH_H_

#include "lib/report/json/values.h"
#include "prof/torch_report.h"

namespace prof {

[[nodiscard]] Json ToJson(const LimiterTime& value);
[[nodiscard]] Json ToJson(const TorchOp& value);
[[nodiscard]] Json ToJson(const TorchRange& value);
[[nodiscard]] Json ToJson(const TorchReport& value);  // null where no op was recorded

}  // namespace prof

#endif  // PROF_LIB_REPORT_JSON_TORCH_H_
