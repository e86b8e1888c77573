// SPDX-License-Identifier: Apache-2.0
//
// What a user reads when there is no usable CUPTI. In a program of its own, because a library once
// loaded may stay.
#include <dlfcn.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/cupti_files.h"
#include "cupti_backend/api/cupti_versions.h"
#include "test/support/catch.h"

namespace prof::cupti::test::cupti_load_test {
namespace {

std::string File(const std::string& name, int number) {
  return std::string(PROF_TEST_CUPTI_FOLDER) + "/" + name + "/libcupti.so." +
         std::to_string(number);
}

// Loads a library for one case: LoadCupti's own handle is given back as well.
class Mapped {
 public:
  explicit Mapped(std::string path) : path_(std::move(path)) {
    REQUIRE(dlopen(path_.c_str(), RTLD_NOW) != nullptr);
  }
  ~Mapped() {
    while (void* handle = dlopen(path_.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
      dlclose(handle);
      if (dlclose(handle) != 0) break;
    }
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

 private:
  const std::string path_;
};

TEST_CASE("A CUPTI that is not there is named, with the packages that have it") {
  setenv("PROF_CUPTI", "/nowhere/libcupti.so.13", 1);
  CuptiApi api;
  const std::optional<Problem> problem = LoadCupti(&api);
  REQUIRE(problem);
  CHECK(problem->what.find("CUPTI was not found") == 0);
  CHECK(problem->what.find("libcupti.so.13") != std::string::npos);
  CHECK(problem->what.find("libcupti.so.12") != std::string::npos);
  CHECK(problem->fix.find("PROF_CUPTI") != std::string::npos);
  CHECK(problem->fix.find("cuda-cupti-12") != std::string::npos);
}

TEST_CASE("The file that PROF_CUPTI names is loaded") {
  const std::string file = File("cuda12_9", 12);
  setenv("PROF_CUPTI", file.c_str(), 1);
  CuptiApi api;
  REQUIRE_FALSE(LoadCupti(&api));
  const Mapped unload(file);
  CHECK(api.path == file);
  CHECK(api.version == 28);
}

TEST_CASE("A library without CUPTI's functions is refused, and the function is named") {
  const Mapped mapped(File("empty", 13));
  CuptiApi api;
  const std::optional<Problem> problem = LoadCupti(&api);
  REQUIRE(problem);
  CHECK(problem->what.find("has no cuptiGetVersion") != std::string::npos);
  CHECK(problem->fix.find("PROF_CUPTI") != std::string::npos);
}

TEST_CASE("CUPTI 11 is refused in one sentence, and so is one that is too new to be known") {
  CuptiApi api;
  {
    const Mapped mapped(std::string(PROF_TEST_CUPTI_FOLDER) + "/cuda11/libcupti.so.11.8");
    const std::optional<Problem> problem = LoadCupti(&api);
    REQUIRE(problem);
    CHECK(problem->what.find("is CUPTI 11 or older") != std::string::npos);
    CHECK(problem->what.find("works with CUPTI 12.0 and newer") != std::string::npos);
  }
  const Mapped mapped(File("cuda14", 14));
  const std::optional<Problem> problem = LoadCupti(&api);
  REQUIRE(problem);
  CHECK(problem->what.find("is CUPTI 14.0") != std::string::npos);
  CHECK(problem->fix.find("newer prof") != std::string::npos);
}

TEST_CASE("Each CUPTI from 12.0 on is used with the features that it has") {
  struct Case {
    const char* name;
    int number;
    uint32_t version;
    int features;
  };
  const Case release = GENERATE(Case{"cuda12_0", 12, 18, 0}, Case{"cuda12_4", 12, 22, 1},
                                Case{"cuda12_6", 12, 24, 4}, Case{"cuda12_9", 12, 28, 5},
                                Case{"cuda13_0", 13, 130001, 6});
  const Mapped mapped(File(release.name, release.number));
  CuptiApi api;
  REQUIRE_FALSE(LoadCupti(&api));
  CHECK(api.version == release.version);
  CHECK(api.also.empty());
  for (int feature = 0; feature < 6; ++feature) {
    CHECK(api.Has(static_cast<Feature>(feature)) == (feature < release.features));
  }
  // What is missing may be called all the same.
  uint32_t id = 0;
  const CUptiResult result = api.get_graph_exec_id(reinterpret_cast<CUgraphExec>(&id), &id);
  CHECK((result == CUPTI_ERROR_NOT_SUPPORTED) == (release.features == 0));
}

TEST_CASE("A missing feature is named with what needs it and the version that has it") {
  CuptiApi api;
  api.version = 22;
  api.path = "/lib/libcupti.so.12";
  const Problem problem = MissingFeature(api, Feature::kRanges);
  CHECK(problem.what == "CUPTI 12.4 (/lib/libcupti.so.12) has no API for counters of launches");
  CHECK(problem.fix.find("CUPTI 12.6 Update 2 or newer") != std::string::npos);
  CHECK(problem.fix.find("nvidia-cuda-cupti-cu12") != std::string::npos);
}

TEST_CASE("Of two CUPTI libraries in a process the newest that the driver serves is used") {
  const std::string old_file = File("cuda12_9", 12), new_file = File("cuda13_0", 13);
  const Mapped old_one(old_file), new_one(new_file);
  CuptiApi api;
  REQUIRE_FALSE(LoadCupti(&api, 13000));
  CHECK(api.path == new_file);
  CHECK(api.also == old_file);
  CuptiApi on_old_driver;
  REQUIRE_FALSE(LoadCupti(&on_old_driver, 12080));
  CHECK(on_old_driver.path == old_file);
  CHECK(on_old_driver.also == new_file);
}

TEST_CASE("A CUPTI that cannot be used does not hide one that can") {
  const Mapped empty(File("empty", 13)), usable(File("cuda12_4", 12));
  CuptiApi api;
  REQUIRE_FALSE(LoadCupti(&api));
  CHECK(api.version == 22);
}

TEST_CASE("A CUPTI that answers only with a driver is not called without one") {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr) PROF_SKIP("there is a driver");
  const Mapped mapped(File("cuda13_2", 13));
  CuptiApi api;
  const std::optional<Problem> problem = LoadCupti(&api);
  REQUIRE(problem);
  CHECK(problem->what.find("answers only where there is an NVIDIA driver") != std::string::npos);
  CHECK(problem->fix.find("13.0 or 13.1") != std::string::npos);
}

TEST_CASE("The library of metrics that lies beside CUPTI is used, not another toolkit's") {
  LoadCompanions(File("cuda12_9", 12));
  void* found = dlopen("libnvperf_host.so", RTLD_NOW | RTLD_NOLOAD);  // as CUPTI asks for it
  REQUIRE(found != nullptr);
  Dl_info info{};
  REQUIRE(dladdr(dlsym(found, "prof_test_is_loaded"), &info) != 0);
  CHECK(std::string(info.dli_fname) == PROF_TEST_CUPTI_FOLDER "/cuda12_9/libnvperf_host.so");
}

TEST_CASE("pip's CUPTI is looked for beside the packages that the process uses") {
  const std::vector<std::string> folders =
      PackageFolders({"/lib/libc.so.6", "/env/lib/python3.12/site-packages/jaxlib/libjax.so",
                      "/env/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12",
                      "/usr/lib/python3/dist-packages/torch/lib/libtorch.so"});
  CHECK(folders ==
        std::vector<std::string>{"/env/lib/python3.12/site-packages/nvidia/cu13/lib",
                                 "/env/lib/python3.12/site-packages/nvidia/cuda_cupti/lib",
                                 "/usr/lib/python3/dist-packages/nvidia/cu13/lib",
                                 "/usr/lib/python3/dist-packages/nvidia/cuda_cupti/lib"});
  CHECK(PackageFolders({"/lib/libc.so.6"}).empty());
}

TEST_CASE("An error's text has its name, or at least its number") {
  CuptiApi api;
  CHECK(ErrorText(api, CUPTI_ERROR_HARDWARE_BUSY) == "CUPTI error (26)");
  api.get_result_string = [](CUptiResult, const char** text) {
    *text = "CUPTI_ERROR_HARDWARE_BUSY";
    return CUPTI_SUCCESS;
  };
  CHECK(ErrorText(api, CUPTI_ERROR_HARDWARE_BUSY) == "CUPTI_ERROR_HARDWARE_BUSY (26)");
}

}  // namespace
}  // namespace prof::cupti::test::cupti_load_test
