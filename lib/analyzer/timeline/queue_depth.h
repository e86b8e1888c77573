// SPDX-License-Identifier: Apache-2.0
//
// The depth of the queue at a launch is the number of operations that were launched before it and
// had not started. A host that keeps the GPU fed finds some there.
#ifndef PROF_LIB_ANALYZER_TIMELINE_QUEUE_DEPTH_H_
#define PROF_LIB_ANALYZER_TIMELINE_QUEUE_DEPTH_H_

#include <cstdint>
#include <optional>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// A stream of a context.
struct StreamKey {
  uint32_t context = 0, stream = 0;
};

struct QueueDepth {
  int64_t launches = 0;      // whose call was recorded; a CUDA graph's is one
  int64_t nearly_empty = 0;  // of them, those that found at most one: it may be on its way
  double median = 0;         // operations that waited
  int64_t most = 0;
};

// Of a device, or of one of its streams. Takes n log n.
[[nodiscard]] QueueDepth MeasureQueue(const model::Model& model, uint32_t device,
                                      std::optional<StreamKey> stream = std::nullopt);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_QUEUE_DEPTH_H_
