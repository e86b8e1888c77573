// SPDX-License-Identifier: Apache-2.0
//
// The substring matcher, which Catch2 3 renamed.
#ifndef PROF_TEST_REPORT_CONTAINS_H_
#define PROF_TEST_REPORT_CONTAINS_H_

#include <string>

#include "test/support/catch.h"

namespace prof::test {

inline auto Contains(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}  // namespace prof::test

#endif  // PROF_TEST_REPORT_CONTAINS_H_
