// SPDX-License-Identifier: Apache-2.0
//
// A walk over the range steps of all threads, in the order of time. Threads take turns: each one's
// next step is kept, because reading a packed row after that of another thread may unpack its chunk
// each time.
#ifndef PROF_LIB_SNAPSHOT_JOIN_STEP_WALK_H_
#define PROF_LIB_SNAPSHOT_JOIN_STEP_WALK_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "lib/snapshot/model/range.h"

namespace prof::snapshot {

class StepWalk {
 public:
  // `steps`: by thread id; they do not change while the walk is in use.
  explicit StepWalk(const std::vector<model::StepTable>& steps) : steps_(steps) {
    places_.reserve(steps.size());
    for (size_t thread = 0; thread < steps.size(); ++thread) {
      places_.emplace_back(steps[thread]);
      ReadNext(thread);
    }
  }

  // The path that a thread is in; 0: none. Times of one thread do not go back.
  [[nodiscard]] uint32_t PathAt(uint32_t thread, int64_t time_ns) {
    if (thread >= places_.size()) return 0;
    Place& place = places_[thread];
    while (place.next < steps_[thread].size() && place.next_ns <= time_ns) {
      place.path = place.next_path;
      ++place.next;
      ReadNext(thread);
    }
    return place.path;
  }

 private:
  struct Place {
    explicit Place(const model::StepTable& of_thread) : steps(of_thread) {}

    model::StepTable::Reader steps;
    size_t next = 0;
    int64_t next_ns = std::numeric_limits<int64_t>::max();
    uint32_t next_path = 0, path = 0;
  };

  void ReadNext(size_t thread) {
    Place& place = places_[thread];
    if (place.next >= steps_[thread].size()) return;
    const model::RangeStep step = place.steps[place.next];
    place.next_ns = step.time_ns();
    place.next_path = step.path();
  }

  const std::vector<model::StepTable>& steps_;
  std::vector<Place> places_;
};

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_STEP_WALK_H_
