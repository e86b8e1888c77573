// SPDX-License-Identifier: Apache-2.0
//
// The link between a device and its host has a rate that nothing exceeds.
#ifndef PROF_LIB_ANALYZER_BASE_HOST_LINK_H_
#define PROF_LIB_ANALYZER_BASE_HOST_LINK_H_

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// [hw] Bytes per second in one direction: NVLink-C2C of a Grace superchip, PCIe 6.0 or PCIe 5.0
// x16. nullptr: as PCIe 5.0.
[[nodiscard]] double HostLinkBytesPerS(const model::Device* device);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_HOST_LINK_H_
