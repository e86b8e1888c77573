// SPDX-License-Identifier: Apache-2.0
//
// Throughputs from their parts, and metrics under another chip's name.
#include "lib/analyzer/kernels/throughput.h"

#include <map>
#include <string>
#include <vector>

#include "prof/analyzer.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::analyzer::throughput_test {
namespace {

const std::string kSm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const std::string kMemory = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";

Metrics With(const std::map<std::string, double>& medians) {
  Metrics metrics;
  for (const auto& [name, median] : medians) {
    metrics[name] = {3, median, median, median, 3 * median};
  }
  return metrics;
}

TEST_CASE("A throughput is the largest of its parts") {
  const model::Throughput sm{kSm, {"a", "b", "c"}, {}};
  const model::Throughput memory{kMemory, {"c", "d"}, {}};
  const SpeedOfLight light =
      FindSpeedOfLight({&sm, &memory, &sm}, With({{"a", 20}, {"b", 75}, {"c", 40}, {"d", 10}}));
  REQUIRE(light.throughputs.size() == 2);
  CHECK(light.sm_sol == 0.75);
  CHECK(light.memory_sol == 0.40);
  CHECK(light.throughputs[0].metric == kSm);
  CHECK(light.throughputs[0].largest == "b");
  CHECK(light.throughputs[0].missing.empty());
  CHECK(light.throughputs[1].largest == "c");
}

TEST_CASE("Parts without a value are named, whether or not a launch could read them") {
  const model::Throughput sm{kSm, {"a", "b", "never_sampled"}, {"two_passes"}};
  Metrics metrics = With({{"a", 0}, {"b", 5}});
  metrics["b"].n = 0;  // no usable sample
  const SpeedOfLight light = FindSpeedOfLight({&sm}, metrics);
  REQUIRE(light.throughputs.size() == 1);
  CHECK(light.sm_sol == 0.0);
  CHECK(light.throughputs[0].largest == "a");
  CHECK(light.throughputs[0].missing ==
        std::vector<std::string>{"b", "never_sampled", "two_passes"});
}

TEST_CASE("Without a measured part there is no speed of light") {
  const model::Throughput sm{kSm, {"a"}, {"b"}};
  const SpeedOfLight light = FindSpeedOfLight({&sm}, With({{"z", 50}}));
  CHECK_FALSE(light.sm_sol);
  CHECK_FALSE(light.memory_sol);
  CHECK(light.throughputs.empty());
}

TEST_CASE("The parts are taken from the samples, each at its kernel's own time") {
  const std::string issue = "sm__issue_active.avg.pct_of_peak_sustained_elapsed";
  const std::string alu = "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed";
  test::SnapshotBuilder b;
  const uint32_t shape = b.Shape("saxpy", {1056}, {256});
  const auto sample = [&](int64_t start_ns, const std::map<std::string, double>& metrics) {
    b.Sample(b.Kernel(shape, "", start_ns, start_ns + 10'000), metrics);
  };
  sample(100'000, {{issue, 30}, {"gpu__time_duration.sum", 20'000}});  // half of the range
  sample(200'000, {{alu, 50}, {"gpu__time_duration.sum", 10'000}});
  sample(300'000, {{"dram__bytes.sum", 1}});
  const uint32_t names[] = {b.String(kSm), b.String(issue), b.String(alu), b.String("missing")};
  b.edit = [&](wire::Block& block) {
    for (int group = 0; group < 2 && group < block.pass_groups_size(); ++group) {
      wire::Throughput* throughput = block.mutable_pass_groups(group)->add_throughputs();
      throughput->set_metric(names[0]);
      throughput->add_part(names[1]);
      throughput->add_part(names[2]);
      throughput->add_missing(names[3]);
    }
  };
  const Report report = Analyze(b.Snapshot());
  INFO(report.error);
  REQUIRE(report.kernels.size() == 1);
  const SpeedOfLight& light = report.kernels[0].speed_of_light;
  REQUIRE(light.throughputs.size() == 1);
  CHECK(light.sm_sol == 0.60);
  CHECK(light.throughputs[0].largest == issue);
  CHECK(light.throughputs[0].missing == std::vector<std::string>{"missing"});
}

TEST_CASE("A metric is found by its usual name where the chip has another") {
  KernelReport kernel;
  kernel.metrics = With({{"dram__bytes_op_read.sum", 7}, {"dram__bytes.sum", 9}});
  CHECK(kernel.Metric("dram__bytes_read.sum") == 7);
  CHECK(kernel.Metric("dram__bytes_op_read.sum") == 7);
  CHECK(kernel.Metric("dram__bytes.sum") == 9);
  CHECK_FALSE(kernel.Metric("dram__bytes_write.sum"));
  CHECK_FALSE(kernel.Metric("dram__bytes_read.avg"));
  CHECK_FALSE(kernel.Metric(""));
  REQUIRE(kernel.Find("dram__bytes_read.sum") != nullptr);
  CHECK(kernel.Find("dram__bytes_read.sum")->n == 3);
}

TEST_CASE("On a chip that has both names the usual one is read") {
  KernelReport kernel;
  kernel.metrics = With({{"dram__bytes_op_read.sum", 7}, {"dram__bytes_read.sum", 8}});
  CHECK(kernel.Metric("dram__bytes_read.sum") == 8);
}

}  // namespace
}  // namespace prof::analyzer::throughput_test
