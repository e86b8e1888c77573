// SPDX-License-Identifier: Apache-2.0
//
// prof metrics, with the installed CUPTI and no GPU.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test {
namespace {

Ended Metrics(std::vector<std::string> arguments,
              const std::vector<std::string>& environment = {}) {
  static const Folder folder;
  arguments.insert(arguments.begin(), "metrics");
  return Prof(arguments, folder.path(), environment);
}

#ifdef PROF_TEST_WITH_CUDA

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

#define PROF_TEST_NEEDS_CUPTI()                                                     \
  do {                                                                              \
    if (kSanitized) PROF_SKIP("CUPTI's host library does not run with sanitizers"); \
    const Ended probe = Metrics({"--chip", "GH100", "--tier", "pulse"});            \
    if (probe.err.find("CUPTI was not found") != std::string::npos) {               \
      PROF_SKIP(probe.err.c_str());                                                 \
    }                                                                               \
  } while (false)

TEST_CASE("prof metrics lists the tiers, their passes and cost, and says which chip it speaks of") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "gh100", "--samples", "5"});
  CHECK(ended.exit_code() == 0);
  CHECK(ended.err.empty());
  CHECK_THAT(ended.out, Contains("GH100 (as asked for), CUPTI 13") && Contains("pulse") &&
                            Contains("T1     sol          4") && Contains("SOL") &&
                            Contains("20.0 ms") && Contains("docs/counters.md"));
}

TEST_CASE("Without --chip there is always a chip, and where it comes from is said") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({});
  CHECK(ended.exit_code() == 0);
  const bool assumed = ended.out.find("GH100 (assumed: ") == 0 &&
                       ended.out.find("--chip shows another: ") != std::string::npos;
  CHECK((assumed || ended.out.find("(of GPU 0)") != std::string::npos));
}

TEST_CASE("A tier is shown with the meaning and the unit of each metric") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "GB202", "--tier", "pulse"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("pulse, pass 1 of 1: SM and L1") &&
                            Contains("dram__bytes_op_read.sum") && Contains("byte") &&
                            Contains("# of bytes") && !Contains("T1, pass"));
}

TEST_CASE("The names of a chip are searched by a regular expression") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "GH100", "--search", "^dram__bytes_(read|write)$"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("2 metrics match") && Contains("dram__bytes_read ") &&
                            Contains("dram__bytes_write ") && Contains("counter"));
}

TEST_CASE("A list of one's own is planned, and what is wrong with it is said") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics(
      {"--chip", "GH100", "--metrics", "dram__bytes.sum,dram__bytes_raed.sum,smsp__inst_executed"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("user, pass 1 of 1: DRAM and L2, 50.0 us a sampled launch") &&
                            Contains("nearest: dram__bytes_read, dram__bytes_write") &&
                            Contains("smsp__inst_executed: needs one of its suffixes"));
}

TEST_CASE("prof metrics --json holds the plan") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "GH100", "--json", "--samples", "2"});
  CHECK(ended.exit_code() == 0);
  const nlohmann::json json = nlohmann::json::parse(ended.out);
  CHECK(json["schema"] == 1);
  CHECK(json["chip"] == "GH100");
  CHECK(json["chips"].size() >= 10);
  REQUIRE(json["tiers"].size() == 6);
  const nlohmann::json& triage = json["tiers"][1];
  CHECK(triage["name"] == "T1");
  CHECK(triage["passes"] == 4);
  CHECK(triage["sample_cost_ns"] == 4'000'000);
  CHECK(triage["total_cost_ns"] == 8'000'000);
  REQUIRE(triage["groups"].size() == 4);
  const nlohmann::json& first = triage["groups"][0]["metrics"][0];
  CHECK(first["name"] == "gpu__time_duration.sum");
  CHECK(first["unit"] == "nanosecond");
  CHECK(json["throughputs"].size() == 2);
}

TEST_CASE("What is not known is an error that names the right ones") {
  const auto fails = [](const std::vector<std::string>& arguments, const std::string& with) {
    const Ended ended = Metrics(arguments);
    INFO(ended.err);
    CHECK(ended.exit_code() == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.find(with) != std::string::npos);
  };
  fails({"--tier", "T9"}, "Name one of pulse, T1, T2, T3, T4, SOL");
  fails({"--search", "("}, "is no regular expression");
  fails({"--tier", "T1", "--search", "x"}, "excludes");
  fails({"--samples", "0"}, "samples");
  PROF_TEST_NEEDS_CUPTI();
  fails({"--chip", "ZZ999"}, "Name one of AD102");
  fails({"--chip", "GH100", "--search", "^nothing$"}, "no metric of GH100 matches");
}

TEST_CASE("Without CUPTI it says how to get it") {
  const Ended ended = Metrics({"--chip", "GH100"}, {"PROF_CUPTI=/nowhere/libcupti.so.13"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("CUPTI was not found") && Contains("PROF_CUPTI"));
}

#else

TEST_CASE("A prof without CUDA says that it has no metrics to show") {
  const Ended ended = Metrics({});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("built without CUDA"));
}

#endif

}  // namespace
}  // namespace prof::test
