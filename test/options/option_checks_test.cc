// SPDX-License-Identifier: Apache-2.0
#include "lib/options/option_checks.h"

#include <cmath>
#include <csignal>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::options::option_checks_test {
namespace {

using Lines = std::vector<std::string>;

SessionOptions Read(const std::map<std::string, std::string>& variables, Lines* problems) {
  return ReadVariables(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string() : found->second;
      },
      problems);
}

SessionOptions Corrected(SessionOptions values, Lines* problems) {
  Correct(Naming::kField, &values, problems);
  return values;
}

Lines Texts(const SessionOptions& values) {
  Lines texts;
  for (const Conflict& conflict : FindConflicts(values, Naming::kFlag)) {
    texts.push_back(conflict.text);
  }
  return texts;
}

TEST_CASE("A variable that cannot be read keeps the default and is named") {
  Lines problems;
  const SessionOptions values = Read({{"PROF_SAMPLES", "0"}, {"PROF_KEEP_MIB", "7"}}, &problems);
  CHECK(problems == Lines{"PROF_SAMPLES=0 is not a whole number from 1 to 100"});
  CHECK(values.samples_per_signature == SessionOptions().samples_per_signature);
  CHECK(values.keep_mib == 7);
}

TEST_CASE("An empty variable counts as none") {
  Lines problems;
  CHECK(Read({{"PROF_OUTPUT", ""}, {"PROF_SAMPLES", ""}}, &problems).output == kDefaultOutput);
  CHECK(problems.empty());
}

TEST_CASE("Options that are right stay as they are") {
  Lines problems;
  SessionOptions values;
  values.dump_signal = SIGHUP;  // has no name as an option, and is a signal
  values.keep_last_seconds = 10;
  values.kernel_filter = "gemm";
  CHECK(Corrected(values, &problems).dump_signal == SIGHUP);
  CHECK(Corrected(SessionOptions(), &problems).counter_budget_percent == 5);
  CHECK(problems.empty());
}

TEST_CASE("A number out of its range goes to the end of the range, and is named") {
  Lines problems;
  SessionOptions values;
  values.samples_per_signature = 500;
  values.device_mib = 1;
  values.launch_skip = -1;
  values.continuous_core_percent = 0;
  values.continuous = true;
  values.continuous_interval_us = 5;
  const SessionOptions corrected = Corrected(values, &problems);
  CHECK(corrected.samples_per_signature == 100);
  CHECK(corrected.device_mib == 16);
  CHECK(corrected.launch_skip == 0);
  CHECK(corrected.continuous_core_percent == 0.1);
  CHECK(corrected.continuous_interval_us == 20);
  CHECK(corrected.continuous);
  REQUIRE(problems.size() == 5);
  CHECK(problems[0] == "device_mib = 1 is not a whole number from 16 to 4096; 16 is used");
  CHECK(problems[3].find("continuous_interval_us = 5 is not") == 0);
}

TEST_CASE("The interval of continuous counters is not checked while they are off") {
  Lines problems;
  SessionOptions values;
  values.continuous_interval_us = 5;
  CHECK_FALSE(Corrected(values, &problems).continuous);
  CHECK(problems.empty());
}

TEST_CASE("What is no number goes to the default") {
  Lines problems;
  SessionOptions values;
  values.counter_budget_percent = std::nan("");
  values.counter_budget_seconds = std::numeric_limits<double>::infinity();
  const SessionOptions corrected = Corrected(values, &problems);
  CHECK(corrected.counter_budget_percent == SessionOptions().counter_budget_percent);
  CHECK(corrected.counter_budget_seconds == 1e6);
  CHECK(problems.size() == 2);
}

TEST_CASE("An expression that is none is left out, and is named") {
  Lines problems;
  SessionOptions values;
  values.range_filter = "(";
  CHECK(Corrected(values, &problems).range_filter.empty());
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("range_filter = ( is not a regular expression") == 0);
  CHECK(problems[0].find("the default is used") != std::string::npos);
}

TEST_CASE("A dump signal needs something that is kept") {
  SessionOptions values;
  values.dump_signal = SIGUSR1;
  CHECK(Texts(values) == Lines{"--dump-signal USR1 has no effect without --keep-last"});
  SessionOptions share;
  share.duty_percent = 10;
  CHECK(Texts(share).empty());
  share.step_active = 1;
  CHECK(Texts(share) == Lines{"--duty 10 has no effect with --step-active 1"});
  values.keep_last_seconds = 1;
  CHECK(Texts(values).empty());
}

TEST_CASE("What reads counters needs counters, and a list of metrics is enough") {
  SessionOptions values;
  values.counters = Counters::kNone;
  CHECK(Texts(values).empty());
  values.replay = Replay::kKernel;
  values.counted_ranges = "step";
  CHECK(Texts(values) == Lines{"--replay kernel has no effect with --counters none",
                               "--count-range step has no effect with --counters none"});
  values.metrics = {"dram__bytes.sum"};
  CHECK(Texts(values).empty());
}

TEST_CASE("Without counters nothing that is about them has an effect") {
  SessionOptions values;
  values.samples_per_signature = 7;
  values.counter_budget_percent = values.counter_budget_seconds = 30;
  values.until_complete_seconds = 9;
  values.kernel_filter = values.range_filter = "x";
  values.launch_skip = values.launch_count = values.skip_first_launches = values.sample_every = 2;
  CHECK(Texts(values).empty());
  values.counters = Counters::kNone;
  CHECK(Texts(values) ==
        Lines{"--samples 7 has no effect with --counters none",
              "--budget 30 has no effect with --counters none",
              "--budget-seconds 30 has no effect with --counters none",
              "--until-complete 9 has no counters to wait for with --counters none",
              "--kernel x has no effect with --counters none",
              "--range x has no effect with --counters none",
              "--launch-skip 2 has no effect with --counters none",
              "--launch-count 2 has no effect with --counters none",
              "PROF_SKIP=2 has no effect with --counters none",
              "--every 2 has no effect with --counters none"});
  values.metrics = {"dram__bytes.sum"};
  CHECK(Texts(values).empty());
}

TEST_CASE("A replayed launch needs neither further samples nor a budget") {
  SessionOptions values;
  values.samples_per_signature = 7;
  values.skip_first_launches = 0;
  values.counter_budget_percent = values.counter_budget_seconds = 30;
  values.kernel_filter = "x";
  values.sample_every = 2;
  values.replay = Replay::kKernel;
  CHECK(Texts(values) == Lines{"--samples 7 has no effect with --replay kernel",
                               "PROF_SKIP=0 has no effect with --replay kernel",
                               "--budget 30 has no effect with --replay kernel",
                               "--budget-seconds 30 has no effect with --replay kernel"});
}

TEST_CASE("The share of a core for bursts needs bursts") {
  SessionOptions values;
  values.triage_core_percent = 10;
  CHECK(Texts(values).empty());
  values.replay = Replay::kKernel;
  CHECK(Texts(values) == Lines{"--triage-core 10 has no effect with --replay kernel"});
  values.continuous = true;
  CHECK(Texts(values) == Lines{"--triage-core 10 has no effect with --continuous"});
  values.continuous_interval_us = 50;
  CHECK(Texts(values) == Lines{"--triage-core 10 has no effect with --continuous=50"});
  values.counters = Counters::kStalls;
  CHECK(Texts(values) == Lines{"--triage-core 10 has no effect with --counters stalls"});
}

TEST_CASE("The share of a core for continuous counters needs these") {
  SessionOptions values;
  values.continuous_core_percent = 50;
  CHECK(Texts(values) == Lines{"--continuous-core 50 has no effect without --continuous"});
  Lines problems;
  CHECK(Corrected(values, &problems).continuous_core_percent == 10);
  CHECK(problems == Lines{"continuous_core_percent = 50 has no effect without continuous"});
  values.continuous = true;
  CHECK(Texts(values).empty());
}

TEST_CASE("No default is a conflict, whatever the other options are") {
  for (const Counters counters : {Counters::kNone, Counters::kAuto, Counters::kAll}) {
    for (const bool other : {false, true}) {
      SessionOptions values;
      values.counters = counters;
      values.continuous = other;
      values.ranges = !other;
      CHECK(Texts(values).empty());
    }
  }
}

// A program may begin with them, and then choose not to read counters.
TEST_CASE("The budgets that prof::Capture begins with are left as they are") {
  SessionOptions values;
  values.counter_budget_percent = 100;
  values.counter_budget_seconds = 60;
  for (const Counters counters : {Counters::kNone, Counters::kStalls}) {
    values.counters = counters;
    Lines problems;
    CHECK(Corrected(values, &problems).counter_budget_seconds == 60);
    CHECK(problems.empty());
  }
}

TEST_CASE("The ops of PyTorch need ranges") {
  SessionOptions values;
  values.torch = Torch::kOps;
  CHECK(Texts(values).empty());
  values.ranges = false;
  CHECK(Texts(values) == Lines{"--torch ops has no effect with --no-ranges"});
}

TEST_CASE("The shapes of inputs need the ops of PyTorch") {
  SessionOptions values;
  values.torch_shapes = true;
  CHECK(Texts(values) == Lines{"--torch-shapes has no effect without --torch"});
  values.torch = Torch::kOps;
  CHECK(Texts(values).empty());
}

TEST_CASE("What belongs to a schedule, to windows or to dumps has no effect without them") {
  SessionOptions values;
  values.step_wait = values.step_repeat = values.window_count = 2;
  values.step_ranges = "x";
  values.keep_mib = 64;
  values.dump_idle_percent = 90;
  CHECK(Texts(values) == Lines{"--window-count 2 has no effect without --window",
                               "--step x has no effect without --step-active",
                               "--step-wait 2 has no effect without --step-active",
                               "--step-repeat 2 has no effect without --step-active",
                               "PROF_KEEP_MIB=64 has no effect without --keep-last",
                               "--dump-idle 90 has no effect without --keep-last"});
  values.step_active = values.keep_last_seconds = 1;
  values.profiler_api = true;
  CHECK(Texts(values).empty());
}

TEST_CASE("Steps that only start a dump have an effect") {
  SessionOptions values;
  values.step_ranges = "x";
  values.keep_last_seconds = 1;
  values.dump_slow_step = 2;
  CHECK(Texts(values).empty());
  values.dump_slow_step = 0;
  values.dump_long_step_ms = 2;
  CHECK(Texts(values).empty());
}

TEST_CASE("An option without effect goes to its default, and is named") {
  Lines problems;
  SessionOptions values;
  values.counters = Counters::kNone;
  values.replay = Replay::kKernel;
  CHECK(Corrected(values, &problems).replay == Replay::kNone);
  CHECK(problems == Lines{"replay = kernel has no effect with counters = none"});
}

}  // namespace
}  // namespace prof::options::option_checks_test
