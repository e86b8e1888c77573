// SPDX-License-Identifier: Apache-2.0
//
// The throughput parts are the metrics that a throughput is the maximum of. CUPTI's host functions
// do not give them; the library below them (libnvperf_host.so, in the folder of libcupti) does, for
// every chip and without a GPU.
#ifndef PROF_CUPTI_BACKEND_METRICS_THROUGHPUT_PARTS_H_
#define PROF_CUPTI_BACKEND_METRICS_THROUGHPUT_PARTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace prof::cupti {

// Base names of the direct parts of each throughput of `chip`, by base name. A part may be a
// throughput itself; without parts of its own it is a counter that has no other name. Empty
// when libnvperf_host.so is not there or does not know the chip. 10 ms, once per chip.
std::map<std::string, std::vector<std::string>> ThroughputParts(const std::string& cupti_path,
                                                                const std::string& chip);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRICS_THROUGHPUT_PARTS_H_
