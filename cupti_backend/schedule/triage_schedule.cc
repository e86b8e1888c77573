// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/triage_schedule.h"

#include <algorithm>

namespace prof::cupti {
namespace {

// While kernels lack samples, bursts may take the share of a core this many times when the budget
// is full, and once when it is empty: the first seconds of a program get most.
constexpr double kHaste = 14;
constexpr int64_t kShortestGapNs = 5'000'000;
// Between the bursts for something new: not of the same few launches.
constexpr int64_t kFreshGapNs = 6'000'000;
// The first distance when there is nothing new, with a full budget; then it doubles. With less left
// it is longer by the square: what may come is worth more than what is known. kLeastSquare bounds
// that.
constexpr int64_t kCalmGapNs = 400'000'000;
constexpr double kLeastSquare = 0.04;
// Without launches the GPU may still work on a long kernel: it is looked at this often. Where it
// did nothing, and nothing was launched since, only a kernel could begin that had to wait.
constexpr int64_t kQuietNs = 100'000'000, kQuietGapNs = 1'000'000'000, kIdleGapNs = 4'000'000'000;
// A kernel that runs for so long may be all that a program does: each eighth of the time since its
// launch is to get a burst, as the course of a long launch has eight parts (pm_course.cc). One that
// lacks samples is taken for one after kQuietNs. After kLongestLongNs others may have the hardware.
constexpr int64_t kLongNs = 1'000'000'000, kPartsOfLong = 8, kLongestLongNs = 60'000'000'000;
constexpr double kWeightOfLatest = 0.25;

void Average(double value, double* average) { *average += kWeightOfLatest * (value - *average); }

}  // namespace

bool WantsTriage(const SessionOptions& options) {
  return options.counters == Counters::kAuto && !options.continuous &&
         options.replay == Replay::kNone;
}

TriageBudget::TriageBudget(double core_percent, int64_t start_ns)
    : share_(core_percent / 100),
      last_ns_(start_ns),
      left_ns_(share_ * static_cast<double>(kSavedNs)) {}

double TriageBudget::LeftNs(int64_t now_ns) {
  left_ns_ = std::min(left_ns_ + share_ * static_cast<double>(now_ns - last_ns_),
                      share_ * static_cast<double>(kSavedNs));
  last_ns_ = now_ns;
  return left_ns_;
}

double TriageBudget::Fullness(int64_t now_ns) {
  const double most_ns = share_ * static_cast<double>(kSavedNs);
  return most_ns > 0 ? std::clamp(LeftNs(now_ns) / most_ns, 0.0, 1.0) : 0;
}

// A linear congruential generator (Knuth's constants): no state that a fork or a test could miss.
double TriageSchedule::Random() {
  random_ = random_ * 6364136223846793005U + 1442695040888963407U;
  return static_cast<double>(random_ >> 11) * 0x1.0p-53;
}

void TriageSchedule::Learn(int64_t now_ns, const TriageSignals& signals, double full) {
  if (learnt_ns_ == kNever) learnt_ns_ = now_ns;  // the program is about to begin
  if (signals.launches != launches_) launched_ns_ = now_ns;
  launches_ = signals.launches;
  if (!judged_) LearnLong(now_ns, signals.within_launch && signals.lacking > kMuch);
  LearnIdle(signals.idle_share);  // of a burst before now
  LearnRate(now_ns, signals.launches);
  knows_idle_ = signals.knows_idle;
  LearnWaiting(signals.resolved, signals.waiting_share);
  if (signals.news != news_) {
    // Those before it have had their bursts: which of them these have met will be known soon.
    const uint64_t before = known_ || fresh_bursts_ == 0 ? 0 : unknown_;
    unknown_ = before + signals.news - news_;
    fresh_until_ns_ = now_ns + kFreshNs;
    fresh_bursts_ = full < kFullForFew ? 1 : full < kFullForAll ? kFewFreshBursts : kFreshBursts;
    more_of_long_ = full < kFullForAll ? 0 : kMoreOfLong;
    blind_bursts_ = 0;
    known_ = false;
    LearnNewsGap(now_ns);
    news_ns_ = now_ns;
    // What waits for a gap of seconds would come too late for a short phase.
    next_burst_ns_ = std::min(next_burst_ns_, now_ns);
    gap_ns_ = 0;
  }
  news_ = signals.news;
  lacking_ = signals.lacking;
  LearnResolved(now_ns, signals.resolved, full);
  const bool lacking = signals.lacking > kEnough && now_ns - launched_ns_ < kQuietNs;
  const bool runs_long = RunsLong(now_ns) && now_ns - launched_ns_ < kLongestLongNs;
  if (lacking || runs_long || now_ns < fresh_until_ns_) learnt_ns_ = now_ns;
}

void TriageSchedule::LearnNewsGap(int64_t now_ns) {
  const int64_t gap_ns = now_ns - news_ns_;
  if (news_ns_ == kNever || gap_ns < kTogetherNs) return;
  if (news_gap_ns_ == 0) news_gap_ns_ = static_cast<double>(gap_ns);
  Average(static_cast<double>(gap_ns), &news_gap_ns_);
}

void TriageSchedule::LearnRate(int64_t now_ns, uint64_t launches) {
  const int64_t since_ns = rate_ns_, time_ns = now_ns - since_ns;
  if (time_ns < kRateNs) return;
  dense_ = static_cast<int64_t>(launches - rate_launches_) >= time_ns / kDenseNs;
  rate_launches_ = launches;
  rate_ns_ = now_ns;
  if (!dense_) return;
  if (since_ns - dense_ns_ > kStartNs && starts_ < kMostStarts) {
    ++starts_;
    idle_bursts_ = 0;
    waiting_ = 0;
  }
  dense_ns_ = now_ns;
}

// A burst that was put off because nothing was known is due if much lacks samples, while there is
// enough for what comes later.
void TriageSchedule::LearnResolved(int64_t now_ns, uint64_t resolved, double full) {
  if (known_ || fresh_bursts_ > 0 || resolved < fresh_taken_) return;
  known_ = true;
  if (lacking_ > kMuch && full > kFullForAll) next_burst_ns_ = std::min(next_burst_ns_, now_ns);
}

// A burst that waited for a kernel says little about the rest of the time.
void TriageSchedule::LearnIdle(double idle_share) {
  if (judged_) return;
  judged_ = true;
  if (!waited_) {
    ++idle_bursts_;
    idle_ += std::max(1.0 / idle_bursts_, kWeightOfLatest) * (idle_share - idle_);
  }
  vain_ = idle_share > kVainIdle ? vain_ + 1 : 0;
}

// Its duration will be known when its record comes, and the phase of the program may be over then.
void TriageSchedule::LearnLong(int64_t now_ns, bool is_long) {
  const bool fresh = now_ns < fresh_until_ns_ && !known_;
  if (!is_long || !fresh || fresh_bursts_ > 0 || more_of_long_ == 0) return;
  --more_of_long_;
  fresh_bursts_ = 1;
  gap_ns_ = kFreshGapNs;
  next_burst_ns_ = last_burst_ns_ + static_cast<int64_t>(kFreshGapNs * (0.5 + Random()));
}

void TriageSchedule::LearnWaiting(uint64_t resolved, double waiting_share) {
  if (resolved == resolved_) return;
  resolved_ = resolved;
  const uint64_t later = taken_ - std::min(resolved, taken_);  // bursts since that one
  if (later >= 64 || (taken_waited_ >> later & 1) != 0) return;
  Average(waiting_share, &waiting_);
}

// After the last burst.
int64_t TriageSchedule::RestNs() const {
  if (vain_ == 0 || dense_) return 0;
  constexpr int kDoublings = 8;  // more would be above the longest in any case
  return std::min(kShortestRestNs << std::min(vain_ - 1, kDoublings), kLongestRestNs);
}

// Without a launch, and the last burst met work.
bool TriageSchedule::RunsLong(int64_t now_ns) const {
  if (launched_ns_ == kNever || !knows_idle_) return false;
  const int64_t patience_ns = lacking_ > kMuch ? kQuietNs : kLongNs;
  return vain_ == 0 && now_ns - launched_ns_ > patience_ns && last_burst_ns_ >= launched_ns_;
}

int64_t TriageSchedule::DueNs(int64_t now_ns) const {
  if (RunsLong(now_ns)) {
    const int64_t part_ns = (now_ns - launched_ns_) / kPartsOfLong;
    return last_burst_ns_ + std::clamp(part_ns, kQuietNs, kQuietGapNs);
  }
  if (now_ns - launched_ns_ <= kQuietNs) return std::max(next_burst_ns_, last_burst_ns_ + RestNs());
  const bool idles = vain_ > 0 && launches_ == burst_launches_;
  return std::max(next_burst_ns_ + (idles ? kIdleGapNs : kQuietGapNs), last_burst_ns_ + RestNs());
}

TriageSchedule::Step TriageSchedule::Next(int64_t now_ns, bool open, const TriageSignals& signals,
                                          TriageBudget* budget) {
  Learn(now_ns, signals, budget->Fullness(now_ns));
  const double left_ns = budget->LeftNs(now_ns);
  if (left_ns >= burst_cost_ns_) overrun_ns_ = 0;
  const double left_for_burst_ns = left_ns + (fresh_bursts_ > 0 ? overrun_ns_ : 0);
  const auto wait_for = [&](double missing_cpu_ns) {
    const double missing_ns = missing_cpu_ns / std::max(budget->share(), 1e-9);
    return Step{Action::kWait, now_ns + static_cast<int64_t>(std::min(missing_ns, 60e9)) + 1, 0, 0};
  };
  const bool idle = idle_bursts_ >= kLeastIdleBursts && idle_ + waiting_ > kMostlyIdle;
  listens_ = idle && lacking_ > kEnough;
  const int64_t let_go_ns = signals.several_streams ? kLetGoOfStreamsNs : kLetGoNs;
  const bool done = now_ns - learnt_ns_ > let_go_ns;
  if (!open) {
    if (done) return {Action::kWait, now_ns + kQuietGapNs, 0, 0};
    if (left_ns < open_cost_ns_) return wait_for(open_cost_ns_ - left_ns);
    return {Action::kOpen, 0, 0, signals.interval_ns > 0 ? signals.interval_ns : interval_ns_};
  }
  if (done) return {Action::kLetGo, 0, 0, 0};
  // Of a launch of seconds all parts are to be in samples of one interval, and any suits it.
  const bool may_change = now_ns - opened_ns_ > stay_ns_ && !RunsLong(now_ns);
  if (may_change && WantsOther(now_ns, signals.interval_ns, budget)) {
    return {Action::kOpen, 0, 0, signals.interval_ns};
  }
  const int64_t due_ns = DueNs(now_ns);
  if (now_ns < due_ns) return {Action::kWait, due_ns, 0, 0};
  if (left_for_burst_ns < burst_cost_ns_) return wait_for(burst_cost_ns_ - left_for_burst_ns);
  const bool waits = listens_ && signals.may_ring && waits_ < kMostWaits;
  if (waits && !signals.alarm && now_ns < due_ns + kListenNs) {
    return {Action::kListen, due_ns + kListenNs, 0, 0};
  }
  waited_ = waits && signals.alarm;
  waits_ = waits ? waits_ + 1 : 0;
  const int64_t begin_ns = waits ? BeginNs(now_ns, signals.expected_ns) : now_ns;
  return {Action::kBurst, begin_ns, kBurstSamples * interval_ns_, 0};
}

// Of a burst for a kernel that is expected, or whose launch was seen just now.
int64_t TriageSchedule::BeginNs(int64_t now_ns, int64_t expected_ns) {
  const double random = Random();
  if (expected_ns == 0) return now_ns + static_cast<int64_t>(random * kAfterAlarmNs);
  const auto earlier_ns = static_cast<int64_t>(random * kEarlierNs);
  return std::max(now_ns, expected_ns - kBeginNs - earlier_ns);
}

bool TriageSchedule::WantsOther(int64_t now_ns, int64_t interval_ns, TriageBudget* budget) const {
  if (interval_ns <= 0) return false;
  if (lacking_ <= kMuch || budget->Fullness(now_ns) <= kFullForOther) return false;
  if (2 * interval_ns <= interval_ns_) return true;
  const int64_t calm_ns = listens_ && dense_ ? kCalmOfIdleNs : kFreshNs;
  return interval_ns >= 2 * interval_ns_ && now_ns - news_ns_ >= calm_ns;
}

// Much of the GPU's time lacks samples, more than ranges would answer, and the budget lets bursts
// come soon.
bool TriageSchedule::Hungry(int64_t now_ns, double open_share, TriageBudget* budget) const {
  constexpr double kLeft = 0.2;
  return lacking_ > std::max(kMuch, open_share) && learning(now_ns) &&
         budget->Fullness(now_ns) > kLeft;
}

bool TriageSchedule::MayGiveAway(int64_t now_ns, TriageBudget* budget) const {
  if (now_ns - news_ns_ > kSteadyNs) return true;
  const auto since_ns = static_cast<double>(now_ns - news_ns_);
  const bool is_time = since_ns > 2 * news_gap_ns_ || news_gap_ns_ - since_ns >= kVainTurnNs;
  return is_time && budget->LeftNs(now_ns) >= open_cost_ns_ + kFreshBursts * burst_cost_ns_;
}

void TriageSchedule::OnOpen(int64_t now_ns, int64_t interval_ns, int64_t cpu_ns,
                            TriageBudget* budget) {
  budget->Spend(cpu_ns);
  const int64_t usual_ns = std::min(cpu_ns, kUsualOpenNs);
  overrun_ns_ = std::min(overrun_ns_ + static_cast<double>(cpu_ns - usual_ns),
                         static_cast<double>(kMostOverrunNs));
  Average(static_cast<double>(usual_ns), &open_cost_ns_);
  if (interval_ns != interval_ns_) stay_ns_ = std::min(2 * stay_ns_, kLongestStayNs);
  interval_ns_ = interval_ns;
  opened_ns_ = now_ns;
  next_burst_ns_ = now_ns;
}

// Between the last burst and the next one, without the random part.
int64_t TriageSchedule::GapNs(int64_t now_ns, TriageBudget* budget) const {
  if (fresh_bursts_ > 0) return kFreshGapNs;
  const bool fresh = now_ns < fresh_until_ns_;
  const double full = budget->Fullness(now_ns);
  if ((!fresh || known_) && lacking_ <= kEnough) {
    return std::max(2 * gap_ns_,
                    static_cast<int64_t>(kCalmGapNs / std::max(full * full, kLeastSquare)));
  }
  // What the bursts for something new have met is known after some tenths of a second. Those for a
  // single new kernel have met it. Where more are new, as many follow until then, while there is
  // enough for what comes later.
  if (fresh && !known_ && (blind_bursts_ + 1 >= unknown_ || full < kFullForAll)) {
    return fresh_until_ns_ - now_ns;
  }
  if (lacking_ > kMost && full > kFullForMost) return kFreshGapNs;
  // Right after something new, more that is new may follow: what is saved is kept for that.
  const double haste = kHaste * (fresh ? full * full * full : full);
  const double share = budget->share() * (1 + haste);
  // What a burst waits for its kernel comes on top.
  return static_cast<int64_t>((listens_ ? 0.5 : 1) * burst_cost_ns_ / std::max(share, 1e-9));
}

void TriageSchedule::OnBurst(int64_t now_ns, int64_t cpu_ns, bool kept, TriageBudget* budget) {
  budget->Spend(cpu_ns);
  Average(static_cast<double>(cpu_ns), &burst_cost_ns_);
  last_burst_ns_ = now_ns;
  burst_launches_ = launches_;
  judged_ = false;
  if (kept) {
    ++taken_;
    taken_waited_ = taken_waited_ << 1 | (waited_ ? 1 : 0);
  }
  if (fresh_bursts_ > 0) {
    --fresh_bursts_;
    fresh_taken_ = taken_;
  } else {
    ++blind_bursts_;
  }
  gap_ns_ = std::clamp(GapNs(now_ns, budget), kShortestGapNs, kLongestGapNs);
  next_burst_ns_ = now_ns + static_cast<int64_t>(static_cast<double>(gap_ns_) * (0.5 + Random()));
}

}  // namespace prof::cupti
