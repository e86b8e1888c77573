// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "test/report/example_report.h"
#include "test/support/catch.h"

namespace prof {
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
  CHECK(Keys(json) ==
        std::set<std::string>{
            "schema",     "error",          "command",          "host",     "pid",
            "rank",       "prof_version",   "nvidia_driver",    "span_ns",  "profiler_ns",
            "paused_ns",  "undisturbed_ns", "counter_cost_ns",  "totals",   "devices",
            "rows",       "kernels",        "regions",          "gaps",     "copies",
            "streams",    "findings",       "findings_missing", "notices",  "memory",
            "integrity",  "nvtx",           "continuous",       "verdicts", "pm_samples_lost",
            "pm_restarts"});
  CHECK(Keys(json["kernels"][0]) == std::set<std::string>{"name",
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
                                                          "launches",
                                                          "loading_launches",
                                                          "duration_ns",
                                                          "duration_from_counters",
                                                          "total_ns",
                                                          "share",
                                                          "in_graph",
                                                          "whole_graph",
                                                          "metrics",
                                                          "units",
                                                          "continuous",
                                                          "continuous_from",
                                                          "counters_from",
                                                          "samples_used",
                                                          "samples_rejected",
                                                          "occupancy",
                                                          "roofline",
                                                          "flops",
                                                          "speed_of_light",
                                                          "verdict"});
  CHECK(Keys(json["rows"][0]) == std::set<std::string>{"kind", "label", "time_ns", "share",
                                                       "instances", "operations", "limiter",
                                                       "dominant", "evidence", "verdict",
                                                       "gain_at_most_ns", "continuous"});
  CHECK(Keys(json["regions"][0]) ==
        std::set<std::string>{"kind", "label", "range", "graph", "device", "instances",
                              "samples_used", "samples_rejected", "duration_ns", "host_ns",
                              "counted_ns", "total_ns", "share", "metrics", "units",
                              "speed_of_light", "parts", "verdict"});
  CHECK(json["schema"] == 3);
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

}  // namespace
}  // namespace prof
