// SPDX-License-Identifier: Apache-2.0
//
// What the driver and CUPTI say of the devices, for the snapshot.
#ifndef PROF_CUPTI_BACKEND_DEVICE_FACTS_H_
#define PROF_CUPTI_BACKEND_DEVICE_FACTS_H_

#include <vector>

#include "cupti_backend/cupti_api.h"
#include "cupti_backend/driver_api.h"
#include "lib/capture/events.h"

namespace prof::cupti {

// All devices that this process sees; empty before cuInit. What cannot be read stays 0.
std::vector<capture::DeviceEvent> ReadDeviceFacts(const CuptiApi& api, const DriverApi& driver);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_DEVICE_FACTS_H_
