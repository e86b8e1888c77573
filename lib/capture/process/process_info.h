// SPDX-License-Identifier: Apache-2.0
//
// Who we are inside of, for the snapshot's header.
#ifndef PROF_LIB_CAPTURE_PROCESS_PROCESS_INFO_H_
#define PROF_LIB_CAPTURE_PROCESS_PROCESS_INFO_H_

#include <string>

namespace prof::capture {

std::string HostName();             // "host" when it cannot be read
std::string CommandLine();          // arguments joined by spaces, at most 4 KiB; empty when unknown
std::string NvidiaDriverVersion();  // of the kernel module, "580.159.04"; empty without one

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_PROCESS_INFO_H_
