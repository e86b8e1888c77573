// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "test/report/example_report.h"
#include "test/support/catch.h"

namespace prof::json_test {
namespace {

nlohmann::json Parsed(const Report& report) {
  std::ostringstream out;
  WriteJson(out, report);
  return nlohmann::json::parse(out.str());
}

std::set<std::string> Keys(const nlohmann::json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST_CASE("Without allocations memory is null, not a row of zeros") {
  Report report = test::ExampleReport();
  report.memory = {};
  CHECK(Parsed(report)["memory"].is_null());
  report.memory.unified.resize(1);
  CHECK(Parsed(report)["memory"]["kinds"].empty());
  CHECK(Parsed(report)["memory"]["unified"].size() == 1);
}

TEST_CASE("The JSON has the documented keys, and no others") {
  const nlohmann::json json = Parsed(test::ExampleReport());
  CHECK(Keys(json) == std::set<std::string>{"schema",
                                            "actions",
                                            "torch",
                                            "ranges",
                                            "api_calls",
                                            "error",
                                            "command",
                                            "host",
                                            "pid",
                                            "rank",
                                            "start_ns",
                                            "prof_version",
                                            "nvidia_driver",
                                            "span_ns",
                                            "profiler_ns",
                                            "paused_ns",
                                            "undisturbed_ns",
                                            "counter_cost_ns",
                                            "totals",
                                            "devices",
                                            "rows",
                                            "kernels",
                                            "regions",
                                            "gaps",
                                            "copies",
                                            "streams",
                                            "findings",
                                            "findings_missing",
                                            "notices",
                                            "memory",
                                            "integrity",
                                            "nvtx",
                                            "continuous",
                                            "verdicts",
                                            "pm_samples_lost",
                                            "pm_restarts"});
  CHECK(Keys(json["kernels"][0]) == std::set<std::string>{"name",
                                                          "torch_ops",
                                                          "torch_modules",
                                                          "lines",
                                                          "busy_ns",
                                                          "critical_ns",
                                                          "full_name",
                                                          "range",
                                                          "captured_in",
                                                          "device",
                                                          "grid",
                                                          "block",
                                                          "cluster",
                                                          "registers_per_thread",
                                                          "static_shared_bytes",
                                                          "dynamic_shared_bytes",
                                                          "local_bytes_per_thread",
                                                          "code",
                                                          "launches",
                                                          "loading_launches",
                                                          "duration_ns",
                                                          "duration_from_counters",
                                                          "comes_again",
                                                          "total_ns",
                                                          "share",
                                                          "in_graph",
                                                          "whole_graph",
                                                          "metrics",
                                                          "units",
                                                          "continuous",
                                                          "continuous_from",
                                                          "course",
                                                          "counters_from",
                                                          "samples_used",
                                                          "samples_rejected",
                                                          "occupancy",
                                                          "clock",
                                                          "roofline",
                                                          "flops",
                                                          "speed_of_light",
                                                          "verdict"});
  CHECK(Keys(json["rows"][0]) ==
        std::set<std::string>{"kind", "label", "time_ns", "share", "instances", "operations",
                              "limiter", "dominant", "evidence", "verdict", "gain_at_most_ns",
                              "continuous", "roofline"});
  CHECK(Keys(json["regions"][0]) ==
        std::set<std::string>{"kind",        "label",     "range",        "graph",
                              "device",      "instances", "samples_used", "samples_rejected",
                              "duration_ns", "host_ns",   "counted_ns",   "total_ns",
                              "share",       "metrics",   "units",        "speed_of_light",
                              "clock",       "roofline",  "flops",        "parts",
                              "verdict"});
  CHECK(json["schema"] == 3);
}

TEST_CASE("The JSON has the clocks and the levels of the roofline; what is not known is null") {
  Report report = test::ExampleReport();
  KernelReport& kernel = report.kernels[0];
  kernel.clock.sampled_hz = {3, 1.56e9, 1.55e9, 1.57e9, 4.68e9};
  kernel.clock.run_hz = {9, 1.3e9, 1.2e9, 1.4e9, 11.7e9};
  kernel.clock.run_hz_bound = 1.28e9;
  RooflineLevel level;
  level.level = "dram";
  level.bytes = 3.2e8;
  level.ceiling = "peak of the chip at the DRAM clock";
  level.missing = "";
  kernel.roofline.levels = {level};
  kernel.roofline.bound_by = "dram";
  report.devices[0].run_clock.hz = {2, 1.3e9, 1.3e9, 1.31e9, 2.6e9};
  report.devices[0].run_clock.sampled_hz = {2, 1.56e9, 1.55e9, 1.57e9, 3.12e9};
  report.devices[0].run_clock.lost_ns = 5e6;
  const nlohmann::json json = Parsed(report);
  const nlohmann::json& clock = json["kernels"][0]["clock"];
  CHECK(clock["run_hz"]["median"] == 1.3e9);
  CHECK(clock["run_hz_bound"] == 1.28e9);
  CHECK(json["kernels"][1]["clock"]["run_hz_bound"].is_null());
  CHECK(json["kernels"][1]["clock"]["run_hz"]["n"] == 0);
  CHECK(json["kernels"][1]["clock"]["run_hz"]["median"].is_null());
  const nlohmann::json& roofline = json["kernels"][0]["roofline"];
  CHECK(roofline["levels"][0]["bytes"] == 3.2e8);
  CHECK(roofline["levels"][0]["flops_per_byte"].is_null());
  CHECK(roofline["bound_by"] == "dram");
  CHECK(roofline["sm_clock_hz"].is_null());
  CHECK(json["devices"][0]["run_clock"]["lost_ns"] == 5e6);
  CHECK(json["devices"][0]["run_clock"]["highest_hz"].is_null());
}

TEST_CASE("The JSON has the state of a GPU where it was recorded") {
  Report report = test::ExampleReport();
  CHECK(Parsed(report)["devices"][0]["state"].is_null());
  GpuStateReport& state = report.devices[0].state;
  state.watts = {2, 690, 680, 700, 1380};
  state.with_reasons = 4;
  state.holds = {{ClockHold::Kind::kThermal, "heat, by the driver", 3}};
  const nlohmann::json json = Parsed(report)["devices"][0]["state"];
  CHECK(json["watts"]["max"] == 700);
  CHECK(json["power_limit_w"].is_null());
  CHECK(json["celsius"]["n"] == 0);
  CHECK(json["holds"][0]["kind"] == "thermal");
  CHECK(json["holds"][0]["readings"] == 3);
  CHECK(json["with_reasons"] == 4);
}

TEST_CASE("The JSON holds the report's values") {
  const Report report = test::ExampleReport();
  const nlohmann::json json = Parsed(report);
  CHECK(json["span_ns"] == report.span_ns);
  CHECK(json["rank"] == 3);
  CHECK(json["kernels"].size() == 3);
  CHECK(json["kernels"][1]["name"] == test::kAwfulName);
  CHECK(json["kernels"][0]["grid"] == nlohmann::json({262144, 1, 1}));
  CHECK(json["kernels"][0]["verdict"]["limiter"] == "dram");
  const auto& dram =
      json["kernels"][0]["metrics"]["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"];
  CHECK(dram["median"] == 91.3);
  CHECK(dram["n"] == 3);
  CHECK(json["rows"][3]["kind"] == "gap");
  CHECK(json["gaps"][0]["cause"] == "sync");
  CHECK(json["findings"][1]["withheld"] == true);
  CHECK(json["integrity"].size() == 1);
}

TEST_CASE("Resources of a kernel without a traced launch are null in the JSON") {
  Report report = test::ExampleReport();
  report.kernels[0].resources_known = false;
  const nlohmann::json kernel = Parsed(report)["kernels"][0];
  CHECK(kernel["registers_per_thread"].is_null());
  CHECK(kernel["static_shared_bytes"].is_null());
  CHECK(kernel["local_bytes_per_thread"].is_null());
  CHECK(kernel["cluster"].is_null());
  CHECK(kernel["dynamic_shared_bytes"] == 0);
}

TEST_CASE("What was not measured is null in the JSON") {
  Report report = test::ExampleReport();
  report.kernels[0].duration_ns.median = std::numeric_limits<double>::quiet_NaN();
  report.kernels[0].total_ns = std::numeric_limits<double>::infinity();
  report.kernels[0].occupancy.achieved.reset();
  const nlohmann::json kernel = Parsed(report)["kernels"][0];
  CHECK(kernel["duration_ns"]["median"].is_null());
  CHECK(kernel["total_ns"].is_null());
  CHECK(kernel["occupancy"]["achieved"].is_null());
}

TEST_CASE("Bytes that are not UTF-8 do not keep the JSON from being written") {
  Report report = test::ExampleReport();
  report.rows[0].label = "bad \xff name";
  CHECK(Parsed(report)["rows"][0]["label"] == "bad \xef\xbf\xbd name");
}

TEST_CASE("An empty report is valid JSON with empty lists") {
  const nlohmann::json json = Parsed(Report{});
  for (const char* key :
       {"devices", "rows", "kernels", "gaps", "copies", "findings", "notices", "integrity"}) {
    CHECK(json[key] == nlohmann::json::array());
  }
}

TEST_CASE("The JSON has the actions with what they save, and null where nothing bounds it") {
  const nlohmann::json json = Parsed(test::ExampleReport());
  REQUIRE(json["actions"].size() == 3);
  CHECK(json["actions"][1]["id"] == "dram-throughput");
  CHECK(json["actions"][1]["kind"] == "same-work");
  CHECK(json["actions"][1]["target"] == "saxpy in step/axpy");
  CHECK(json["actions"][1]["saves_at_most_ns"] == 621'267);
  CHECK(json["actions"][2]["saves_at_most_ns"].is_null());
  CHECK(json["actions"][2]["floor"] == "no ceiling of mma.sync was measured");
}

TEST_CASE("The JSON has the tree of ranges and the calls by function") {
  const nlohmann::json json = Parsed(test::ExampleReport());
  REQUIRE(json["ranges"].size() == 4);
  CHECK(json["ranges"][3]["parent"] == 2);
  CHECK(json["ranges"][3]["members"][1]["path"] == "step/attention/qkv_proj 1");
  CHECK(json["ranges"][0]["gpu_inclusive_ns"] == 9'041'000);
  CHECK(json["api_calls"][1]["failed"] == 1);
}

}  // namespace
}  // namespace prof::json_test
