// SPDX-License-Identifier: Apache-2.0
//
// The host samples of a gap are the looks at the thread that launched what ended it: where that
// thread was while the GPU waited for it.
#ifndef PROF_LIB_ANALYZER_TIMELINE_HOST_SAMPLES_H_
#define PROF_LIB_ANALYZER_TIMELINE_HOST_SAMPLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Gaps, and the samples in them.
struct HostTime {
  // Where a thread was: frame ids. 0, 0: the sample has no stack.
  struct Place {
    uint32_t own = 0;        // the innermost frame of the program's own code
    uint32_t innermost = 0;  // of any code
    bool operator<(const Place& other) const {
      return own != other.own ? own < other.own : innermost < other.innermost;
    }
  };
  using States = std::array<int64_t, 6>;  // samples, by HostState

  int64_t gaps = 0, sampled_gaps = 0;
  double idle_ns = 0, sampled_ns = 0;  // of the gaps, and of those with samples
  int64_t samples = 0;
  std::array<int64_t, 5> kinds{};      // by HostSampleKind
  std::map<Place, States> places;      // of samples with a stack
  std::map<uint32_t, int64_t> stacks;  // of these, by stack id
};

class HostSamples {
 public:
  // Keeps a reference. Without samples it costs nothing.
  explicit HostSamples(const model::Model& model);

  [[nodiscard]] bool any() const { return !model_.host_samples.empty(); }
  // Adds a gap and its samples. A gap whose thread is not known has none.
  void Add(const Gap& gap, HostTime* time) const;

 private:
  const model::Model& model_;
  std::vector<uint32_t> own_frames_;  // by stack
};

// Whether the GPU waited for the host in a gap of this cause: launches came late, for whatever
// reason.
[[nodiscard]] bool WaitsForHost(GapCause cause);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_HOST_SAMPLES_H_
