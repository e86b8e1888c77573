// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/activity_tracer.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cupti_backend/activity/graph_notice.h"
#include "cupti_backend/api/cupti_versions.h"
#include "test/cupti_backend/activity/activity_buffer.h"
#include "test/support/catch.h"

namespace prof::cupti::test::activity_tracer_test {
namespace {

// What CUPTI was asked to do, in order.
std::vector<std::string> asked;
std::set<CUpti_CallbackId> recorded_calls;
CUpti_ActivityKind refused_kind;

CuptiApi FakeApi() {
  asked.clear();
  recorded_calls.clear();
  refused_kind = CUPTI_ACTIVITY_KIND_INVALID;
  CuptiApi api = DecodingApi();  // it knows the calls' names
  api.set_thread_id_type = [](CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; };
  api.get_thread_id_type = [](CUpti_ActivityThreadIdType*) { return CUPTI_SUCCESS; };
  api.activity_set_attribute = [](CUpti_ActivityAttribute attribute, size_t*, void*) {
    asked.push_back("attribute " + std::to_string(attribute));
    return CUPTI_SUCCESS;
  };
  api.activity_get_attribute = [](CUpti_ActivityAttribute, size_t*, void*) {
    return CUPTI_ERROR_INVALID_PARAMETER;
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
    asked.push_back("call " + std::to_string(id));
    on == 0 ? (void)recorded_calls.erase(id) : (void)recorded_calls.insert(id);
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
  CHECK(enabled.missing == "anything (it takes no buffers)");
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

TEST_CASE("Of API calls CUPTI records the probe alone, and only while it is made") {
  const CuptiApi api = FakeApi();
  ActivityTracer tracer(&api, 1 << 20);
  const std::string driver = std::to_string(CUPTI_ACTIVITY_KIND_DRIVER);
  const auto count = [](const std::string& line) {
    return std::count(asked.begin(), asked.end(), line);
  };
  CHECK_FALSE(tracer.RecordProbe([&] { FAIL("nothing is recorded yet"); }));
  tracer.Enable();
  CHECK(count("kind " + std::to_string(CUPTI_ACTIVITY_KIND_RUNTIME)) == 0);
  bool probed = false;
  CHECK(tracer.RecordProbe([&] {
    probed = true;
    CHECK(recorded_calls == std::set<CUpti_CallbackId>{ActivityTracer::kProbeCall});
  }));
  CHECK(probed);
  CHECK(recorded_calls.empty());
  // Anything else would take callbacks of other calls away.
  CHECK(count("kind " + driver) == 0);
  CHECK(count("off " + driver) == 0);
  CHECK(Count("call ") == count("call " + std::to_string(ActivityTracer::kProbeCall)));
}

std::vector<CUpti_BuffersCallbackRequestFunc> requests;
std::vector<CUpti_BuffersCallbackCompleteFunc> completions;

// A tracer whose pool holds one buffer, and CUPTI's answers from it.
struct FullTracer {
  explicit FullTracer(uint32_t version) : api(FakeApi()), tracer(&api, 1) {
    api.version = version;
    api.activity_register_callbacks = [](CUpti_BuffersCallbackRequestFunc request,
                                         CUpti_BuffersCallbackCompleteFunc complete) {
      requests.assign(1, request);
      completions.assign(1, complete);
      return CUPTI_SUCCESS;
    };
    api.activity_flush_all = [](uint32_t) { return CUPTI_SUCCESS; };
    tracer.Enable();
  }
  uint8_t* Request() {
    uint8_t* buffer = nullptr;
    size_t records = 0;
    requests.at(0)(&buffer, &size, &records);
    return buffer;
  }
  void Complete(uint8_t* buffer) { completions.at(0)(nullptr, 0, buffer, size, 64); }

  CuptiApi api;
  ActivityTracer tracer;
  size_t size = 0;
};

TEST_CASE("A CUPTI that takes no buffer for an answer gets none when the pool is full") {
  FullTracer full(kCupti12_9);
  REQUIRE(full.Request() != nullptr);
  CHECK(full.Request() == nullptr);
  CHECK(full.size == 0);
  CHECK(full.tracer.pool().refused() == 1);
}

TEST_CASE(
    "A CUPTI that crashes without a buffer gets one of its own each time, and the loss counts") {
  FullTracer full(kCupti12_9 - 1);
  uint8_t* first = full.Request();
  std::set<uint8_t*> spare;
  constexpr int kSpare = 64;
  for (int i = 0; i < kSpare; ++i) {
    uint8_t* buffer = full.Request();
    REQUIRE(buffer != nullptr);
    REQUIRE(full.size >= 64 << 10);
    REQUIRE(reinterpret_cast<uintptr_t>(buffer) % 8 == 0);
    buffer[full.size - 1] = 1;
    spare.insert(buffer);
  }
  CHECK(spare.size() == kSpare);
  CHECK(full.tracer.pool().refused() == kSpare);
  CHECK(full.Request() != nullptr);  // all are out: one for all further ones
  CHECK(full.Request() != nullptr);
  for (uint8_t* buffer : spare) full.Complete(buffer);
  full.Complete(first);
  size_t drained = 0;
  full.tracer.pool().Drain([&](uint8_t*, size_t) { ++drained; });
  CHECK(drained == 1);  // what went into the others is lost
  full.tracer.Flush(false);
  CHECK(full.Request() == first);
  CHECK(spare.count(full.Request()) == 1);  // they come back
}

TEST_CASE("Where CUPTI cannot choose among calls it records none of them") {
  CuptiApi api = FakeApi();
  api.missing = 1U << static_cast<uint32_t>(Feature::kCallSelection);
  ActivityTracer tracer(&api, 1 << 20);
  CHECK(tracer.Enable().result == CUPTI_SUCCESS);
  CHECK_FALSE(tracer.RecordProbe([] { FAIL("it would bring a record of each call"); }));
  const std::string driver = std::to_string(CUPTI_ACTIVITY_KIND_DRIVER);
  CHECK(std::count(asked.begin(), asked.end(), "kind " + driver) == 0);
}

}  // namespace
}  // namespace prof::cupti::test::activity_tracer_test
