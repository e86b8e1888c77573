// SPDX-License-Identifier: Apache-2.0
//
// Allocated memory over time: a counter of the process for each GPU.
#ifndef PROF_LIB_EXPORT_WRITERS_PERFETTO_MEMORY_H_
#define PROF_LIB_EXPORT_WRITERS_PERFETTO_MEMORY_H_

#include "lib/export/base/selection.h"
#include "lib/export/writers/perfetto_stream.h"
#include "prof/events.h"

namespace prof::exporting::perfetto {

// After WriteTracks().
void WriteMemory(const Events& events, const Selection& selection, PacketStream* stream);

}  // namespace prof::exporting::perfetto

#endif  // PROF_LIB_EXPORT_WRITERS_PERFETTO_MEMORY_H_
