// SPDX-License-Identifier: Apache-2.0
//
// prof metrics, with the installed CUPTI and no GPU.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::metrics_command_test {
namespace {

Ended Metrics(std::vector<std::string> arguments,
              const std::vector<std::string>& environment = {}) {
  static const Folder folder;
  arguments.insert(arguments.begin(), "metrics");
  return Prof(arguments, folder.path(), environment);
}

#ifdef PROF_TEST_WITH_CUDA

#if defined(PROF_SANITIZED)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

#define PROF_TEST_NEEDS_CUPTI()                                                     \
  do {                                                                              \
    if (kSanitized) PROF_SKIP("CUPTI's host library does not run with sanitizers"); \
    const Ended probe = Metrics({"--chip", "GH100", "--level", "pulse"});           \
    if (probe.err.find("CUPTI was not found") != std::string::npos) {               \
      PROF_SKIP(probe.err.c_str());                                                 \
    }                                                                               \
  } while (false)

TEST_CASE("prof metrics lists the levels, their passes and cost, and names the chip") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "gh100", "--samples", "5"});
  CHECK(ended.exit_code() == 0);
  CHECK(ended.err.empty());
  CHECK_THAT(ended.out, Contains("GH100 (as asked for), CUPTI 13") && Contains("pulse") &&
                            Contains("--counters sol          4") && Contains("speed-of-light") &&
                            !Contains("T1") && Contains("20.0 ms") &&
                            Contains("docs/internals/counters.md"));
}

TEST_CASE("A chip that needs two passes for the pulse is not promised one") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "TU102"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("--counters pulse        2") && !Contains("in one pass") &&
                            Contains("the largest of 1 part that fits one launch"));
}

TEST_CASE("Without --chip there is always a chip, and its source is named") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({});
  CHECK(ended.exit_code() == 0);
  const bool assumed = ended.out.find("GH100 (assumed: ") == 0 &&
                       ended.out.find("--chip shows another: ") != std::string::npos;
  CHECK((assumed || ended.out.find("(of GPU 0)") != std::string::npos));
}

TEST_CASE("A level is shown with the meaning and the unit of each metric") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "GB202", "--level", "pulse"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("pulse, pass 1 of 1: SM and L1") &&
                            Contains("dram__bytes_op_read.sum") && Contains("byte") &&
                            Contains("# of bytes") && !Contains("sol, pass"));
}

TEST_CASE("The names of a chip are searched by a regular expression") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "GH100", "--search", "^dram__bytes_(read|write)$"});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("2 metrics match") && Contains("dram__bytes_read ") &&
                            Contains("dram__bytes_write ") && Contains("counter"));
}

TEST_CASE("A list of one's own is planned, and a metric that is not there is an error") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended good = Metrics({"--chip", "GH100", "--metrics", "dram__bytes.sum"});
  CHECK(good.exit_code() == 0);
  CHECK(good.err.empty());
  const Ended ended = Metrics(
      {"--chip", "GH100", "--metrics", "dram__bytes.sum,dram__bytes_raed.sum,smsp__inst_executed"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.out, Contains("user, pass 1 of 1: DRAM and L2, 50.0 us a sampled launch"));
  CHECK_THAT(ended.err, Contains("dram__bytes_raed.sum") &&
                            Contains("nearest: dram__bytes_read, dram__bytes_write") &&
                            Contains("smsp__inst_executed: needs one of its suffixes"));
}

TEST_CASE("Where no metric of a list is there, no empty table is printed") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "GH100", "--metrics", "dram_bytes"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.out, !Contains("passes") && !Contains("\n-"));
  CHECK_THAT(ended.err, Contains("dram_bytes: no such metric on GH100; nearest: dram__bytes"));
}

TEST_CASE("prof metrics --json holds the plan") {
  PROF_TEST_NEEDS_CUPTI();
  const Ended ended = Metrics({"--chip", "GH100", "--json", "--samples", "2"});
  CHECK(ended.exit_code() == 0);
  const nlohmann::json json = nlohmann::json::parse(ended.out);
  CHECK(json["schema"] == 2);
  CHECK(json["chip"] == "GH100");
  CHECK(json["chips"].size() >= 10);
  REQUIRE(json["levels"].size() == 6);
  const nlohmann::json& sol = json["levels"][1];
  CHECK(sol["name"] == "sol");
  CHECK(sol["read_with"] == "--counters sol");
  CHECK(sol["passes"] == 4);
  CHECK(sol["sample_cost_ns"] == 4'000'000);
  CHECK(sol["total_cost_ns"] == 8'000'000);
  REQUIRE(sol["groups"].size() == 4);
  const nlohmann::json& first = sol["groups"][0]["metrics"][0];
  CHECK(first["name"] == "gpu__time_duration.sum");
  CHECK(first["unit"] == "nanosecond");
  CHECK(json["throughputs"].size() == 2);
}

TEST_CASE("A name that is unknown is an error that lists the right ones") {
  const auto fails = [](const std::vector<std::string>& arguments, const std::string& with) {
    const Ended ended = Metrics(arguments);
    INFO(ended.err);
    CHECK(ended.exit_code() == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.find(with) != std::string::npos);
  };
  fails({"--level", "T9"}, "name one of pulse, sol, stalls, memory, tensor, speed-of-light");
  fails({"--search", "("}, "is not a regular expression");
  fails({"--level", "sol", "--search", "x"}, "excludes");
  fails({"--samples", "0"}, "samples");
  PROF_TEST_NEEDS_CUPTI();
  fails({"--chip", "ZZ999"}, "name one of AD102");
  fails({"--chip", "GH100", "--search", "^nothing$"},
        "matches '^nothing$': prof metrics --search . lists all");
}

TEST_CASE("Without CUPTI the error names the way to get it") {
  const Ended ended = Metrics({"--chip", "GH100"}, {"PROF_CUPTI=/nowhere/libcupti.so.13"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("CUPTI was not found") && Contains("PROF_CUPTI"));
}

#else

TEST_CASE("A prof without CUDA has no metrics to show, and names the reason") {
  const Ended ended = Metrics({});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("built without CUDA"));
}

#endif

}  // namespace
}  // namespace prof::test::metrics_command_test
