// SPDX-License-Identifier: Apache-2.0
//
// The process information goes into the header of the snapshot.
#ifndef PROF_LIB_CAPTURE_PROCESS_PROCESS_INFO_H_
#define PROF_LIB_CAPTURE_PROCESS_PROCESS_INFO_H_

#include <cstdint>
#include <string>

namespace prof::capture {

// "host" when it cannot be read.
[[nodiscard]] std::string HostName();

// The arguments joined by spaces, at most 4 KiB; empty when they are unknown.
[[nodiscard]] std::string CommandLine();

// When this process began, by CLOCK_REALTIME, to 10 ms; exec() does not change it. The present
// where that is unknown (no /proc).
[[nodiscard]] int64_t ProcessStartNs();

// The version of the kernel module, "580.159.04"; empty without one.
[[nodiscard]] std::string NvidiaDriverVersion();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_PROCESS_INFO_H_
