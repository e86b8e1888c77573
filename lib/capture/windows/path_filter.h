// SPDX-License-Identifier: Apache-2.0
//
// The path filter is a regular expression over NVTX paths, "outer/inner". A table has the answer
// for each known path.
#ifndef PROF_LIB_CAPTURE_WINDOWS_PATH_FILTER_H_
#define PROF_LIB_CAPTURE_WINDOWS_PATH_FILTER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "lib/options/name_filter.h"

namespace prof::capture {

// "outer/inner", cut at 4096 characters: paths have no bound. A path that stands for a family is
// one of its ranges. Allocates.
[[nodiscard]] std::string PathText(uint32_t path);

class PathFilter {
 public:
  // Empty: every path matches.
  explicit PathFilter(const std::string& expression);

  bool empty() const { return known_ == nullptr; }

  // Threads that launch or push a range: about 1 ns once a path is known; allocates for a new one.
  bool Matches(uint32_t path);

  // A path could not be compared with the expression (out of memory): it counted as no match.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  const options::NameFilter filter_;
  std::unique_ptr<std::atomic<uint8_t>[]> known_;  // by path id: 0 not known, 1 no, 2 yes
  std::atomic<bool> failed_{false};
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WINDOWS_PATH_FILTER_H_
