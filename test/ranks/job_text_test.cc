// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/job_text.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lib/ranks/job_json.h"
#include "test/ranks/job.h"
#include "test/support/catch.h"

namespace prof::ranks::test::job_text_test {
namespace {

std::string TextOf(const Job& job) {
  std::ostringstream out;
  WriteJobText(out, job, 100);
  return out.str();
}

Job WithStraggler() {
  JobOptions options;
  options.straggler = 2;
  options.slower = 0.2;
  return FindStragglers(RunJob(options, 1));
}

TEST_CASE("The text names the late rank, its cause, its kernels and the next command") {
  const std::string text = TextOf(WithStraggler());
  INFO(text);
  CHECK(text.find("4 ranks met in 180 collectives in ") == 0);
  CHECK(text.find("rank 2 is late: the others wait ") != std::string::npos);
  CHECK(text.find("All ranks would gain at most ") != std::string::npos);
  CHECK(text.find("cause: the same kernels take longer on it") != std::string::npos);
  CHECK(text.find("- gemm: ") != std::string::npos);
  CHECK(text.find("next: prof report rank2.prof") != std::string::npos);
}

TEST_CASE("Clocks of ranks whose kernels take longer are printed") {
  JobOptions options;
  options.straggler = 2;
  options.slower = 0.2;
  std::vector<Rank> ranks = RunJob(options, 1);
  for (Rank& rank : ranks) rank.sm_clock_hz = 1.98e9;
  ranks[2].sm_clock_hz = 1.65e9;
  const std::string text = TextOf(FindStragglers(std::move(ranks)));
  INFO(text);
  CHECK(text.find("1.65 GHz") != std::string::npos);
  CHECK(text.find("1.98 GHz") != std::string::npos);
}

TEST_CASE("A job without a late rank says so") {
  JobOptions options;
  options.jitter = 0.001;
  CHECK(TextOf(FindStragglers(RunJob(options, 2))).find("No rank is late: ") != std::string::npos);
  options.steps = 4;
  CHECK(TextOf(FindStragglers(RunJob(options, 2)))
            .find("No verdict: the ranks met in 12 collectives, and it takes 50.") !=
        std::string::npos);
}

TEST_CASE("The JSON has all ranks, and the cause of those that are late") {
  std::ostringstream out;
  WriteJobJson(out, WithStraggler());
  const auto json = nlohmann::json::parse(out.str());
  CHECK(json.at("finding") == "straggler");
  REQUIRE(json.at("ranks").size() == 4);
  CHECK(json.at("ranks")[0].at("rank") == 2);
  CHECK(json.at("ranks")[0].at("cause") == "slower-kernels");
  CHECK(json.at("ranks")[0].at("differences").size() == 2);
  CHECK_FALSE(json.at("ranks")[1].contains("cause"));
}

}  // namespace
}  // namespace prof::ranks::test::job_text_test
