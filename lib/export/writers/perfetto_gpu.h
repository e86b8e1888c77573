// SPDX-License-Identifier: Apache-2.0
//
// Operations as render stages, which is what Perfetto calls the work of a GPU.
#ifndef PROF_LIB_EXPORT_WRITERS_PERFETTO_GPU_H_
#define PROF_LIB_EXPORT_WRITERS_PERFETTO_GPU_H_

#include <cstddef>
#include <cstdint>

#include "lib/export/base/selection.h"
#include "lib/export/writers/perfetto_stream.h"
#include "prof/events.h"
#include "prof/report.h"

namespace prof::exporting::perfetto {

// The event of the first operation that a call launched: the two ends of a flow have it. It is not
// 0, which is none.
[[nodiscard]] inline uint64_t EventOfCall(size_t call) { return call + 1; }

void WriteOperations(const Events& events, const Report& report, const Selection& selection,
                     int64_t begin_ns, PacketStream* stream);

}  // namespace prof::exporting::perfetto

#endif  // PROF_LIB_EXPORT_WRITERS_PERFETTO_GPU_H_
