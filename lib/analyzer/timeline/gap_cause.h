// SPDX-License-Identifier: Apache-2.0
//
// The cause of a gap on its own is what the thread that launched the next operation did during the
// gap. What drained the queue before it may own it all the same: queue_owner.h.
#ifndef PROF_LIB_ANALYZER_TIMELINE_GAP_CAUSE_H_
#define PROF_LIB_ANALYZER_TIMELINE_GAP_CAUSE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// A launch reaches an idle GPU within a few microseconds: its call takes 3 to 4 us, and the kernel
// starts about 2 us after the call returns (both measured on an H200). A launch that was issued
// less than this before the GPU ran dry could not have kept it busy.
inline constexpr int64_t kLaunchLatencyNs = 5'000;

// API and GPU times are converted from two clocks; a wait may seem to end this much too early.
inline constexpr int64_t kClockSlackNs = 1'000;

// A row of docs/guide/rules.md.
struct GapCauseRow {
  GapCause cause;
  std::string_view condition;  // with the source of each threshold
};

// The parts of a gap that a launch ended. They are clipped to the gap and sum to it.
struct GapParts {
  int64_t blocked_ns = 0;  // in `blocking_call`
  int64_t cuda_ns = 0;     // in other CUDA calls before the launch
  int64_t host_ns = 0;     // in no CUDA call before the launch
  int64_t launch_ns = 0;   // in the launching call
  int64_t latency_ns = 0;  // from the end of that call to the operation's start
  int32_t launch = model::kNoIndex;
  int32_t blocking_call = model::kNoIndex;  // the last one that waited for the work before the gap
};

class GapClassifier {
 public:
  // Keeps a reference to `model`.
  explicit GapClassifier(const model::Model& model);

  // The first row that holds is the cause of a gap. The last one always holds.
  static std::vector<GapCauseRow> Rows();

  // A thread's range steps, and the one at which the last gap began that the thread ended.
  struct StepsOfThread {
    model::StepTable::Reader steps;
    size_t count = 0, near = 0;
  };
  // For all threads of the model, before the first gap.
  std::vector<StepsOfThread> Steps() const;
  // Fills in cause, api and path of a gap whose times, operations and disturbed time are set, and
  // whose parts are `parts`. `near`: as the gap before left it.
  void Classify(const GapParts& parts, Gap* gap, std::vector<StepsOfThread>* near) const;

  // All zero when the launching call is not known, or not before the operation.
  GapParts Parts(const Gap& gap) const;

  // True for a call that returns only after GPU work; an index into Model::api_calls.
  bool BlocksHost(size_t call) const { return blocks_host_[call]; }
  // The call before it on the same thread, by start; kNoIndex: there is none.
  int32_t PreviousCall(size_t call) const { return previous_call_[call]; }
  // True when the operation behind the gap was in the queue before the gap began.
  bool QueuedInTime(const Gap& gap, const GapParts& parts) const;
  // The part of `times` in which the thread loaded or compiled code.
  int64_t LoadingNs(uint32_t thread, const Interval& times) const {
    return overheads_[thread].loading.WithinNs(times);
  }
  // True when the gap is that of a launch that prof kept out of the trace, or most of it went to
  // CUPTI's own work (buffers, instrumentation) on the launching thread.
  bool OfTracing(const Gap& gap) const;
  // True where some gap may be of tracing.
  bool AnyTracing() const { return any_tracing_; }

 private:
  struct Untraced {
    uint32_t device = 0;
    int64_t start_ns = 0, end_ns = 0;  // from its launch, for as long as it may have run
  };

  // The time of a thread that the driver and CUPTI took.
  struct Overheads {
    IntervalUnion loading, tracing;
  };

  struct Rule {
    GapCauseRow text;
    bool (*holds)(const GapClassifier& self, const Gap& gap, const GapParts& parts);
  };
  static const Rule kRules[];

  static bool OfProf(const GapClassifier& self, const Gap& gap, const GapParts& parts);
  static bool OfTransfer(const GapClassifier& self, const Gap& gap, const GapParts& parts);
  static bool OfDependency(const GapClassifier& self, const Gap& gap, const GapParts& parts);
  static bool OfLoading(const GapClassifier& self, const Gap& gap, const GapParts& parts);
  static bool OfHostWork(const GapClassifier& self, const Gap& gap, const GapParts& parts);
  static bool OfWait(const GapClassifier& self, const Gap& gap, const GapParts& parts);
  static bool OfLaunch(const GapClassifier& self, const Gap& gap, const GapParts& parts);
  static bool OfNothingKnown(const GapClassifier& self, const Gap& gap, const GapParts& parts);

  void FindUntraced();
  void FindOverheads();
  bool HoldsUntraced(const Gap& gap) const;
  static bool TakesMost(const IntervalUnion& intervals, const Gap& gap);
  bool Blocks(const Gap& gap, const model::ApiCall& call) const;
  uint32_t HostPath(const Gap& gap, const GapParts& parts, std::vector<StepsOfThread>* near) const;

  const model::Model& model_;
  std::vector<int32_t> previous_call_;  // on the same thread, parallel to api_calls
  std::vector<bool> blocks_host_;       // parallel to api_calls
  IntervalUnion profiler_;              // over all threads, with the untraced launches
  std::vector<Untraced> untraced_;      // sorted by start
  std::vector<Overheads> overheads_;    // by thread
  bool any_tracing_ = false;
};

// The table of docs/guide/rules.md, in Markdown.
[[nodiscard]] std::string GapCauseTable();

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_GAP_CAUSE_H_
