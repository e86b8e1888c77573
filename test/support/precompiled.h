// SPDX-License-Identifier: Apache-2.0
//
// The headers that nearly every test includes. CMake parses them once for all test programs; each
// test still includes what it uses.
#ifndef PROF_TEST_SUPPORT_PRECOMPILED_H_
#define PROF_TEST_SUPPORT_PRECOMPILED_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "test/support/catch.h"

#endif  // PROF_TEST_SUPPORT_PRECOMPILED_H_
