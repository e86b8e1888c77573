// SPDX-License-Identifier: Apache-2.0
//
// DecodeState is what the decoders of all parts of a block share: the model that they fill, and the
// tables of the file that only they need.
#ifndef PROF_LIB_SNAPSHOT_DECODE_STATE_H_
#define PROF_LIB_SNAPSHOT_DECODE_STATE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// Times beyond this (the year 2116) are damage. Any two valid times can be subtracted.
constexpr int64_t kMaxTime = int64_t{1} << 62;

// A file may ask for this much memory for each of its bytes, and for this much in any case.
constexpr size_t kMemoryPerByte = 16;
constexpr size_t kMemoryInAnyCase = size_t{64} << 20;

// An entry of the table `lanes`: where an operation ran.
struct Lane {
  uint32_t device = 0, context = 0, stream = 0, channel = 0;
  model::ChannelType channel_type = model::ChannelType::kUnknown;
};

// The number of steps that a thread had before the block, or before the block's earlier rows of
// other threads.
struct StepsBefore {
  uint32_t thread;
  size_t steps;
};

// A device that an entry of the block has replaced.
struct DeviceBefore {
  size_t index;
  model::Device device;
};

struct DecodeState {
  explicit DecodeState(model::Model* to) : model(to) {}

  model::Model* model;
  std::vector<Lane> lanes{Lane{}};
  std::vector<uint32_t> path_depths{0};
  std::vector<std::pair<uint32_t, std::string>> thread_names;  // by tid; the last one counts
  std::vector<StepsBefore> steps_before;                       // of this block
  std::vector<DeviceBefore> devices_before;                    // of this block
  std::unordered_map<uint32_t, size_t> devices;                // by id: index into Model::devices
  uint64_t trailer_blocks = 0;

  // Names repeat in the model but not in the file, and an entry of two bytes may take a hundred in
  // the model. So a small hostile file could ask for any amount of memory. The copies and entries
  // of all blocks share this budget, which grows with the file.
  size_t spent = 0, budget = kMemoryInAnyCase;
  // Pairs of a path and a string that the report copies once each: a field of its payloads, the
  // shapes of an op. They are charged once.
  std::unordered_set<uint64_t> charged_pairs;
};

// Takes `bytes` from the budget. kDataLoss: the budget is spent.
[[nodiscard]] absl::Status Spend(size_t bytes, DecodeState* state);

// Takes the bytes of string `id` and of the path's text, once for each pair.
[[nodiscard]] absl::Status SpendPair(uint32_t path, uint32_t id, DecodeState* state);

// Copies string `id` into `to`; `what` names it in the error.
[[nodiscard]] absl::Status CopyString(const char* what, uint32_t id, DecodeState* state,
                                      std::string* to);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_STATE_H_
