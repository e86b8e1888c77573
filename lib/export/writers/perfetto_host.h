// SPDX-License-Identifier: Apache-2.0
//
// Threads with their NVTX ranges and API calls, as tracks with slices.
#ifndef PROF_LIB_EXPORT_WRITERS_PERFETTO_HOST_H_
#define PROF_LIB_EXPORT_WRITERS_PERFETTO_HOST_H_

#include <cstdint>
#include <string_view>

#include "lib/export/base/selection.h"
#include "lib/export/writers/perfetto_stream.h"
#include "prof/events.h"

namespace prof::exporting::perfetto {

// An id of a track that differs between processes, so that traces of several can be joined.
[[nodiscard]] uint64_t TrackId(const Events& events, std::string_view what, uint32_t number);
[[nodiscard]] uint64_t ProcessTrack(const Events& events);

// The tracks of the process and of its threads. Call it before the others.
void WriteTracks(const Events& events, PacketStream* stream);
// Pushed ranges and calls, then marks and spans, and what prof, CUPTI and the driver did.
void WriteHost(const Events& events, const Selection& selection, int64_t begin_ns,
               PacketStream* stream);

}  // namespace prof::exporting::perfetto

#endif  // PROF_LIB_EXPORT_WRITERS_PERFETTO_HOST_H_
