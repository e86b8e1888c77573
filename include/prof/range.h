// SPDX-License-Identifier: Apache-2.0
//
// PROF_RANGE("decode") names the work from here to the end of the scope. NVTX underneath, so other
// tools see it too, and nvtxRangePush in the program's own code does the same for us.
#ifndef PROF_RANGE_H_
#define PROF_RANGE_H_

#include "prof/session.h"

namespace prof {

/// Opens a range on the calling thread. `name` is copied. No cost worth naming without a tool.
PROF_EXPORT void PushRange(const char* name) noexcept;
/// Closes the calling thread's innermost range opened by PushRange.
PROF_EXPORT void PopRange() noexcept;

/// A range for the life of an object.
class ScopedRange {
 public:
  explicit ScopedRange(const char* name) noexcept { PushRange(name); }
  ~ScopedRange() { PopRange(); }
  ScopedRange(const ScopedRange&) = delete;
  ScopedRange& operator=(const ScopedRange&) = delete;
};

}  // namespace prof

#define PROF_RANGE_CONCAT_(a, b) a##b
#define PROF_RANGE_NAME_(line) PROF_RANGE_CONCAT_(prof_range_, line)
/// Names the enclosing scope, from this line on.
#define PROF_RANGE(name) const ::prof::ScopedRange PROF_RANGE_NAME_(__LINE__)(name)

#endif  // PROF_RANGE_H_
