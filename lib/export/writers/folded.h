// SPDX-License-Identifier: Apache-2.0
//
// The export of folded stacks, for flame graphs: the GPU's time by stack of the host and operation.
#ifndef PROF_LIB_EXPORT_WRITERS_FOLDED_H_
#define PROF_LIB_EXPORT_WRITERS_FOLDED_H_

#include <iosfwd>

#include "lib/export/base/selection.h"
#include "prof/events.h"

namespace prof::exporting {

// A line for each stack: its frames from the outermost to the innermost, "function (file:line)",
// then the operation, with semicolons between; a blank; the sum of durations in nanoseconds.
// Operations that overlap count twice. Operations without a stack are below "(no stack)".
void WriteFolded(const Events& events, const Selection& selection, std::ostream& out);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_WRITERS_FOLDED_H_
