// SPDX-License-Identifier: Apache-2.0
//
// The need schedule decides, for --counters auto, which launch is sampled for which pass group: the
// one whose answer decides most GPU time for what it costs. It is bookkeeping: it calls neither
// CUPTI nor a clock.
//
// What is open about a kernel comes from outside, by the use of its units (SetNeeds). Launches of
// one shape (kernel, grid, block, shared memory) that take about as long are of one kind, wherever
// they come from: a sample of one answers for all. What runs now is measured now: a group that no
// running kind wants is left at once.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_NEED_SCHEDULE_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_NEED_SCHEDULE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "cupti_backend/schedule/launch_alarm.h"
#include "cupti_backend/schedule/sample_schedule.h"
#include "lib/format/depth.h"

namespace prof::cupti {

class NeedSchedule {
 public:
  using Entry = SampleSchedule::Entry;  // of a signature
  using Action = SampleSchedule::Action;
  using Decision = SampleSchedule::Decision;

  static constexpr size_t kMaxSlots = SampleSchedule::kMaxSlots;
  static constexpr uint32_t kMaxGroups = SampleSchedule::kMaxGroups;
  static constexpr uint32_t kCapacity = SampleSchedule::kCapacity;
  // Kinds that are sampled at a time, per slot: those that decide most for what they take.
  static constexpr uint32_t kMaxChosen = SampleSchedule::kMaxOpen;
  // What launched in this time runs now; what launches more rarely, for two of its intervals, a
  // second at most.
  static constexpr int64_t kRunningNs = 50'000'000, kLongestRunningNs = 1'000'000'000;
  static constexpr int64_t kRecentNs = 100'000'000;  // GPU time of late fades with this constant
  // A group that nothing took for this time, and for two intervals of its launches, is left for
  // another.
  static constexpr int64_t kPatienceNs = 20'000'000;
  // Kinds with less than this share of the GPU time, of late and in all, come when no other is
  // left.
  static constexpr double kWorthwhileShare = 0.005;
  // Of the signatures that triage has not seen enough of, those ring the launch alarm that have
  // kAlarmOfMost of the time of the largest, and of kAlarmShare of the GPU time. Among them a shape
  // that n bursts have met has its time by n + 1. One that did not launch for kLongestRunningNs,
  // nor for two of its intervals, has none: it is not expected any more. One that rings goes on
  // until it has less than kAlarmKeeps: two kernels would alternate.
  static constexpr double kAlarmOfMost = 0.5, kAlarmKeeps = 0.35, kAlarmShare = 0.002;
  // Launches of one shape whose mean times differ by more than this are of several kinds; the
  // analyzer's bound of what is alike.
  static constexpr double kSameTime = 0.10;
  // Samples of a kind that decide a group: one answers it, the second confirms it. A third one
  // follows later: with fewer an odd launch is not noticed. Where more than kCrowd kinds lack
  // samples, each gets its first before others get a second.
  static constexpr uint32_t kEnough = 2, kSamples = 3, kCrowd = 8;
  static constexpr int64_t kRestNs = 1'000'000'000;  // before the later samples
  // Getting the hardware takes prof's own thread 0.3 s, and PM sampling is without it meanwhile. It
  // is worth that where kinds that run now, and had twice as much GPU time so far, have open
  // questions: a kind is expected to run on for as long as it did so far.
  static constexpr int64_t kTurnNs = 300'000'000;
  // What the program waits of that: for the first Start (H200: 0.20 to 0.22 s). A part of an answer
  // decides nothing, so a turn begins when what it wants can be paid for, too, up to a bound.
  static constexpr int64_t kTurnCostNs = 220'000'000, kMostAnswersNs = 500'000'000;
  // Nothing is open in all that is to be expected: everything else is decided.
  static constexpr double kCompleteShare = 0.98;
  static constexpr int64_t kGoneNs = 5'000'000'000;
  // A signature that launches again after this time comes back; triage is woken for it so often at
  // most. Each time brings TriageSchedule::kFreshBursts bursts, so fewer should do.
  static constexpr int64_t kCalmNs = 200'000'000;
  static constexpr uint32_t kMostReturns = 8;
  // A signature that had so much GPU time is not waited for any more: triage cannot see it.
  static constexpr double kVainNs = 30e9;

  // What a pass group answers, and what it costs.
  struct Group {
    format::Needs answers = format::kNeedsNothing;
    int64_t change_ns = 0;     // to it
    int64_t sample_ns = 0;     // of the launching thread
    bool kernel_only = false;  // not for graphs and ranges
  };

  // `samples` a group at most, after `skip` launches of a signature, of each `every`th one.
  NeedSchedule(uint32_t samples, uint32_t skip, uint32_t every);

  // What is open about every launch: metrics that the user named. Before the first launch.
  void SetAlways(format::Needs needs) { always_ = needs; }

  // --- Launching threads: no lock, no allocation ---

  // A new signature. Its exclusion was decided. `shape`: KernelKeyOf(launch).
  void Add(Entry& entry, size_t slot, uint64_t shape);
  // Counts a launch. True: a sample of it is wanted. Most launches cost no more than this.
  bool Considers(Entry& entry, int64_t now_ns);

  // --- Any thread: no lock, no allocation ---

  // What is open about the launches of a shape. It may change; until the first call it is nothing.
  void SetNeeds(uint64_t shape, format::Needs needs);
  // A burst of PM sampling has met the shape, and it lacks samples still. What no burst has met
  // comes before it: the analyzer knows something of this one.
  void CountBurst(uint64_t shape);
  // False: no use of units is known, so everything is open about every launch.
  void SetTriage(bool works) { triage_works_.store(works, std::memory_order_relaxed); }
  bool triage_works() const { return triage_works_.load(kRelaxed); }

  // Rings when a kernel comes that triage has not seen enough of.
  LaunchAlarm& alarm() { return alarm_; }

  // As of the last Refresh. What is open can be answered, and is worth getting the hardware.
  [[nodiscard]] bool WantsHardware() const { return worth_a_turn_.load(); }
  // What a turn costs the program: to begin, and for the answers that are wanted now.
  [[nodiscard]] int64_t TurnCostNs() const { return kTurnCostNs + answers_ns_.load(kRelaxed); }
  // When something was wanted of a slot that runs, and decided more than the use of the units that
  // is not known yet; 0: never.
  int64_t last_wanted_ns(size_t slot) const { return slots_[slot].last_wanted_ns.load(); }
  // Everything is answered of 98 % of the GPU time, or nothing more is to be expected.
  [[nodiscard]] bool Complete() const { return complete_.load(); }
  // The share of the GPU time about which nothing is open, 0 to 1.
  [[nodiscard]] double decided_share() const { return decided_share_.load(); }
  // Kinds of launches that lack samples.
  uint32_t unfinished() const { return unfinished_.load(); }
  // Kernels and graphs that were new to a slot. A kernel that is loaded again, as those are that
  // libraries compile for each call, makes a new signature, and is nothing new.
  uint64_t news() const { return news_.load(kRelaxed); }
  // How often a signature came back whose use of the units is not known yet. It was launched
  // before, so it is nothing new, but now it can be seen.
  uint64_t returns() const { return returns_.load(kRelaxed); }
  // Of the GPU time of late, the share of such signatures, 0 to 1: also of those that no burst has
  // met so far.
  double unseen_share() const { return unseen_share_.load(kRelaxed); }
  // Of the GPU time of late, the share about which something is open that samples would answer.
  double open_share() const { return open_share_.load(kRelaxed); }

  // --- One thread at a time: the holder of the hardware lease ---

  // Before the first launch of a slot is sampled.
  void SetGroups(size_t slot, const std::vector<Group>& groups);
  // Learns what runs now and what is open. `plenty`: there is budget for more than what decides.
  // Linear in the signatures: 30 ns each.
  void Refresh(bool plenty, int64_t now_ns);
  // The group to change to, by the last Refresh: kRotate or kNone. `active`: the one that is
  // counted; -1: none.
  Decision Plan(size_t slot, int active, int64_t now_ns);
  // Decides about a launch for which Considers was true.
  Decision Next(const Entry& entry, size_t slot, int active) const;
  // The launch was sampled for `group`. kRotate: no running kind wants it any more.
  Decision CountSample(Entry& entry, size_t slot, uint32_t group, int64_t now_ns);
  // `group` is counted from now on.
  void BeginVisit(size_t slot, int64_t now_ns);
  // There is no more room for samples of `group`.
  uint32_t AfterFull(size_t slot, uint32_t group) const;

 private:
  static constexpr format::Needs kUnanswered = ~format::Needs{0};
  static constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

  // Launches of one shape and slot that take about as long.
  struct Kind {
    Kind* next = nullptr;  // of the shape
    uint8_t slot = 0;
    bool requested = false, region = false;
    bool able = false;     // one of its signatures may be sampled
    bool running = false;  // it launched of late
    bool chosen = false;
    bool answered = false;  // every open group has a sample
    bool decided = false;   // and enough of them
    format::Needs needs = format::kNeedsNothing;
    double mean_ns = 0;
    double all_ns = 0, recent_ns = 0;  // GPU time of its launches
    double weight = 0;                 // share of the GPU time that it decides
    double density = 0;                // weight per ns that its samples still take
    int64_t interval_ns = 0;           // between launches, where it is long
    int64_t last_launch_ns = 0, first_take_ns = 0;
    uint64_t open = 0;  // groups that lack samples, a bit each
    std::array<uint8_t, kMaxGroups> taken{};
  };
  struct Shape {
    std::atomic<uint64_t> key{0};
    std::atomic<format::Needs> needs{kUnanswered};
    std::atomic<uint32_t> slots{0};   // that have launched it, a bit each
    std::atomic<uint32_t> bursts{0};  // that have met it
    // As of the last Refresh: its launches ring, and how long one of them took.
    std::atomic<bool> rings{false};
    std::atomic<int64_t> launch_ns{0};
    double unseen_ns = 0;  // of all its signatures, in which triage lacks samples
    double UnseenByBursts() const { return unseen_ns / (1 + bursts.load(kRelaxed)); }
    Kind* first = nullptr;
  };
  // A signature.
  struct Seat {
    std::atomic<Entry*> entry{nullptr};  // written last
    Shape* shape = nullptr;
    uint8_t slot = 0;
    uint32_t launches = 0;  // at the last Refresh that knew its time
    uint32_t noticed = 0;   // launches at the last Refresh
    uint32_t returns = 0;
    int64_t noticed_ns = 0;  // the last Refresh that found new ones
    double recent_ns = 0;
    Kind* kind = nullptr;  // none until its time is known
  };
  struct Slot {
    std::vector<Group> groups;
    std::array<uint32_t, kMaxGroups> wanting{};     // chosen kinds that want the group
    std::array<double, kMaxGroups> value{};         // what they decide with it
    std::array<int64_t, kMaxGroups> interval_ns{};  // the shortest between launches of theirs
    std::array<uint8_t, kMaxGroups> vain{};         // visits in which nothing took it
    bool crowded = false;                           // as of the last Refresh
    uint32_t vain_visits = 0;                       // in a row
    int64_t not_before_ns = 0;                      // no change of group before
    int64_t visit_ns = 0, taken_ns = 0;             // began; the last sample in it
    std::atomic<int64_t> last_wanted_ns{0};
  };

  Shape* ShapeOf(uint64_t key);
  Kind* KindOf(Seat& seat, const Entry& entry, double mean_ns);
  format::Needs NeedsOf(const Seat& seat, const Entry& entry, double mean_ns) const;
  void ForgetTimes();
  bool IsUnseen(const Seat& seat, const Entry& entry) const;
  [[nodiscard]] double UnseenNs(const Seat& seat, const Entry& entry, int64_t now_ns) const;
  void TellAlarm(const Entry& entry, int64_t now_ns);
  void ChooseAlarms(uint32_t seats, int64_t now_ns);
  void NoticeReturn(Seat& seat, const Entry& entry, int64_t now_ns);
  void Learn(Seat& seat, Entry& entry, double decay, int64_t now_ns);
  void FindOpen(Kind& kind, int64_t now_ns);
  void Choose(size_t slot);
  void Weigh(Kind& kind) const;
  static bool IsWorthwhile(const Kind& kind) {
    return !kind.decided && kind.weight >= kWorthwhileShare;
  }
  bool WantsMore(size_t slot) const;
  [[nodiscard]] int64_t AnswersNs() const;
  void Judge(int64_t now_ns);
  static void Tally(const Kind& kind, Slot* slot, int sign);
  static double Value(const Kind& kind, const Slot& slot, uint32_t group);
  static double Score(const Slot& slot, uint32_t group, int active);
  // The group with the best score; -1: none is wanted.
  static int Best(const Slot& slot, int active);

  const uint32_t samples_, skip_, every_;
  std::unique_ptr<Seat[]> seats_;
  std::unique_ptr<Shape[]> shapes_;
  std::unique_ptr<Kind[]> kinds_;
  std::atomic<uint32_t> seats_taken_{0};
  uint32_t kinds_taken_ = 0;
  std::array<Slot, kMaxSlots> slots_;
  std::vector<Kind*> candidates_;  // Choose's; allocated once
  std::atomic<bool> triage_works_{true};

  format::Needs always_ = format::kNeedsNothing;
  LaunchAlarm alarm_;
  bool plenty_ = true;
  int64_t refreshed_ns_ = 0;
  bool watched_ = false;               // from the last Refresh to this one
  double all_ns_ = 0, recent_ns_ = 0;  // GPU time of everything
  double unseen_ns_ = 0;               // of recent_ns_: unseen_share()
  std::atomic<bool> worth_a_turn_{false}, complete_{false};
  std::atomic<double> decided_share_{0};
  std::atomic<int64_t> answers_ns_{0};
  std::atomic<uint32_t> unfinished_{0};
  std::atomic<uint64_t> news_{0}, returns_{0};
  std::atomic<double> unseen_share_{0}, open_share_{0};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_NEED_SCHEDULE_H_
