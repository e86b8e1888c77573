// SPDX-License-Identifier: Apache-2.0
//
// The sampling policy decides which launch is sampled, and for which pass group. It makes no call
// to CUPTI and owns no hardware: the sampler carries out what it decides.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_SAMPLING_POLICY_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_SAMPLING_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cupti_backend/schedule/launch.h"
#include "cupti_backend/schedule/launch_selection.h"
#include "cupti_backend/schedule/need_schedule.h"
#include "cupti_backend/schedule/record_watch.h"
#include "cupti_backend/schedule/sample_schedule.h"
#include "cupti_backend/schedule/triage_coverage.h"
#include "cupti_backend/schedule/waiting_ranges.h"
#include "lib/capture/events/events.h"
#include "lib/capture/windows/path_filter.h"
#include "lib/format/depth.h"
#include "prof/session.h"

namespace prof::cupti {

class SamplingPolicy {
 public:
  using Entry = SampleSchedule::Entry;  // of a signature
  using Decision = SampleSchedule::Decision;

  explicit SamplingPolicy(const SessionOptions& options);

  // --- Launching threads: no lock, and no allocation but for a new signature or path ---

  // Counts a launch, or a range that is counted. Its entry where a sample of it is wanted, nullptr
  // otherwise, which is all that most launches cost. `slot`: the context's. `known` gets its entry
  // in any case; nullptr: it has none.
  Entry* Consider(const Launch& launch, size_t slot, int64_t now_ns, Entry** known = nullptr);

  // Ranges are counted, and this is one of them.
  bool counts_ranges() const { return !counted_ranges_.empty(); }
  bool CountsRange(uint32_t path) { return counts_ranges() && counted_ranges_.Matches(path); }

  // Learns from the record of this launch how much GPU time its signature takes: of its launches
  // until two took as long, of some of its first ones, and of one now and then. `context_id` and
  // `now_ns`: as in activity records.
  void MeasureWork(uint32_t context_id, const Launch& launch, Entry* entry, int64_t now_ns);
  // Whether a kernel is known to end by itself, where its context has several streams. Two kernels
  // that wait for each other would hang: a range keeps later work from starting. (Within one stream
  // later work does not start anyway.) False: the record of this launch may answer it.
  bool EndsByItself(uint32_t context_id, const Launch& launch, Entry* entry);

  // The records of a kernel do not show yet that it takes as long each time: it may wait for the
  // host. Before a context's first record comes nothing is suspect. Replay asks for no records.
  bool IsSuspect(uint32_t context_id, const Launch& launch, const Entry& entry) const;
  // Its work ends without the host and without later work, as far as its records show. `several`:
  // the context has several streams.
  static bool Trusted(const Entry& entry, bool several) {
    const Exclusion exclusion = entry.exclusion.load(std::memory_order_relaxed);
    if (exclusion != Exclusion::kNone && exclusion != Exclusion::kNotChosen) return false;
    // A graph runs its own nodes side by side; that it needs later launches is not to be expected.
    if (entry.region.load(std::memory_order_relaxed)) return true;
    return entry.steady.load(std::memory_order_relaxed) &&
           (!several || entry.alone.load(std::memory_order_relaxed) == SampleSchedule::Alone::kYes);
  }

  // Named like a kernel that waits, or held the program up.
  static bool Waits(const Entry& entry) {
    const Exclusion exclusion = entry.exclusion.load(std::memory_order_relaxed);
    return exclusion == Exclusion::kWaits || exclusion == Exclusion::kHeldUp;
  }
  // Such a launch is in this range and in those around it. Does nothing where no ranges are
  // counted.
  void NoteWaiting(uint32_t path) {
    if (counts_ranges()) waiting_ranges_.Add(path);
  }
  // This range held such a launch in an earlier instance, or there is no earlier one.
  bool RangeWaits(uint32_t path) { return !waiting_ranges_.Known(path); }

  // The process is a rank of a job, or has several GPUs.
  bool saw_nccl() const { return selection_.saw_nccl(); }
  // A launch on several devices at once: never sampled, counted.
  void CountSeveralDevicesLaunch() { selection_.CountSeveralDevices(); }

  // --- The holder of the hardware lease ---

  // What the hardware of a context does now: its slot, how many groups its chip has, the group that
  // is counted (-1: none), and whether one more sample fits.
  struct Hardware {
    size_t slot = 0;
    uint32_t groups = 0;
    int group = -1;
    bool has_room = true;
  };
  Decision Next(Entry& entry, const Hardware& hardware, int64_t now_ns);
  // The launch was sampled for `group`. The group to request when its sample has ended, if any.
  std::optional<uint32_t> AfterSample(Entry& entry, size_t slot, uint32_t group, int64_t now_ns);
  // `group` of a chip with `groups` is counted from now on.
  void BeginVisit(size_t slot, uint32_t groups, uint32_t group, int64_t now_ns);
  // By need: learns what runs now, and what is open about it. `plenty`: there is budget for more
  // than what decides.
  void Refresh(bool plenty, int64_t now_ns);
  // By need, after Refresh: the group to change to, if any.
  std::optional<uint32_t> Plan(const Hardware& hardware, int64_t now_ns);
  // The SM clock of a sample.
  void AddClock(Entry& entry, double hz) { schedule_.AddClock(entry, hz); }

  // --- The worker ---

  // What the groups of a context's chip answer and cost; before a launch is sampled in it.
  void SetGroups(size_t slot, const std::vector<NeedSchedule::Group>& groups);
  // A launch held the program up under a range: its signature is never sampled again. True the
  // first time.
  bool ExcludeHeldUp(Entry& entry, const char* kernel_name);

  // --- The collector thread ---

  // Takes all GPU work that was decoded.
  RecordWatch& records() { return records_; }
  // Never samples again what the records show to run beside later work.
  void ExcludeOverlapping(int64_t now_ns);
  // At the end: what was not sampled, and why.
  std::vector<capture::NoticeEvent> Notices() const { return selection_.Notices(schedule_); }

  // --- Any thread: no lock, no allocation ---

  // Launches and groups are chosen by what is open about a kernel (--counters auto).
  bool by_need() const { return needs_ != nullptr; }
  // By need: how much the launches of a kernel use each unit, from which follows what is open about
  // them. Before it is known nothing is sampled. It may change at any time.
  void SetUse(KernelKey kernel, const TriageUse& use);
  void SetNeeds(KernelKey kernel, format::Needs needs) {
    if (by_need()) needs_->SetNeeds(kernel, needs);
  }
  // A burst of PM sampling has met the kernel, which lacks samples still.
  void CountBurst(KernelKey kernel) {
    if (by_need()) needs_->CountBurst(kernel);
  }
  // By need: false where the use of no unit can be known, so that everything is open.
  void SetTriage(bool works) {
    if (by_need()) needs_->SetTriage(works);
  }
  // By need, and the use of the units is known as far as anybody has tried.
  [[nodiscard]] bool triage_works() const { return by_need() && needs_->triage_works(); }
  // By need: sampling would decide as much GPU time as getting the hardware costs (0.3 s of prof's
  // own thread). As of the last Refresh, which is 20 ms ago while the collector runs.
  [[nodiscard]] bool WantsHardware() const { return by_need() && needs_->WantsHardware(); }
  // By need: what that costs the program, with the answers.
  [[nodiscard]] int64_t TurnCostNs() const { return by_need() ? needs_->TurnCostNs() : 0; }
  // By need: a running kernel of this slot lacked samples in the second before `now_ns`.
  [[nodiscard]] bool WantedOfLate(size_t slot, int64_t now_ns) const;
  // By need: the share of the GPU time about which nothing is open, 0 to 1.
  [[nodiscard]] std::optional<double> decided_share() const {
    return by_need() ? std::optional(needs_->decided_share()) : std::nullopt;
  }

  // By need: what triage should look at, and what it leaves open (NeedSchedule::news, returns,
  // unseen_share, open_share).
  [[nodiscard]] uint64_t news() const { return by_need() ? needs_->news() : signatures(); }
  [[nodiscard]] uint64_t returns() const { return by_need() ? needs_->returns() : 0; }
  [[nodiscard]] double open_share() const { return by_need() ? needs_->open_share() : 0; }
  [[nodiscard]] double unseen_share() const { return by_need() ? needs_->unseen_share() : 0; }

  // By need (NeedSchedule::alarm); else nullptr.
  LaunchAlarm* alarm() { return by_need() ? &needs_->alarm() : nullptr; }

  // Nothing more will be sampled, as far as can be known.
  [[nodiscard]] bool Complete(int64_t now_ns) const {
    return (by_need() ? needs_->Complete() : schedule_.Complete(now_ns)) || selection_.Exhausted();
  }
  uint32_t signatures() const { return schedule_.signatures(); }
  uint32_t unfinished() const { return by_need() ? needs_->unfinished() : schedule_.unfinished(); }
  uint64_t signatures_dropped() const { return schedule_.dropped(); }

 private:
  static constexpr uint32_t kManySignatures = SampleSchedule::kCapacity / 2;

  Entry* FindOfMany(Signature signature, const char* kernel_name, bool* is_new);
  [[nodiscard]] bool IsTimedNow(const Entry& entry) const;
  void DecideNew(const Launch& launch, bool range_matches, size_t slot, Entry* entry);

  const bool replays_;
  SampleSchedule schedule_;
  const std::unique_ptr<NeedSchedule> needs_;  // none: the levels say what is read
  LaunchSelection selection_;
  capture::PathFilter counted_ranges_;
  WaitingRanges waiting_ranges_;
  RecordWatch records_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_SAMPLING_POLICY_H_
