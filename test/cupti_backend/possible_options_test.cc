// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/possible_options.h"

#include <string>

#include "cupti_backend/api/cupti_versions.h"
#include "test/support/catch.h"

namespace prof::cupti::test::possible_options_test {
namespace {

CuptiApi Api(uint32_t version, std::initializer_list<Feature> missing) {
  CuptiApi api;
  api.version = version;
  for (const Feature feature : missing) api.missing |= 1U << static_cast<uint32_t>(feature);
  return api;
}

TEST_CASE("With all of CUPTI's features the options stay as they are, and nothing is said") {
  SessionOptions wanted;
  wanted.metrics = {"m.sum"};
  wanted.continuous = true;
  const PossibleOptions possible = WhatIsPossible(Api(kCupti13, {}), wanted);
  CHECK(possible.options.counters == wanted.counters);
  CHECK(possible.options.metrics == wanted.metrics);
  CHECK(possible.options.continuous);
  CHECK(possible.counters.state == State::kOff);
  CHECK(possible.continuous.state == State::kOff);
  CHECK(possible.notices.empty());
}

TEST_CASE("Counters that CUPTI has no API for are off, with the version that has it") {
  const CuptiApi api = Api(22, {Feature::kMetrics, Feature::kPmSampling, Feature::kRanges});
  SessionOptions wanted;
  wanted.metrics = {"m.sum"};
  wanted.continuous = true;
  const PossibleOptions possible = WhatIsPossible(api, wanted);
  CHECK(possible.options.counters == Counters::kNone);
  CHECK(possible.options.metrics.empty());
  CHECK_FALSE(possible.options.continuous);
  CHECK(possible.counters.state == State::kUnavailable);
  CHECK_THAT(possible.counters.fix, Catch::Contains("12.6 Update 2"));
  CHECK(possible.continuous.state == State::kUnavailable);
  CHECK_THAT(possible.continuous.fix, Catch::Contains("CUPTI 12.6 or newer"));
}

TEST_CASE("PM samples are taken with CUPTI 12.6, which has no counters of launches yet") {
  SessionOptions wanted;
  wanted.continuous = true;
  const PossibleOptions possible = WhatIsPossible(Api(24, {Feature::kRanges}), wanted);
  CHECK(possible.options.continuous);
  CHECK(possible.counters.state == State::kUnavailable);
  CHECK(possible.continuous.state == State::kOff);
}

TEST_CASE("Who asked for no counters is not told that they are missing") {
  SessionOptions wanted;
  wanted.counters = Counters::kNone;
  const PossibleOptions possible =
      WhatIsPossible(Api(18, {Feature::kMetrics, Feature::kRanges}), wanted);
  CHECK(possible.counters.state == State::kOff);
}

TEST_CASE("A CUPTI that hides who takes its records is named, and so are two copies of it") {
  CuptiApi api = Api(26, {});
  api.path = "/a/libcupti.so.12";
  api.also = "/b/libcupti.so.13";
  const PossibleOptions possible = WhatIsPossible(api, {});
  REQUIRE(possible.notices.size() == 2);
  CHECK_THAT(possible.notices[0].what, Catch::Contains("prof uses /a/libcupti.so.12, not /b/"));
  CHECK_THAT(possible.notices[1].what, Catch::Contains("CUPTI 12.8 does not show"));
}

}  // namespace
}  // namespace prof::cupti::test::possible_options_test
