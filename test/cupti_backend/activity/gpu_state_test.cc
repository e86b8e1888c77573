// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/gpu_state.h"

#include <optional>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test::gpu_state_test {
namespace {

std::string asked;  // "on off"
CUptiResult enable_result;

struct Tables {
  Tables() {
    asked.clear();
    enable_result = CUPTI_SUCCESS;
    api.get_result_string = [](CUptiResult, const char** text) {
      *text = "CUPTI_ERROR_X";
      return CUPTI_SUCCESS;
    };
    api.activity_enable = [](CUpti_ActivityKind kind) {
      CHECK(kind == CUPTI_ACTIVITY_KIND_ENVIRONMENT);
      asked += "on ";
      return enable_result;
    };
    api.activity_disable = [](CUpti_ActivityKind kind) {
      CHECK(kind == CUPTI_ACTIVITY_KIND_ENVIRONMENT);
      asked += "off ";
      return CUPTI_SUCCESS;
    };
  }
  CuptiApi api;
  DriverApi driver;
  std::vector<capture::NoticeEvent> notices;
};

std::optional<Problem> NoNvml(NvmlApi*) { return Problem{0, "NVML was not found", "a way out"}; }

// An NVML that does not begin.
std::optional<Problem> LoadFakeNvml(NvmlApi* api) {
  api->init = [] { return 9; };
  api->error_string = [](int) { return "Driver Not Loaded"; };
  return std::nullopt;
}

CUpti_ActivityEnvironment Record(CUpti_ActivityEnvironmentKind kind) {
  CUpti_ActivityEnvironment record = {};
  record.kind = CUPTI_ACTIVITY_KIND_ENVIRONMENT;
  record.deviceId = 3;
  record.timestamp = 5000;
  record.environmentKind = kind;
  return record;
}

TEST_CASE("Readings of the GPU are on from the start to the end, and off in a pause") {
  Tables tables;
  GpuState state(&tables.api, &tables.driver, NoNvml);
  state.Start(&tables.notices);
  std::vector<capture::GpuStateEvent> readings;
  state.Gather(&readings, &tables.notices);
  CHECK(readings.empty());
  state.Pause();
  state.EnableAgain();
  state.Stop();
  CHECK(asked == "on off on off ");
  state.EnableAgain();
  state.Stop();
  CHECK(asked == "on off on off ");
  CHECK(tables.notices.empty());
}

TEST_CASE(
    "Where neither CUPTI nor NVML has readings there is a notice, and nothing is switched off") {
  Tables tables;
  enable_result = CUPTI_ERROR_NOT_COMPATIBLE;
  GpuState state(&tables.api, &tables.driver, NoNvml);
  state.Start(&tables.notices);
  state.Pause();
  state.EnableAgain();
  state.Stop();
  CHECK(asked == "on ");
  REQUIRE(tables.notices.size() == 1);
  CHECK(tables.notices[0].code == CUPTI_ERROR_NOT_COMPATIBLE);
  CHECK(tables.notices[0].what ==
        "the clocks, temperature and power of the GPU are not recorded: CUPTI refuses with "
        "CUPTI_ERROR_X (14), and NVML was not found");
  CHECK(tables.notices[0].fix == "a way out");
}

TEST_CASE("Where CUPTI refuses NVML is read, and where it does not begin there is one notice") {
  Tables tables;
  enable_result = CUPTI_ERROR_NOT_COMPATIBLE;
  GpuState state(&tables.api, &tables.driver, LoadFakeNvml);
  state.Start(&tables.notices);
  CHECK(tables.notices.empty());
  std::vector<capture::GpuStateEvent> readings;
  for (int i = 0; i < 2; ++i) state.Gather(&readings, &tables.notices);
  REQUIRE(tables.notices.size() == 1);
  CHECK(tables.notices[0].code == 9);
  CHECK(tables.notices[0].what.find("nvmlInit_v2: Driver Not Loaded") != std::string::npos);
  CHECK_FALSE(tables.notices[0].fix.empty());
  state.Stop();
  state.Gather(&readings, &tables.notices);
  CHECK(tables.notices.size() == 1);
}

TEST_CASE("A reading of the clocks has both clocks and what held them down") {
  CUpti_ActivityEnvironment record = Record(CUPTI_ACTIVITY_ENVIRONMENT_SPEED);
  record.data.speed.smClock = 1335;
  record.data.speed.memoryClock = 2619;
  record.data.speed.clocksThrottleReasons = CUPTI_CLOCKS_THROTTLE_REASON_SW_POWER_CAP;
  const capture::GpuStateEvent event = GpuStateOf(record);
  CHECK(event.kind == capture::GpuStateKind::kClocks);
  CHECK(event.device == 3);
  CHECK(event.time_ns == 5000);
  CHECK(event.value == 1335);
  CHECK(event.second == 2619);
  CHECK(event.reasons == 4);
}

TEST_CASE("Readings of temperature and power have their values, and no other's") {
  CUpti_ActivityEnvironment heat = Record(CUPTI_ACTIVITY_ENVIRONMENT_TEMPERATURE);
  heat.data.temperature.gpuTemperature = 64;
  CHECK(GpuStateOf(heat).kind == capture::GpuStateKind::kTemperature);
  CHECK(GpuStateOf(heat).value == 64);
  CHECK(GpuStateOf(heat).second == 0);
  CUpti_ActivityEnvironment power = Record(CUPTI_ACTIVITY_ENVIRONMENT_POWER);
  power.data.power.power = 698'500;
  power.data.power.powerLimit = 700'000;
  CHECK(GpuStateOf(power).kind == capture::GpuStateKind::kPower);
  CHECK(GpuStateOf(power).value == 698'500);
  CHECK(GpuStateOf(power).second == 700'000);
  CHECK(GpuStateOf(power).reasons == 0);
}

TEST_CASE("The speed of a fan is no reading") {
  CHECK(GpuStateOf(Record(CUPTI_ACTIVITY_ENVIRONMENT_COOLING)).kind ==
        capture::GpuStateKind::kUnknown);
}

}  // namespace
}  // namespace prof::cupti::test::gpu_state_test
