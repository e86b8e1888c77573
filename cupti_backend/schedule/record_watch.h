// SPDX-License-Identifier: Apache-2.0
//
// The record watch gives the records of GPU work to the parts of the sampler that learn from them.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_RECORD_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_RECORD_WATCH_H_

#include <cstdint>

#include "cupti_backend/schedule/end_watch.h"
#include "cupti_backend/schedule/local_memory_watch.h"
#include "cupti_backend/schedule/overlap_watch.h"
#include "cupti_backend/schedule/triage_watch.h"
#include "cupti_backend/schedule/work_watch.h"

namespace prof::cupti {

struct RecordWatch {
  OverlapWatch overlaps;
  WorkWatch work;
  TriageWatch triage;
  EndWatch ends;
  LocalMemoryWatch local_memory;

  // The collector thread, for each decoded record of GPU work.
  void Add(uint32_t device, uint32_t context, uint32_t stream, uint32_t correlation,
           int64_t start_ns, int64_t end_ns) {
    overlaps.Add(device, context, stream, correlation, start_ns, end_ns);
    work.Add(context, correlation, start_ns, end_ns);
    ends.Add(context, correlation);
  }

  // Any thread: see EndWatch.
  uint32_t LastEnded(uint32_t context) const { return ends.Last(context); }
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_RECORD_WATCH_H_
