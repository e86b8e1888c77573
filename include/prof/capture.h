// SPDX-License-Identifier: Apache-2.0
//
// prof::Capture(run) runs a piece of GPU work until its counters are sampled, and analyzes it: for
// unit tests and experiments. Link prof::prof and prof::analyzer.
#ifndef PROF_CAPTURE_H_
#define PROF_CAPTURE_H_

#include <chrono>
#include <functional>

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

struct CaptureOptions {
  SessionOptions session = CaptureSessionOptions();
  int min_runs = 10;        ///< Runs to make, even when counters are complete earlier.
  int max_runs = 1000000;   ///< The limit, complete or not. One run is always made.
  double max_seconds = 30;  ///< After this time only the timing runs follow, complete or not.
  int timing_runs = 10;     ///< Further runs, without counters, for the durations.
};

/// Calls `run` repeatedly until every signature has its counter samples, then some more times for
/// undisturbed durations, and returns the report. `run` submits the same work each time; it need
/// not wait for that work. Report::notices names what did not work (no GPU, no permission).
/// Throws nothing of its own. An exception of `run` leaves Capture() after the recording stopped.
inline Report Capture(const std::function<void()>& run, const CaptureOptions& options = {}) {
  if (!run) {
    Report report;
    report.error = "prof::Capture was given no function to run";
    return report;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto may_go_on = [&](int runs) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return runs < options.max_runs && elapsed.count() < options.max_seconds;
  };
  Session session(options.session);  // its destructor ends the recording when `run` throws
  const auto waits_for_counters = [&] {
    const State state = session.status().counters.state;
    const bool can_come = state == State::kWorking || state == State::kDegraded;
    return can_come && !session.counters_complete();
  };
  int runs = 0;
  do {
    run();
    ++runs;
    session.Synchronize();
  } while (may_go_on(runs) && (runs < options.min_runs || waits_for_counters()));
  for (int i = 0; i < options.timing_runs; ++i) run();
  session.Synchronize();
  return Analyze(session.Stop());
}

}  // namespace prof

#endif  // PROF_CAPTURE_H_
