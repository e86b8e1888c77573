// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/state.h"

#include "absl/strings/str_cat.h"

namespace prof::snapshot {

absl::Status Spend(size_t bytes, DecodeState* state) {
  state->spent += bytes;
  if (state->spent <= state->budget) return absl::OkStatus();
  return absl::DataLossError("its names and tables are longer than a file of this size can hold");
}

absl::Status CopyString(const char* what, uint32_t id, DecodeState* state, std::string* to) {
  const std::vector<std::string>& strings = state->model->strings;
  if (id >= strings.size()) {
    return absl::DataLossError(
        absl::StrCat(what, " is string ", id, " of ", strings.size() - 1, " known so far"));
  }
  if (absl::Status status = Spend(strings[id].size(), state); !status.ok()) return status;
  *to = strings[id];
  return absl::OkStatus();
}

}  // namespace prof::snapshot
