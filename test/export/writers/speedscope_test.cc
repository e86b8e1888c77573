// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/speedscope.h"

#include <nlohmann/json.hpp>
#include <string>

#include "test/export/example_recording.h"
#include "test/support/catch.h"

namespace prof::exporting::speedscope_test {
namespace {

TEST_CASE("A stack is the ranges and the operation, with the sum of its time") {
  const nlohmann::json file =
      nlohmann::json::parse(test::Exported(ExportFormat::kSpeedscope), nullptr, false);
  REQUIRE(file.is_object());
  const nlohmann::json& profile = file["profiles"][0];
  REQUIRE(profile["samples"].size() == profile["weights"].size());
  REQUIRE(profile["samples"].size() == 4);
  const auto name = [&](const nlohmann::json& frame) {
    return file["shared"]["frames"].at(frame.get<size_t>())["name"];
  };
  CHECK(name(profile["samples"][0][0]) == "step");
  CHECK(name(profile["samples"][0][1]) == "saxpy");
  CHECK(profile["weights"][0] == 35'000);  // on two GPUs
  int64_t sum = 0;
  for (const nlohmann::json& weight : profile["weights"]) sum += weight.get<int64_t>();
  CHECK(profile["endValue"] == sum);
}

}  // namespace
}  // namespace prof::exporting::speedscope_test
