// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/environment.h"

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "test/options/sample_values.h"
#include "test/support/catch.h"

namespace prof::capture::environment_test {
namespace {

using Values = std::map<std::string, std::string>;

// Sets variables and clears all others that the library reads, for the life of the object.
class Environment {
 public:
  explicit Environment(const Values& values) {
    for (const options::Option& option : options::kOptions) Clear(option.variable);
    for (const char* name :
         {"HOME", "XDG_CACHE_HOME", "PROF_CUPTI", "PROF_RUN", "CUDA_HOME", "CUDA_PATH", "RANK",
          "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE",
          "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS_PER_NODE", "OMPI_COMM_WORLD_SIZE",
          "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_SIZE"}) {
      Clear(name);
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
  void Clear(const char* name) {
    if (const char* old = std::getenv(name)) old_[name] = old;
    names_.emplace_back(name);
    unsetenv(name);
  }

  std::vector<std::string> names_;
  Values old_;
};

TEST_CASE("Without variables the options are the defaults, and a file of this process") {
  const Environment environment(Values{});
  std::vector<std::string> complaints;
  const SessionOptions options = OptionsFromEnvironment(&complaints);
  CHECK(complaints.empty());
  CHECK(options.output == "prof-%h-%i.prof");
  CHECK(options.samples_per_signature == SessionOptions().samples_per_signature);
}

TEST_CASE("Kept ceilings are in the folder for caches, or in that of the home") {
  {
    const Environment both({{"XDG_CACHE_HOME", "/var/tmp/c"}, {"HOME", "/home/me"}});
    CHECK(CeilingsFromEnvironment() == "/var/tmp/c/prof/ceilings.csv");
  }
  {
    const Environment relative({{"XDG_CACHE_HOME", "c"}, {"HOME", "/home/me"}});
    CHECK(CeilingsFromEnvironment() == "/home/me/.cache/prof/ceilings.csv");
  }
  const Environment none(Values{});
  CHECK(CeilingsFromEnvironment().empty());
}

TEST_CASE("Each variable sets its option") {
  for (const options::Option& option : options::kOptions) {
    for (const std::string& value : options::SampleValues(option)) {
      INFO(option.variable << "=" << value);
      const Environment environment(Values{{option.variable, value}});
      std::vector<std::string> complaints;
      const SessionOptions options = OptionsFromEnvironment(&complaints);
      CHECK(complaints.empty());
      CHECK(options::ValueText(option, options) == value);
    }
  }
}

TEST_CASE("A value that cannot be read leaves the default and is named in a complaint") {
  const Environment environment({{"PROF_SAMPLES", "0"}, {"PROF_GRAPHS", "all"}});
  std::vector<std::string> complaints;
  const SessionOptions options = OptionsFromEnvironment(&complaints);
  REQUIRE(complaints.size() == 2);
  CHECK(complaints[1] == "PROF_SAMPLES=0 is not a whole number from 1 to 100; the default is used");
  CHECK(options.samples_per_signature == SessionOptions().samples_per_signature);
  CHECK(options.graphs == Graphs::kNodes);
}

TEST_CASE("An empty variable counts as none") {
  const Environment environment(Values{{"PROF_OUTPUT", ""}});
  std::vector<std::string> complaints;
  CHECK(OptionsFromEnvironment(&complaints).output == "prof-%h-%i.prof");
  CHECK(complaints.empty());
}

TEST_CASE("What prof run leaves for its processes is read, and anything else is none") {
  {
    const Environment environment(Values{{"PROF_RUN", "1764000000000000001:/tmp/a:b"}});
    CHECK(RunFromEnvironment().start_ns == 1764000000000000001);
    CHECK(RunFromEnvironment().list == "/tmp/a:b");
  }
  for (const char* wrong : {"", "x", ":/tmp/list", "12"}) {
    INFO(wrong);
    const Environment environment(Values{{"PROF_RUN", wrong}});
    CHECK(RunFromEnvironment().start_ns == 0);
    CHECK(RunFromEnvironment().list.empty());
  }
}

TEST_CASE("The number of processes comes from the launcher, and is 1 without one") {
  const auto ranks = [](const Values& values) {
    const Environment environment(values);
    return RanksFromEnvironment();
  };
  CHECK(ranks({}) == 1);
  CHECK(ranks({{"WORLD_SIZE", "16"}, {"LOCAL_WORLD_SIZE", "8"}}) == 16);
  CHECK(ranks({{"LOCAL_WORLD_SIZE", "8"}}) == 8);
  CHECK(ranks({{"SLURM_NTASKS", "4"}}) == 4);
  CHECK(ranks({{"SLURM_NTASKS", "4"}, {"SLURM_STEP_NUM_TASKS", "1"}}) == 1);
  CHECK(ranks({{"OMPI_COMM_WORLD_SIZE", "7"}}) == 7);
  CHECK(ranks({{"PMI_SIZE", "3"}}) == 3);
  CHECK(ranks({{"WORLD_SIZE", "0"}}) == 1);
  CHECK(ranks({{"WORLD_SIZE", "many"}, {"PMI_SIZE", "2"}}) == 2);
}

TEST_CASE("The rank comes from the launcher, and is -1 without one") {
  const auto rank = [](const Values& values) {
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

TEST_CASE("The search for CUPTI begins where the user points, then goes to the toolkit") {
  const Environment environment({{"PROF_CUPTI", "/a/libcupti.so.13"}, {"CUDA_HOME", "/b"}});
  const std::vector<std::string> path = CuptiSearchPath();
#if defined(__aarch64__)
  const std::vector<std::string> targets = {"/targets/sbsa-linux/lib",
                                            "/targets/aarch64-linux/lib"};
#else
  const std::vector<std::string> targets = {"/targets/x86_64-linux/lib"};
#endif
  std::vector<std::string> expected = {"/a/libcupti.so.13"};
  for (const std::string root : {"/b", "/usr/local/cuda"}) {
    expected.push_back(root + "/extras/CUPTI/lib64");
    expected.push_back(root + "/lib64");
    for (const std::string& target : targets) expected.push_back(root + target);
    expected.push_back(root + "/lib");
  }
  CHECK(path == expected);
}

}  // namespace
}  // namespace prof::capture::environment_test
