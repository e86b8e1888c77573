// SPDX-License-Identifier: Apache-2.0
//
// Kernels with labels by intervention, and the recordings in which prof judged them.
#ifndef PROF_LIB_EVAL_RECORDED_ZOO_H_
#define PROF_LIB_EVAL_RECORDED_ZOO_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/eval/zoo.h"

namespace prof::eval {

// Adds the kernels of `root`, the file `path` of format 2: "recordings" has the names of files
// beside it, by form ("default", "all"). Where a recording has several launch shapes of a kernel,
// the one with the most time counts. Reads and analyzes the recordings: seconds for large ones.
// Returns what is wrong; empty: done. Throws nlohmann::json::exception when a field is missing.
[[nodiscard]] std::string ReadRecordedKernels(const std::filesystem::path& path,
                                              const nlohmann::json& root,
                                              std::vector<LabelledKernel>* kernels);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_RECORDED_ZOO_H_
