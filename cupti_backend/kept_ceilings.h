// SPDX-License-Identifier: Apache-2.0
//
// The ceilings of this machine's devices that a calibration left for recordings to take.
#ifndef PROF_CUPTI_BACKEND_KEPT_CEILINGS_H_
#define PROF_CUPTI_BACKEND_KEPT_CEILINGS_H_

#include <string>
#include <vector>

#include "lib/capture/events/events.h"

namespace prof::cupti {

// Gives each device the ceilings of its name and number of SMs. Without the file, nothing. Returns
// why the file has none that can be used; empty: it has, or there is no file. Reads at most 1 MiB.
[[nodiscard]] std::string AddKeptCeilings(const std::string& path,
                                          std::vector<capture::DeviceEvent>* devices);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_KEPT_CEILINGS_H_
