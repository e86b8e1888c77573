// SPDX-License-Identifier: Apache-2.0
//
// A family is all ranges that differ in numbers only ("layer 0/mlp", "layer 1/mlp"). They do the
// same work, and one row for all of them shows what eight rows hide. The sampler treats a family as
// one range as well.
#ifndef PROF_LIB_ANALYZER_BASE_FAMILIES_H_
#define PROF_LIB_ANALYZER_BASE_FAMILIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Fewer ranges are no family: "x1" and "x2" may well be two different things.
inline constexpr size_t kMinFamily = 3;

struct RangeFamilies {
  // By path id: the first path of its family; the path itself when it is on its own.
  std::vector<uint32_t> of_path;
  // By path id, filled for the first path of each family: "layer */mlp (8 ranges)", with a
  // star for each number that differs; the path's own name when it is on its own.
  std::vector<std::string> label;
};

// Of the paths in which an operation ran: those that the rows of a report are about.
[[nodiscard]] RangeFamilies FindRangeFamilies(const model::Model& model);
// Of all paths: ranges that only allocate, and ranges around others, are families as well.
[[nodiscard]] RangeFamilies FindAllRangeFamilies(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_FAMILIES_H_
