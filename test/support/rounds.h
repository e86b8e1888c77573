// SPDX-License-Identifier: Apache-2.0
//
// How many random programs a test of statistics draws. A sanitizer makes each ten times slower, and
// finds in a few of them what it would find in all: its builds draw fewer.
#ifndef PROF_TEST_SUPPORT_ROUNDS_H_
#define PROF_TEST_SUPPORT_ROUNDS_H_

namespace prof::test {

[[nodiscard]] constexpr int Rounds(int optimized, [[maybe_unused]] int sanitized) {
#if defined(PROF_SANITIZED)
  return sanitized;
#else
  return optimized;
#endif
}

}  // namespace prof::test

#endif  // PROF_TEST_SUPPORT_ROUNDS_H_
