// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/cupti_settings.h"

#include <cstring>

#include "test/support/catch.h"

namespace prof::cupti::test::cupti_settings_test {
namespace {

// What CUPTI holds for the process.
size_t pool_limit, buffer_bytes;
uint8_t zeroed;
CUpti_ActivityThreadIdType thread_ids;
CUptiResult get_result;

CUptiResult SetAttribute(CUpti_ActivityAttribute attribute, size_t* size, void* value) {
  if (attribute == CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT) {
    REQUIRE(*size == sizeof(pool_limit));
    std::memcpy(&pool_limit, value, sizeof(pool_limit));
  } else {
    REQUIRE(attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
    REQUIRE(*size == sizeof(zeroed));
    std::memcpy(&zeroed, value, sizeof(zeroed));
  }
  return CUPTI_SUCCESS;
}

CUptiResult GetAttribute(CUpti_ActivityAttribute attribute, size_t*, void* value) {
  if (attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER) {
    std::memcpy(value, &zeroed, sizeof(zeroed));
  } else {
    const bool limit = attribute == CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT;
    std::memcpy(value, limit ? &pool_limit : &buffer_bytes, sizeof(size_t));
  }
  return get_result;
}

CuptiApi FakeApi() {
  pool_limit = 250;
  buffer_bytes = 3'200'000;
  zeroed = 0;
  thread_ids = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  get_result = CUPTI_SUCCESS;
  CuptiApi api;
  api.activity_set_attribute = &SetAttribute;
  api.activity_get_attribute = &GetAttribute;
  api.set_thread_id_type = [](CUpti_ActivityThreadIdType type) {
    thread_ids = type;
    return CUPTI_SUCCESS;
  };
  api.get_thread_id_type = [](CUpti_ActivityThreadIdType* type) {
    *type = thread_ids;
    return get_result;
  };
  return api;
}

TEST_CASE("CUPTI's device memory is limited in whole buffers, and as CUPTI says") {
  const CuptiApi api = FakeApi();
  CuptiSettings settings(&api);
  settings.LimitDeviceMemory(size_t{128} << 20);
  CHECK(pool_limit == 41);
  CHECK(settings.device_bytes() == 41 * 3'200'000);
  settings.LimitDeviceMemory(1);  // never fewer than it takes in advance, and one
  CHECK(pool_limit == 4);
}

TEST_CASE("A CUPTI that does not tell its buffers' size keeps its own limit") {
  const CuptiApi api = FakeApi();
  get_result = CUPTI_ERROR_INVALID_PARAMETER;
  CuptiSettings settings(&api);
  settings.LimitDeviceMemory(size_t{128} << 20);
  settings.Set();
  settings.SetBack();
  CHECK(pool_limit == 250);
  CHECK(settings.device_bytes() == 0);
}

TEST_CASE("What prof changes in CUPTI is set back when a recording ends, as another tool left it") {
  const CuptiApi api = FakeApi();
  SECTION("it was CUPTI's default") {}
  SECTION("it was another tool's choice") {
    zeroed = 1;
    thread_ids = CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
  }
  const uint8_t zeroed_before = zeroed;
  const CUpti_ActivityThreadIdType thread_ids_before = thread_ids;
  CuptiSettings settings(&api);
  settings.LimitDeviceMemory(size_t{128} << 20);
  for (int recording = 0; recording < 2; ++recording) {
    settings.Set();
    settings.Set();  // the buffers are registered again
    CHECK(zeroed == 1);
    CHECK(thread_ids == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    CHECK(pool_limit == 41);
    settings.SetBack();
    CHECK(zeroed == zeroed_before);
    CHECK(thread_ids == thread_ids_before);
    CHECK(pool_limit == 250);
  }
  zeroed = 1;  // another tool's, after the recording
  settings.SetBack();
  CHECK(zeroed == 1);
}

TEST_CASE("A CUPTI that does not say what was set gets its defaults back") {
  const CuptiApi api = FakeApi();
  zeroed = 1;
  get_result = CUPTI_ERROR_NOT_SUPPORTED;
  CuptiSettings settings(&api);
  settings.Set();
  settings.SetBack();
  CHECK(zeroed == 0);
  CHECK(thread_ids == CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT);
}

TEST_CASE("Another profiler that has taken the buffers gets them zeroed by CUPTI") {
  const CuptiApi api = FakeApi();
  CuptiSettings settings(&api);
  settings.Set();
  settings.LetCuptiZero();
  CHECK(zeroed == 0);
  settings.Set();  // they are ours again
  CHECK(zeroed == 1);
}

}  // namespace
}  // namespace prof::cupti::test::cupti_settings_test
