// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/activity_tracer.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "cupti_backend/activity/graph_notice.h"
#include "test/cupti_backend/activity/activity_buffer.h"
#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

// What CUPTI was asked to do, in order.
std::vector<std::string> asked;
std::set<CUpti_CallbackId> driver_calls_off;
size_t pool_limit, buffer_bytes;
CUptiResult attribute_result;
CUpti_ActivityKind refused_kind;

CuptiApi FakeApi() {
  asked.clear();
  driver_calls_off.clear();
  pool_limit = 250;
  buffer_bytes = 3'200'000;
  attribute_result = CUPTI_SUCCESS;
  refused_kind = CUPTI_ACTIVITY_KIND_INVALID;
  CuptiApi api = DecodingApi();  // it knows the calls' names
  api.set_thread_id_type = [](CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; };
  api.activity_set_attribute = [](CUpti_ActivityAttribute attribute, size_t*, void* value) {
    if (attribute == CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT) {
      std::memcpy(&pool_limit, value, sizeof(pool_limit));
    }
    asked.push_back("attribute " + std::to_string(attribute));
    return CUPTI_SUCCESS;
  };
  api.activity_get_attribute = [](CUpti_ActivityAttribute attribute, size_t*, void* value) {
    const bool limit = attribute == CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT;
    std::memcpy(value, limit ? &pool_limit : &buffer_bytes, sizeof(size_t));
    return attribute_result;
  };
  api.activity_register_callbacks = [](CUpti_BuffersCallbackRequestFunc,
                                       CUpti_BuffersCallbackCompleteFunc) {
    asked.emplace_back("buffers");
    return CUPTI_SUCCESS;
  };
  api.activity_enable = [](CUpti_ActivityKind kind) {
    asked.push_back("kind " + std::to_string(kind));
    return kind == refused_kind ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS;
  };
  api.activity_disable = [](CUpti_ActivityKind kind) {
    asked.push_back("off " + std::to_string(kind));
    return CUPTI_SUCCESS;
  };
  api.activity_enable_driver_api = [](CUpti_CallbackId id, uint8_t on) {
    if (on == 0) driver_calls_off.insert(id);
    return CUPTI_SUCCESS;
  };
  return api;
}

long Count(const std::string& prefix) {
  return std::count_if(asked.begin(), asked.end(),
                       [&](const std::string& line) { return line.rfind(prefix, 0) == 0; });
}

TEST_CASE("Attributes come before the buffers, the buffers before the kinds") {
  const CuptiApi api = FakeApi();
  ActivityTracer tracer(&api, 1 << 20);
  const ActivityTracer::Enabled enabled = tracer.Enable();
  CHECK(enabled.result == CUPTI_SUCCESS);
  CHECK(enabled.missing.empty());
  const auto buffers = std::find(asked.begin(), asked.end(), "buffers");
  REQUIRE(buffers != asked.end());
  CHECK(std::all_of(asked.begin(), buffers,
                    [](const std::string& line) { return line.rfind("attribute", 0) == 0; }));
  CHECK(std::all_of(buffers + 1, asked.end(),
                    [](const std::string& line) { return line.rfind("kind", 0) == 0; }));
  const long kinds = Count("kind");
  CHECK(kinds >= 8);
  CHECK(Count("kind " + std::to_string(CUPTI_ACTIVITY_KIND_MEMORY2)) == 1);
  CHECK(Count("kind " + std::to_string(CUPTI_ACTIVITY_KIND_MEMORY_POOL)) == 1);
  CHECK(Count("kind " + std::to_string(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)) == 0);
  tracer.Disable();
  CHECK(Count("off") == kinds);
  tracer.Disable();  // once is enough
  CHECK(Count("off") == kinds);
}

const std::string kGraphTrace = "kind " + std::to_string(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
const std::string kKernels = "kind " + std::to_string(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);

TEST_CASE("Whole graphs are asked for before kernels, once, and stay on for the process's life") {
  const CuptiApi api = FakeApi();
  ActivityTracer tracer(&api, 1 << 20);
  CHECK(tracer.DecideGraphs(Graphs::kWhole, true) == Graphs::kWhole);
  CHECK(tracer.Enable().result == CUPTI_SUCCESS);
  const auto graphs = std::find(asked.begin(), asked.end(), kGraphTrace);
  REQUIRE(graphs != asked.end());
  CHECK(graphs < std::find(asked.begin(), asked.end(), kKernels));
  tracer.Enable();  // another profiler had the buffers
  tracer.Disable();
  // A later recording by node gets whole graphs as well.
  CHECK(tracer.DecideGraphs(Graphs::kNodes, false) == Graphs::kWhole);
  tracer.Enable();
  tracer.Disable();
  CHECK(Count(kGraphTrace) == 1);
  CHECK(Count("off " + std::to_string(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) == 0);
  CHECK(Count(kKernels) == 3);
}

TEST_CASE("Whole graphs are never asked for once the program can have made a graph") {
  const CuptiApi api = FakeApi();
  ActivityTracer tracer(&api, 1 << 20);
  SECTION("before the first recording") {
    CHECK(tracer.DecideGraphs(Graphs::kWhole, false) == Graphs::kNodes);
  }
  SECTION("while an earlier recording ran, or after it") {
    CHECK(tracer.DecideGraphs(Graphs::kNodes, true) == Graphs::kNodes);
  }
  SECTION("by a recording that nobody asked") {}
  tracer.Enable();
  tracer.Disable();
  CHECK(tracer.DecideGraphs(Graphs::kWhole, true) == Graphs::kNodes);
  tracer.Enable();
  tracer.Disable();
  CHECK(Count(kGraphTrace) == 0);
}

TEST_CASE("Whole graphs are not asked for later when the first attempt to record failed") {
  CuptiApi api = FakeApi();
  const auto registers = api.activity_register_callbacks;
  api.activity_register_callbacks = [](CUpti_BuffersCallbackRequestFunc,
                                       CUpti_BuffersCallbackCompleteFunc) {
    return CUPTI_ERROR_NOT_INITIALIZED;
  };
  ActivityTracer tracer(&api, 1 << 20);
  CHECK(tracer.DecideGraphs(Graphs::kWhole, true) == Graphs::kWhole);
  const ActivityTracer::Enabled enabled = tracer.Enable();
  CHECK(enabled.result == CUPTI_ERROR_NOT_INITIALIZED);
  CHECK(enabled.missing == "buffers");
  api.activity_register_callbacks = registers;  // by now the program has graphs
  CHECK(tracer.Enable().result == CUPTI_SUCCESS);
  CHECK(Count("kind " + std::to_string(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) == 0);
}

TEST_CASE("A CUPTI that does not record whole graphs is asked once, and records by node") {
  const CuptiApi api = FakeApi();
  refused_kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  ActivityTracer tracer(&api, 1 << 20);
  CHECK(tracer.DecideGraphs(Graphs::kWhole, true) == Graphs::kWhole);
  const ActivityTracer::Enabled enabled = tracer.Enable();
  CHECK(enabled.result == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(enabled.missing == "graphs as a whole");
  CHECK(tracer.graphs() == Graphs::kNodes);
  CHECK(Count(kKernels) == 1);
  tracer.Disable();
  CHECK(tracer.DecideGraphs(Graphs::kWhole, true) == Graphs::kNodes);
  CHECK(tracer.Enable().result == CUPTI_SUCCESS);
  CHECK(Count(kGraphTrace) == 1);
}

TEST_CASE("A recording whose graphs are not recorded as it asked for says why, and the way out") {
  CHECK_FALSE(GraphsNotice(Graphs::kNodes, Graphs::kNodes));
  CHECK_FALSE(GraphsNotice(Graphs::kWhole, Graphs::kWhole));
  const auto by_node = GraphsNotice(Graphs::kWhole, Graphs::kNodes);
  REQUIRE(by_node);
  CHECK_THAT(by_node->what, Catch::Contains("by node") && Catch::Contains("instantiated"));
  CHECK_THAT(by_node->fix, Catch::Contains("inject prof to get whole graphs"));
  const auto whole = GraphsNotice(Graphs::kNodes, Graphs::kWhole);
  REQUIRE(whole);
  CHECK_THAT(whole->what, Catch::Contains("as a whole") && Catch::Contains("first recording"));
}

TEST_CASE("A kind that CUPTI does not record is named, and the others are recorded") {
  const CuptiApi api = FakeApi();
  refused_kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  ActivityTracer tracer(&api, 1 << 20);
  const ActivityTracer::Enabled enabled = tracer.Enable();
  CHECK(enabled.result == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(enabled.missing == "peer copies");
  CHECK(Count("kind") >= 6);
}

TEST_CASE("Of API calls CUPTI records the probe alone") {
  const CuptiApi api = FakeApi();
  ActivityTracer tracer(&api, 1 << 20);
  tracer.Enable();
  CHECK(std::count(asked.begin(), asked.end(),
                   "kind " + std::to_string(CUPTI_ACTIVITY_KIND_RUNTIME)) == 0);
  CHECK(driver_calls_off.count(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) == 1);
  CHECK(driver_calls_off.count(ActivityTracer::kProbeCall) == 0);
}

TEST_CASE("CUPTI's device memory is limited in whole buffers, and as CUPTI says") {
  const CuptiApi api = FakeApi();
  ActivityTracer tracer(&api, 1 << 20);
  tracer.LimitDeviceMemory(size_t{128} << 20);
  CHECK(pool_limit == 41);
  CHECK(tracer.device_bytes() == 41 * 3'200'000);
  tracer.LimitDeviceMemory(1);  // never fewer than it takes in advance, and one
  CHECK(pool_limit == 4);
}

TEST_CASE("A CUPTI that does not tell its buffers' size keeps its own limit") {
  const CuptiApi api = FakeApi();
  attribute_result = CUPTI_ERROR_INVALID_PARAMETER;
  ActivityTracer tracer(&api, 1 << 20);
  tracer.LimitDeviceMemory(size_t{128} << 20);
  CHECK(pool_limit == 250);
  CHECK(tracer.device_bytes() == 0);
}

}  // namespace
}  // namespace prof::cupti::test
