// SPDX-License-Identifier: Apache-2.0
//
// Catch2 2 or 3, whichever is installed.
#ifndef PROF_TEST_SUPPORT_CATCH_H_
#define PROF_TEST_SUPPORT_CATCH_H_

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#include <cstdio>

// Ends a test case as skipped: CTest recognizes the line. Never counts as passed.
#define PROF_SKIP(reason)                    \
  do {                                       \
    std::printf("[skipped] %s\n", (reason)); \
    std::fflush(stdout);                     \
    return;                                  \
  } while (false)

#endif  // PROF_TEST_SUPPORT_CATCH_H_
