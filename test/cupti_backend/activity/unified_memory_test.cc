// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/unified_memory.h"

#include <set>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test::unified_memory_test {
namespace {

using Kind = CUpti_ActivityUnifiedMemoryCounterKind;

// What CUPTI was asked to do, in order: "configure 3 of 2" (a kind, devices), "on", "off".
std::vector<std::string> asked;
std::set<Kind> refused;
CUptiResult refusal, enable_result;
CUresult driver_state;
int devices;

struct Tables {
  Tables() {
    asked.clear();
    refused.clear();
    refusal = CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_DEVICE;
    enable_result = CUPTI_SUCCESS;
    driver_state = CUDA_SUCCESS;
    devices = 2;
    api.get_result_string = [](CUptiResult, const char** text) {
      *text = "CUPTI_ERROR_X";
      return CUPTI_SUCCESS;
    };
    api.configure_unified_memory = [](CUpti_ActivityUnifiedMemoryCounterConfig* configs,
                                      uint32_t count) {
      asked.push_back("configure " + std::to_string(configs[0].kind) + " of " +
                      std::to_string(count));
      for (uint32_t i = 0; i < count; ++i) {
        CHECK(configs[i].deviceId == i);
        CHECK(configs[i].kind == configs[0].kind);
        CHECK(configs[i].enable == 1);
      }
      return refused.count(configs[0].kind) != 0 ? refusal : CUPTI_SUCCESS;
    };
    api.activity_enable = [](CUpti_ActivityKind kind) {
      CHECK(kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
      asked.emplace_back("on");
      return enable_result;
    };
    api.activity_disable = [](CUpti_ActivityKind kind) {
      CHECK(kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
      asked.emplace_back("off");
      return CUPTI_SUCCESS;
    };
    driver.device_get_count = [](int* count) {
      *count = devices;
      return driver_state;
    };
  }
  CuptiApi api;
  DriverApi driver;
  std::vector<capture::NoticeEvent> notices;
};

TEST_CASE("Each kind is configured for each device, before the records are switched on") {
  Tables tables;
  UnifiedMemory memory(&tables.api, &tables.driver);
  memory.Start(&tables.notices);
  CHECK(tables.notices.empty());
  REQUIRE(asked.size() == 9);
  for (size_t i = 0; i < 8; ++i) {
    CHECK(asked[i].rfind("configure ", 0) == 0);
    CHECK(asked[i].find(" of 2") != std::string::npos);
  }
  CHECK(asked[8] == "on");
  memory.Start(&tables.notices);  // once is enough
  CHECK(asked.size() == 9);
  memory.EnableAgain();
  CHECK(asked.back() == "on");
  memory.Stop();
  CHECK(asked.back() == "off");
  memory.Stop();
  memory.EnableAgain();
  memory.Start(&tables.notices);
  CHECK(asked.size() == 11);
}

TEST_CASE("A program that has not started CUDA yet is not started by prof") {
  Tables tables;
  driver_state = CUDA_ERROR_NOT_INITIALIZED;
  UnifiedMemory memory(&tables.api, &tables.driver);
  memory.Start(&tables.notices);
  CHECK(asked.empty());
  CHECK(tables.notices.empty());
  driver_state = CUDA_SUCCESS;
  memory.Start(&tables.notices);
  CHECK(asked.size() == 9);
}

TEST_CASE("Where there is no device nothing is asked of CUPTI") {
  Tables tables;
  devices = 0;
  UnifiedMemory memory(&tables.api, &tables.driver);
  memory.Start(&tables.notices);
  driver_state = CUDA_ERROR_NO_DEVICE;
  memory.Start(&tables.notices);
  CHECK(asked.empty());
  CHECK(tables.notices.empty());
}

TEST_CASE("A kind that the machine does not have leaves the others, and is named") {
  Tables tables;
  refused = {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING,
             CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_REMOTE_MAP};
  UnifiedMemory memory(&tables.api, &tables.driver);
  memory.Start(&tables.notices);
  CHECK(asked.back() == "on");
  REQUIRE(tables.notices.size() == 1);
  CHECK(tables.notices[0].what.find("not: thrashing, remote maps") != std::string::npos);
  CHECK(tables.notices[0].code == CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_DEVICE);
}

TEST_CASE("A machine without any of it gets a notice, and nothing else") {
  Tables tables;
  for (int kind = 0; kind < CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_COUNT; ++kind) {
    refused.insert(static_cast<Kind>(kind));
  }
  refusal = CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_NON_P2P_DEVICES;
  UnifiedMemory memory(&tables.api, &tables.driver);
  memory.Start(&tables.notices);
  CHECK(asked.size() == 8);
  REQUIRE(tables.notices.size() == 1);
  CHECK(tables.notices[0].what == "CUPTI does not record unified memory: CUPTI_ERROR_X (30)");
  CHECK(tables.notices[0].severity == capture::Severity::kWarning);
  CHECK_FALSE(tables.notices[0].fix.empty());
  memory.Stop();
  CHECK(asked.size() == 8);
}

TEST_CASE("Records that cannot be switched on are told, and not switched off") {
  Tables tables;
  enable_result = CUPTI_ERROR_NOT_COMPATIBLE;
  UnifiedMemory memory(&tables.api, &tables.driver);
  memory.Start(&tables.notices);
  REQUIRE(tables.notices.size() == 1);
  CHECK(tables.notices[0].code == CUPTI_ERROR_NOT_COMPATIBLE);
  memory.Stop();
  CHECK(asked.back() == "on");
}

}  // namespace
}  // namespace prof::cupti::test::unified_memory_test
