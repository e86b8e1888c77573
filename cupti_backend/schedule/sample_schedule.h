// SPDX-License-Identifier: Apache-2.0
//
// The sample schedule decides which launches are sampled, for which pass group, and when to change
// groups. It is bookkeeping: it calls neither CUPTI nor a clock.
//
// A signature gets its samples in rounds: in the first round every group gets up to three, later
// rounds add the rest, after a pause as long as everything before it. So each group is there early,
// and the samples are spread over the run. Within a group a signature skips some of its launches
// while other signatures want the group. Groups are visited in their order, again and again,
// without those that no signature wants. At most kMaxOpen signatures are active at a time: those
// with most GPU time so far, which makes them complete where the budget does not last for all.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_SAMPLE_SCHEDULE_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_SAMPLE_SCHEDULE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace prof::cupti {

// Launches with the same signature are alike, so their counters are put together.
struct Signature {
  const void* function = nullptr;
  size_t slot = 0;  // its context: a later one may have the same address
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t dynamic_shared_bytes = 0;
  uint64_t range_family = 0;  // NVTX path; numbered siblings count as one
  bool range_matches = true;  // the range filter; siblings that differ in it do not count as one
};

uint64_t HashOf(const Signature& signature);  // never 0

// Why a signature is never sampled.
enum class Exclusion : uint8_t {
  kUndecided,   // not decided yet
  kNone,        // it may be sampled
  kNotChosen,   // the options exclude it
  kWaits,       // it waits for other kernels or GPUs, by its name
  kNeverAlone,  // it never ended before later work began: it may wait for that
  kHeldUp,      // it held the program up under a counter range
};
constexpr size_t kExclusions = 6;

class SampleSchedule {
 public:
  static constexpr uint32_t kMaxGroups = 48;
  static constexpr uint32_t kCapacity = 8192;
  static constexpr size_t kMaxSlots = 8;  // contexts, which change groups on their own
  // Active signatures, per slot.
  static constexpr uint32_t kMaxOpen = 24;
  // A group that some signature still wants is left for others when nothing took it for this time,
  // and for four times the interval of the launch that wants another one.
  static constexpr int64_t kPatienceNs = 20'000'000;
  // A signature that did not launch for this time, and for eight of its intervals, gives up its
  // place.
  static constexpr int64_t kGoneNs = 200'000'000;
  static constexpr int64_t kMaxRestNs = 5'000'000'000;  // between two rounds
  // Launches with this distance are all sampled: they are spread over the run by themselves.
  static constexpr int64_t kSpacingNs = 10'000'000;
  // A signature whose SM clock moved by more than this share gets one more round.
  static constexpr double kClockMoved = 0.03;

  // Whether a kernel is known to end by itself (overlap_watch.h).
  enum class Alone : uint8_t { kUnknown, kRequested, kYes };

  struct Entry {
    std::atomic<uint64_t> key{0};
    std::atomic<Exclusion> exclusion{Exclusion::kUndecided};
    std::atomic<bool> finished{false};  // nothing will be sampled (any more)
    std::atomic<uint32_t> launches{0};
    std::atomic<int64_t> last_launch_ns{0};
    std::atomic<int64_t> interval_ns{0};  // between launches: the longest of late
    std::atomic<int64_t> resume_ns{0};    // no sample before
    std::atomic<Alone> alone{Alone::kUnknown};
    std::atomic<uint8_t> overlapped{0};  // runs in which later work began before its end
    // A graph or a range: no groups that only kernels can be read for.
    std::atomic<bool> region{false};
    std::atomic<bool> requested{false};  // by name: goes before all others
    std::atomic<bool> asked{false};      // the driver, for its local memory
    std::atomic<bool> unseen{false};     // by need: triage should see it (need_schedule.h)
    // GPU time of some of its launches (work_watch.h).
    std::atomic<uint32_t> timed_launches{0};
    std::atomic<uint64_t> timed_ns{0};
    std::atomic<uint64_t> timed_last{0};  // the launch that was counted last
    std::atomic<int64_t> last_run_ns{0};  // the duration of the last record; 0: none yet
    std::atomic<int64_t> delay_ns{0};     // from its launch to its start, the last time
    std::atomic<bool> steady{false};      // the last two durations were alike (work_watch.h)
    std::atomic<uint32_t> seat{0};        // in the need schedule; 0: none
    int spoilt = 0;  // samples that were no good; the holder of the hardware lease

   private:
    friend class SampleSchedule;
    enum class State : uint8_t { kNew, kParked, kOpen, kResting, kDone };
    State state = State::kNew;
    uint8_t slot = 0;
    uint8_t round = 0;
    bool extra_round = false;
    uint8_t visit_takes = 0;  // in visit `visit`
    uint32_t visit = 0;
    uint32_t take_launch = 0;  // launches when it was last sampled
    int64_t take_ns = 0, first_take_ns = 0;
    uint64_t wants = 0;  // groups that lack samples in this round, a bit each
    double clock_hz = 0;
    std::array<uint8_t, kMaxGroups> taken{};
  };

  // `samples` per signature and group (1..100), after `skip` launches, of each `every`th one.
  SampleSchedule(uint32_t samples, uint32_t skip, uint32_t every);

  // --- Launching threads, at any time: no lock, no allocation ---

  // The entry of `key`. It is made when it is new (`*is_new`), and Decide has to follow. nullptr:
  // the table is full; dropped() counts it.
  Entry* Find(uint64_t key, bool* is_new);
  // nullptr: there is none yet.
  Entry* FindKnown(uint64_t key) const;
  void Decide(Entry& entry, size_t slot, Exclusion exclusion);
  // Counts a launch. False: it is not sampled. Most launches cost no more than this.
  bool Considers(Entry& entry, int64_t now_ns);
  // From now on it is never sampled. Any thread, also while another one is in Next or
  // CountSample.
  void Exclude(Entry& entry, Exclusion reason);

  // --- One thread at a time ---

  enum class Action { kNone, kSample, kRotate };
  struct Decision {
    Action action = Action::kNone;
    uint32_t group = 0;  // to sample, or to rotate to
  };

  // `groups`: a bit for each group that only single kernels can be read for. Before the first
  // launch.
  void SetKernelOnly(size_t slot, uint64_t groups) { slots_[slot].kernel_only = groups; }
  // `group` of a chip with `groups` is counted from now on.
  void BeginVisit(size_t slot, uint32_t groups, uint32_t group, int64_t now_ns);
  // Decides about a launch for which Considers was true. `active`: the group that is counted; -1:
  // none.
  Decision Next(Entry& entry, size_t slot, uint32_t groups, int active, int64_t now_ns);
  // The launch was sampled for `group`. Returns kRotate when no more samples of this group come.
  Decision CountSample(Entry& entry, size_t slot, uint32_t group, int64_t now_ns);
  // There is no more room for samples of `group`: the group to change to, maybe this one again.
  uint32_t AfterFull(size_t slot, uint32_t group) const;
  // The SM clock of a sample.
  void AddClock(Entry& entry, double hz);

  // --- Any thread ---

  // Every signature that still runs has all its samples, as far as can be known: none lacks
  // samples, or the launches of late had none that does.
  bool Complete(int64_t now_ns) const;

  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  uint32_t signatures() const { return signatures_.load(std::memory_order_relaxed); }
  uint32_t unfinished() const { return unfinished_.load(std::memory_order_relaxed); }
  struct Count {
    uint64_t signatures = 0, launches = 0;
  };
  Count CountOf(Exclusion exclusion) const;  // walks the table

 private:
  struct Slot {
    std::array<uint32_t, kMaxGroups> wanting{};  // open signatures that want it
    uint32_t groups = 0;
    uint64_t kernel_only = 0;
    double least_work_ns = 0;  // signatures with less GPU time have to wait
    uint32_t open = 0;
    uint32_t visit = 0;
    int64_t revisited_ns = 0;
    int64_t idle_since_ns = 0;       // nothing took the group that is counted
    int64_t gather_until_ns = 0;     // others are likely to want it soon
    std::atomic<uint32_t> fresh{0};  // signatures before their first round that run
  };

  uint32_t Target(const Entry& entry) const;
  bool Open(Entry& entry, Slot& slot, int64_t now_ns);
  void Close(Entry& entry, Slot& slot, Entry::State next);
  void EndRound(Entry& entry, Slot& slot, int64_t now_ns);
  void Finish(Entry& entry);
  void RevisitAll(size_t slot, int64_t now_ns);
  void Revisit(Entry& entry, Slot& slot, int64_t now_ns);
  void ChooseByWork(size_t slot, int64_t now_ns);
  static double WorkNs(const Entry& entry);
  static bool IsGone(const Entry& entry, int64_t now_ns);
  static bool TooClose(const Entry& entry, const Slot& slot, int64_t now_ns);
  static uint32_t GroupAfter(const Slot& slot, uint32_t group);

  const uint32_t skip_, every_;
  std::vector<uint32_t> targets_;  // samples of a group at the end of each round
  std::unique_ptr<Entry[]> entries_;
  std::vector<double> work_;  // ChooseByWork's; allocated once
  std::array<Slot, kMaxSlots> slots_;
  std::atomic<uint32_t> signatures_{0};
  std::atomic<uint32_t> unfinished_{0};
  std::atomic<uint64_t> dropped_{0};
  std::atomic<uint32_t> quiet_launches_{0};  // since one that lacked samples
  std::atomic<int64_t> last_lack_ns_{0};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_SAMPLE_SCHEDULE_H_
