// SPDX-License-Identifier: Apache-2.0
//
// The dump trigger decides when a recording that keeps its last seconds writes them by itself: a
// slow step, a long step, an idle GPU.
#ifndef PROF_LIB_CAPTURE_WINDOWS_DUMP_TRIGGER_H_
#define PROF_LIB_CAPTURE_WINDOWS_DUMP_TRIGGER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prof/session.h"

namespace prof::capture {

// The collector's thread.
class DumpTrigger {
 public:
  // A disk must not fill because a program is slow all the time.
  static constexpr int kMostDumps = 20;
  // Steps that a median needs, and steps that it is of. The first steps of a program load modules
  // and tune: with fewer, each program would dump at its start.
  static constexpr size_t kFewestSteps = 10, kMedianSteps = 100;

  explicit DumpTrigger(const SessionOptions& options);

  [[nodiscard]] bool watches_idle() const { return idle_percent_ > 0; }

  // Why this asks for a dump; empty: it does not. `name`: the step's range, or empty.
  [[nodiscard]] std::string OnStep(std::string_view name, int64_t duration_ns);
  // `percent`: how much of a second the busiest GPU was idle.
  [[nodiscard]] std::string OnIdle(double percent) const;

  // Whether a dump may be written now, which counts it. False: it came too soon after another, or
  // there were kMostDumps; that is counted in held_back().
  [[nodiscard]] bool Take(int64_t now_ns);
  [[nodiscard]] int dumps() const { return dumps_; }
  [[nodiscard]] uint64_t held_back() const { return held_back_; }

 private:
  [[nodiscard]] int64_t Median() const;

  const double slow_times_, idle_percent_;
  const int64_t long_ns_, pause_ns_;
  std::vector<int64_t> last_steps_;  // a ring of kMedianSteps
  size_t next_step_ = 0;
  int dumps_ = 0;
  int64_t last_dump_ns_ = 0;
  uint64_t held_back_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WINDOWS_DUMP_TRIGGER_H_
