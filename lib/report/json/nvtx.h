// SPDX-License-Identifier: Apache-2.0
//
// What the program named by NVTX as JSON: annotations, threads, streams.
#ifndef PROF_LIB_REPORT_JSON_NVTX_H_
#define PROF_LIB_REPORT_JSON_NVTX_H_

#include "lib/report/json/values.h"
#include "prof/report.h"

namespace prof {

[[nodiscard]] Json ToJson(const AnnotationReport& value);
[[nodiscard]] Json ToJson(const NamedThread& value);
[[nodiscard]] Json ToJson(const NamedStream& value);
[[nodiscard]] Json ToJson(const NvtxReport& value);

}  // namespace prof

#endif  // PROF_LIB_REPORT_JSON_NVTX_H_
