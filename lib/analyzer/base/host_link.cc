// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/host_link.h"

#include "lib/analyzer/base/thresholds.h"
#include "lib/text/strings.h"

namespace prof::analyzer {

double HostLinkBytesPerS(const model::Device* device) {
  if (device == nullptr) return kHostLinkBytesPerS;
  const bool grace = text::Contains(device->name, "GH200") ||
                     text::Contains(device->name, "GB200") || text::Contains(device->name, "GB300");
  if (grace) return kChipLinkBytesPerS;
  return device->compute_major >= 10 ? kNewerHostLinkBytesPerS : kHostLinkBytesPerS;
}

}  // namespace prof::analyzer
