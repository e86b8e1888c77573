// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/counter_errors.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::cupti::test::counter_errors_test {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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
  const Problem problem =
      ExplainCounterError(Api(), CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "start counting");
  CHECK(problem.code == 35);
  CHECK(Has(problem.what, "administrators"));
  CHECK(Has(problem.what, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"));
  CHECK(Has(problem.fix, "CAP_SYS_ADMIN"));
  CHECK(Has(problem.fix, "--cap-add=SYS_ADMIN"));
  CHECK(Has(problem.fix, "NVreg_RestrictProfilingToAdminUsers=0"));
  CHECK(Has(problem.fix, "/etc/modprobe.d/"));
  CHECK(Has(problem.fix, "reboot"));
  CHECK(Has(problem.fix, "Slurm"));
  CHECK(Has(problem.fix, "ERR_NVGPUCTRPERM"));
}

TEST_CASE("Error 26 is explained as another user of the counters, with their names") {
  const Problem problem = ExplainCounterError(Api(), CUPTI_ERROR_HARDWARE_BUSY, "start counting");
  CHECK(problem.code == 26);
  CHECK(Has(problem.what, "another program"));
  CHECK(Has(problem.fix, "dcgmi profiling --pause"));
  CHECK(Has(problem.fix, "nsys"));
}

TEST_CASE("Any other error says what was tried and that the timeline is complete") {
  const Problem problem = ExplainCounterError(Api(), CUPTI_ERROR_UNKNOWN, "open a counter range");
  CHECK(problem.code == static_cast<int>(CUPTI_ERROR_UNKNOWN));
  CHECK(Has(problem.what, "could not open a counter range"));
  CHECK(Has(problem.what, "(999)"));
  CHECK(Has(problem.fix, "timeline is complete"));
}

TEST_CASE("A virtual GPU without counters asks for another profile") {
  const Problem problem =
      ExplainCounterError(Api(), CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "count");
  CHECK(Has(problem.what, "(33)"));
  CHECK(Has(problem.fix, "vGPU profile"));
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
  CHECK_FALSE(FindCounterObstacle(api, 0));
  support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  support_result = CUPTI_ERROR_UNKNOWN;
  CHECK_FALSE(FindCounterObstacle(api, 0));
}

TEST_CASE("An unsupported device is explained by what is in the way, with the code of that") {
  using Support = CUpti_Profiler_DeviceSupported_Params;
  struct Case {
    CUpti_Profiler_Support_Level Support::*field;
    CUpti_Profiler_Support_Level level;
    int code;
    const char* word;
  };
  const Case cases[] = {
      {&Support::architecture, CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED, 27, "architecture"},
      {&Support::sli, CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED, 44, "SLI"},
      {&Support::vGpu, CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED, 33, "virtual GPU without"},
      {&Support::vGpu, CUPTI_PROFILER_CONFIGURATION_DISABLED, 40, "hypervisor"},
      {&Support::confidentialCompute, CUPTI_PROFILER_CONFIGURATION_DISABLED, 41, "confidential"},
      {&Support::cmp, CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED, 42, "CMP"},
      {&Support::wsl, CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED, 45, "WSL"}};
  for (const Case& c : cases) {
    INFO(c.word);
    const CuptiApi api = Api();
    support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    support.*c.field = c.level;
    const std::optional<Problem> problem = FindCounterObstacle(api, 0);
    REQUIRE(problem);
    CHECK(problem->code == c.code);
    CHECK(Has(problem->what, "(" + std::to_string(c.code) + ")"));
    CHECK_FALSE(problem->fix.empty());
    for (const Case& other : cases) {
      INFO(other.word);
      CHECK(Has(problem->what, other.word) == (&other == &c));
    }
  }
}

TEST_CASE("The driver's restriction is said before CUPTI is asked for anything") {
  const prof::test::TempFolder folder;
  const auto file = [&](const char* name, const char* text) {
    prof::test::WriteFile(folder / name, text);
    return folder / name;
  };
  const std::string restricted = file("restricted", "EnableMSI: 1\nRmProfilingAdminOnly: 1\n");
  const std::string open = file("open", "RmProfilingAdminOnly: 0\n");
  const std::string user = file("user", "Name:\tx\nCapEff:\t0000000000000000\n");
  const std::string root = file("root", "Name:\tx\nCapEff:\t000001ffffffffff\n");
  const std::optional<Problem> problem =
      FindCounterObstacle({}, 0, {restricted.c_str(), user.c_str()});
  REQUIRE(problem);
  CHECK(problem->code == 35);
  CHECK(Has(problem->what, "RmProfilingAdminOnly: 1"));
  CHECK(Has(problem->what, "CAP_SYS_ADMIN"));
  CHECK(Has(problem->fix, "NVreg_RestrictProfilingToAdminUsers=0"));
  const CuptiApi api = Api();
  const std::string first = file("first", "         0          0 4294967295\n");
  CHECK_FALSE(FindCounterObstacle(api, 0, {restricted, root, first}));
  CHECK_FALSE(FindCounterObstacle(api, 0, {restricted, root, "/no/such/file"}));
  CHECK_FALSE(FindCounterObstacle(api, 0, {open, user, first}));
  CHECK_FALSE(FindCounterObstacle(api, 0, {"/no/such/file", user, first}));
}

TEST_CASE("A capability in a user namespace is none for the driver") {
  const prof::test::TempFolder folder;
  const auto file = [&](const char* name, const char* text) {
    prof::test::WriteFile(folder / name, text);
    return std::string(folder / name);
  };
  const std::string restricted = file("restricted", "RmProfilingAdminOnly: 1\n");
  const std::string open = file("open", "RmProfilingAdminOnly: 0\n");
  const std::string root = file("root", "CapEff:\t000001ffffffffff\n");
  const std::string rootless = file("rootless", "0 1000 1\n1 100000 65536\n");
  const std::string identity = file("identity", "0 0 65536\n");
  const CuptiApi api = Api();
  for (const std::string& map : {rootless, identity}) {
    const std::optional<Problem> problem = FindCounterObstacle(api, 0, {restricted, root, map});
    REQUIRE(problem);
    CHECK(problem->code == 35);
    CHECK(Has(problem->what, "in its user namespace only"));
  }
  CHECK_FALSE(FindCounterObstacle(api, 0, {open, root, rootless}));
}

TEST_CASE("The Multi-Process Service is found by its daemon, or by its pipe") {
  const prof::test::TempFolder folder;
  const std::filesystem::path root = folder.path();
  const std::string pipes = root / "pipes", proc = root / "proc";
  std::filesystem::create_directories(pipes);
  std::filesystem::create_directories(proc + "/812");
  std::ofstream(proc + "/812/comm") << "bash\n";
  CHECK_FALSE(MpsIsUsed(proc, pipes));
  std::ofstream(proc + "/812/comm") << "nvidia-cuda-mps\n";
  CHECK(MpsIsUsed(proc, pipes));
  std::ofstream(pipes + "/control") << "";
  CHECK(MpsIsUsed("/no/such/folder", pipes));
  CHECK_FALSE(MpsIsUsed("/no/such/folder", "/no/such/folder"));
}

TEST_CASE("An error that CUPTI gives under the Multi-Process Service names it, and the way out") {
  const prof::test::TempFolder pipes;
  prof::test::WriteFile(pipes / "control", "");
  REQUIRE(setenv("CUDA_MPS_PIPE_DIRECTORY", pipes.path().c_str(), 1) == 0);
  const Problem problem = ExplainCounterError(Api(), CUPTI_ERROR_NOT_SUPPORTED, "count");
  const Problem known = ExplainCounterError(Api(), CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "count");
  REQUIRE(unsetenv("CUDA_MPS_PIPE_DIRECTORY") == 0);
  CHECK(Has(problem.what, "Multi-Process Service"));
  CHECK(Has(problem.fix, "nvidia-cuda-mps-control"));
  CHECK_FALSE(Has(known.what, "Multi-Process Service"));  // its reason is certain
}

TEST_CASE("Programs that are known to hold counters are found among the processes") {
  const prof::test::TempFolder folder;
  const std::filesystem::path proc = folder.path();
  const auto process = [&](const std::string& pid, const std::string& name) {
    std::filesystem::create_directory(proc / pid);
    std::ofstream(proc / pid / "comm") << name << '\n';
  };
  CHECK(CounterHolders(folder.path().c_str()).empty());
  process("12", "bash");
  process("self", "nsys");
  process(std::to_string(getpid()), "ncu");
  CHECK(CounterHolders(folder.path().c_str()).empty());
  process("812", "nv-hostengine");
  CHECK(CounterHolders(folder.path().c_str()) == "nv-hostengine (pid 812)");
  CHECK(CounterHolders("/no/such/folder").empty());
}

TEST_CASE("Busy counters are asked for again after 1, 2, 4 ... 60 seconds") {
  int attempt = 0;
  for (const int64_t seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    CHECK(CounterRetryNs(attempt++) == seconds * 1'000'000'000);
  }
  CHECK(CounterRetryNs(1'000'000) == 60'000'000'000);
}

TEST_CASE("What CUPTI does not know is not given as a reason") {
  const CuptiApi api = Api();
  support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  support.architecture = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  support.wsl = CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  CHECK_FALSE(Has(FindCounterObstacle(api, 0)->what, "WSL"));
}

}  // namespace
}  // namespace prof::cupti::test::counter_errors_test
