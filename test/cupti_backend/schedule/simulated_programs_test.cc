// SPDX-License-Identifier: Apache-2.0
//
// Simulated programs under --counters auto: random kernels with planted use of the units, a clock,
// and hardware that costs what was measured on an H200. What they hold: how much of the GPU time is
// decided, and what that costs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_cost.h"
#include "cupti_backend/sampling/sampling_budget.h"
#include "cupti_backend/schedule/sampling_policy.h"
#include "test/support/catch.h"

namespace prof::cupti::test::simulated_programs_test {
namespace {

using Action = SampleSchedule::Action;
using format::Needs;
using format::TriageUnit;

constexpr int64_t kUs = 1'000, kMs = 1'000'000, kS = 1'000'000'000;
constexpr int64_t kTickNs = 20 * kMs;  // the collector's round
constexpr int64_t kToRangesNs = 300 * kMs, kToPmNs = 150 * kMs;
// PM sampling: bursts of 10 ms every 100 ms; a kernel is known after 50 samples of 5 us.
constexpr int64_t kBurstNs = 10 * kMs, kBurstsNs = 100 * kMs, kKnownNs = 250 * kUs;
constexpr size_t kRoom = 48;  // samples between two decodes

SessionOptions Options() {
  SessionOptions options;
  options.counters = Counters::kAuto;
  return options;
}

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

struct Kernel {
  std::string name;
  uintptr_t number = 0;
  int64_t duration_ns = 0;
  format::UnitUse use;
  // Measured by the simulation:
  int64_t sampled_ns = 0;  // by PM sampling
  bool known = false;
  std::vector<int> taken;
  double gpu_ns = 0;
};

format::UnitUse UseOf(std::mt19937& random) {
  std::uniform_real_distribution<double> low(0.02, 0.5), high(0.65, 0.97);
  format::UnitUse use;
  for (const TriageUnit unit : {TriageUnit::kDram, TriageUnit::kL2, TriageUnit::kIssue,
                                TriageUnit::kTensor, TriageUnit::kL1, TriageUnit::kShared}) {
    use.Set(unit, low(random));
  }
  constexpr TriageUnit kLeaders[] = {TriageUnit::kDram,   TriageUnit::kDram,   TriageUnit::kL2,
                                     TriageUnit::kL1,     TriageUnit::kShared, TriageUnit::kTensor,
                                     TriageUnit::kTensor, TriageUnit::kIssue};
  // One in three is limited by no unit.
  const size_t leader = random() % 12;
  if (leader < std::size(kLeaders)) use.Set(kLeaders[leader], high(random));
  return use;
}

Kernel RandomKernel(std::mt19937& random, int number, int64_t least_ns, int64_t most_ns) {
  Kernel kernel;
  kernel.name = "kernel" + std::to_string(number);
  kernel.number = static_cast<uintptr_t>(number) + 1;
  std::uniform_real_distribution<double> exponent(0, 1);
  kernel.duration_ns = static_cast<int64_t>(
      static_cast<double>(least_ns) *
      std::pow(static_cast<double>(most_ns) / static_cast<double>(least_ns), exponent(random)));
  kernel.use = UseOf(random);
  return kernel;
}

// A program whose launches wait for the GPU, under a sampler of one context.
class Machine {
 public:
  explicit Machine(const SessionOptions& options = Options())
      : policy_(options), budget_(options, 0), groups_(Groups()) {
    policy_.SetGroups(0, groups_);
  }

  void Run(Kernel& kernel, bool in_graph = false) {
    Advance();
    if (kernel.taken.empty()) kernel.taken.resize(groups_.size());
    if (!in_graph) Launch(kernel);
    TriageUntil(kernel, now_ns_ + kernel.duration_ns);
    now_ns_ += kernel.duration_ns;
    kernel.gpu_ns += static_cast<double>(kernel.duration_ns);
  }

  int64_t now_ns() const { return now_ns_; }
  int64_t spent_ns() const { return spent_ns_; }
  int samples() const { return samples_; }
  int changes() const { return changes_; }
  int turns() const { return turns_; }
  bool holds_hardware() const { return hardware_ == Hardware::kRanges; }
  SamplingPolicy& policy() { return policy_; }

  // Everything that its use leaves open was read.
  bool Decided(const Kernel& kernel, int times = 1) const {
    const Needs needs = NeedsOf(kernel);
    if (!kernel.known) return false;
    for (size_t group = 0; group < groups_.size(); ++group) {
      if ((groups_[group].answers & needs) != 0 && kernel.taken[group] < times) return false;
    }
    return true;
  }
  double DecidedShare(const std::vector<Kernel>& kernels, int times = 1) const {
    double all = 0, decided = 0;
    for (const Kernel& kernel : kernels) {
      all += kernel.gpu_ns;
      if (Decided(kernel, times)) decided += kernel.gpu_ns;
    }
    return all > 0 ? decided / all : 1;
  }
  static Needs NeedsOf(const Kernel& kernel) {
    const bool launch_sized = static_cast<double>(kernel.duration_ns) < format::kLaunchSizedNs;
    return launch_sized ? format::kNeedsNothing : format::NeedsOf(kernel.use);
  }

 private:
  enum class Hardware { kPm, kToRanges, kRanges, kToPm };

  void Launch(Kernel& kernel) {
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
    ++samples_;
    ++in_image_;
    const std::optional<uint32_t> next = policy_.AfterSample(*entry, 0, decision.group, now_ns_);
    Spend(groups_[decision.group].sample_ns);
    now_ns_ += groups_[decision.group].sample_ns;
    if (next) Change(*next);
  }

  SamplingPolicy::Hardware Facts() const {
    return {0, static_cast<uint32_t>(groups_.size()), active_, in_image_ < kRoom};
  }
  void Spend(int64_t cost_ns) {
    budget_.Spend(cost_ns);
    spent_ns_ += cost_ns;
  }
  void Change(uint32_t group) {
    changing_to_ = static_cast<int>(group);
    changed_ns_ = now_ns_ + groups_[group].change_ns;
    Spend(groups_[group].change_ns);
    ++changes_;
  }
  // What prof's threads do up to now.
  void Advance() {
    if (changing_to_ >= 0 && now_ns_ >= changed_ns_) {
      active_ = changing_to_;
      changing_to_ = -1;
      in_image_ = 0;
      policy_.BeginVisit(0, static_cast<uint32_t>(groups_.size()), static_cast<uint32_t>(active_),
                         now_ns_);
    }
    if (now_ns_ < next_tick_ns_) return;
    next_tick_ns_ = now_ns_ + kTickNs;
    policy_.Refresh(budget_.Plenty(now_ns_), now_ns_);
    TakeTurns();
  }
  void TakeTurns() {
    switch (hardware_) {
      case Hardware::kPm:
        if (!policy_.WantsHardware() || !budget_.Affords(policy_.TurnCostNs(), now_ns_)) return;
        Spend(kToRangesNs);
        ++turns_;
        Turn(Hardware::kToRanges, kToRangesNs);
        return;
      case Hardware::kToRanges:
        if (now_ns_ >= turned_ns_) Turn(Hardware::kRanges, 0);
        return;
      case Hardware::kRanges:
        if (now_ns_ - turned_ns_ > kS && !policy_.WantedOfLate(0, now_ns_)) {
          active_ = changing_to_ = -1;
          Turn(Hardware::kToPm, kToPmNs);
        } else if (changing_to_ < 0 && budget_.Allows(now_ns_)) {
          if (const auto group = policy_.Plan(Facts(), now_ns_)) Change(*group);
        }
        return;
      case Hardware::kToPm:
        if (now_ns_ >= turned_ns_) hardware_ = Hardware::kPm;
        return;
    }
  }
  void Turn(Hardware to, int64_t takes_ns) {
    hardware_ = to;
    turned_ns_ = now_ns_ + takes_ns;
  }
  // PM sampling sees all kernels, also those of graphs.
  void TriageUntil(Kernel& kernel, int64_t end_ns) {
    if (hardware_ != Hardware::kPm || kernel.known) return;
    const int64_t burst_ns = now_ns_ / kBurstsNs * kBurstsNs;
    kernel.sampled_ns +=
        std::max<int64_t>(0, std::min(end_ns, burst_ns + kBurstNs) - std::max(now_ns_, burst_ns));
    if (kernel.sampled_ns < kKnownNs) return;
    kernel.known = true;
    policy_.SetNeeds(KernelKeyOf(kernel.name.c_str(), {}, {}, 0), NeedsOf(kernel));
  }

  SamplingPolicy policy_;
  SamplingBudget budget_;
  std::vector<NeedSchedule::Group> groups_;
  int64_t now_ns_ = kMs, next_tick_ns_ = 0, turned_ns_ = 0, changed_ns_ = 0, spent_ns_ = 0;
  uint32_t correlation_ = 0;
  int samples_ = 0, changes_ = 0;
  int active_ = -1, changing_to_ = -1, turns_ = 0;
  size_t in_image_ = 0;
  Hardware hardware_ = Hardware::kPm;
};

struct Outcome {
  double decided = 0, run_s = 0, spent_s = 0;
  int turns = 0;
};

using Body = std::function<void(Machine&, std::vector<Kernel>&, std::mt19937&)>;

Outcome Simulate(uint32_t seed, int kernels, int64_t least_ns, int64_t most_ns, const Body& body) {
  std::mt19937 random(seed);
  std::vector<Kernel> program;
  program.reserve(static_cast<size_t>(kernels));
  for (int i = 0; i < kernels; ++i) {
    program.push_back(RandomKernel(random, i, least_ns, most_ns));
  }
  const auto machine = std::make_unique<Machine>();
  body(*machine, program, random);
  const Outcome outcome = {machine->DecidedShare(program),
                           static_cast<double>(machine->now_ns()) * 1e-9,
                           static_cast<double>(machine->spent_ns()) * 1e-9, machine->turns()};
  CAPTURE(seed, outcome.decided, outcome.run_s, outcome.spent_s, outcome.turns);
  // One change or turn may begin just before the budget ends.
  CHECK(outcome.spent_s <= 0.5 + 0.02 * outcome.run_s + 0.03);
  UNSCOPED_INFO("seed " << seed << ": decided " << outcome.decided << ", run " << outcome.run_s
                        << " s, spent " << outcome.spent_s << " s, turns " << outcome.turns
                        << ", changes " << machine->changes() << ", samples "
                        << machine->samples());
  return outcome;
}

// Runs the kernels in their order, for so long.
void Loop(Machine& machine, std::vector<Kernel>& program, int64_t ns, bool in_graph = false) {
  const int64_t until_ns = machine.now_ns() + ns;
  while (machine.now_ns() < until_ns) {
    for (Kernel& kernel : program) machine.Run(kernel, in_graph);
  }
}

TEST_CASE("Steady loops are decided, within the budget") {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    const int kernels = 3 + static_cast<int>(seed) * 3;
    const Outcome outcome =
        Simulate(seed, kernels, 20 * kUs, 300 * kUs,
                 [](Machine& machine, auto& program, auto&) { Loop(machine, program, 12 * kS); });
    CHECK(outcome.decided >= 0.98);
  }
}

TEST_CASE("Phases of 0.3 s are decided where their units do, and take no turn") {
  for (uint32_t seed = 11; seed <= 15; ++seed) {
    double without_needs = 0, all = 0;
    const Outcome outcome =
        Simulate(seed, 30, 10 * kUs, 500 * kUs, [&](Machine& machine, auto& program, auto&) {
          for (Kernel& kernel : program) {
            const int64_t until_ns = machine.now_ns() + 300 * kMs;
            while (machine.now_ns() < until_ns) machine.Run(kernel);
            all += kernel.gpu_ns;
            if (Machine::NeedsOf(kernel) == format::kNeedsNothing) without_needs += kernel.gpu_ns;
          }
        });
    CHECK(outcome.decided >= 0.99 * without_needs / all);
    CHECK(outcome.turns == 0);
  }
}

TEST_CASE("Phases that come again are decided as far as the budget goes") {
  for (uint32_t seed = 21; seed <= 25; ++seed) {
    const Outcome outcome = Simulate(seed, 8, 10 * kUs, 500 * kUs,
                                     [](Machine& machine, auto& program, std::mt19937& random) {
                                       for (int round = 0; round < 8; ++round) {
                                         std::shuffle(program.begin(), program.end(), random);
                                         for (Kernel& kernel : program) {
                                           const int64_t until_ns = machine.now_ns() + 300 * kMs;
                                           while (machine.now_ns() < until_ns) machine.Run(kernel);
                                         }
                                       }
                                     });
    CHECK(outcome.decided >= 0.45);  // a second turn on the hardware is beyond the budget
  }
}

TEST_CASE("Of 200 signatures those with most time are decided") {
  for (uint32_t seed = 31; seed <= 35; ++seed) {
    const Outcome outcome =
        Simulate(seed, 200, 5 * kUs, 400 * kUs,
                 [](Machine& machine, auto& program, auto&) { Loop(machine, program, 20 * kS); });
    CHECK(outcome.decided >= 0.65);
  }
}

TEST_CASE("Two kernels that alternate are decided, and the hardware is let go") {
  for (uint32_t seed = 41; seed <= 45; ++seed) {
    bool holds = true;
    const Outcome outcome =
        Simulate(seed, 2, 20 * kUs, 300 * kUs, [&](Machine& machine, auto& program, auto&) {
          Loop(machine, program, 6 * kS);
          holds = machine.holds_hardware();
          CHECK(machine.policy().Complete(machine.now_ns()));
        });
    CHECK(outcome.decided == 1);
    CHECK_FALSE(holds);
  }
}

TEST_CASE("Kernels that run eagerly before they run in a graph are decided there") {
  for (uint32_t seed = 51; seed <= 55; ++seed) {
    const Outcome outcome =
        Simulate(seed, 6, 20 * kUs, 200 * kUs, [](Machine& machine, auto& program, auto&) {
          Loop(machine, program, 3 * kS);
          Loop(machine, program, 5 * kS, true);
        });
    CHECK(outcome.decided >= 0.98);
  }
}

TEST_CASE("A program of less than half a second takes no turn") {
  for (uint32_t seed = 61; seed <= 65; ++seed) {
    const Outcome outcome =
        Simulate(seed, 4, 20 * kUs, 200 * kUs, [&](Machine& machine, auto& program, auto&) {
          Loop(machine, program, static_cast<int64_t>(seed - 60) * 90 * kMs);
        });
    CHECK(outcome.turns == 0);
    CHECK(outcome.spent_s == 0);
  }
}

}  // namespace
}  // namespace prof::cupti::test::simulated_programs_test
