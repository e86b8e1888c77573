// SPDX-License-Identifier: Apache-2.0
#include "test/cupti_backend/schedule/simulated_machine.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "cupti_backend/metrics/metric_cost.h"
#include "lib/format/depth.h"

namespace prof::cupti::test {
namespace {

using Action = SampleSchedule::Action;
using format::Needs;
using format::TriageUnit;

constexpr int64_t kUs = 1'000, kMs = 1'000'000, kS = 1'000'000'000;
// The collector's round, triage's look, and when records come.
constexpr int64_t kRoundNs = 20 * kMs, kPollNs = 10 * kMs, kRecordsNs = 150 * kMs;
constexpr int64_t kToRangesNs = 300 * kMs;
constexpr size_t kRoom = 48;  // counter samples between two decodes
// Triage (docs/internals/triage.md): how long a burst takes to begin and to stop, what it costs,
// and what a session costs; and the same beside a kernel that fills the link to the host.
constexpr int64_t kBeginNs = 850 * kUs, kStopNs = 300 * kUs, kLinkStopNs = 35 * kMs;
constexpr int64_t kBurstNs = 3 * kMs, kSampleNs = 100 * kUs, kKeptNs = 60 * kUs;
constexpr int64_t kMostSamples = 128;
constexpr int64_t kOpenNs = 130 * kMs, kCloseNs = 40 * kMs;
constexpr int64_t kLinkOpenNs = 800 * kMs, kLinkCloseNs = 200 * kMs;

// The groups of GH100 for auto: stall reasons, detail of L1, of shared memory, patched code, L2,
// and the use of the units.
std::vector<NeedSchedule::Group> Groups() {
  std::vector<NeedSchedule::Group> groups;
  const auto add = [&](int count, Needs answers, int64_t change_ns, MetricCost cost) {
    for (int i = 0; i < count; ++i) {
      groups.push_back({answers, change_ns, SampleCostNs(cost), cost == MetricCost::kSoftware});
    }
  };
  add(9, format::kNeedsStalls, 4 * kMs, MetricCost::kSm);
  add(4, format::kNeedsMemory, 4 * kMs, MetricCost::kSm);
  add(2, format::kNeedsShared, 4 * kMs, MetricCost::kSm);
  add(1, format::kNeedsMemory | format::kNeedsShared, 4 * kMs, MetricCost::kSoftware);
  add(2, format::kNeedsMemory, 25 * kMs, MetricCost::kMemory);
  add(4, format::kNeedsUse, 25 * kMs, MetricCost::kSm);
  return groups;
}

SessionOptions Options() {
  SessionOptions options;
  options.counters = Counters::kAuto;
  return options;
}

}  // namespace

format::Needs SimulatedKernel::needs() const {
  if (static_cast<double>(duration_ns) < format::kLaunchSizedNs) return format::kNeedsNothing;
  format::UnitUse known;
  for (size_t unit = 0; unit < use.size(); ++unit) {
    if (!std::isnan(use[unit])) {
      known.Set(static_cast<TriageUnit>(unit), static_cast<double>(use[unit]) / 100);
    }
  }
  return format::NeedsOf(known);
}

SimulatedKernel RandomKernel(std::mt19937& random, int number, int64_t least_ns, int64_t most_ns) {
  SimulatedKernel kernel;
  kernel.name = "kernel" + std::to_string(number);
  kernel.number = static_cast<uintptr_t>(number) + 1;
  std::uniform_real_distribution<double> exponent(0, 1);
  kernel.duration_ns = static_cast<int64_t>(
      static_cast<double>(least_ns) *
      std::pow(static_cast<double>(most_ns) / static_cast<double>(least_ns), exponent(random)));
  std::uniform_real_distribution<float> low(2, 50), high(65, 97);
  kernel.use.fill(std::numeric_limits<float>::quiet_NaN());
  const auto of = [&](TriageUnit unit) -> float& { return kernel.use[static_cast<size_t>(unit)]; };
  for (const TriageUnit unit : {TriageUnit::kDram, TriageUnit::kL2, TriageUnit::kIssue,
                                TriageUnit::kTensor, TriageUnit::kL1, TriageUnit::kShared}) {
    of(unit) = low(random);
  }
  constexpr TriageUnit kLeaders[] = {TriageUnit::kDram,   TriageUnit::kDram,   TriageUnit::kL2,
                                     TriageUnit::kL1,     TriageUnit::kShared, TriageUnit::kTensor,
                                     TriageUnit::kTensor, TriageUnit::kIssue};
  const size_t leader = random() % 12;
  if (leader < std::size(kLeaders)) of(kLeaders[leader]) = high(random);
  return kernel;
}

SimulatedMachine::SimulatedMachine(uint32_t seed)
    : policy_(Options()),
      budget_(Options(), 0),
      groups_(Groups()),
      now_ns_(kMs),
      schedule_(seed),
      triage_budget_(Options().triage_core_percent, 0),
      random_(seed) {
  policy_.SetGroups(0, groups_);
}

void SimulatedMachine::Run(SimulatedKernel& kernel, bool in_graph) {
  link_is_full_ = kernel.fills_link;
  Advance();
  if (kernel.taken.empty()) kernel.taken.resize(groups_.size());
  ++launches_;
  if (!in_graph) Launch(kernel);
  const Piece piece = {now_ns_, now_ns_ + kernel.duration_ns, &kernel};
  pieces_.push_back(piece);
  records_.push_back(piece);
  now_ns_ = piece.end_ns;
  kernel.gpu_ns += static_cast<double>(kernel.duration_ns);
  Advance();
}

void SimulatedMachine::Idle(int64_t ns) {
  link_is_full_ = false;
  for (const int64_t until_ns = now_ns_ + ns; now_ns_ < until_ns;) {
    now_ns_ = std::min(until_ns, now_ns_ + kMs);
    Advance();
  }
}

bool SimulatedMachine::Decided(const SimulatedKernel& kernel) const {
  if (!Known(kernel)) return false;
  for (size_t group = 0; group < groups_.size(); ++group) {
    if ((groups_[group].answers & kernel.needs()) != 0 && kernel.taken[group] < 1) return false;
  }
  return true;
}

// --- Counter ranges ------------------------------------------------------------------------------

void SimulatedMachine::Launch(SimulatedKernel& kernel) {
  cupti::Launch launch;
  launch.signature.function = reinterpret_cast<const void*>(kernel.number);
  launch.kernel_name = kernel.name.c_str();
  launch.correlation = ++correlation_;
  SamplingPolicy::Entry* entry = policy_.Consider(launch, 0, now_ns_);
  if (entry == nullptr) return;
  policy_.MeasureWork(1, launch, entry, now_ns_);
  policy_.records().work.Add(1, launch.correlation, now_ns_, now_ns_ + kernel.duration_ns);
  if (!budget_.Allows(now_ns_) || changing_to_ >= 0 || active_ < 0) return;
  const SamplingPolicy::Decision decision = policy_.Next(*entry, Facts(), now_ns_);
  if (decision.action == Action::kRotate) Change(decision.group);
  if (decision.action != Action::kSample) return;
  ++kernel.taken[decision.group];
  ++in_image_;
  const std::optional<uint32_t> next = policy_.AfterSample(*entry, 0, decision.group, now_ns_);
  Spend(groups_[decision.group].sample_ns);
  now_ns_ += groups_[decision.group].sample_ns;
  if (next) Change(*next);
}

SamplingPolicy::Hardware SimulatedMachine::Facts() const {
  return {0, static_cast<uint32_t>(groups_.size()), active_, in_image_ < kRoom};
}

void SimulatedMachine::Spend(int64_t cost_ns) {
  budget_.Spend(cost_ns);
  ranges_ns_ += cost_ns;
}

void SimulatedMachine::Change(uint32_t group) {
  changing_to_ = static_cast<int>(group);
  changed_ns_ = now_ns_ + groups_[group].change_ns;
  Spend(groups_[group].change_ns);
}

void SimulatedMachine::ServeRanges() {
  if (hardware_ == Hardware::kToRanges && now_ns_ >= turned_ns_) {
    hardware_ = Hardware::kRanges;
    turned_ns_ = now_ns_;
  }
  if (hardware_ != Hardware::kRanges) return;
  const bool is_over = now_ns_ - turned_ns_ > kS && !policy_.WantedOfLate(0, now_ns_);
  if (is_over || (schedule_.fresh(now_ns_) && changing_to_ < 0)) {
    active_ = changing_to_ = -1;
    hardware_ = Hardware::kTriage;
  } else if (changing_to_ < 0 && budget_.Allows(now_ns_)) {
    if (const auto group = policy_.Plan(Facts(), now_ns_)) Change(*group);
  }
}

// --- The collector -------------------------------------------------------------------------------

void SimulatedMachine::LearnRecords() {
  for (; !records_.empty() && records_.front().end_ns < now_ns_ - kRecordsNs;
       records_.pop_front()) {
    const Piece& record = records_.front();
    if (coverage_.Wants(record.end_ns)) {
      coverage_.AddRecord(record.kernel->key(), record.begin_ns, record.end_ns);
    }
  }
  coverage_.Resolve(now_ns_);
  for (const TriageCoverage::Decided& decided : coverage_.TakeDecided()) {
    known_.insert(decided.key);
    policy_.SetUse(decided.key, decided.use);
  }
  for (const KernelKey key : coverage_.TakeMet()) policy_.CountBurst(key);
}

void SimulatedMachine::Collect() {
  LearnRecords();
  policy_.Refresh(budget_.Plenty(now_ns_), now_ns_);
}

void SimulatedMachine::Advance() {
  if (changing_to_ >= 0 && now_ns_ >= changed_ns_) {
    active_ = changing_to_;
    changing_to_ = -1;
    in_image_ = 0;
    policy_.BeginVisit(0, static_cast<uint32_t>(groups_.size()), static_cast<uint32_t>(active_),
                       now_ns_);
  }
  ServeTriage();
  if (now_ns_ < next_round_ns_) return;
  next_round_ns_ = now_ns_ + kRoundNs;
  Collect();
  TakeTurns();
  ServeRanges();
}

void SimulatedMachine::TakeTurns() {
  if (hardware_ != Hardware::kTriage || burst_ns_ != 0 || now_ns_ < free_ns_) return;
  const bool wants = policy_.WantsHardware() && budget_.Affords(policy_.TurnCostNs(), now_ns_);
  if (!wants || schedule_.Keeps(now_ns_, policy_.open_share(), &triage_budget_)) return;
  if (open_) {
    const int64_t close_ns = link_is_full_ ? kLinkCloseNs : kCloseNs;
    triage_ns_ += close_ns;
    free_ns_ = now_ns_ + close_ns;
    open_ = false;
  }
  Spend(kToRangesNs);
  ++turns_;
  hardware_ = Hardware::kToRanges;
  turned_ns_ = now_ns_ + kToRangesNs;
}

// --- Triage's thread -----------------------------------------------------------------------------

// The mean of what ran in that time, which counts as a sample of what filled it.
TriageUse SimulatedMachine::Sample(int64_t begin_ns, int64_t end_ns, bool* busy) {
  TriageUse use{};
  for (const Piece& piece : pieces_) {
    const int64_t overlap_ns = std::min(end_ns, piece.end_ns) - std::max(begin_ns, piece.begin_ns);
    if (overlap_ns <= 0) continue;
    *busy = true;
    if (overlap_ns == end_ns - begin_ns) ++piece.kernel->samples;
    const auto part = static_cast<float>(overlap_ns) / static_cast<float>(end_ns - begin_ns);
    for (size_t unit = 0; unit < use.size(); ++unit) use[unit] += part * piece.kernel->use[unit];
  }
  return use;
}

void SimulatedMachine::EndBurst() {
  const int64_t samples = std::min(kMostSamples, (burst_end_ns_ - burst_ns_) / interval_ns_);
  TriageCoverage::Burst burst;
  const int64_t end_ns = burst_ns_ + samples * interval_ns_;
  within_launch_ = interval_ns_ == TriageSchedule::kShortestIntervalNs &&
                   std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
                     return piece.begin_ns <= burst_ns_ && piece.end_ns >= end_ns;
                   });
  int64_t idle = 0;
  for (int64_t i = 0; i < samples; ++i) {
    const int64_t from_ns = burst_ns_ + i * interval_ns_;
    bool busy = false;
    const TriageUse use = Sample(from_ns, from_ns + interval_ns_, &busy);
    if (!busy && ++idle % 8 != 0) continue;
    burst.begin_ns.push_back(from_ns);
    burst.end_ns.push_back(from_ns + interval_ns_);
    burst.use.push_back(use);
  }
  const auto kept = static_cast<int64_t>(burst.begin_ns.size());
  const int64_t cost_ns = kBurstNs + kSampleNs * samples + kKeptNs * kept;
  idle_share_ = static_cast<double>(idle) / static_cast<double>(std::max<int64_t>(samples, 1));
  coverage_.AddBurst(std::move(burst), now_ns_);
  triage_ns_ += cost_ns;
  free_ns_ = now_ns_ + cost_ns;
  schedule_.OnBurst(free_ns_, cost_ns, kept > 0, &triage_budget_);
  burst_ns_ = 0;
  ++bursts_;
}

void SimulatedMachine::Open(int64_t interval_ns) {
  const int64_t close_ns = !open_ ? 0 : link_is_full_ ? kLinkCloseNs : kCloseNs;
  const int64_t cost_ns = close_ns + (link_is_full_ ? kLinkOpenNs : kOpenNs);
  if (link_is_full_) ++link_opens_;
  open_ = true;
  interval_ns_ = interval_ns;
  triage_ns_ += cost_ns;
  free_ns_ = now_ns_ + cost_ns;
  schedule_.OnOpen(free_ns_, interval_ns, cost_ns, &triage_budget_);
}

void SimulatedMachine::ServeTriage() {
  if (burst_ns_ != 0) {
    if (now_ns_ < burst_end_ns_) return;
    EndBurst();
  }
  while (!pieces_.empty() && pieces_.front().end_ns < now_ns_ - kMs) pieces_.pop_front();
  if (now_ns_ < free_ns_ || (now_ns_ < look_ns_ && !policy_.alarm()->rung())) return;
  TriageSignals signals;
  signals.launches = launches_;
  signals.news = policy_.news() + policy_.returns();
  signals.lacking = std::max(policy_.unseen_share(), coverage_.lacking());
  signals.interval_ns = coverage_.interval_ns();
  signals.resolved = coverage_.bursts_resolved();
  signals.idle_share = idle_share_;
  signals.within_launch = within_launch_;
  signals.waiting_share = coverage_.waiting_share();
  LaunchAlarm& alarm = *policy_.alarm();
  if (alarm.rung() && alarm.expected_ns() != 0 && alarm.expected_ns() < now_ns_) alarm.SwitchOff();
  signals.may_ring = alarm.may_ring();
  signals.alarm = alarm.rung();
  signals.expected_ns = alarm.rung() ? alarm.expected_ns() : 0;
  const TriageSchedule::Step step = schedule_.Next(now_ns_, open_, signals, &triage_budget_);
  alarm.SetLearns(open_ && schedule_.listens());
  if (hardware_ != Hardware::kTriage) return;
  switch (step.action) {
    case TriageSchedule::Action::kListen:
      alarm.Arm();
      look_ns_ = std::clamp(step.at_ns, now_ns_ + 1, now_ns_ + kPollNs);
      return;
    case TriageSchedule::Action::kBurst:
      alarm.SwitchOff();
      coverage_.ExpectBurst(now_ns_);
      burst_ns_ = std::max(now_ns_, step.at_ns) + kBeginNs;
      burst_end_ns_ = burst_ns_ + step.length_ns + (link_is_full_ ? kLinkStopNs : kStopNs);
      return;
    case TriageSchedule::Action::kOpen:
      return Open(step.interval_ns);
    case TriageSchedule::Action::kLetGo:
      open_ = false;
      return;
    default:
      look_ns_ = std::clamp(step.at_ns, now_ns_ + 1, now_ns_ + kPollNs);
  }
}

}  // namespace prof::cupti::test
