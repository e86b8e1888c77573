// SPDX-License-Identifier: Apache-2.0
//
// Output paths are the names of the files that recordings and their dumps go to.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_PATH_H_
#define PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_PATH_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace prof::capture {

// Expands %p (pid), %h (host name), %r (rank; 0 when `rank` is negative) and %% in `pattern`. Any
// other character after % stays as it is.
[[nodiscard]] std::string ExpandOutputPattern(std::string_view pattern, int rank);

// Where a dump that a signal asked for goes: dump 1 of "run.prof" is "run.dump1.prof", of a
// recording in memory "prof-PID.dump1.prof".
[[nodiscard]] std::string DumpPath(std::string_view output, uint32_t number);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_PATH_H_
