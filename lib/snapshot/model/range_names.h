// SPDX-License-Identifier: Apache-2.0
//
// Range names are the names of single ranges, marks and spans, with the numbers that their paths do
// not have: a path may stand for a family, "step *".
#ifndef PROF_LIB_SNAPSHOT_MODEL_RANGE_NAMES_H_
#define PROF_LIB_SNAPSHOT_MODEL_RANGE_NAMES_H_

#include <cstdint>
#include <string>

#include "lib/snapshot/model/model.h"

namespace prof::model {

// As it stood in the name. "..." stands for digits that were not kept.
[[nodiscard]] std::string NumberText(uint64_t value, uint32_t style);

// RangePath::full of what began in `path` on `thread` at `time_ns`, "step 123/layer 4": with its
// own numbers, and those of the ranges around it. A star stays where a number is not known: beyond
// the fourth of a name, or of a range that was open when the recording began.
[[nodiscard]] std::string InstanceName(const Model& model, uint32_t path, uint32_t thread,
                                       int64_t time_ns);

// The last part of that, without its domain: "layer 4".
[[nodiscard]] std::string OwnName(const Model& model, uint32_t path, uint32_t thread,
                                  int64_t time_ns);

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_RANGE_NAMES_H_
