// SPDX-License-Identifier: Apache-2.0
//
// prof::Capture(run) runs a piece of GPU work until its counters are sampled, and analyzes it: for
// unit tests and experiments. Link prof::prof and prof::analyzer.
#ifndef PROF_CAPTURE_H_
#define PROF_CAPTURE_H_

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "prof/analyzer.h"
#include "prof/session.h"

namespace prof {

/// Options for a test, which wants its answer: counters of single launches, without the budget that
/// protects production runs.
inline SessionOptions CaptureSessionOptions() {
  SessionOptions options;
  options.counters = Counters::kStalls;
  options.counter_budget_percent = 100;
  options.counter_budget_seconds = 60;
  return options;
}

/// Options of Capture(). A number out of its range goes to the end of the range, NaN becomes the
/// default; Report::notices (subsystem "options") names each such change.
struct CaptureOptions {
  SessionOptions session = CaptureSessionOptions();
  /// Runs to make, even when counters are complete earlier. Range 0..1000000000.
  int min_runs = 10;
  /// The limit, complete or not. One run is always made. Range 1..1000000000.
  int max_runs = 1000000;
  /// After this time only the timing runs follow, complete or not. Range 0..1000000.
  double max_seconds = 30;
  /// Further runs, without counters, for the durations. Range 0..1000000000.
  int timing_runs = 10;
};

namespace capture_detail {

// The value that is used, and a notice where that is another one.
template <typename T>
T Checked(const char* name, T value, T lowest, T highest, T standard,
          std::vector<NoticeReport>* notices) {
  if (value >= lowest && value <= highest) return value;
  const T used = value < lowest ? lowest : value > highest ? highest : standard;
  notices->push_back({"warning", "options",
                      std::string(name) + " = " + std::to_string(value) + " is not from " +
                          std::to_string(lowest) + " to " + std::to_string(highest) + "; " +
                          std::to_string(used) + " is used",
                      "correct the value"});
  return used;
}

inline CaptureOptions Checked(CaptureOptions options, std::vector<NoticeReport>* notices) {
  constexpr int kMost = 1'000'000'000;
  const CaptureOptions standard;
  options.min_runs = Checked("min_runs", options.min_runs, 0, kMost, standard.min_runs, notices);
  options.max_runs = Checked("max_runs", options.max_runs, 1, kMost, standard.max_runs, notices);
  options.max_seconds =
      Checked("max_seconds", options.max_seconds, 0.0, 1e6, standard.max_seconds, notices);
  options.timing_runs =
      Checked("timing_runs", options.timing_runs, 0, kMost, standard.timing_runs, notices);
  return options;
}

}  // namespace capture_detail

/// Calls `run` repeatedly until every signature has its counter samples, then some more times for
/// undisturbed durations, and returns the report. `run` submits the same work each time; it need
/// not wait for that work. Report::notices names what did not work (no GPU, no permission).
/// Throws nothing of its own. An exception of `run` leaves Capture() after the recording stopped.
inline Report Capture(const std::function<void()>& run, const CaptureOptions& requested = {}) {
  if (!run) {
    Report report;
    report.error = "prof::Capture was given no function to run";
    return report;
  }
  std::vector<NoticeReport> notices;
  const CaptureOptions options = capture_detail::Checked(requested, &notices);
  const auto start = std::chrono::steady_clock::now();
  const auto may_go_on = [&](int runs) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return runs < options.max_runs && elapsed.count() < options.max_seconds;
  };
  Session session(options.session);  // its destructor ends the recording when `run` throws
  int runs = 0;
  do {
    run();
    ++runs;
    session.Synchronize();
  } while (may_go_on(runs) && (runs < options.min_runs || session.counters_pending()));
  for (int i = 0; i < options.timing_runs; ++i) run();
  session.Synchronize();
  Report report = Analyze(session.Stop());
  for (NoticeReport& notice : notices) report.notices.push_back(std::move(notice));
  return report;
}

}  // namespace prof

#endif  // PROF_CAPTURE_H_
