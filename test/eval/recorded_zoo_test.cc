// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/recorded_zoo.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "lib/eval/describe.h"
#include "lib/eval/score.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::eval::recorded_zoo_test {
namespace {

constexpr char kLabels[] = R"({"format": 2, "seed": 7,
  "recordings": {"default": ["default.prof"], "all": ["all.prof"]},
  "kernels": [
    {"name": "k001", "family": "stream_read", "base_us": 100, "label": {
       "limiters": ["dram"], "rules": [], "helpful": ["fewer-bytes"], "harmful": [],
       "saves": null, "why": "",
       "elasticities": [{"resource": "dram", "elasticity": 0.98, "low": 0.97, "high": 0.99}],
       "pairs": [{"kind": "decoy", "action": "fewer-fma", "gain": 0, "low": -0.01, "high": 0.01}]}},
    {"name": "k002", "family": "l2_read", "base_us": 50, "label": {
       "limiters": ["l2"], "rules": [], "helpful": [], "harmful": [], "saves": null, "why": ""}}
  ]})";

// One launch of k001 for each 200 us, of 100 us, with the share of DRAM's peak that it used.
std::string Recording(double dram_percent) {
  test::SnapshotBuilder builder;
  const uint32_t shape = builder.Shape("k001", {528, 1, 1}, {256, 1, 1});
  for (int i = 0; i < 40; ++i) {
    const int64_t start_ns = 1'000'000 + i * 200'000;
    const uint32_t launch = builder.Kernel(shape, "", start_ns, start_ns + 100'000);
    if (i >= 3) continue;
    builder.Sample(launch,
                   {{"gpu__time_duration.sum", 100'000},
                    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", dram_percent}});
  }
  return builder.Bytes();
}

// A folder beside the test program, with the labels and both recordings.
std::string Folder(const std::string& name, const std::string& labels) {
  const std::filesystem::path folder = std::filesystem::path(PROF_ZOO_FOLDER) / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "zoo.json") << labels;
  for (const char* file : {"default.prof", "all.prof"}) {
    std::ofstream(folder / file, std::ios::binary) << Recording(91);
  }
  return folder.string();
}

TEST_CASE("A recorded kernel is judged by the verdict of its recording") {
  const Zoo zoo = ReadZoo(Folder("recorded", kLabels));
  REQUIRE(zoo.error.empty());
  REQUIRE(zoo.kernels.size() == 2);
  const LabelledKernel& stream = zoo.kernels[0];
  CHECK(stream.is_recorded);
  CHECK(NameOf(stream) == "k001 (stream_read)");
  REQUIRE(stream.label.elasticities.size() == 1);
  CHECK(stream.label.elasticities[0].value == Approx(0.98));
  REQUIRE(stream.label.pairs.size() == 1);
  CHECK_FALSE(stream.label.pairs[0].is_fix);
  REQUIRE(stream.with_all);
  CHECK(stream.with_all->duration_ns.median == Approx(100'000));

  const Evaluation evaluation = Evaluate(zoo, Form::kAll);
  CAPTURE(Describe(evaluation));
  REQUIRE(evaluation.answers.size() == 1);
  CHECK(evaluation.answers[0].verdict.rule == stream.with_all->verdict.rule);
  CHECK(evaluation.answers[0].verdict.limiter == Limiter::kDram);
  CHECK(evaluation.top1.part == 1);
  CHECK(evaluation.not_recorded == 1);
  CHECK(Describe(evaluation).find("not in the recordings: 1") != std::string::npos);
}

TEST_CASE("Labels whose recording is missing, damaged or elsewhere are an error with its name") {
  std::string labels = kLabels;
  const std::string folder = Folder("damaged", labels);
  std::ofstream(folder + "/all.prof") << "no recording";
  CHECK(ReadZoo(folder).error.find("all.prof") != std::string::npos);
  std::filesystem::remove(folder + "/all.prof");
  CHECK(ReadZoo(folder).error.find("all.prof") != std::string::npos);
  labels.replace(labels.find("all.prof"), 8, "../all.prof");
  CHECK(ReadZoo(Folder("elsewhere", labels)).error.find("../all.prof") != std::string::npos);
}

}  // namespace
}  // namespace prof::eval::recorded_zoo_test
