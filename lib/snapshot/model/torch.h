// SPDX-License-Identifier: Apache-2.0
//
// These tables have the ops of PyTorch: when each thread was in which op, the op in which each
// operation of the GPU was launched, and for the backward pass the op of the forward pass.
#ifndef PROF_LIB_SNAPSHOT_MODEL_TORCH_H_
#define PROF_LIB_SNAPSHOT_MODEL_TORCH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "lib/format/enums.h"
#include "lib/snapshot/model/op.h"
#include "lib/snapshot/model/range.h"

namespace prof::model {

using format::TorchScope;

// A number that an op came with. Of a backward node: its own, which it got when the forward op made
// it. Of any other op: the number that the thread's next node will get; written where it is not as
// before.
struct TorchSequence {
  int64_t time_ns = 0;
  uint64_t number = 0;
  uint32_t path = 0;
};

// The shapes of the inputs of the op in `path` that began at `time_ns`.
struct TorchShapes {
  int64_t time_ns = 0;
  uint32_t path = 0, thread = 0;
  uint32_t text = 0;  // index in Model::strings: "[[8, 1024], [1024, 4096], []]"
};

// The times that an op was open, as indices in TorchOps::instances; kNoIndex: not known.
struct TorchCall {
  int32_t launched_in = kNoIndex;  // the innermost op around the launch
  int32_t forward = kNoIndex;      // of TorchPlace::forward_op
};

// Where an operation of the GPU comes from. All but the stack are path ids; 0: none, or not known.
struct TorchPlace {
  uint32_t op = 0;             // the innermost op around its launch, or around its node's capture
  uint32_t forward_op = 0;     // of work in a backward node: the op that made the node ...
  uint32_t forward_range = 0;  // ... and the NVTX range around that op
  uint32_t forward_stack = 0;  // ... and the host stack of the first call of CUDA in that op
  uint32_t module = 0;  // the innermost module around `op` or, for a node, around `forward_op`
  // True: the forward op is that of the node which ran before (join/node_before.h).
  bool forward_inferred = false;
};

struct TorchOps {
  std::vector<StepTable> steps;                       // by thread id; sorted by time
  std::vector<std::vector<TorchSequence>> sequences;  // by thread id; sorted by time
  InstanceTable instances;                            // sorted by start
  std::vector<TorchShapes> shapes;                    // as written; empty: they were not recorded
  // Only where shapes were recorded.
  std::vector<uint32_t> shapes_of_instance;  // by index of `instances`; strings; 0: not known
  std::vector<int32_t> instance_around;      // likewise: the one around it; kNoIndex: none
  std::vector<TorchCall> calls;              // by index of Model::ops
  std::vector<TorchPlace> places;            // by index of Model::ops; empty: no ops were recorded
  // By index of Model::api_calls: the innermost op or module around a call that failed for lack of
  // memory.
  std::map<size_t, uint32_t> out_of_memory;

  [[nodiscard]] bool recorded() const { return !steps.empty(); }
  [[nodiscard]] TorchPlace PlaceOf(size_t op) const {
    return op < places.size() ? places[op] : TorchPlace{};
  }
};

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_TORCH_H_
