// SPDX-License-Identifier: Apache-2.0
//
// The memory that is allocated becomes a track for each device.
#ifndef PROF_LIB_HTML_GATHER_MEMORY_H_
#define PROF_LIB_HTML_GATHER_MEMORY_H_

#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"

namespace prof::html {

// Adds tracks "memory" of the kinds that DeviceMemory counts, and TimelineData::owners. Columns:
// the time since the row before, bytes more or less, and the owner. Where there are many rows, they
// are sums over equal parts of the span.
void GatherMemory(const model::Model& model, TimelineData* data);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_GATHER_MEMORY_H_
