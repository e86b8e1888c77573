// SPDX-License-Identifier: Apache-2.0
//
// The triage schedule decides when PM sampling of a device takes a burst of samples, at which
// interval, and when it lets go of the hardware. It calls neither CUPTI nor a clock.
//
// A burst costs the host 15 to 25 ms, nearly all of it in CUPTI, so bursts follow what is not known
// yet: they come as often as the budget allows while something new runs or kernels lack samples,
// and ever more seldom after that. The distance between two bursts is random: a distance that is a
// multiple of the program's loop would see the same part of it again and again.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_TRIAGE_SCHEDULE_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_TRIAGE_SCHEDULE_H_

#include <cstdint>

#include "prof/session.h"

namespace prof::cupti {

// PM sampling at a fixed interval, and replay, need the hardware for themselves.
[[nodiscard]] bool WantsTriage(const SessionOptions& options);

// The CPU time that triage may take: a share of a core, saved up for at most a minute. So a program
// of a minute takes no more than twice the share, and a short one has all of a minute's.
class TriageBudget {
 public:
  static constexpr int64_t kSavedNs = 60'000'000'000;

  // `core_percent` of one core.
  TriageBudget(double core_percent, int64_t start_ns);

  void Spend(int64_t cpu_ns) { left_ns_ -= static_cast<double>(cpu_ns); }
  // What is left at `now_ns`; below zero after an expensive step.
  double LeftNs(int64_t now_ns);
  double share() const { return share_; }
  // 0..1: how much of what can be saved is there.
  double Fullness(int64_t now_ns);

 private:
  const double share_;
  int64_t last_ns_;
  double left_ns_;
};

// What is known about one device.
struct TriageSignals {
  uint64_t launches = 0;  // of the process, so far
  // Signatures of the process, and how often one came back that lacks samples, so far.
  uint64_t news = 0;
  // The share of the GPU's busy time whose kernels have too few samples, of those that bursts have
  // met or of all that were launched of late, whichever is more; and the interval that suits the
  // durations of the kernels in bursts (0: unknown).
  double lacking = 1;
  int64_t interval_ns = 0;
  uint64_t resolved = 0;  // bursts of which that is known, so far
  // Work was given to several streams: they may wait for each other.
  bool several_streams = false;
  // Of the last burst's samples, the share in which the GPU did nothing; and of the time of the
  // burst of which something became known last, the share with nothing that needs a verdict.
  double idle_share = 0, waiting_share = 0;
  // The pass of that burst can show it.
  bool knows_idle = true;
  // All of it lay within one launch, as far as its samples tell.
  bool within_launch = false;
  // A launch can show that a kernel comes that lacks samples; and one comes soon.
  bool may_ring = true, alarm = true;
  // When it is to be expected; 0: not known.
  int64_t expected_ns = 0;
};

class TriageSchedule {
 public:
  // Samples of a burst. More would be of the same few launches, and each sample costs the host 0.1
  // ms, also where the GPU does nothing (docs/internals/triage.md).
  static constexpr int64_t kBurstSamples = 64;
  static constexpr double kMostlyIdle = 0.5;
  // Of kernels that are shorter than this, no sample holds but one: the fit has to do.
  static constexpr int64_t kShortestIntervalNs = 5'000;
  static constexpr int64_t kLongestGapNs = 5'000'000'000;
  // A new signature is looked at so often at once: a phase of the program may end soon. Each burst
  // is a part of what is enough (TriageCoverage::kEnoughBursts).
  static constexpr int kFreshBursts = 3;
  // With less than half of the budget left there are two, with less than a fifth one, so that what
  // comes later gets some, too.
  static constexpr double kFullForAll = 0.5, kFullForFew = 0.2;
  static constexpr int kFewFreshBursts = 2;
  // Where a burst for something new lies within one launch, so many more follow: a burst sees a
  // small part of such a launch (TriageCoverage::kEnoughBurstsOfLong).
  static constexpr int kMoreOfLong = 5;
  // So long after it the hardware is not given to others, unless hardly any of the GPU's time lacks
  // samples after these bursts.
  static constexpr int64_t kFreshNs = 1'000'000'000;
  // Nothing new has come for so long: nobody will need the hardware in a hurry.
  static constexpr int64_t kSteadyNs = 5'000'000'000;
  // Ranges take so long to start and to read something. Where the next new kernel is to be expected
  // sooner, as in a program of short phases, it would take the hardware back before that.
  static constexpr int64_t kVainTurnNs = 500'000'000;
  // What is new within this time came together.
  static constexpr int64_t kTogetherNs = 100'000'000;
  // A share of the GPU's busy time that is worth a burst more.
  static constexpr double kMuch = 0.1;
  // While most of it lacks samples, and the budget is this full, bursts come as for something new.
  static constexpr double kMost = 0.4, kFullForMost = 0.75;
  // While kernels lack samples and the GPU does nothing most of the time, or nothing but copies and
  // collectives, which may wait for another rank, a burst waits until one of them is to be
  // expected, for kListenNs at most. Its samples begin kBeginNs after the call (0.55 to 1.1 ms),
  // and up to kEarlierNs before the kernel: at random, so that its neighbours are met as well.
  // Where it is not known when the kernel comes, they begin up to kAfterAlarmNs after its launch.
  static constexpr int64_t kListenNs = 300'000'000, kAfterAlarmNs = 3'000'000;
  static constexpr int64_t kBeginNs = 850'000, kEarlierNs = 200'000;
  // One burst of four comes at a random time all the same. It shows how idle the GPU is, and what
  // nobody waits for.
  static constexpr int kMostWaits = 3;
  // Two bursts at random times have to show how idle the GPU is. Where launches become dense after
  // kStartNs with few of them, the program begins with its loop, and what was seen before says
  // nothing of that: three times at most, as a server may rest between its requests.
  static constexpr int kLeastIdleBursts = 2, kMostStarts = 3;
  static constexpr int64_t kStartNs = 100'000'000;
  // A burst that met hardly anything, in a program that launches less than a kernel per millisecond
  // (it loads code, compiles or warms up), is followed by the next one after kShortestRestNs; each
  // further one doubles that. Something new does not shorten it.
  static constexpr double kVainIdle = 0.95;
  static constexpr int64_t kDenseNs = 1'000'000, kRateNs = 20'000'000;
  static constexpr int64_t kShortestRestNs = 40'000'000, kLongestRestNs = 200'000'000;
  // Another interval costs as much as some ten bursts: only while much lacks samples, and the
  // budget is so full. It stays for kStayNs, and after each change for twice as long as before.
  static constexpr double kFullForOther = 0.3;
  static constexpr int64_t kStayNs = 1'000'000'000, kLongestStayNs = 16'000'000'000;
  // So long after something new a longer one may come where launches follow each other and the GPU
  // waits for them; kFreshNs elsewhere.
  static constexpr int64_t kCalmOfIdleNs = 300'000'000;
  // To open a session takes 0.1 to 0.15 s of CPU time, and 0.5 to 0.8 s beside a kernel that fills
  // the link to the host (H200). What is above this is paid for, but bursts for something new do
  // not wait until it is, up to a sum of kMostOverrunNs.
  static constexpr int64_t kUsualOpenNs = 200'000'000, kMostOverrunNs = 1'000'000'000;
  // Below this share of the busy time there is nothing left to learn.
  static constexpr double kEnough = 0.01;
  static constexpr int64_t kLearningNs = 100'000'000;
  // So long without anything to learn, and the hardware is free for others. While a session is
  // open, a stream that waits for another one goes on 6 us later (docs/measurements/coverage.md).
  static constexpr int64_t kLetGoNs = 10'000'000'000, kLetGoOfStreamsNs = 500'000'000;

  // `seed`: of the random distances.
  explicit TriageSchedule(uint64_t seed) : random_(seed * 2 + 1) {}

  enum class Action {
    kWait,    // until `at_ns`, or until something new runs
    kListen,  // as kWait, and for a launch that lacks samples
    kBurst,   // from `at_ns` on, for `length_ns`
    kOpen,    // the hardware, with samples of `interval_ns`; also where another interval was open
    kLetGo
  };
  struct Step {
    Action action = Action::kWait;
    int64_t at_ns = 0;
    int64_t length_ns = 0;
    int64_t interval_ns = 0;
  };
  // `open`: the session is open.
  Step Next(int64_t now_ns, bool open, const TriageSignals& signals, TriageBudget* budget);

  // A step was taken, and cost so much CPU time.
  // `kept`: the burst has samples, which the coverage gets; of any other one nothing will be known.
  void OnBurst(int64_t now_ns, int64_t cpu_ns, bool kept, TriageBudget* budget);
  void OnOpen(int64_t now_ns, int64_t interval_ns, int64_t cpu_ns, TriageBudget* budget);

  // There is something to learn, as far as the last call of Next knows.
  bool learning(int64_t now_ns) const { return now_ns - learnt_ns_ < kLearningNs; }
  // Something new runs: the hardware should not be given to others now.
  bool fresh(int64_t now_ns) const {
    return now_ns < fresh_until_ns_ && (fresh_bursts_ > 0 || lacking_ > kMuch);
  }
  // The budget would pay for getting the hardware back and for what is new by then, and there is
  // time until then; or nothing new is to be expected.
  [[nodiscard]] bool MayGiveAway(int64_t now_ns, TriageBudget* budget) const;
  // The hardware stays with triage although ranges would use it. `open_share`: of the GPU time that
  // ranges would answer.
  [[nodiscard]] bool Keeps(int64_t now_ns, double open_share, TriageBudget* budget) const {
    return fresh(now_ns) || Hungry(now_ns, open_share, budget) || !MayGiveAway(now_ns, budget);
  }
  // Bursts wait for kernels that lack samples, as of the last call of Next.
  bool listens() const { return listens_; }
  // TriageSignals::lacking, as of the last call of Next.
  double lacking() const { return lacking_; }
  int64_t interval_ns() const { return interval_ns_; }

 private:
  static constexpr int64_t kNever = INT64_MIN / 2;

  void Learn(int64_t now_ns, const TriageSignals& signals, double full);
  void LearnNewsGap(int64_t now_ns);
  void LearnRate(int64_t now_ns, uint64_t launches);
  void LearnIdle(double idle_share);
  // The last burst lay within a launch that lacks samples.
  void LearnLong(int64_t now_ns, bool is_long);
  void LearnWaiting(uint64_t resolved, double waiting_share);
  void LearnResolved(int64_t now_ns, uint64_t resolved, double full);
  [[nodiscard]] int64_t RestNs() const;
  [[nodiscard]] bool RunsLong(int64_t now_ns) const;
  [[nodiscard]] int64_t DueNs(int64_t now_ns) const;
  [[nodiscard]] int64_t GapNs(int64_t now_ns, TriageBudget* budget) const;
  [[nodiscard]] bool Hungry(int64_t now_ns, double open_share, TriageBudget* budget) const;
  [[nodiscard]] bool WantsOther(int64_t now_ns, int64_t interval_ns, TriageBudget* budget) const;
  double Random();  // [0, 1)
  [[nodiscard]] int64_t BeginNs(int64_t now_ns, int64_t expected_ns);

  uint64_t random_;
  int64_t interval_ns_ = kShortestIntervalNs;
  int64_t next_burst_ns_ = 0;
  int64_t gap_ns_ = 0;  // the last one, without its random part
  int64_t opened_ns_ = 0, stay_ns_ = kStayNs;
  double burst_cost_ns_ = 12e6;  // the average of late
  double open_cost_ns_ = 150e6;
  // Of opened sessions, above kUsualOpenNs, until the budget has enough again.
  double overrun_ns_ = 0;
  double news_gap_ns_ = 0;  // the average of late; 0: not known
  uint64_t launches_ = 0, news_ = 0;
  uint64_t rate_launches_ = 0;  // at rate_ns_
  int64_t rate_ns_ = 0;
  bool dense_ = false;         // of launches
  int64_t dense_ns_ = kNever;  // when they were dense last
  int starts_ = 0;             // when they became dense after a while
  int64_t last_burst_ns_ = kNever;
  uint64_t burst_launches_ = 0;  // at the last burst
  bool judged_ = true;           // the last burst
  bool waited_ = false;          // it waited for a kernel
  int waits_ = 0;                // bursts that waited, in a row
  int vain_ = 0;                 // the latest bursts, in a row
  double idle_ = 0;              // the share of the time in which the GPU does nothing
  int idle_bursts_ = 0;          // that showed it
  bool knows_idle_ = true;
  double waiting_ = 0;  // and in which it runs only what needs no verdict
  double lacking_ = 1;
  bool listens_ = false;
  int fresh_bursts_ = 0;          // still to take
  int more_of_long_ = 0;          // that may follow them
  uint64_t blind_bursts_ = 0;     // taken after these
  uint64_t unknown_ = 0;          // new kernels of which no burst is known yet
  bool known_ = true;             // what the bursts for something new have met
  uint64_t taken_ = 0;            // bursts that were kept
  uint64_t taken_waited_ = 0;     // of the last 64 of them, a bit each: it waited for a kernel
  uint64_t resolved_ = 0;         // as of the last call of Next
  uint64_t fresh_taken_ = 0;      // up to the last one for something new
  int64_t news_ns_ = kNever;      // when something new came last
  int64_t launched_ns_ = kNever;  // when launches were seen last
  int64_t fresh_until_ns_ = kNever;
  int64_t learnt_ns_ = kNever;  // when there was something to learn last
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_TRIAGE_SCHEDULE_H_
