// SPDX-License-Identifier: Apache-2.0
//
// The contents of a snapshot file, before any analysis.
#ifndef PROF_LIB_REPORT_INFO_H_
#define PROF_LIB_REPORT_INFO_H_

#include <cstdint>
#include <iosfwd>

#include "lib/report/text/text.h"
#include "lib/snapshot/model/model.h"

namespace prof {

// `file_bytes`: size of the snapshot, for the bytes per launch.
void WriteInfo(std::ostream& out, const model::Model& model, uint64_t file_bytes,
               const TextOptions& options);

}  // namespace prof

#endif  // PROF_LIB_REPORT_INFO_H_
