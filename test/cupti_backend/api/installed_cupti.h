// SPDX-License-Identifier: Apache-2.0
//
// The installed CUPTI, whose host half knows every chip and needs no GPU.
#ifndef PROF_TEST_CUPTI_BACKEND_API_INSTALLED_CUPTI_H_
#define PROF_TEST_CUPTI_BACKEND_API_INSTALLED_CUPTI_H_

#include <string>

#include "cupti_backend/api/cupti_api.h"
#include "test/support/catch.h"

namespace prof::cupti::test {

#if defined(PROF_SANITIZED)
constexpr bool kSanitized = true;  // CUPTI opens its host library in a way that they refuse
#else
constexpr bool kSanitized = false;
#endif

}  // namespace prof::cupti::test

// Declares and fills `api`, or skips the test case.
#define PROF_TEST_LOAD_CUPTI(api)                                   \
  if (prof::cupti::test::kSanitized) {                              \
    PROF_SKIP("CUPTI's host library does not run with sanitizers"); \
  }                                                                 \
  prof::cupti::CuptiApi api;                                        \
  do {                                                              \
    if (const auto problem = prof::cupti::LoadCupti(&(api))) {      \
      PROF_SKIP((problem->what + "; " + problem->fix).c_str());     \
    }                                                               \
  } while (false)

#endif  // PROF_TEST_CUPTI_BACKEND_API_INSTALLED_CUPTI_H_
