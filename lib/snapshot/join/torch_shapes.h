// SPDX-License-Identifier: Apache-2.0
//
// This file joins the shapes of the inputs of ops of PyTorch with the times that these ops were
// open, and these times with each other and with what was launched in them.
#ifndef PROF_LIB_SNAPSHOT_JOIN_TORCH_SHAPES_H_
#define PROF_LIB_SNAPSHOT_JOIN_TORCH_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// Fills TorchOps::shapes_of_instance and TorchOps::instance_around, where shapes were recorded.
// Once the instances are derived.
void JoinTorchShapes(model::Model* model);

// Looks instances of ops up. Logarithmic in those of a thread.
class TorchInstances {
 public:
  // Once the instances are derived. `model` outlives it.
  explicit TorchInstances(const model::Model* model);

  // The innermost one that `thread` is in at `time_ns`; kNoIndex: none. After JoinTorchShapes(),
  // where shapes were recorded.
  [[nodiscard]] int32_t At(uint32_t thread, int64_t time_ns) const;
  // The one of `path` that began at `begin_ns`; kNoIndex: there is none.
  [[nodiscard]] int32_t Of(uint32_t thread, uint32_t path, int64_t begin_ns) const;
  // The one of `path` that began last until `time_ns`; kNoIndex: none of the last ones is.
  [[nodiscard]] int32_t LastOf(uint32_t thread, uint32_t path, int64_t time_ns) const;

 private:
  // How many instances of the thread began until `time_ns`.
  [[nodiscard]] size_t BegunUntil(uint32_t thread, int64_t time_ns) const;

  const model::Model& model_;
  // Searched for each launch, so with the begins: reading a packed row may unpack its chunk.
  struct Begun {
    int64_t start_ns = 0;
    int32_t instance = model::kNoIndex;
  };
  std::vector<std::vector<Begun>> of_thread_;  // by begin
};

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_TORCH_SHAPES_H_
