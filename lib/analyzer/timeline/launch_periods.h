// SPDX-License-Identifier: Apache-2.0
//
// The launches of a thread repeat where the program has a loop. Its turns are the steps of a
// program without NVTX ranges.
//
// A turn begins with a launch of one kind (an anchor), and ends before the next one. A stretch is a
// row of turns of which nearly all launch the same, kernel by kernel: grids and sizes may differ.
// Any launch can be the anchor. Where loops are within each other the outermost one with enough
// turns counts, as of NVTX ranges.
//
// A wrong step is worse than none:
// - The turns that differ may be what stands between two inner loops: the head of a network between
//   the layers of two steps. So there are none, and the run consists of nothing else; or each turn
//   has a sign of the host: a copy from or to it, or a wait.
// - The same kernel over and over is no loop that anybody could tell the turns of, unless the host
//   copies or waits in each.
#ifndef PROF_LIB_ANALYZER_TIMELINE_LAUNCH_PERIODS_H_
#define PROF_LIB_ANALYZER_TIMELINE_LAUNCH_PERIODS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

struct LaunchStretch {
  uint32_t thread = 0;
  size_t launches = 0;   // of nearly every turn
  size_t different = 0;  // turns that launch something else
  // Of the host, one behind the other: each begins where the last launch of the one before
  // returned.
  Intervals turns;
};

// The one that has most of the run, and other phases of the same thread behind it, by time. Empty:
// nothing repeats, or only for a small part of the run. Linear in operations and calls, and n log n
// in the launches.
[[nodiscard]] std::vector<LaunchStretch> FindLaunchStretches(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_LAUNCH_PERIODS_H_
