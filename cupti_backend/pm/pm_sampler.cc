// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/pm_sampler.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cupti_backend/api/counter_errors.h"
#include "cupti_backend/api/relaxed_capture.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/capture/process/timed_wait.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;
using capture::ThreadCpuNs;

// Each fetch costs some 0.5 ms whatever it brings, so it is not more frequent.
constexpr int64_t kFetchNs = 50'000'000;
// There is room for the samples of this many fetches, since a thread can be late.
constexpr double kPeriodsOfRoom = 3.5;
// More than half a second of 10 kHz.
constexpr size_t kSeriesBufferBytes = size_t{64} << 20;
// The cost of a plan is known after kProbeNs. The others: how long all units are sampled, the first
// time and later, and DRAM alone.
constexpr int64_t kProbeNs = 500'000'000;
constexpr int64_t kFirstAllNs = 500'000'000, kAllNs = 1'000'000'000;
constexpr int64_t kShortestDramNs = 5'000'000'000, kLongestDramNs = 60'000'000'000;
// The cheapest plan may take this part of the allowed share; the rest is for the slices of all
// units. The interval changes when it takes kTolerance times as much.
constexpr double kCheapestShare = 0.75, kTolerance = 1.15;
// This thread may take this part of the allowed share. The collector needs the rest for the same
// samples (2.5 to 3.8 % of both on an H200).
constexpr double kOwnShare = 0.95;
// DRAM costs a quarter of all units (11 to 13 of 51 us a sample on an H200).
constexpr double kDramOfAll = 0.25;
constexpr int64_t kIntervalStepNs = 10'000;
constexpr int64_t kLongestIntervalNs = 1'000'000'000;

// CUPTI has loaded what PM sampling needs, and has given samples: in this process, ever.
std::atomic<bool> pm_loaded{false};

}  // namespace

struct PmSampler::Device {
  explicit Device(const CuptiApi* api, int device) : id(device), session(api, device) {}

  const int id;
  PmSession session;
  PmHost* host = nullptr;
  bool dram_only = false;
  bool open = false;
  bool given_up = false;
  int refusals = 0;
  int64_t retry_at_ns = 0;
  uint32_t series = 0;
  int64_t interval_ns = 0;
  int64_t last_end_ns = 0;  // of the last sample; 0: none, or a hole that was planned
  // The slice of time for which the plan stays, and what it has cost so far.
  int64_t slice_begin_ns = 0, slice_ns = kFirstAllNs, slice_cpu_ns = 0;
  double all_share = 0;                    // of a core, in the last slice of all units
  int64_t begin_ns = 0, begin_cpu_ns = 0;  // of all that was done for it
  std::map<std::pair<bool, int64_t>, uint32_t> known_series;  // by plan and interval

  const PmPlan& all() const { return host->plans[0]; }
  const PmPlan& dram() const { return host->plans[1]; }
  const PmPass& pass() const { return (dram_only ? dram() : all()).passes.front(); }
};

PmSampler::PmSampler(const CuptiApi* api, const DriverApi* driver, PmHosts* hosts,
                     const SessionOptions& options)
    : api_(api),
      driver_(driver),
      hosts_(hosts),
      interval_ns_(int64_t{options.continuous_interval_us} * 1000),
      core_share_(kOwnShare * options.continuous_core_percent / 100) {
  sem_init(&wake_, 0, 0);
  status_.state = State::kWorking;
}

void PmSampler::Start(int device) {
  {
    const capture::MutexLock lock(mutex_);
    if (std::find(wanted_.begin(), wanted_.end(), device) != wanted_.end()) return;
    wanted_.push_back(device);
  }
  if (!thread_.joinable()) thread_ = capture::StartQuietThread("prof-pm", [this] { Run(); });
  sem_post(&wake_);
}

void PmSampler::Stop() {
  stopping_.store(true);
  sem_post(&wake_);
  if (thread_.joinable()) thread_.join();
}

void PmSampler::Abandon(const Problem& why) {
  abandoned_.store(true);
  Stop();
  SetStatus(State::kDegraded, why);
}

PmEvents PmSampler::TakeEvents() {
  const capture::MutexLock lock(mutex_);
  return std::exchange(events_, {});
}

SubsystemStatus PmSampler::status() const {
  const capture::MutexLock lock(mutex_);
  return status_;
}

void PmSampler::SetStatus(State state, const Problem& problem) {
  const capture::MutexLock lock(mutex_);
  status_ = {state, problem.code, problem.what, problem.fix};
}

// --- The sampler's thread ------------------------------------------------------------------------

void PmSampler::Run() {
  const RelaxedCapture relaxed(*driver_);
  try {
    SampleUntilStopped();
  } catch (const std::exception& error) {
    SetStatus(State::kDegraded, {0, std::string("PM sampling ended: ") + error.what(), ""});
  }
}

void PmSampler::SampleUntilStopped() {
  std::vector<std::unique_ptr<Device>> devices;
  while (!stopping_.load()) {
    capture::WaitUntil(&wake_, MonotonicNs() + kFetchNs);
    {
      const capture::MutexLock lock(mutex_);
      for (size_t i = devices.size(); i < wanted_.size(); ++i) {
        devices.push_back(std::make_unique<Device>(api_, wanted_[i]));
      }
    }
    for (const auto& device : devices) {
      if (device->given_up) continue;
      if (!device->open && MonotonicNs() < device->retry_at_ns) continue;
      std::optional<capture::FirstAtExit> first_at_exit;
      if (!pm_loaded.load()) first_at_exit.emplace();
      if (!device->open) Open(*device);
      if (!device->open) continue;
      Fetch(*device);
      if (device->last_end_ns != 0) pm_loaded.store(true);
      Balance(*device);
    }
  }
  for (const auto& device : devices) {
    if (abandoned_.load()) {
      device->session.Forget();
      continue;
    }
    if (device->open) Fetch(*device);
    device->session.Close();
  }
}

void PmSampler::Open(Device& device) {
  std::optional<Problem> problem;
  if (device.host == nullptr) problem = Plan(device);
  if (device.begin_ns == 0) {
    device.begin_ns = MonotonicNs();
    device.begin_cpu_ns = ThreadCpuNs();
  }
  if (!problem) {
    if (device.interval_ns == 0) device.interval_ns = interval_ns_;
    const PmPass& pass = device.pass();
    const double room =
        kPeriodsOfRoom * static_cast<double>(kFetchNs) / static_cast<double>(device.interval_ns);
    CUptiResult result =
        device.session.Open(pass, device.interval_ns,
                            {static_cast<uint32_t>(std::max(room, 64.0)), kSeriesBufferBytes});
    if (result == CUPTI_SUCCESS) result = device.session.Start();
    if (result != CUPTI_SUCCESS) problem = ExplainCounterError(*api_, result, "start PM sampling");
  }
  if (problem) {
    // The program that holds the counters may free them.
    device.given_up = problem->code != static_cast<int>(CUPTI_ERROR_HARDWARE_BUSY);
    device.retry_at_ns = MonotonicNs() + CounterRetryNs(device.refusals++);
    SetStatus(State::kUnavailable, *problem);
    return;
  }
  device.open = true;
  device.refusals = 0;
  device.slice_begin_ns = MonotonicNs();
  device.slice_cpu_ns = ThreadCpuNs();
  device.series = SeriesOf(device);
  const std::string& left_out = device.all().left_out;
  SetStatus(left_out.empty() ? State::kWorking : State::kDegraded,
            {0, left_out.empty() ? "" : "PM sampling on this chip leaves out: " + left_out, ""});
}

uint32_t PmSampler::SeriesOf(Device& device) {
  const auto [known, is_new] =
      device.known_series.try_emplace({device.dram_only, device.interval_ns}, next_series_);
  if (!is_new) return known->second;
  capture::PmSeriesEvent series;
  series.id = next_series_++;
  series.device = static_cast<uint32_t>(device.id);
  series.interval_ns = device.interval_ns;
  for (const std::string& metric : device.pass().metrics) {
    series.metrics.push_back(StoredMetric(metric));
  }
  const capture::MutexLock lock(mutex_);
  events_.series.push_back(std::move(series));
  return known->second;
}

std::optional<Problem> PmSampler::Plan(Device& device) {
  device.host = hosts_->Find(device.id);
  if (device.host != nullptr) return std::nullopt;
  using format::TriageUnit;
  MadePmHost made = MakePmHost(*api_, device.id, Availability::kAsked, [](const MetricHost& host) {
    return std::vector<PmPlan>{
        PlanPmSampling(
            host, {TriageUnit::kDram, TriageUnit::kL2, TriageUnit::kIssue, TriageUnit::kTensor}, 1),
        PlanPmSampling(host, {TriageUnit::kDram}, 1)};
  });
  if (made.host == nullptr) return std::move(made.problem);
  device.host = hosts_->Put(device.id, std::move(made.host));
  return std::nullopt;
}

void PmSampler::Fetch(Device& device) {
  capture::PmBatchEvent batch;
  batch.series = device.series;
  const CUptiResult result =
      device.session.Decode(*device.host->evaluator, PmSession::Idleness::kKeep, &batch);
  const uint32_t misdated = result == CUPTI_SUCCESS ? device.session.misdated() : 0;
  lost_.fetch_add(misdated);
  if (misdated > 0 && batch.begin_ns.empty()) {
    SetStatus(State::kDegraded,
              {0, "the times of PM samples cannot be right: they are left out", "record again"});
  }
  Emit(device, std::move(batch));
  if (result == CUPTI_SUCCESS) return;
  if (result == CUPTI_ERROR_OUT_OF_MEMORY) {
    OnOverflow(device);
  } else {
    device.session.Close();
    device.open = false;
    device.given_up = true;
    SetStatus(State::kUnavailable, ExplainCounterError(*api_, result, "read PM samples"));
  }
}

void PmSampler::Emit(Device& device, capture::PmBatchEvent batch) {
  if (batch.begin_ns.empty()) return;
  if (device.last_end_ns != 0) {
    // A hole: an overflow, or samples that the hardware left out.
    const int64_t hole_ns = batch.begin_ns.front() - device.last_end_ns;
    if (hole_ns > device.interval_ns / 2) {
      lost_.fetch_add(
          static_cast<uint64_t>((hole_ns + device.interval_ns / 2) / device.interval_ns));
    }
  }
  device.last_end_ns = batch.end_ns.back();
  const capture::MutexLock lock(mutex_);
  if (events_.batches.size() < PmEvents::kMaxBatches) {
    events_.batches.push_back(std::move(batch));
  } else {
    lost_.fetch_add(batch.begin_ns.size());
  }
}

// Only Disable and Enable make the hardware buffer work again (Start answers 999). A longer
// interval prevents the next overflow.
void PmSampler::OnOverflow(Device& device) {
  restarts_.fetch_add(1);
  device.interval_ns = std::min(2 * device.interval_ns, kLongestIntervalNs);
  Reopen(device);
}

void PmSampler::Reopen(Device& device) {
  device.session.Close();
  device.open = false;
  device.retry_at_ns = 0;
  Open(device);
}

// Decides at the end of a slice what comes next, and for how long; before that, whether the
// interval can stay.
void PmSampler::Balance(Device& device) {
  const int64_t elapsed_ns = MonotonicNs() - device.slice_begin_ns;
  if (!device.open || elapsed_ns < kProbeNs) return;
  const int64_t cpu_ns = ThreadCpuNs() - device.slice_cpu_ns;
  const double share = static_cast<double>(cpu_ns) / static_cast<double>(elapsed_ns);
  const bool has_less =
      !device.dram().passes.empty() &&
      device.dram().passes.front().metrics.size() < device.all().passes.front().metrics.size();
  const bool cheapest = device.dram_only || !has_less;
  const double affordable = kCheapestShare * core_share_;
  if (elapsed_ns < device.slice_ns) {
    const bool can_grow = device.interval_ns < kLongestIntervalNs;
    if (cheapest && can_grow && share > kTolerance * affordable) {
      LengthenInterval(device, share / affordable);
      Change(device);
    }
    return;
  }
  if (!device.dram_only) device.all_share = share;
  if (device.all_share <= core_share_ && (!cheapest || share <= core_share_)) {
    device.slice_begin_ns = MonotonicNs();  // it stays as it is
    device.slice_cpu_ns = ThreadCpuNs();
    return;
  }
  const double cheapest_share = cheapest ? share : kDramOfAll * share;
  if (cheapest_share > affordable) LengthenInterval(device, cheapest_share / affordable);
  if (has_less) {
    device.dram_only = !device.dram_only;
    device.slice_ns = device.dram_only ? DramSliceNs(device, affordable) : kAllNs;
  }
  Change(device);
}

void PmSampler::LengthenInterval(Device& device, double factor) const {
  const double wanted_ns = static_cast<double>(device.interval_ns) * factor;
  device.interval_ns =
      std::min((static_cast<int64_t>(wanted_ns) / kIntervalStepNs + 1) * kIntervalStepNs,
               kLongestIntervalNs);
}

// Changes to another plan or interval, after the samples of the last one were fetched.
void PmSampler::Change(Device& device) {
  Fetch(device);
  if (!device.open) return;
  device.last_end_ns = 0;  // the coming hole is planned
  Reopen(device);
}

// (spent + DRAM's share * its time) / (elapsed + its time) = the allowed share. `spent` has all the
// cost, that of changes of configuration too.
int64_t PmSampler::DramSliceNs(const Device& device, double dram_share) const {
  const int64_t spent_ns = ThreadCpuNs() - device.begin_cpu_ns;
  const int64_t elapsed_ns = MonotonicNs() - device.begin_ns;
  const double over_ns =
      static_cast<double>(spent_ns) - core_share_ * static_cast<double>(elapsed_ns);
  const double wanted_ns = over_ns / (core_share_ - dram_share);
  return static_cast<int64_t>(std::clamp(wanted_ns, static_cast<double>(kShortestDramNs),
                                         static_cast<double>(kLongestDramNs)));
}

}  // namespace prof::cupti
