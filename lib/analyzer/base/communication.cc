// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/communication.h"

#include "lib/analyzer/base/kernel_names.h"
#include "lib/text/demangle.h"
#include "lib/text/strings.h"

namespace prof::analyzer {

std::vector<bool> Communicates(const model::Model& model) {
  std::vector<bool> result;
  result.reserve(model.shapes.size());
  for (const model::Shape& shape : model.shapes) {
    result.push_back(text::StartsWith(ShortName(text::Demangle(shape.name)), "nccl"));
  }
  return result;
}

}  // namespace prof::analyzer
