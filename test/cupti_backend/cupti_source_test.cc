// SPDX-License-Identifier: Apache-2.0
//
// A recording in a program whose CUPTI cannot be used. In a program of its own: its driver is a
// stand-in (fake_driver.cc), which stays loaded.
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "lib/capture/capture.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test::cupti_source_test {
namespace {

// Loads the stand-in, and gives the variable that says whether the program has called cuInit.
int* LoadDriver() {
  void* driver = dlopen(PROF_TEST_DRIVER, RTLD_NOW | RTLD_GLOBAL);
  REQUIRE(driver != nullptr);
  auto* initialized = static_cast<int*>(dlsym(driver, "fake_cuda_is_initialized"));
  REQUIRE(initialized != nullptr);
  return initialized;
}

// Records one range, as an injected library does, into `path`.
void Record(const std::string& path) {
  setenv("PROF_CUPTI", "/nowhere/libcupti.so.13", 1);
  SessionOptions options;
  options.output = path;
  SubsystemStatus why;
  const auto capture = capture::Capture::Start(options, /*injected=*/true, {}, &why);
  REQUIRE(capture != nullptr);
  capture::PushRange({"step", ""});
  capture::PopRange("");
  (void)capture->Stop(std::chrono::milliseconds(20'000));
}

TEST_CASE("Where CUPTI cannot be used a CUDA program's file has its ranges and the reason") {
  *LoadDriver() = 1;
  const TempFolder folder;
  const std::string path = folder.path() + "/run.prof";
  Record(path);
  const absl::StatusOr<model::Model> model = ReadSnapshot(Snapshot::FromFile(path));
  INFO(model.status());
  REQUIRE(model.ok());
  CHECK(model->instances.size() == 1);
  bool said = false;
  for (const model::Notice& notice : model->notices) {
    said |= notice.what.find("CUPTI was not found") != std::string::npos;
  }
  CHECK(said);
}

TEST_CASE("A program that never initialized CUDA leaves no file, as before") {
  *LoadDriver() = 0;
  const TempFolder folder;
  Record(folder.path() + "/run.prof");
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace prof::test::cupti_source_test
