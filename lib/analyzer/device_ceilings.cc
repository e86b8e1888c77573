// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/device_ceilings.h"

#include <algorithm>
#include <string>

namespace prof::analyzer {
namespace {

bool HasCeiling(const std::vector<model::Ceiling>& ceilings, const std::string& kind) {
  return std::any_of(ceilings.begin(), ceilings.end(),
                     [&](const model::Ceiling& one) { return one.kind == kind; });
}

}  // namespace

int AddCeilings(const std::vector<format::CeilingRow>& rows, model::Model* model) {
  int added = 0;
  for (model::Device& device : model->devices) {
    for (const format::CeilingRow& row : rows) {
      const bool is_it = row.device == device.name && row.sm_count == device.sm_count;
      if (!is_it || HasCeiling(device.ceilings, row.kind)) continue;
      device.ceilings.push_back({row.kind, row.per_s, row.n, row.min, row.max, row.sm_clock_hz});
      ++added;
    }
  }
  return added;
}

}  // namespace prof::analyzer
