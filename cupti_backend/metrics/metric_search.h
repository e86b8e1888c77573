// SPDX-License-Identifier: Apache-2.0
//
// The metric search explains a metric's name that is not right, and finds near ones.
#ifndef PROF_CUPTI_BACKEND_METRICS_METRIC_SEARCH_H_
#define PROF_CUPTI_BACKEND_METRICS_METRIC_SEARCH_H_

#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_host.h"

namespace prof::cupti {

// Why CUPTI does not take `metric`, with the right names: "no such metric on GH100; nearest:
// dram__bytes_read, dram__bytes_write", or the suffixes that it can have. About 10 ms.
std::string ExplainName(const MetricHost& host, const std::string& metric);

// At most `count` of `names` that few changes of letters make `name`, best first.
std::vector<std::string> Nearest(const std::vector<std::string>& names, const std::string& name,
                                 size_t count);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRICS_METRIC_SEARCH_H_
