// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/nvml_reader.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test::nvml_reader_test {
namespace {

using capture::GpuStateEvent;
using capture::GpuStateKind;

// Two GPUs. NVML may have them in another order: only their ids count.
struct Fake {
  int begun = 0, ended = 0;
  int init_result = 0, reasons_result = 0, power_result = 0, limit_result = 0;
  int first_device_result = 0, second_device_result = 0, memory_clock_result = 0;
  int sm_clock_result = 0, celsius_result = 0;
  std::chrono::milliseconds cost{0};  // of each reading of power
  std::vector<std::string> asked;
};
Fake fake;

constexpr int kNotSupported = 3;  // NVML_ERROR_NOT_SUPPORTED

NvmlDevice Handle(unsigned number) {
  static char storage[2];
  return reinterpret_cast<NvmlDevice>(&storage[number]);
}
unsigned NumberOf(NvmlDevice device) { return device == Handle(1) ? 1 : 0; }

struct Tables {
  Tables() {
    fake = {};
    driver.device_get_count = [](int* count) {
      *count = 2;
      return CUDA_SUCCESS;
    };
    driver.device_get = [](CUdevice* device, int ordinal) {
      *device = ordinal;
      return CUDA_SUCCESS;
    };
    driver.device_get_uuid = [](CUuuid* uuid, CUdevice device) {
      for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(i * 16 + device);
      return CUDA_SUCCESS;
    };
    nvml.init = [] {
      ++fake.begun;
      return fake.init_result;
    };
    nvml.shutdown = [] {
      ++fake.ended;
      return 0;
    };
    nvml.error_string = [](int result) { return result == 0 ? "Success" : "Not Supported"; };
    nvml.handle_by_uuid = [](const char* uuid, NvmlDevice* device) {
      fake.asked.emplace_back(uuid);
      const unsigned number = fake.asked.back().back() == '1' ? 1 : 0;
      *device = Handle(number);
      return number == 0 ? fake.first_device_result : fake.second_device_result;
    };
    nvml.clock_mhz = [](NvmlDevice device, int type, unsigned* mhz) {
      *mhz = (type == NvmlApi::kSmClock ? 1335 : 2619) + NumberOf(device);
      return type == NvmlApi::kSmClock ? fake.sm_clock_result : fake.memory_clock_result;
    };
    nvml.clock_reasons = [](NvmlDevice, unsigned long long* reasons) {
      *reasons = 4;
      return fake.reasons_result;
    };
    nvml.celsius = [](NvmlDevice device, int, unsigned* celsius) {
      *celsius = 64 + NumberOf(device);
      return fake.celsius_result;
    };
    nvml.power_mw = [](NvmlDevice device, unsigned* milliwatts) {
      std::this_thread::sleep_for(fake.cost);
      *milliwatts = 698'500 + NumberOf(device);
      return fake.power_result;
    };
    nvml.power_limit_mw = [](NvmlDevice, unsigned* milliwatts) {
      *milliwatts = 700'000;
      return fake.limit_result;
    };
  }
  NvmlApi nvml;
  DriverApi driver;
};

TEST_CASE("NVML is read as the driver has it, for each device of CUDA") {
  const Tables tables;
  NvmlReader reader(&tables.nvml, &tables.driver);
  std::vector<GpuStateEvent> readings;
  CHECK_FALSE(reader.Read(&readings));
  CHECK(fake.asked == std::vector<std::string>{"GPU-00102030-4050-6070-8090-a0b0c0d0e0f0",
                                               "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1"});
  REQUIRE(readings.size() == 6);
  for (const uint32_t device : {0U, 1U}) {
    const GpuStateEvent& clocks = readings[3 * device];
    CHECK(clocks.kind == GpuStateKind::kClocks);
    CHECK(clocks.device == device);
    CHECK(clocks.value == 1335 + device);
    CHECK(clocks.second == 2619 + device);
    CHECK(clocks.reasons == 4);
    const GpuStateEvent& heat = readings[3 * device + 1];
    CHECK(heat.kind == GpuStateKind::kTemperature);
    CHECK(heat.value == 64 + device);
    const GpuStateEvent& power = readings[3 * device + 2];
    CHECK(power.kind == GpuStateKind::kPower);
    CHECK(power.device == device);
    CHECK(power.value == 698'500 + device);
    CHECK(power.second == 700'000);
    CHECK(clocks.time_ns > 1'700'000'000'000'000'000);  // as in the records of CUPTI: since 1970
    CHECK(power.time_ns >= clocks.time_ns);
  }
  CHECK(fake.ended == 0);
  reader.Stop();
  reader.Stop();
  CHECK(fake.begun == 1);
  CHECK(fake.ended == 1);
}

TEST_CASE("NVML is read again when its period is over, and not after the end") {
  const Tables tables;
  std::vector<GpuStateEvent> readings;
  NvmlReader reader(&tables.nvml, &tables.driver);
  CHECK_FALSE(reader.Read(&readings));
  CHECK_FALSE(reader.Read(&readings));  // within the period, unless this machine stood still
  const size_t before = readings.size();
  std::this_thread::sleep_for(std::chrono::nanoseconds(NvmlReader::kPeriodNs));
  while (readings.size() == before) CHECK_FALSE(reader.Read(&readings));
  reader.Stop();
  const size_t all = readings.size();
  std::this_thread::sleep_for(std::chrono::nanoseconds(NvmlReader::kPeriodNs));
  CHECK_FALSE(reader.Read(&readings));
  CHECK(readings.size() == all);
}

TEST_CASE("Where NVML is slow it is read less often") {
  const Tables tables;
  fake.cost = std::chrono::milliseconds(10);  // twice in a reading
  std::vector<GpuStateEvent> readings;
  NvmlReader reader(&tables.nvml, &tables.driver);
  CHECK_FALSE(reader.Read(&readings));
  const auto begin = std::chrono::steady_clock::now();
  while (readings.size() == 6) {
    CHECK_FALSE(reader.Read(&readings));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(std::chrono::steady_clock::now() - begin >= (NvmlReader::kTimesOfCost - 2) * 2 * fake.cost);
}

TEST_CASE("What a GPU does not have is no reading") {
  const Tables tables;
  fake.power_result = fake.reasons_result = kNotSupported;
  std::vector<GpuStateEvent> readings;
  NvmlReader reader(&tables.nvml, &tables.driver);
  CHECK_FALSE(reader.Read(&readings));
  REQUIRE(readings.size() == 4);
  CHECK(readings[0].reasons == 0x4000'0000);  // CUPTI's bit for "not supported"
  CHECK(readings[1].kind == GpuStateKind::kTemperature);
}

TEST_CASE("A limit of power and a clock of the memory that are not known are 0") {
  const Tables tables;
  fake.limit_result = fake.memory_clock_result = kNotSupported;
  std::vector<GpuStateEvent> readings;
  NvmlReader reader(&tables.nvml, &tables.driver);
  CHECK_FALSE(reader.Read(&readings));
  REQUIRE(readings.size() == 6);
  CHECK(readings[2].value == 698'500);
  CHECK(readings[2].second == 0);
  CHECK(readings[0].value == 1335);
  CHECK(readings[0].second == 0);
}

TEST_CASE("An NVML without a device of CUDA, or without any value, is said once and ended") {
  const Tables tables;
  std::vector<GpuStateEvent> readings;
  std::string expected;
  SECTION("no device") {
    fake.first_device_result = fake.second_device_result = kNotSupported;
    expected = "NVML knows none of CUDA's 2 devices (nvmlDeviceGetHandleByUUID: Not Supported)";
  }
  SECTION("no value") {
    fake.sm_clock_result = fake.celsius_result = fake.power_result = kNotSupported;
    expected = "NVML gives no clock, temperature or power of any device";
  }
  NvmlReader reader(&tables.nvml, &tables.driver);
  const auto problem = reader.Read(&readings);
  REQUIRE(problem);
  CHECK(problem->what == expected);
  CHECK_FALSE(problem->fix.empty());
  CHECK_FALSE(reader.Read(&readings));
  CHECK(readings.empty());
  reader.Stop();
  CHECK(fake.begun == 1);
  CHECK(fake.ended == 1);
}

TEST_CASE("A GPU that NVML does not know is left out, and the others are read") {
  const Tables tables;
  fake.first_device_result = kNotSupported;
  std::vector<GpuStateEvent> readings;
  NvmlReader reader(&tables.nvml, &tables.driver);
  CHECK_FALSE(reader.Read(&readings));
  REQUIRE(readings.size() == 3);
  CHECK(readings[0].device == 1);
}

TEST_CASE("An NVML that does not begin is said once, and not ended") {
  const Tables tables;
  fake.init_result = kNotSupported;
  std::vector<GpuStateEvent> readings;
  NvmlReader reader(&tables.nvml, &tables.driver);
  const auto problem = reader.Read(&readings);
  REQUIRE(problem);
  CHECK(problem->code == kNotSupported);
  CHECK(problem->what == "nvmlInit_v2: Not Supported");
  CHECK_FALSE(problem->fix.empty());
  CHECK_FALSE(reader.Read(&readings));
  CHECK(readings.empty());
  reader.Stop();
  CHECK(fake.begun == 1);
  CHECK(fake.ended == 0);
}

}  // namespace
}  // namespace prof::cupti::test::nvml_reader_test
