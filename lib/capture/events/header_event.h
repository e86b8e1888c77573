// SPDX-License-Identifier: Apache-2.0
//
// The header event identifies a recording: which prof made it, in which process, with which CUDA.
#ifndef PROF_LIB_CAPTURE_EVENTS_HEADER_EVENT_H_
#define PROF_LIB_CAPTURE_EVENTS_HEADER_EVENT_H_

#include <cstdint>
#include <string>

namespace prof::capture {

// What the process uses. The GPU source knows it once it has started.
struct SourceVersions {
  uint32_t cuda_driver = 0;
  uint32_t cupti = 0;
  std::string cupti_path;
  std::string nvidia_driver;
  uint64_t cupti_device_bytes = 0;  // that CUPTI may take in each context
};

struct HeaderEvent {
  std::string prof_version, host, command;
  int64_t start_ns = 0;
  uint32_t pid = 0;
  int32_t rank = -1;
  bool injected = false;
  SourceVersions versions;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_EVENTS_HEADER_EVENT_H_
