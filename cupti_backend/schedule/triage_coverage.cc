// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/triage_coverage.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "lib/format/hash.h"

namespace prof::cupti {
namespace {

// The clocks of samples and records differ by up to 1.5 us (H200: 0.9 to 1.3 us).
constexpr int64_t kClockNs = 1'500;
// Of a sample: what else is in it would count ten times with less.
constexpr double kLeastPart = 0.1;

int64_t Overlap(int64_t begin_ns, int64_t end_ns, int64_t other_begin_ns, int64_t other_end_ns) {
  return std::max<int64_t>(0, std::min(end_ns, other_end_ns) - std::max(begin_ns, other_begin_ns));
}

size_t NearestInterval(int64_t length_ns) {
  const auto& intervals = IntervalChoice::kIntervalsNs;
  size_t nearest = 0;
  for (size_t i = 1; i < intervals.size(); ++i) {
    if (std::abs(length_ns - intervals[i]) < std::abs(length_ns - intervals[nearest])) nearest = i;
  }
  return nearest;
}

}  // namespace

KernelKey KernelKeyOf(const char* mangled_name, const std::array<uint32_t, 3>& grid,
                      const std::array<uint32_t, 3>& block, uint32_t dynamic_shared_bytes) {
  uint64_t hash = 1;
  size_t left = mangled_name != nullptr ? std::strlen(mangled_name) : 0;
  while (left > 0) {
    uint64_t part = 0;
    const size_t bytes = std::min(left, sizeof(part));
    std::memcpy(&part, mangled_name, bytes);
    hash = format::Mix(hash, part);
    mangled_name += bytes;
    left -= bytes;
  }
  for (const uint32_t part : grid) hash = format::Mix(hash, part);
  for (const uint32_t part : block) hash = format::Mix(hash, part);
  hash = format::Mix(hash, dynamic_shared_bytes);
  return hash != 0 ? hash : 1;
}

void TriageCoverage::ExpectBurst(int64_t begin_ns) {
  expected_ns_.store(begin_ns, std::memory_order_seq_cst);
  int64_t before = INT64_MAX;  // otherwise an earlier burst still waits for its records
  wanted_from_ns_.compare_exchange_strong(before, begin_ns, std::memory_order_seq_cst);
}

void TriageCoverage::AddRecord(KernelKey key, int64_t start_ns, int64_t end_ns) {
  if (end_ns <= start_ns) return;
  latest_start_ns_ = std::max(latest_start_ns_, start_ns);
  if (records_.size() >= kMaxRecords) {
    records_lost_ = true;
    if (waiting_.empty()) ForgetRecords();  // the burst that was expected brought no samples
    return;
  }
  records_.push_back({start_ns, end_ns, key});
}

void TriageCoverage::AddBurst(Burst burst, int64_t now_ns) {
  if (burst.begin_ns.empty()) return;
  if (waiting_.size() >= kMaxBursts) {  // nothing more will be known of it
    resolved_.fetch_add(1, std::memory_order_release);
    return;
  }
  latest_begin_ns_ = burst.begin_ns.front();
  waiting_.push_back({std::move(burst), now_ns});
}

bool TriageCoverage::IsDue(const Waiting& waiting, int64_t now_ns) const {
  const int64_t waited_ns = now_ns - waiting.since_ns;
  const int64_t later_ns = latest_start_ns_ - waiting.burst.end_ns.back();
  if (waited_ns <= kSettleNs) return later_ns >= kLaterNs;
  return later_ns >= 0 || waited_ns > kLongestSettleNs;
}

// Where something that had enough lacks samples now, the hardware is wanted again.
void TriageCoverage::Fade(int64_t now_ns) {
  if (half_life_ns_ == 0) return;
  if (faded_ns_ == 0) faded_ns_ = now_ns;
  if (now_ns - faded_ns_ < half_life_ns_) return;
  faded_ns_ = now_ns;
  bool lacks = false;
  for (auto it = kernels_.begin(); it != kernels_.end();) {
    Kernel& kernel = it->second;
    const bool had_enough = Enough(kernel);
    for (double& worth : kernel.worth) worth /= 2;
    for (double& time : kernel.time) time /= 2;
    kernel.bursts /= 2;
    lacks = lacks || (had_enough && !Enough(kernel));
    it = kernel.bursts == 0 ? kernels_.erase(it) : std::next(it);
  }
  if (lacks) lacking_.store(1, std::memory_order_relaxed);
}

void TriageCoverage::Resolve(int64_t now_ns) {
  Fade(now_ns);
  bool resolved = false;
  while (!waiting_.empty() && IsDue(waiting_.front(), now_ns)) {
    if (!resolved) {
      std::sort(records_.begin(), records_.end(),
                [](const Record& a, const Record& b) { return a.start_ns < b.start_ns; });
    }
    resolved = true;
    if (!records_lost_) Compare(waiting_.front().burst);
    waiting_.pop_front();
    resolved_.fetch_add(1, std::memory_order_release);
  }
  if (!resolved) return;
  if (waiting_.empty()) {
    ForgetRecords();
    const int64_t expected_ns = expected_ns_.load(std::memory_order_seq_cst);
    if (expected_ns > latest_begin_ns_) wanted_from_ns_.store(expected_ns);  // it is under way
    return;
  }
  const int64_t from_ns = waiting_.front().burst.begin_ns.front() - kClockNs;
  records_.erase(std::remove_if(records_.begin(), records_.end(),
                                [&](const Record& record) { return record.end_ns < from_ns; }),
                 records_.end());
}

void TriageCoverage::ForgetRecords() {
  wanted_from_ns_.store(INT64_MAX, std::memory_order_seq_cst);
  records_.clear();
  records_lost_ = false;
}

void TriageCoverage::Compare(const Burst& burst) {
  ++bursts_;
  Time total;
  // Records are in the order of their starts; those that began long before may still run.
  RecordIterator first = records_.cbegin();
  for (size_t i = 0; i < burst.begin_ns.size(); ++i) {
    while (first != records_.cend() && first->end_ns + kClockNs <= burst.begin_ns[i]) ++first;
    const Time time = Count(burst, i, first);
    total.busy_ns += time.busy_ns;
    total.lacking_ns += time.lacking_ns;
    total.waiting_ns += time.waiting_ns;
  }
  ChooseInterval(burst);
  const auto length_ns = static_cast<double>(burst.end_ns.back() - burst.begin_ns.front());
  waiting_share_.store(total.waiting_ns / std::max(1.0, length_ns), std::memory_order_relaxed);
  if (total.busy_ns > 0) {
    lacking_.store(total.lacking_ns / total.busy_ns, std::memory_order_relaxed);
  }
}

TriageCoverage::Time TriageCoverage::Count(const Burst& burst, size_t sample,
                                           RecordIterator first) {
  const int64_t begin_ns = burst.begin_ns[sample], end_ns = burst.end_ns[sample];
  const int64_t length_ns = std::max<int64_t>(1, end_ns - begin_ns);
  const size_t interval = NearestInterval(length_ns);
  Time time;
  Kernel* only = nullptr;
  const Record* of = nullptr;
  int running = 0, near = 0;
  for (RecordIterator record = first;
       record != records_.cend() && record->start_ns < end_ns + kClockNs; ++record) {
    const int64_t overlap_ns = Overlap(begin_ns, end_ns, record->start_ns, record->end_ns);
    if (overlap_ns == 0) {
      near += record->end_ns + kClockNs > begin_ns ? 1 : 0;
      continue;
    }
    ++running;
    if (record->key == 0) continue;
    time.busy_ns += static_cast<double>(overlap_ns);
    if (kernels_.size() >= kMaxKernels && kernels_.count(record->key) == 0) continue;
    Kernel& kernel = kernels_[record->key];
    kernel.launch_ns = record->end_ns - record->start_ns;
    kernel.burst_ns = std::max(kernel.burst_ns, burst.end_ns.back() - burst.begin_ns.front());
    const double part = static_cast<double>(overlap_ns) / static_cast<double>(length_ns);
    kernel.worth[interval] += part;
    kernel.time[interval] += part;
    if (std::exchange(kernel.last_burst, bursts_) != bursts_) {
      ++kernel.bursts;
      if (!kernel.decided) met_.push_back(record->key);
    }
    if (!Enough(kernel)) time.lacking_ns += static_cast<double>(overlap_ns);
    only = &kernel;
    of = &*record;
  }
  if (only == nullptr) {
    if (running > 0 && time.busy_ns == 0) time.waiting_ns = static_cast<double>(length_ns);
    return time;
  }
  if (running == 1) {
    const bool within = of->start_ns + kClockNs <= begin_ns && end_ns + kClockNs <= of->end_ns;
    // All of a launch, and nothing else: as good as samples within it, however short it is.
    const bool all = near == 0 && begin_ns + kClockNs <= of->start_ns &&
                     of->end_ns + kClockNs <= end_ns &&
                     kLeastPart * static_cast<double>(length_ns) <= time.busy_ns;
    if (all) {
      only->worth[interval] +=
          IntervalChoice::kWorthOfAll - time.busy_ns / static_cast<double>(length_ns);
    }
    if (within || all) {
      only->whole += within ? 1 : IntervalChoice::kWorthOfAll;
      only->whole_ns += time.busy_ns;
      for (size_t u = 0; u < only->sums.size(); ++u) {
        only->sums[u] += static_cast<double>(burst.use[sample][u]) * static_cast<double>(length_ns);
      }
    }
  }
  Decide(of->key, only);
  return time;
}

bool TriageCoverage::Enough(const Kernel& kernel) {
  double worth = 0;
  bool is_fit = false;  // for a value of its own
  for (size_t i = 0; i < kernel.worth.size(); ++i) {
    worth += kernel.worth[i];
    is_fit |= kernel.worth[i] >= kEnoughOfInterval && kernel.time[i] >= kLeastTime;
  }
  const bool is_long = kernel.launch_ns > 2 * kernel.burst_ns;
  const uint32_t bursts = is_long ? kEnoughBurstsOfLong : kEnoughBursts;
  return kernel.bursts >= bursts && worth >= kEnoughSamples && is_fit;
}

void TriageCoverage::Decide(KernelKey key, Kernel* kernel) {
  if (kernel->decided || !Enough(*kernel)) return;
  kernel->decided = true;
  Decided decided;
  decided.key = key;
  decided.use.fill(std::numeric_limits<float>::quiet_NaN());
  if (kernel->whole >= kLeastWhole) {
    std::transform(kernel->sums.begin(), kernel->sums.end(), decided.use.begin(), [&](double sum) {
      return static_cast<float>(std::min(sum / kernel->whole_ns, 100.0));
    });
  }
  decided_.push_back(decided);
}

// Of the part of the program that begins with the burst: records come from then on.
void TriageCoverage::ChooseInterval(const Burst& burst) {
  const int64_t begin_ns = burst.begin_ns.front();
  // Where records are late, nobody knows what follows.
  int64_t end_ns = std::clamp(latest_start_ns_, burst.end_ns.back(),
                              std::max(burst.end_ns.back(), begin_ns + kLaterNs));
  std::vector<IntervalChoice::Launch> launches;
  for (const Record& record : records_) {
    if (record.end_ns <= begin_ns) continue;
    if (record.start_ns >= end_ns || launches.size() == IntervalChoice::kMostLaunches) {
      end_ns = record.start_ns;
      break;
    }
    const auto kernel = kernels_.find(record.key);
    const bool has_enough = kernel != kernels_.end() && Enough(kernel->second);
    launches.push_back(
        {record.start_ns, record.end_ns, record.key, record.key != 0 && !has_enough});
  }
  choice_.Add(launches, begin_ns, end_ns);
  interval_ns_.store(choice_.interval_ns(), std::memory_order_relaxed);
}

std::vector<TriageCoverage::Decided> TriageCoverage::TakeDecided() {
  return std::exchange(decided_, {});
}

std::vector<KernelKey> TriageCoverage::TakeMet() { return std::exchange(met_, {}); }

}  // namespace prof::cupti
