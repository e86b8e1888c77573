// SPDX-License-Identifier: Apache-2.0
//
// The export for speedscope.app: the GPU's time by NVTX range and operation.
#ifndef PROF_LIB_EXPORT_WRITERS_SPEEDSCOPE_H_
#define PROF_LIB_EXPORT_WRITERS_SPEEDSCOPE_H_

#include <iosfwd>

#include "lib/export/base/selection.h"
#include "prof/events.h"

namespace prof::exporting {

void WriteSpeedscope(const Events& events, const Selection& selection, std::ostream& out);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_WRITERS_SPEEDSCOPE_H_
