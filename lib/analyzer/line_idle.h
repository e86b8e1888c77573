// SPDX-License-Identifier: Apache-2.0
//
// The GPU's idle time is charged to stacks of the host: each gap has one that made the GPU wait, or
// several that it was found in.
#ifndef PROF_LIB_ANALYZER_LINE_IDLE_H_
#define PROF_LIB_ANALYZER_LINE_IDLE_H_

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

constexpr Interval kAllTime = {std::numeric_limits<int64_t>::min(),
                               std::numeric_limits<int64_t>::max()};

// Idle time by stack (model::kNone: none is known), in ns, of the gaps that begin in `when`. It
// sums to their undisturbed time.
//
// A gap that a wait caused belongs to the call that waited, any other one to the call that launched
// what ended it. With host samples enough (kFewHostSamples), gaps that are long enough for one
// are divided as the samples of the gaps before the same line are.
//
// `own_frames`: OwnFrames of the model. Linear in gaps and samples.
[[nodiscard]] std::unordered_map<uint32_t, double> ChargeIdle(
    const model::Model& model, const Timeline& timeline, const std::vector<uint32_t>& own_frames,
    Interval when);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_LINE_IDLE_H_
