// SPDX-License-Identifier: Apache-2.0
//
// A recorded training loop, as the schedule of triage meets it: the launches at the times of their
// calls, the kernels at theirs, and records that come a while later. The host is slower than the
// GPU, so the GPU is idle most of the time, and each kernel has its place in the step.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cupti_backend/schedule/need_schedule.h"
#include "cupti_backend/schedule/triage_coverage.h"
#include "cupti_backend/schedule/triage_schedule.h"
#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"

namespace prof::cupti::test::recorded_program_test {
namespace {

using Action = TriageSchedule::Action;

constexpr int64_t kMs = 1'000'000, kUs = 1'000;

struct Launch {
  int64_t at_ns = 0, start_ns = 0, end_ns = 0;
  size_t signature = 0;
};

struct Recorded {
  std::vector<Launch> launches;  // in the order of their calls
  std::vector<Launch> kernels;   // in the order of their starts
  std::vector<KernelKey> keys;   // of signatures
};

// The steps between these times from the first launch: the recording has 2.4 s of them.
constexpr int64_t kStepsFromNs = 1'000 * kMs, kStepsToNs = 3'200 * kMs;
constexpr int kRepeats = 2;

void RepeatSteps(std::vector<Launch>* launches) {
  const auto first =
      std::min_element(launches->begin(), launches->end(),
                       [](const Launch& a, const Launch& b) { return a.at_ns < b.at_ns; });
  const int64_t begin_ns = first->at_ns + kStepsFromNs, end_ns = first->at_ns + kStepsToNs;
  std::vector<Launch> steps, all;
  std::copy_if(launches->begin(), launches->end(), std::back_inserter(steps),
               [&](const Launch& one) { return one.at_ns >= begin_ns && one.at_ns < end_ns; });
  std::copy_if(launches->begin(), launches->end(), std::back_inserter(all),
               [&](const Launch& one) { return one.at_ns < end_ns; });
  for (int repeat = 1; repeat <= kRepeats; ++repeat) {
    const int64_t later_ns = repeat * (kStepsToNs - kStepsFromNs);
    for (Launch step : steps) {
      step.at_ns += later_ns;
      step.start_ns += later_ns;
      step.end_ns += later_ns;
      all.push_back(step);
    }
  }
  *launches = std::move(all);
}

const Recorded& Training() {
  static const Recorded recorded = [] {
    const auto model = ReadSnapshotFile(PROF_TEST_DATA "/continuous/llama_like_train.prof");
    REQUIRE(model.ok());
    Recorded made;
    std::map<std::pair<uint32_t, uint32_t>, size_t> signatures;
    for (const model::Op& op : model->ops) {
      if (op.kind != model::OpKind::kKernel || !op.timed || op.api == model::kNoIndex) continue;
      const auto [known, is_new] = signatures.try_emplace({op.shape, op.path}, signatures.size());
      if (is_new) {
        const model::Shape& shape = model->shapes.at(op.shape);
        made.keys.push_back(
            KernelKeyOf(shape.name.c_str(), shape.grid, shape.block, shape.dynamic_shared_bytes));
      }
      made.launches.push_back({model->api_calls[static_cast<size_t>(op.api)].start_ns, op.start_ns,
                               op.end_ns, known->second});
    }
    RepeatSteps(&made.launches);
    made.kernels = made.launches;
    std::sort(made.launches.begin(), made.launches.end(),
              [](const Launch& a, const Launch& b) { return a.at_ns < b.at_ns; });
    std::sort(made.kernels.begin(), made.kernels.end(),
              [](const Launch& a, const Launch& b) { return a.start_ns < b.start_ns; });
    return made;
  }();
  return recorded;
}

class Replay {
 public:
  // `reloaded`: every fifth kernel is loaded again in each step, so it has a new signature there.
  Replay(const Recorded& program, uint64_t seed, bool cues, bool reloaded = false)
      : program_(program), schedule_(seed), random_(seed), cues_(cues), reloaded_(reloaded) {
    latest_.resize(program.keys.size());
    for (size_t i = 0; i < program.keys.size(); ++i) MakeEntry(i, 0);
  }

  void Run() {
    const int64_t end_ns = program_.launches.back().at_ns;
    now_ns_ = program_.launches.front().at_ns;
    budget_ = std::make_unique<TriageBudget>(3, now_ns_);
    while (now_ns_ < end_ns) {
      Advance(now_ns_, false);
      LearnRecords();
      Step();
    }
  }

  // Of the time of the kernels that are no matter of launching alone: with enough samples.
  double covered() const {
    double all = 0, enough = 0;
    for (const Launch& launch : program_.kernels) {
      const auto ns = static_cast<double>(launch.end_ns - launch.start_ns);
      if (ns < format::kLaunchSizedNs) continue;
      all += ns;
      if (decided_.count(program_.keys[launch.signature]) != 0) enough += ns;
    }
    return enough / all;
  }
  int vain() const { return vain_; }
  size_t signatures() const { return entries_.size(); }
  int64_t interval_ns() const { return interval_ns_; }

 private:
  using Entry = SampleSchedule::Entry;
  static constexpr int64_t kLoadedForNs = 20 * kMs;

  struct Loaded {
    Entry* entry = nullptr;
    int64_t at_ns = 0;
  };
  void MakeEntry(size_t signature, int64_t now_ns) {
    entries_.push_back(std::make_unique<Entry>());
    entries_.back()->exclusion = Exclusion::kNone;
    latest_[signature] = {entries_.back().get(), now_ns};
  }
  Entry& LaunchedEntry(const Launch& launch) {
    const Loaded& loaded = latest_[launch.signature];
    if (reloaded_ && program_.keys[launch.signature] % 5 == 0 && loaded.entry->launches > 0 &&
        launch.at_ns - loaded.at_ns > kLoadedForNs) {
      MakeEntry(launch.signature, launch.at_ns);
    }
    return *latest_[launch.signature].entry;
  }

  // What a burst and another interval cost the host (docs/internals/triage.md): samples come until
  // a burst has ended. How long it takes to begin, at random, and when records come.
  static constexpr int64_t kBurstNs = 3 * kMs, kSampleNs = 140 * kUs, kKeptNs = 140 * kUs;
  static constexpr int64_t kStopNs = 300 * kUs, kOpenNs = 150 * kMs, kRecordsNs = 150 * kMs;
  static constexpr int64_t kFirstBeginNs = 600 * kUs, kLastBeginNs = 1100 * kUs;
  static constexpr int64_t kRoundNs = 20 * kMs, kPollNs = 10 * kMs;

  // The program goes on until then, or until the alarm rings.
  void Advance(int64_t until_ns, bool listening) {
    for (; next_ < program_.launches.size(); ++next_) {
      const Launch& launch = program_.launches[next_];
      if (launch.at_ns > until_ns) break;
      Entry& entry = LaunchedEntry(launch);
      if (entry.launches == 0) needs_.Add(entry, 0, program_.keys[launch.signature]);
      needs_.Considers(entry, launch.at_ns);
      if (listening && needs_.alarm().rung()) {
        now_ns_ = launch.at_ns;
        ++next_;
        return;
      }
    }
    now_ns_ = std::max(now_ns_, until_ns);
  }

  void LearnRecords() {
    for (; recorded_ < program_.kernels.size(); ++recorded_) {
      const Launch& kernel = program_.kernels[recorded_];
      if (kernel.end_ns > now_ns_ - kRecordsNs) break;
      const int64_t ns = kernel.end_ns - kernel.start_ns;
      Entry& entry = *latest_[kernel.signature].entry;
      if (entry.timed_launches == 0) {
        entry.timed_ns = static_cast<uint64_t>(ns);
        entry.timed_launches = 1;
      }
      // As often as the policy asks for it.
      if (++seen_[kernel.signature] % 8 == 0) entry.delay_ns = kernel.start_ns - kernel.at_ns;
      if (coverage_.Wants(kernel.end_ns)) {
        coverage_.AddRecord(program_.keys[kernel.signature], kernel.start_ns, kernel.end_ns);
      }
    }
    coverage_.Resolve(now_ns_);
    for (const TriageCoverage::Decided& decided : coverage_.TakeDecided()) {
      decided_.insert(decided.key);
      needs_.SetNeeds(decided.key, format::kNeedsNothing);
    }
    for (const KernelKey key : coverage_.TakeMet()) needs_.CountBurst(key);
    if (now_ns_ - refreshed_ns_ >= kRoundNs) needs_.Refresh(true, refreshed_ns_ = now_ns_);
  }

  void Step() {
    LaunchAlarm& alarm = needs_.alarm();
    TriageSignals signals;
    signals.launches = next_;
    signals.news = needs_.news() + needs_.returns();
    signals.lacking = std::max(needs_.unseen_share(), coverage_.lacking());
    signals.interval_ns = coverage_.interval_ns();
    signals.resolved = coverage_.bursts_resolved();
    signals.idle_share = idle_share_;
    signals.may_ring = cues_ && alarm.may_ring();
    signals.alarm = alarm.rung();
    signals.expected_ns = alarm.rung() ? alarm.expected_ns() : 0;
    const TriageSchedule::Step step = schedule_.Next(now_ns_, true, signals, budget_.get());
    alarm.SetLearns(cues_ && schedule_.listens());
    switch (step.action) {
      case Action::kListen:
        alarm.Arm();
        return Advance(std::clamp(step.at_ns, now_ns_ + 1, now_ns_ + kPollNs), true);
      case Action::kBurst:
        alarm.SwitchOff();
        return Burst(step);
      case Action::kOpen:
        return Open(step.interval_ns);
      default:
        return Advance(std::clamp(step.at_ns, now_ns_ + 1, now_ns_ + kPollNs), false);
    }
  }

  void Open(int64_t interval_ns) {
    Advance(now_ns_ + kOpenNs, false);
    interval_ns_ = interval_ns;
    schedule_.OnOpen(now_ns_, interval_ns, kOpenNs, budget_.get());
  }

  void Burst(const TriageSchedule::Step& step) {
    std::uniform_int_distribution<int64_t> begins(kFirstBeginNs, kLastBeginNs);
    const int64_t begin_ns = step.at_ns + begins(random_);
    const int64_t samples = (step.length_ns + kStopNs) / interval_ns_;
    TriageCoverage::Burst burst;
    coverage_.ExpectBurst(begin_ns);
    int64_t idle = 0;
    for (int64_t i = 0; i < samples; ++i) {
      const int64_t from_ns = begin_ns + i * interval_ns_;
      if (!Busy(from_ns, from_ns + interval_ns_) && ++idle % 8 != 0) continue;
      burst.begin_ns.push_back(from_ns);
      burst.end_ns.push_back(from_ns + interval_ns_);
      burst.use.emplace_back();
    }
    idle_share_ = static_cast<double>(idle) / static_cast<double>(samples);
    if (idle_share_ > TriageSchedule::kVainIdle) ++vain_;
    const int64_t cost_ns =
        kBurstNs + kSampleNs * samples + kKeptNs * static_cast<int64_t>(burst.begin_ns.size());
    Advance(begin_ns + step.length_ns + cost_ns, false);
    coverage_.AddBurst(std::move(burst), now_ns_);
    schedule_.OnBurst(now_ns_, cost_ns, true, budget_.get());
  }

  bool Busy(int64_t begin_ns, int64_t end_ns) const {
    const auto after =
        std::partition_point(program_.kernels.begin(), program_.kernels.end(),
                             [&](const Launch& kernel) { return kernel.start_ns < end_ns; });
    return after != program_.kernels.begin() && std::prev(after)->end_ns > begin_ns;
  }

  const Recorded& program_;
  TriageSchedule schedule_;
  std::mt19937_64 random_;
  const bool cues_, reloaded_;
  NeedSchedule needs_{5, 0, 1};
  TriageCoverage coverage_;
  std::unique_ptr<TriageBudget> budget_;
  std::vector<std::unique_ptr<Entry>> entries_;  // of all signatures
  std::vector<Loaded> latest_;                   // by the signature of the recording
  std::unordered_set<KernelKey> decided_;
  std::unordered_map<size_t, int> seen_;  // records of a signature
  size_t next_ = 0, recorded_ = 0;
  int64_t now_ns_ = 0, refreshed_ns_ = 0, interval_ns_ = TriageSchedule::kShortestIntervalNs;
  double idle_share_ = 0;
  int vain_ = 0;
};

TEST_CASE("Bursts by cue cover a recorded training loop better than bursts at random times") {
  constexpr uint64_t kSeeds = 5;
  double with_cues = 0, without = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Replay replay(Training(), seed, true), random(Training(), seed, false);
    replay.Run();
    random.Run();
    INFO("seed " << seed << ": " << replay.covered() << ", at random times " << random.covered());
    CHECK(replay.covered() > 0.65);
    CHECK(replay.vain() <= 20);
    with_cues += replay.covered() / kSeeds;
    without += random.covered() / kSeeds;
  }
  CHECK(with_cues > 0.75);
  CHECK(with_cues > without);
}

TEST_CASE("Kernels that are loaded again in each step are covered as well") {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Replay loaded(Training(), seed, true), reloaded(Training(), seed, true, true);
    loaded.Run();
    reloaded.Run();
    INFO("seed " << seed << ": " << reloaded.covered() << ", loaded once " << loaded.covered());
    CHECK(reloaded.signatures() > loaded.signatures() + 10'000);
    CHECK(reloaded.covered() > loaded.covered() - 0.02);
    CHECK(reloaded.interval_ns() > TriageSchedule::kShortestIntervalNs);
  }
}

}  // namespace
}  // namespace prof::cupti::test::recorded_program_test
