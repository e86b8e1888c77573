// SPDX-License-Identifier: Apache-2.0
//
// The windows of steps on the GPU, and which of the steps count.
#ifndef PROF_LIB_ANALYZER_STEPS_STEP_WINDOWS_H_
#define PROF_LIB_ANALYZER_STEPS_STEP_WINDOWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Why a step does not count: prof's own measurements made it last longer, or nobody knows what ran
// in a part of it.
inline constexpr std::string_view kDisturbedStep = "prof disturbed it";
inline constexpr std::string_view kPausedStep = "the recording was paused in it";

struct StepWindow {
  Interval gpu;   // from the end of the GPU work of all steps before to that of its own
  Interval host;  // from the end of the range before to the end of its own
  int32_t last_op = model::kNoIndex;  // ends the window; kNoIndex: the step launched nothing
  std::string left_out;               // why it does not count; empty: it does

  [[nodiscard]] bool counts() const { return left_out.empty(); }
};

// One for each of `iterations` (not empty), in their order. Windows on the GPU do not overlap.
// Takes n log n.
[[nodiscard]] std::vector<StepWindow> FindWindows(const model::Model& model,
                                                  const Timeline& timeline,
                                                  const Iterations& iterations);

// The window on the GPU that a moment is in; their number: it is in none. Takes log n.
[[nodiscard]] size_t WindowAt(const std::vector<StepWindow>& windows, int64_t time_ns);
// Calls `visit(window, part)` for the parts of an interval in windows on the GPU. Takes log n and
// the parts.
void SplitByWindows(const std::vector<StepWindow>& windows, const Interval& interval,
                    const std::function<void(size_t, const Interval&)>& visit);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_STEPS_STEP_WINDOWS_H_
