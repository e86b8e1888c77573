// SPDX-License-Identifier: Apache-2.0
//
// What CUPTI's overhead records are about, by the name that the recording gives them.
#ifndef PROF_LIB_SNAPSHOT_MODEL_OVERHEAD_CLASS_H_
#define PROF_LIB_SNAPSHOT_MODEL_OVERHEAD_CLASS_H_

#include <string_view>

namespace prof {

// The driver loads or compiles code, as it does at a kernel's first launch.
inline bool LoadsCode(std::string_view overhead) {
  return overhead == "lazy function loading" || overhead == "module loading" ||
         overhead == "driver compiler";
}

// Tracing itself: buffers, instrumentation, device memory for time stamps.
inline bool IsOfTracing(std::string_view overhead) { return overhead.substr(0, 6) == "CUPTI "; }

}  // namespace prof

#endif  // PROF_LIB_SNAPSHOT_MODEL_OVERHEAD_CLASS_H_
