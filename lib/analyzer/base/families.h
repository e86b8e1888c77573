// SPDX-License-Identifier: Apache-2.0
//
// Ranges that differ in numbers only ("layer 0/mlp", "layer 1/mlp") do the same work: one row for
// all of them answers the question that eight rows hide. The sampler counts them as one as well.
#ifndef PROF_LIB_ANALYZER_BASE_FAMILIES_H_
#define PROF_LIB_ANALYZER_BASE_FAMILIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Families of fewer ranges are left apart: "x1" and "x2" may well be two different things.
inline constexpr size_t kMinFamily = 3;

struct RangeFamilies {
  // By path id: the first path of its family; the path itself when it is on its own.
  std::vector<uint32_t> of_path;
  // By path id, filled for the first path of each family: "layer */mlp (8 ranges)", a star for each
  // number that differs; the path's own name when it is on its own.
  std::vector<std::string> label;
};

RangeFamilies FindRangeFamilies(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_FAMILIES_H_
