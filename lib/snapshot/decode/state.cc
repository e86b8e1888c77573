// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/state.h"

#include "absl/strings/str_cat.h"

namespace prof::snapshot {

absl::Status Spend(size_t bytes, DecodeState* state) {
  state->spent += bytes;
  if (state->spent <= state->budget) return absl::OkStatus();
  return absl::DataLossError("its names and tables are longer than a file of this size can hold");
}

// Of the set that knows the pair.
constexpr size_t kPairBytes = 64;

absl::Status SpendPair(uint32_t path, uint32_t id, DecodeState* state) {
  if (!state->charged_pairs.insert(uint64_t{path} << 32U | id).second) return absl::OkStatus();
  const model::Model& model = *state->model;
  return Spend(model.strings[id].size() + model.paths[path].full.size() + kPairBytes, state);
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
