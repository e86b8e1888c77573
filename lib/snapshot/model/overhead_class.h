// SPDX-License-Identifier: Apache-2.0
//
// These functions sort CUPTI's overhead records, and calls that take as long, by their names.
#ifndef PROF_LIB_SNAPSHOT_MODEL_OVERHEAD_CLASS_H_
#define PROF_LIB_SNAPSHOT_MODEL_OVERHEAD_CLASS_H_

#include <string_view>

namespace prof::model {

// True when the driver loads or compiles code, as it does at the first launch of a kernel.
[[nodiscard]] inline bool LoadsCode(std::string_view overhead) {
  return overhead == "lazy function loading" || overhead == "module loading" ||
         overhead == "driver compiler";
}

// True for a call that loads or compiles code, of which CUPTI need not record an overhead.
[[nodiscard]] inline bool IsLoadingCall(std::string_view call) {
  for (const std::string_view begin : {"cuLibraryLoad", "cuModuleLoad", "cudaLibraryLoad"}) {
    if (call.substr(0, begin.size()) == begin) return true;
  }
  return false;
}

// True when tracing itself does the work: buffers, instrumentation, memory for time stamps.
[[nodiscard]] inline bool IsOfTracing(std::string_view overhead) {
  return overhead.substr(0, 6) == "CUPTI ";
}

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_OVERHEAD_CLASS_H_
