// SPDX-License-Identifier: Apache-2.0
//
// Kernels of communication are those of NCCL.
#ifndef PROF_LIB_ANALYZER_BASE_COMMUNICATION_H_
#define PROF_LIB_ANALYZER_BASE_COMMUNICATION_H_

#include <string_view>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// By its short name. [nsys], [hta]: by the name's beginning.
[[nodiscard]] bool IsCommunication(std::string_view name);

// By shape of the model.
[[nodiscard]] std::vector<bool> Communicates(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_COMMUNICATION_H_
