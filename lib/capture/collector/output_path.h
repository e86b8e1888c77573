// SPDX-License-Identifier: Apache-2.0
//
// Output paths are the names of the files that recordings and their dumps go to.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_PATH_H_
#define PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_PATH_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace prof::capture {

// What tells this process from its peers: "r03-4711" is process 4711 with rank 3 of 16, "4711" one
// without a rank. They sort by rank. `ranks`: how many there are.
[[nodiscard]] std::string ProcessLabel(int rank, int ranks);

// Expands %p (pid), %h (host name), %r (rank; 0 when `rank` is negative), %i (ProcessLabel) and %%
// in `pattern`. Any other character after % stays as it is.
[[nodiscard]] std::string ExpandOutputPattern(std::string_view pattern, int rank, int ranks = 1);

// Whether each process gets a name of its own: the pattern has %p or %i.
[[nodiscard]] bool NamesProcess(std::string_view pattern);
// Whether each rank does: it has %p, %i or %r.
[[nodiscard]] bool NamesRank(std::string_view pattern);

// Another name for `path`: "run.prof" becomes "run.r3-4711.prof" for `process` "r3-4711", and with
// a `number` other than 0 "run.r3-4711.1.prof". `process` may be empty: "run.1.prof".
[[nodiscard]] std::string OtherOutputPath(std::string_view path, std::string_view process,
                                          int number);

// Where a dump that a signal asked for goes: dump 1 of "run.prof" is "run.dump1.prof", of a
// recording in memory "prof-PID.dump1.prof".
[[nodiscard]] std::string DumpPath(std::string_view output, uint32_t number);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_PATH_H_
