// SPDX-License-Identifier: Apache-2.0
//
// A range path names a place in the tree of nested ranges, which events give by its id.
#ifndef PROF_LIB_CAPTURE_EVENTS_RANGE_PATH_H_
#define PROF_LIB_CAPTURE_EVENTS_RANGE_PATH_H_

#include <cstdint>
#include <string_view>

#include "lib/format/enums.h"

namespace prof::capture {

using format::TorchScope;

// One node of the tree. Ids count from 1. Strings live as long as the process.
struct RangePathInfo {
  uint32_t id = 0, parent = 0;
  std::string_view name, domain;
  uint32_t color = 0, category = 0;
  // It stands for all names of a family: the name has format::kNumberMark for each number.
  bool folded = false;
  TorchScope torch = TorchScope::kNone;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_EVENTS_RANGE_PATH_H_
