// SPDX-License-Identifier: Apache-2.0
//
// The ceilings of this machine's devices that a calibration left for recordings to take.
#ifndef PROF_LIB_CAPTURE_PROCESS_KEPT_CEILINGS_H_
#define PROF_LIB_CAPTURE_PROCESS_KEPT_CEILINGS_H_

#include <string>
#include <vector>

#include "lib/capture/events/events.h"

namespace prof::capture {

// prof/ceilings.csv in $XDG_CACHE_HOME, or else in $HOME/.cache. Empty: neither is set.
[[nodiscard]] std::string KeptCeilingsPath();

// Gives each device the ceilings of its name and number of SMs. Without the file, nothing. Returns
// why the file has none that can be used; empty: it has, or there is no file. Reads at most 1 MiB.
[[nodiscard]] std::string AddKeptCeilings(const std::string& path,
                                          std::vector<DeviceEvent>* devices);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_KEPT_CEILINGS_H_
