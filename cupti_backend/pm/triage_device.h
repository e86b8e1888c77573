// SPDX-License-Identifier: Apache-2.0
//
// A triage device is one GPU under triage: its session, and the bursts that were taken.
#ifndef PROF_CUPTI_BACKEND_PM_TRIAGE_DEVICE_H_
#define PROF_CUPTI_BACKEND_PM_TRIAGE_DEVICE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/api/problem.h"
#include "cupti_backend/pm/device_turn.h"
#include "cupti_backend/pm/pm_host.h"
#include "cupti_backend/pm/pm_session.h"
#include "cupti_backend/schedule/triage_coverage.h"
#include "cupti_backend/schedule/triage_schedule.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

class TriageDevice {
 public:
  // All pointers outlive this.
  struct Parts {
    const CuptiApi* api = nullptr;
    const DriverApi* driver = nullptr;
    PmHosts* hosts = nullptr;
    TriageCoverage* coverage = nullptr;
  };
  TriageDevice(const Parts& parts, int id) : parts_(parts), id_(id), session_(parts.api, id) {}

  // --- Any thread ---

  bool is_new() const { return phase_.load(std::memory_order_acquire) == Phase::kFree; }
  // Prepared, and not given up.
  bool usable() const { return phase_.load(std::memory_order_acquire) == Phase::kUsable; }
  bool given_up() const { return phase_.load(std::memory_order_acquire) == Phase::kGivenUp; }

  // --- The sampler's thread ---

  // True once: it has to be prepared.
  bool Claim();
  // Opens the session for the first burst. A problem that is not HARDWARE_BUSY is final.
  std::optional<Problem> Prepare();
  int id() const { return id_; }
  bool open() const { return session_.open(); }
  const PmPlan& plan() const { return host_->plans.front(); }
  TriageSchedule& schedule() { return schedule_; }
  // With what the coverage of this device knows; `process` has what is known of the process.
  TriageSignals Signals(TriageSignals process) const;
  // It may open the session now: neither another program nor another recording of prof has the
  // counters, as far as is known.
  [[nodiscard]] bool MayOpen(int64_t now_ns) {
    return now_ns >= retry_at_ns_ && turn_.Take(now_ns);
  }
  // Another recording of prof waits for the counters, and this one has had its turn.
  [[nodiscard]] bool TurnIsOver(int64_t now_ns) const { return turn_.IsOver(now_ns); }

  // Opens the session, or opens it again for another interval or pass.
  std::optional<Problem> Open(int64_t interval_ns, int64_t now_ns);
  int& misdated_in_a_row() { return misdated_in_a_row_; }            // bursts
  uint32_t samples_misdated() const { return session_.misdated(); }  // of the last burst
  // Where one pass does not hold all units: the next one is due.
  bool PassIsDone() const;
  // Samples for `length_ns`, which it sleeps, and fills `batch`.
  CUptiResult Burst(int64_t length_ns, capture::PmBatchEvent* batch);
  void Close();
  // As PmSession::Forget.
  void Forget() { session_.Forget(); }
  void GiveUp() { phase_.store(Phase::kGivenUp, std::memory_order_release); }

  // The series of what is open: its number, if it is known already.
  using SeriesKey = std::pair<size_t, int64_t>;  // pass, interval
  SeriesKey series_key() const { return {pass_, schedule_.interval_ns()}; }
  std::map<SeriesKey, uint32_t>& series() { return series_; }
  const PmPass& pass() const { return plan().passes[pass_]; }

 private:
  enum class Phase { kFree, kPreparing, kUsable, kGivenUp };

  std::optional<Problem> MakeHost();
  CUptiResult OpenSession(int64_t interval_ns);

  const Parts parts_;
  const int id_;
  std::atomic<Phase> phase_{Phase::kFree};

  // The sampler's thread:
  PmSession session_;
  PmHost* host_ = nullptr;
  DeviceTurn turn_;
  TriageSchedule schedule_{static_cast<uint64_t>(id_)};
  size_t pass_ = 0;
  int bursts_of_pass_ = 0;
  int refusals_ = 0, misdated_in_a_row_ = 0;
  int64_t retry_at_ns_ = 0;
  std::map<SeriesKey, uint32_t> series_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_TRIAGE_DEVICE_H_
