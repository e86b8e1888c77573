// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/environment.h"

#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::capture {
namespace {

// Sets variables and clears all others that the library reads, for the life of the object.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& values) {
    for (const char* name : {"PROF_OUTPUT",
                             "PROF_COUNTERS",
                             "PROF_SAMPLES",
                             "PROF_SKIP",
                             "PROF_BUDGET_PERCENT",
                             "PROF_BUDGET_SECONDS",
                             "PROF_BUFFER_MIB",
                             "PROF_KEEP_SECONDS",
                             "PROF_KEEP_MIB",
                             "PROF_DUMP_SIGNAL",
                             "PROF_RANGES",
                             "PROF_UNIFIED_MEMORY",
                             "PROF_METRICS",
                             "PROF_KERNEL",
                             "PROF_RANGE_FILTER",
                             "PROF_LAUNCH_SKIP",
                             "PROF_LAUNCH_COUNT",
                             "PROF_SAMPLE_EVERY",
                             "PROF_COUNTED_RANGES",
                             "PROF_CONTINUOUS",
                             "PROF_CONTINUOUS_CORE",
                             "PROF_REPLAY",
                             "PROF_GRAPHS",
                             "PROF_CUPTI",
                             "CUDA_HOME",
                             "CUDA_PATH",
                             "RANK",
                             "SLURM_PROCID",
                             "OMPI_COMM_WORLD_RANK",
                             "PMI_RANK"}) {
      if (const char* old = std::getenv(name)) old_[name] = old;
      names_.emplace_back(name);
      unsetenv(name);
    }
    for (const auto& [name, value] : values) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const std::string& name : names_) unsetenv(name.c_str());
    for (const auto& [name, value] : old_) setenv(name.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::string> old_;
};

SessionOptions Read(const std::map<std::string, std::string>& values,
                    std::vector<std::string>* complaints) {
  const Environment environment(values);
  return OptionsFromEnvironment(complaints);
}

SessionOptions ReadGood(const std::map<std::string, std::string>& values) {
  std::vector<std::string> complaints;
  SessionOptions options = Read(values, &complaints);
  CHECK(complaints == std::vector<std::string>{});
  return options;
}

TEST_CASE("Without variables the options are the defaults, and a file of this process") {
  const SessionOptions options = ReadGood({});
  const SessionOptions defaults;
  CHECK(options.output == "prof-%p.prof");
  CHECK(options.counters == defaults.counters);
  CHECK(options.samples_per_signature == defaults.samples_per_signature);
  CHECK(options.skip_first_launches == defaults.skip_first_launches);
  CHECK(options.counter_budget_percent == defaults.counter_budget_percent);
  CHECK(options.counter_budget_seconds == defaults.counter_budget_seconds);
  CHECK(options.buffer_mib == defaults.buffer_mib);
  CHECK(options.device_mib == defaults.device_mib);
  CHECK(options.ranges == defaults.ranges);
  CHECK_FALSE(options.unified_memory);
  CHECK(options.metrics.empty());
  CHECK(options.kernel_filter.empty());
  CHECK(options.range_filter.empty());
  CHECK(options.launch_skip == 0);
  CHECK(options.launch_count == 0);
  CHECK(options.sample_every == 1);
  CHECK(options.counted_ranges.empty());
  CHECK_FALSE(options.continuous);
  CHECK(options.continuous_interval_us == 100);
  CHECK(options.continuous_core_percent == 10);
  CHECK(options.replay == Replay::kNone);
  CHECK(options.graphs == Graphs::kNodes);
}

TEST_CASE("Each variable sets its option") {
  const SessionOptions options = ReadGood({{"PROF_OUTPUT", "x-%r.prof"},
                                           {"PROF_COUNTERS", "sol"},
                                           {"PROF_SAMPLES", "7"},
                                           {"PROF_SKIP", "0"},
                                           {"PROF_BUDGET_PERCENT", "2.5"},
                                           {"PROF_BUDGET_SECONDS", "0.25"},
                                           {"PROF_BUFFER_MIB", "128"},
                                           {"PROF_DEVICE_MIB", "256"},
                                           {"PROF_KEEP_SECONDS", "30"},
                                           {"PROF_KEEP_MIB", "64"},
                                           {"PROF_DUMP_SIGNAL", "USR2"},
                                           {"PROF_RANGES", "0"},
                                           {"PROF_UNIFIED_MEMORY", "1"},
                                           {"PROF_METRICS", "a.sum,,b.avg,"},
                                           {"PROF_KERNEL", "gemm|conv"},
                                           {"PROF_RANGE_FILTER", "^step/"},
                                           {"PROF_LAUNCH_SKIP", "5000000000"},
                                           {"PROF_LAUNCH_COUNT", "6000000000"},
                                           {"PROF_SAMPLE_EVERY", "3"},
                                           {"PROF_COUNTED_RANGES", "decode$"},
                                           {"PROF_CONTINUOUS", "1"},
                                           {"PROF_CONTINUOUS_CORE", "2.5"},
                                           {"PROF_REPLAY", "kernel"},
                                           {"PROF_GRAPHS", "whole"}});
  CHECK(options.output == "x-%r.prof");
  CHECK(options.counters == Counters::kSpeedOfLight);
  CHECK(options.samples_per_signature == 7);
  CHECK(options.skip_first_launches == 0);
  CHECK(options.counter_budget_percent == 2.5);
  CHECK(options.counter_budget_seconds == 0.25);
  CHECK(options.buffer_mib == 128);
  CHECK(options.device_mib == 256);
  CHECK(options.keep_last_seconds == 30);
  CHECK(options.keep_mib == 64);
  CHECK(options.dump_signal == SIGUSR2);
  CHECK_FALSE(options.ranges);
  CHECK(options.unified_memory);
  CHECK(options.metrics == std::vector<std::string>{"a.sum", "b.avg"});
  CHECK(options.kernel_filter == "gemm|conv");
  CHECK(options.range_filter == "^step/");
  CHECK(options.launch_skip == 5'000'000'000);
  CHECK(options.launch_count == 6'000'000'000);
  CHECK(options.sample_every == 3);
  CHECK(options.counted_ranges == "decode$");
  CHECK(options.continuous);
  CHECK(options.continuous_interval_us == 100);
  CHECK(options.continuous_core_percent == 2.5);
  CHECK(options.replay == Replay::kKernel);
  CHECK(options.graphs == Graphs::kWhole);
}

TEST_CASE("PROF_CONTINUOUS is a switch or an interval") {
  CHECK_FALSE(ReadGood({{"PROF_CONTINUOUS", "0"}}).continuous);
  const SessionOptions options = ReadGood({{"PROF_CONTINUOUS", "20"}});
  CHECK(options.continuous);
  CHECK(options.continuous_interval_us == 20);
  CHECK(ReadGood({{"PROF_CONTINUOUS", "1000000"}}).continuous_interval_us == 1'000'000);
}

TEST_CASE("Every counter level has a name") {
  CHECK(ReadGood({{"PROF_COUNTERS", "none"}}).counters == Counters::kNone);
  CHECK(ReadGood({{"PROF_COUNTERS", "pulse"}}).counters == Counters::kPulse);
  CHECK(ReadGood({{"PROF_COUNTERS", "stalls"}}).counters == Counters::kStalls);
  CHECK(ReadGood({{"PROF_COUNTERS", "all"}}).counters == Counters::kAll);
}

TEST_CASE("A value that cannot be read leaves the default and is named in a complaint") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"PROF_COUNTERS", "everything"}, {"PROF_SAMPLES", "0"},
      {"PROF_SAMPLES", "101"},         {"PROF_SAMPLES", "three"},
      {"PROF_SAMPLES", "3 apples"},    {"PROF_SKIP", "-1"},
      {"PROF_BUDGET_PERCENT", "101"},  {"PROF_BUDGET_PERCENT", "nan"},
      {"PROF_BUDGET_SECONDS", "-1"},   {"PROF_BUDGET_SECONDS", "1e999"},
      {"PROF_BUFFER_MIB", "0"},        {"PROF_BUFFER_MIB", "4097"},
      {"PROF_RANGES", "yes"},          {"PROF_RANGES", "2"},
      {"PROF_KERNEL", "gemm("},        {"PROF_RANGE_FILTER", "[a"},
      {"PROF_COUNTED_RANGES", "*"},    {"PROF_LAUNCH_SKIP", "-1"},
      {"PROF_LAUNCH_COUNT", "many"},   {"PROF_SAMPLE_EVERY", "0"},
      {"PROF_CONTINUOUS", "2"},        {"PROF_CONTINUOUS", "19"},
      {"PROF_CONTINUOUS", "1000001"},  {"PROF_CONTINUOUS", "yes"},
      {"PROF_REPLAY", "application"},  {"PROF_UNIFIED_MEMORY", "on"},

      {"PROF_GRAPHS", "all"}};
  const SessionOptions defaults;
  for (const auto& [name, value] : bad) {
    INFO(name << "=" << value);
    std::vector<std::string> complaints;
    const SessionOptions options = Read({{name, value}}, &complaints);
    REQUIRE(complaints.size() == 1);
    CHECK(complaints[0].find(name + "=" + value) == 0);
    CHECK(complaints[0].find("the default is used") != std::string::npos);
    CHECK(options.counters == defaults.counters);
    CHECK(options.samples_per_signature == defaults.samples_per_signature);
    CHECK(options.skip_first_launches == defaults.skip_first_launches);
    CHECK(options.counter_budget_percent == defaults.counter_budget_percent);
    CHECK(options.counter_budget_seconds == defaults.counter_budget_seconds);
    CHECK(options.buffer_mib == defaults.buffer_mib);
    CHECK(options.ranges == defaults.ranges);
    CHECK_FALSE(options.unified_memory);
    CHECK(options.kernel_filter.empty());
    CHECK(options.range_filter.empty());
    CHECK(options.counted_ranges.empty());
    CHECK(options.launch_skip == 0);
    CHECK(options.launch_count == 0);
    CHECK(options.sample_every == 1);
    CHECK_FALSE(options.continuous);
    CHECK(options.continuous_interval_us == 100);
    CHECK(options.replay == Replay::kNone);
  }
}

TEST_CASE("A fraction is no whole number") {
  for (const char* name :
       {"PROF_SAMPLES", "PROF_SKIP", "PROF_BUFFER_MIB", "PROF_LAUNCH_SKIP", "PROF_SAMPLE_EVERY"}) {
    INFO(name);
    std::vector<std::string> complaints;
    Read({{name, "2.5"}}, &complaints);
    REQUIRE(complaints.size() == 1);
    CHECK(complaints[0].find(name) == 0);
  }
}

TEST_CASE("An empty variable is as good as none") {
  const SessionOptions options =
      ReadGood({{"PROF_OUTPUT", ""}, {"PROF_COUNTERS", ""}, {"PROF_SAMPLES", ""}});
  CHECK(options.output == "prof-%p.prof");
  CHECK(options.counters == SessionOptions().counters);
}

TEST_CASE("The rank comes from the launcher, and is -1 without one") {
  const auto rank = [](const std::map<std::string, std::string>& values) {
    const Environment environment(values);
    return RankFromEnvironment();
  };
  CHECK(rank({}) == -1);
  CHECK(rank({{"RANK", "5"}}) == 5);
  CHECK(rank({{"SLURM_PROCID", "6"}}) == 6);
  CHECK(rank({{"OMPI_COMM_WORLD_RANK", "7"}}) == 7);
  CHECK(rank({{"PMI_RANK", "0"}}) == 0);
  CHECK(rank({{"RANK", "1"}, {"SLURM_PROCID", "2"}}) == 1);
  CHECK(rank({{"RANK", "junk"}, {"SLURM_PROCID", "2"}}) == 2);
  CHECK(rank({{"RANK", "-3"}}) == -1);
  CHECK(rank({{"RANK", "99999999999999999999"}}) == -1);
}

TEST_CASE("CUPTI is looked for where the user says, then where the toolkit is") {
  const Environment environment({{"PROF_CUPTI", "/a/libcupti.so.13"}, {"CUDA_HOME", "/b"}});
  const std::vector<std::string> path = CuptiSearchPath();
  REQUIRE(path.size() == 9);
  CHECK(path[0] == "/a/libcupti.so.13");
  CHECK(path[1] == "/b/extras/CUPTI/lib64");
  CHECK(path[5] == "/usr/local/cuda/extras/CUPTI/lib64");
}

}  // namespace
}  // namespace prof::capture
