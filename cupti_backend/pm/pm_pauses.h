// SPDX-License-Identifier: Apache-2.0
//
// The PM pauses keep the times in which the recording was paused: PM samples come late, and those
// of a pause are not kept.
#ifndef PROF_CUPTI_BACKEND_PM_PM_PAUSES_H_
#define PROF_CUPTI_BACKEND_PM_PM_PAUSES_H_

#include <cstdint>
#include <vector>

#include "lib/capture/events/events.h"

namespace prof::cupti {

// The collector thread.
class PmPauses {
 public:
  // As in activity records.
  void Begin(int64_t now_ns);
  void End(int64_t now_ns);
  // Takes out the samples that lie in a pause, wholly or in part. Those of the latest 64 pauses are
  // known: samples are some seconds late at most.
  void TakeOut(capture::PmBatchEvent* batch) const;

 private:
  struct Pause {
    int64_t begin_ns = 0, end_ns = 0;
  };
  [[nodiscard]] bool Within(int64_t begin_ns, int64_t end_ns) const;

  std::vector<Pause> pauses_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_PM_PAUSES_H_
