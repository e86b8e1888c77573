// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/communication.h"

#include "lib/analyzer/base/kernel_names.h"
#include "lib/text/demangle.h"
#include "lib/text/strings.h"

namespace prof::analyzer {

bool IsCommunication(std::string_view name) { return text::StartsWith(name, "nccl"); }

std::vector<bool> Communicates(const model::Model& model) {
  std::vector<bool> result;
  result.reserve(model.shapes.size());
  for (const model::Shape& shape : model.shapes) {
    result.push_back(IsCommunication(ShortName(text::Demangle(shape.name))));
  }
  return result;
}

}  // namespace prof::analyzer
