// SPDX-License-Identifier: Apache-2.0
//
// Tests which ranges count as equal work for the sampler.
#include <string>

#include "lib/capture/threads/thread_recorder.h"
#include "test/support/catch.h"

namespace prof::capture::family_test {
namespace {

uint64_t FamilyInside(const std::string& outer, const std::string& inner) {
  PushRange({outer, "", 0, 0});
  PushRange({inner, "", 0, 0});
  const uint64_t family = PathFamily(CurrentPath());
  PopRange("");
  PopRange("");
  return family;
}

}  // namespace

TEST_CASE("Two numbered siblings are two different things") {
  CHECK(FamilyInside("family test a", "norm_1") != FamilyInside("family test a", "norm_2"));
}

TEST_CASE("From the third sibling on, numbers count and the work is one") {
  const uint64_t first = FamilyInside("family test b", "layer 0");
  const uint64_t second = FamilyInside("family test b", "layer 1");
  const uint64_t third = FamilyInside("family test b", "layer 2");
  CHECK(first != second);
  CHECK(third != second);
  CHECK(FamilyInside("family test b", "layer 3") == third);
  CHECK(FamilyInside("family test b", "layer 117") == third);
  // What was seen first stays what it was.
  CHECK(FamilyInside("family test b", "layer 0") == first);
}

TEST_CASE("Children of numbered siblings follow the same rule") {
  for (int i = 0; i < 2; ++i) FamilyInside("family test stage " + std::to_string(i), "mlp");
  const uint64_t third = FamilyInside("family test stage 2", "mlp");
  CHECK(FamilyInside("family test stage 3", "mlp") == third);
  CHECK(FamilyInside("family test stage 3", "attn") != third);
}

TEST_CASE("Ranges of different names or parents are never one") {
  for (int i = 0; i < 4; ++i) FamilyInside("family test c", "layer " + std::to_string(i));
  const uint64_t layers = FamilyInside("family test c", "layer 4");
  CHECK(FamilyInside("family test d", "layer 4") != layers);
  CHECK(FamilyInside("family test c", "layers 4") != layers);
}

}  // namespace prof::capture::family_test
