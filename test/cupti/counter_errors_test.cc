// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/counter_errors.h"

#include <string>

#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

bool Has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

CUptiResult CUPTIAPI ResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                        : "CUPTI_ERROR_OTHER";
  return CUPTI_SUCCESS;
}

CUpti_Profiler_DeviceSupported_Params support;
CUptiResult support_result;
CUptiResult CUPTIAPI DeviceSupported(CUpti_Profiler_DeviceSupported_Params* params) {
  const CUdevice device = params->cuDevice;
  CHECK(params->api == CUPTI_PROFILER_RANGE_PROFILING);
  CHECK(params->structSize == CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
  *params = support;
  params->cuDevice = device;
  return support_result;
}

CuptiApi Api() {
  CuptiApi api;
  api.get_result_string = &ResultString;
  api.profiler_device_supported = &DeviceSupported;
  support = {};
  support.isSupported = support.architecture = support.sli = support.vGpu =
      support.confidentialCompute = support.cmp = support.wsl =
          CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  support_result = CUPTI_SUCCESS;
  return api;
}

TEST_CASE("Error 35 is explained as missing rights, with every way to get them") {
  const CounterProblem problem =
      ExplainCounterError(Api(), CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "start counting");
  CHECK(problem.code == 35);
  CHECK(Has(problem.what, "administrators"));
  CHECK(Has(problem.what, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"));
  CHECK(Has(problem.fix, "CAP_SYS_ADMIN"));
  CHECK(Has(problem.fix, "--cap-add=SYS_ADMIN"));
  CHECK(Has(problem.fix, "NVreg_RestrictProfilingToAdminUsers=0"));
  CHECK(Has(problem.fix, "ERR_NVGPUCTRPERM"));
}

TEST_CASE("Error 26 is explained as another user of the counters, with their names") {
  const CounterProblem problem =
      ExplainCounterError(Api(), CUPTI_ERROR_HARDWARE_BUSY, "start counting");
  CHECK(problem.code == 26);
  CHECK(Has(problem.what, "another program"));
  CHECK(Has(problem.fix, "dcgmi profiling --pause"));
  CHECK(Has(problem.fix, "nsys"));
}

TEST_CASE("Any other error says what was tried and that the timeline is complete") {
  const CounterProblem problem =
      ExplainCounterError(Api(), CUPTI_ERROR_UNKNOWN, "open a counter range");
  CHECK(problem.code == static_cast<int>(CUPTI_ERROR_UNKNOWN));
  CHECK(Has(problem.what, "could not open a counter range"));
  CHECK(Has(problem.what, "(999)"));
  CHECK(Has(problem.fix, "timeline is complete"));
}

TEST_CASE("A virtual GPU's error asks for the hypervisor's permission") {
  const CounterProblem problem =
      ExplainCounterError(Api(), CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "count");
  CHECK(Has(problem.fix, "hypervisor"));
}

TEST_CASE("The driver's restriction is read from its parameters") {
  CHECK(RestrictsProfiling("A: 0\nRmProfilingAdminOnly: 1\nB: 2\n"));
  CHECK_FALSE(RestrictsProfiling("A: 1\nRmProfilingAdminOnly: 0\nB: 1\n"));
  CHECK_FALSE(RestrictsProfiling("RmProfilingAdminOnly:"));
  CHECK_FALSE(RestrictsProfiling("RmProfilingAdminOnly: 10\n"));
  CHECK_FALSE(RestrictsProfiling(""));
}

TEST_CASE("A supported device has no obstacle, and a failed question is not one") {
  const CuptiApi api = Api();
  CHECK(FindCounterObstacle(api, 0).what.empty());
  support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  support_result = CUPTI_ERROR_UNKNOWN;
  CHECK(FindCounterObstacle(api, 0).what.empty());
}

TEST_CASE("An unsupported device is explained by the configuration that does not work, alone") {
  using Support = CUpti_Profiler_DeviceSupported_Params;
  const std::pair<CUpti_Profiler_Support_Level Support::*, const char*> reasons[] = {
      {&Support::architecture, "architecture"},
      {&Support::sli, "SLI"},
      {&Support::vGpu, "vGPU"},
      {&Support::confidentialCompute, "confidential"},
      {&Support::cmp, "CMP"},
      {&Support::wsl, "WSL"}};
  for (const auto& [field, word] : reasons) {
    INFO(word);
    const CuptiApi api = Api();
    support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    support.*field = CUPTI_PROFILER_CONFIGURATION_DISABLED;
    const CounterProblem problem = FindCounterObstacle(api, 0);
    CHECK(problem.code == static_cast<int>(CUPTI_ERROR_NOT_SUPPORTED));
    CHECK_FALSE(problem.fix.empty());
    for (const auto& [other_field, other] : reasons) {
      INFO(other);
      CHECK(Has(problem.what, other) == (other_field == field));
    }
  }
}

TEST_CASE("What CUPTI does not know is not given as a reason") {
  const CuptiApi api = Api();
  support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  support.architecture = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  support.wsl = CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  CHECK_FALSE(Has(FindCounterObstacle(api, 0).what, "WSL"));
}

}  // namespace
}  // namespace prof::cupti::test
