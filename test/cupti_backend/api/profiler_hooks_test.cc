// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/profiler_hooks.h"

#include "test/cupti_backend/fake_cupti.h"
#include "test/support/catch.h"

namespace prof::cupti::test::profiler_hooks_test {
namespace {

TEST_CASE("The profiler's hooks are there while somebody needs them") {
  FakeCupti cupti;
  {
    ProfilerHooks one, other;
    CHECK_FALSE(cupti.hooked);
    CHECK(one.Take(cupti.api) == CUPTI_SUCCESS);
    CHECK(one.Take(cupti.api) == CUPTI_SUCCESS);  // it has them
    CHECK(other.Take(cupti.api) == CUPTI_SUCCESS);
    one.Give();
    one.Give();
    CHECK(cupti.hooked);
  }
  CHECK_FALSE(cupti.hooked);
}

TEST_CASE("Where CUPTI refuses the profiler's hooks, nobody has them") {
  FakeCupti cupti;
  ProfilerHooks good, refused;
  REQUIRE(good.Take(cupti.api) == CUPTI_SUCCESS);
  cupti.Fail("profiler_initialize", CUPTI_ERROR_HARDWARE_BUSY);
  CHECK(refused.Take(cupti.api) == CUPTI_ERROR_HARDWARE_BUSY);
  refused.Give();
  CHECK(cupti.hooked);
  good.Give();
  CHECK_FALSE(cupti.hooked);
}

}  // namespace
}  // namespace prof::cupti::test::profiler_hooks_test
