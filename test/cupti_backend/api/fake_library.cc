// SPDX-License-Identifier: Apache-2.0
//
// A libcupti of a version and with the features that the build gives it. No function does anything;
// the first argument of each gets the version, which is right for cuptiGetVersion.
#include "cupti_backend/api/cupti_api.h"

#define PROF_TEST_EXPORT(field, symbol)                          \
  extern "C" int fake_##field(uint32_t* first) __asm__(#symbol); \
  int fake_##field(uint32_t* first) {                            \
    *first = PROF_TEST_VERSION;                                  \
    return 0;                                                    \
  }

// NOLINTBEGIN(readability-identifier-naming)
#if PROF_TEST_VERSION > 0
PROF_CUPTI_TIMELINE(PROF_TEST_EXPORT)
#endif
#if PROF_TEST_FEATURES > 0
PROF_CUPTI_GRAPH_EXEC_IDS(PROF_TEST_EXPORT)
#endif
#if PROF_TEST_FEATURES > 1
PROF_CUPTI_CALL_SELECTION(PROF_TEST_EXPORT)
#endif
#if PROF_TEST_FEATURES > 2
PROF_CUPTI_METRICS(PROF_TEST_EXPORT)
PROF_CUPTI_PM_SAMPLING(PROF_TEST_EXPORT)
#endif
#if PROF_TEST_FEATURES > 3
PROF_CUPTI_RANGES(PROF_TEST_EXPORT)
#endif
#if PROF_TEST_FEATURES > 4
PROF_CUPTI_SUBSCRIBER_NAMES(PROF_TEST_EXPORT)
#endif
#if PROF_TEST_NEEDS_DRIVER
extern "C" int fake_struct_size() __asm__("cuptiActivityGetStructSize");
int fake_struct_size() { return 0; }
#endif
// NOLINTEND(readability-identifier-naming)
extern "C" int prof_test_is_loaded() { return 0; }
