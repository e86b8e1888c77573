// SPDX-License-Identifier: Apache-2.0
//
// PROF_RANGE("decode") names the work from here to the end of the scope. It makes an NVTX range, so
// other tools see it, too. prof sees the program's own NVTX calls in the same way.
#ifndef PROF_RANGE_H_
#define PROF_RANGE_H_

#include "prof/session.h"

namespace prof {

/// Opens a range on the calling thread and copies `name`. Nearly free where no tool listens.
PROF_EXPORT void PushRange(const char* name) noexcept;
/// Closes the calling thread's innermost range opened by PushRange.
PROF_EXPORT void PopRange() noexcept;

/// A ScopedRange is open as long as the object lives.
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
