// SPDX-License-Identifier: Apache-2.0
//
// prof's own disturbance is the time in which prof, not the program, decided what the GPU did. It
// is no evidence about the program.
//
// A hold is time in which a launching thread was in prof's hands: in an interval that prof recorded
// for this thread, in a call that took long while prof worked on a thread of its own, or in the
// part of a launch call that it takes longer while counters are sampled. A hold makes the host late
// by its length. It stays late until it waits for the GPU, or until the GPU has idled for as long:
// that idle time is prof's, and what is left of a gap is the program's. The launch of a graph whose
// nodes are recorded is a hold, too (graph_launches.h), which makes nobody late: it comes with each
// step of a program, and one whose GPU is busy does not feel it.
//
// A counter range also makes the GPU wait, by an amount that no record has. A gap beside a sampled
// launch that the program would have had as well is set aside, together with the work behind it up
// to the next gap: idle and busy time leave the evidence in the proportion that the program has.
#ifndef PROF_LIB_ANALYZER_TIMELINE_DISTURBANCE_H_
#define PROF_LIB_ANALYZER_TIMELINE_DISTURBANCE_H_

#include <cstdint>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/timeline/gap_cause.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

class Disturbances {
 public:
  // Keeps references. Linear in the calls and intervals of `model`.
  Disturbances(const model::Model& model, const GapClassifier& classifier);

  // Sets Gap::disturbed_ns of all gaps of a device, in the order of time, and returns what is set
  // aside: it begins at the start of a gap and ends at the start of another one, or at the end of
  // the device's time.
  [[nodiscard]] IntervalUnion Mark(DeviceTimeline* device) const;

 private:
  // How late prof has made a thread, and what of its holds and waits was looked at.
  struct Lateness {
    int64_t from_ns = 0;  // what is before the device's first operation made nobody late
    int64_t late_ns = 0, held_until_ns = 0;
    size_t next_hold = 0, next_wait = 0;
  };

  void AddOwn();
  void AddForeign();
  void AddSlowerCalls();
  void AddGraphLaunches();
  void AddHolds(std::vector<Intervals> held);  // by thread
  void AddWaits();
  int64_t SampleBegin(const model::ApiCall& launch) const;
  // Takes in the holds of `thread` that began before `until_ns`.
  void Advance(uint32_t thread, int64_t until_ns, Lateness* lateness) const;
  // True: the gap is to be set aside.
  bool MarkOne(int64_t usual_ns, Gap* gap, std::vector<Lateness>* threads) const;
  int64_t UsualGapNs(const DeviceTimeline& device) const;
  // The part in which CUPTI prepared the nodes of the graph that the call launches.
  int64_t GraphLaunchNs(const Gap& gap, const model::ApiCall& launch) const;
  // The part that is prof's of a gap before an operation that was in the queue in time.
  int64_t QueuedNs(const Gap& gap, bool beside_sample) const;
  // The gap's part that holds explain, for a launch that came after the gap had begun.
  int64_t HeldNs(const Gap& gap, const GapParts& parts, int64_t usual_ns, Lateness* lateness) const;

  const model::Model& model_;
  const GapClassifier& classifier_;
  IntervalUnion all_;                          // prof's intervals on all threads
  std::vector<IntervalUnion> holds_;           // by thread
  std::vector<IntervalUnion> graph_launches_;  // by thread; empty: none
  std::vector<Intervals> samples_;             // by thread, sorted by start
  std::vector<Intervals> waits_;               // by thread: calls that waited for the GPU, sorted
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_DISTURBANCE_H_
