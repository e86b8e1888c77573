// SPDX-License-Identifier: Apache-2.0
//
// The triage coverage finds out what the PM samples of a device have covered: which kernels have
// enough samples, how long the kernels run, and how much each of them uses the hardware units.
//
// The report does not come from here: the analyzer takes the samples apart exactly. This is what
// the next burst, and the choice of further counters, are decided by while the program runs.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_TRIAGE_COVERAGE_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_TRIAGE_COVERAGE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "cupti_backend/schedule/interval_choice.h"
#include "lib/format/triage_metrics.h"

namespace prof::cupti {

// A kernel and its shape, as records and launches both have them: a hash of the mangled name, the
// grid, the block and the dynamic shared memory. 0: work that needs no verdict: copies, and kernels
// of collectives, whose time is the other ranks'.
using KernelKey = uint64_t;
[[nodiscard]] KernelKey KernelKeyOf(const char* mangled_name, const std::array<uint32_t, 3>& grid,
                                    const std::array<uint32_t, 3>& block,
                                    uint32_t dynamic_shared_bytes);

// Percent of each unit's peak, by format::TriageUnit; NaN: not read on this chip.
using TriageUse = std::array<float, format::kTriageUnits>;

class TriageCoverage {
 public:
  // With so many samples' worth, half of them at one interval, and from so many bursts, a kernel
  // has enough. The analyzer takes each interval by itself. It gives a value from 6 on, and its
  // error bound needs several launches.
  static constexpr double kEnoughSamples = 24;
  static constexpr double kEnoughOfInterval = kEnoughSamples / 2;
  static constexpr uint32_t kEnoughBursts = 3;
  // Of a launch of more than two bursts each burst sees a part, and parts differ. The error bound
  // of the mean of three values is as wide as three of eight (Student's t).
  static constexpr uint32_t kEnoughBurstsOfLong = 8;
  // The mean use of a kernel is of the samples that lie within one launch, or hold all of one and
  // nothing else, which are worth IntervalChoice::kWorthOfAll: worth at least so many.
  static constexpr double kLeastWhole = 12;
  // And of its time so many samples' worth: the analyzer gives a kernel a column from one on.
  static constexpr double kLeastTime = 1.5;
  // Records of the GPU's work come when CUPTI's buffers are full, in about their order. A record
  // that begins kLaterNs after a burst shows that the burst's own have come; one that begins right
  // after it shows that kSettleNs later. Where hardly any come nobody waits longer than
  // kLongestSettleNs.
  static constexpr int64_t kLaterNs = 50'000'000, kSettleNs = 600'000'000,
                           kLongestSettleNs = 5'000'000'000;

  // For recordings that keep their last seconds: half of what was seen is forgotten in each such
  // time, so that the seconds that are kept have samples. Before the first burst.
  void ForgetHalfIn(int64_t half_life_ns) { half_life_ns_ = half_life_ns; }

  // --- The thread of the PM sampler ---

  // A burst is about to begin: records from `begin_ns` on (in the clock of records) are kept.
  void ExpectBurst(int64_t begin_ns);

  // --- The collector thread ---

  // Whether a record is needed. One load.
  bool Wants(int64_t end_ns) const {
    return end_ns >= wanted_from_ns_.load(std::memory_order_relaxed);
  }
  void AddRecord(KernelKey key, int64_t start_ns, int64_t end_ns);
  // The samples of one burst: sample i is [begin_ns[i], end_ns[i]) with its use of the units.
  struct Burst {
    std::vector<int64_t> begin_ns, end_ns;
    std::vector<TriageUse> use;
  };
  void AddBurst(Burst burst, int64_t now_ns);
  // Compares bursts with records, once these must have come.
  void Resolve(int64_t now_ns);

  // The kernels that have got enough samples since the last call, with their mean use.
  struct Decided {
    KernelKey key = 0;
    TriageUse use{};
  };
  std::vector<Decided> TakeDecided();
  // The kernels that bursts have met since the last call, each as often as bursts met it, up to the
  // burst with which it had enough.
  std::vector<KernelKey> TakeMet();

  // --- Any thread ---

  uint64_t bursts_resolved() const { return resolved_.load(std::memory_order_acquire); }
  // Of the time of what needs a verdict in the latest burst, the share without enough samples.
  double lacking() const { return lacking_.load(std::memory_order_relaxed); }
  // Of the time of the latest burst, the share in which nothing ran but work that needs no verdict.
  double waiting_share() const { return waiting_share_.load(std::memory_order_relaxed); }
  // The interval that suits what lacks samples around the latest bursts; 0: unknown.
  int64_t interval_ns() const { return interval_ns_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kMaxRecords = 65'536;
  static constexpr size_t kMaxBursts = 64;
  static constexpr size_t kMaxKernels = 16'384;

  struct Record {
    int64_t start_ns = 0, end_ns = 0;
    KernelKey key = 0;
  };
  struct Waiting {
    Burst burst;
    int64_t since_ns = 0;
  };
  struct Kernel {
    // By interval: what its samples are worth, and its time in them.
    std::array<double, IntervalChoice::kIntervalsNs.size()> worth{}, time{};
    double whole = 0;     // what the samples are worth that show its use alone
    double whole_ns = 0;  // its time in them
    uint32_t bursts = 0;
    uint64_t last_burst = 0;
    std::array<double, format::kTriageUnits> sums{};  // of use, times ns
    int64_t launch_ns = 0, burst_ns = 0;  // its last launch, and the longest burst that met it
    bool decided = false;
  };
  // Time of the GPU in one burst: of what needs a verdict, and of samples with nothing else.
  struct Time {
    double busy_ns = 0, lacking_ns = 0, waiting_ns = 0;
  };
  using RecordIterator = std::vector<Record>::const_iterator;
  void Compare(const Burst& burst);
  Time Count(const Burst& burst, size_t sample, RecordIterator first);
  [[nodiscard]] static bool Enough(const Kernel& kernel);
  void Decide(KernelKey key, Kernel* kernel);
  void ChooseInterval(const Burst& burst);
  void ForgetRecords();
  void Fade(int64_t now_ns);
  [[nodiscard]] bool IsDue(const Waiting& waiting, int64_t now_ns) const;

  std::atomic<int64_t> wanted_from_ns_{INT64_MAX};
  std::atomic<int64_t> expected_ns_{0};  // where the latest burst begins
  std::atomic<uint64_t> resolved_{0};
  std::atomic<double> lacking_{1}, waiting_share_{0};
  std::atomic<int64_t> interval_ns_{0};

  int64_t half_life_ns_ = 0;  // 0: nothing is forgotten
  int64_t faded_ns_ = 0;      // the last time; 0: not yet
  std::vector<Record> records_;
  int64_t latest_start_ns_ = 0;  // of a record
  bool records_lost_ = false;
  std::deque<Waiting> waiting_;
  int64_t latest_begin_ns_ = 0;  // of the bursts that were added
  std::unordered_map<KernelKey, Kernel> kernels_;
  uint64_t bursts_ = 0;
  IntervalChoice choice_;
  std::vector<Decided> decided_;
  std::vector<KernelKey> met_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_TRIAGE_COVERAGE_H_
