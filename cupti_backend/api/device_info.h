// SPDX-License-Identifier: Apache-2.0
//
// The device info is what the driver and CUPTI know of each device, for the snapshot.
#ifndef PROF_CUPTI_BACKEND_API_DEVICE_INFO_H_
#define PROF_CUPTI_BACKEND_API_DEVICE_INFO_H_

#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// All devices that this process sees; empty before cuInit. Values that cannot be read stay 0.
std::vector<capture::DeviceEvent> ReadDevices(const CuptiApi& api, const DriverApi& driver);

// The UUID of a device as 32 hexadecimal digits; empty: the driver does not give it.
std::string UuidOf(const DriverApi& driver, int device);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_DEVICE_INFO_H_
