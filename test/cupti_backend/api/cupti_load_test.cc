// SPDX-License-Identifier: Apache-2.0
//
// What a user reads when there is no usable CUPTI. In a program of its own, because a library once
// loaded stays: the cases build on each other when they run in one process, in this order.
#include <dlfcn.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "cupti_backend/api/cupti_api.h"
#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

TEST_CASE("A CUPTI that is not there is named, with the packages that have it") {
  setenv("PROF_CUPTI", "/nowhere/libcupti.so.13", 1);
  CuptiApi api;
  const std::optional<Problem> problem = LoadCupti(&api);
  REQUIRE(problem);
  CHECK(problem->what.find("CUPTI was not found") == 0);
  CHECK(problem->what.find("libcupti.so.13") != std::string::npos);
  CHECK(problem->fix.find("PROF_CUPTI") != std::string::npos);
  CHECK(problem->fix.find("cuda-cupti") != std::string::npos);
}

TEST_CASE("A CUPTI that lacks a function is refused, with the function and the version needed") {
  setenv("PROF_CUPTI", PROF_TEST_CUPTI_ONE, 1);
  CuptiApi api;
  const std::optional<Problem> problem = LoadCupti(&api);
  REQUIRE(problem);
  CHECK(problem->what.find("has no cuptiGetVersion") != std::string::npos);
  CHECK(problem->fix.find("13.0") != std::string::npos);
}

TEST_CASE("Two CUPTI libraries in one process are refused, with both paths") {
  REQUIRE(dlopen(PROF_TEST_CUPTI_ONE, RTLD_NOW) != nullptr);
  REQUIRE(dlopen(PROF_TEST_CUPTI_TWO, RTLD_NOW) != nullptr);
  CuptiApi api;
  const std::optional<Problem> problem = LoadCupti(&api);
  REQUIRE(problem);
  CHECK(problem->what.find("two CUPTI libraries") != std::string::npos);
  CHECK(problem->what.find(PROF_TEST_CUPTI_ONE) != std::string::npos);
  CHECK(problem->what.find(PROF_TEST_CUPTI_TWO) != std::string::npos);
  CHECK_FALSE(problem->fix.empty());
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
}  // namespace prof::cupti::test
