// SPDX-License-Identifier: Apache-2.0
//
// Counters of single launches, and PM samples, as counters of a GPU.
#ifndef PROF_LIB_EXPORT_WRITERS_PERFETTO_COUNTERS_H_
#define PROF_LIB_EXPORT_WRITERS_PERFETTO_COUNTERS_H_

#include <cstdint>

#include "lib/export/base/selection.h"
#include "lib/export/writers/perfetto_stream.h"
#include "prof/events.h"

namespace prof::exporting::perfetto {

// A value of a launch lasts as long as its kernel; all other time has 0, as Perfetto has no way to
// leave it out. Returns the samples that could not be written, because the kernel of another one
// with the same metrics ran at the same time.
[[nodiscard]] int64_t WriteCounters(const Events& events, const Selection& selection,
                                    int64_t begin_ns, PacketStream* stream);

}  // namespace prof::exporting::perfetto

#endif  // PROF_LIB_EXPORT_WRITERS_PERFETTO_COUNTERS_H_
