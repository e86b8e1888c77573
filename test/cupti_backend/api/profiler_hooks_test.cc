// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/profiler_hooks.h"

#include "test/cupti_backend/fake_cupti.h"
#include "test/support/catch.h"

namespace prof::cupti::test::profiler_hooks_test {
namespace {

TEST_CASE("The profiler's hooks are there while somebody needs them") {
  FakeCupti cupti;
  {
    ProfilerHooks one;
    CHECK_FALSE(cupti.hooked);
    CHECK(one.Take(cupti.api) == CUPTI_SUCCESS);
    {
      ProfilerHooks other;
      CHECK(other.Take(cupti.api) == CUPTI_SUCCESS);
    }
    CHECK(cupti.hooked);
  }
  CHECK_FALSE(cupti.hooked);
}

TEST_CASE("The profiler's hooks that are kept stay") {
  FakeCupti cupti;
  {
    ProfilerHooks kept;
    REQUIRE(kept.Take(cupti.api) == CUPTI_SUCCESS);
    kept.Keep();
  }
  CHECK(cupti.hooked);
  {
    ProfilerHooks later;
    REQUIRE(later.Take(cupti.api) == CUPTI_SUCCESS);
  }
  CHECK(cupti.hooked);
}

TEST_CASE("Where CUPTI refuses the profiler's hooks, nobody has them") {
  FakeCupti cupti;
  cupti.Fail("profiler_initialize", CUPTI_ERROR_HARDWARE_BUSY);
  {
    ProfilerHooks refused;
    CHECK(refused.Take(cupti.api) == CUPTI_ERROR_HARDWARE_BUSY);
    cupti.Fail("profiler_initialize", CUPTI_SUCCESS);
    ProfilerHooks good;
    REQUIRE(good.Take(cupti.api) == CUPTI_SUCCESS);
    CHECK(cupti.hooked);
  }
  CHECK_FALSE(cupti.hooked);
}

}  // namespace
}  // namespace prof::cupti::test::profiler_hooks_test
