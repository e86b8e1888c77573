// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/match.h"

#include <string>
#include <vector>

#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::compare::match_test {
namespace {

using test::Contains;
using test::Kernel;
using test::Run;
using test::With;

// The pairs of one run of each side.
struct Sides {
  Sides(const std::vector<KernelReport>& one, const std::vector<KernelReport>& other)
      : before(Collect({Run(one, 1)})), after(Collect({Run(other, 2)})) {
    pairs = MatchKernels(before, after);
  }
  const Pair& Of(const std::string& name) const {
    for (const Pair& pair : pairs) {
      if ((pair.after != nullptr ? pair.after : pair.before)->name == name) return pair;
    }
    FAIL("no pair of " + name);
    return pairs.front();
  }
  RunSet before, after;
  std::vector<Pair> pairs;
};

TEST_CASE("Equal kernels are paired, each once") {
  const Sides sides({Kernel("a", 100, 0), Kernel("b", 50, 1)},
                    {Kernel("b", 51, 0), Kernel("a", 99, 1)});
  REQUIRE(sides.pairs.size() == 2);
  CHECK(sides.Of("a").matched == Matched::kSame);
  CHECK(sides.Of("a").before->name == "a");
  CHECK(sides.Of("b").before->name == "b");
}

TEST_CASE("The same kernel in another grid is found again") {
  KernelReport larger = Kernel("a", 100);
  larger.grid = {264, 1, 1};
  const Sides sides({Kernel("a", 100)}, {larger});
  REQUIRE(sides.pairs.size() == 1);
  CHECK(sides.pairs[0].matched == Matched::kRelaunched);
  CHECK(sides.pairs[0].confidence >= Confidence::kMedium);
  CHECK_THAT(sides.pairs[0].why, Contains("differs: grid"));
}

TEST_CASE("A tuned kernel keeps its partner where no other one of its name and range is left") {
  const KernelReport old_one = With(Kernel("a", 100), test::kInstructions, 1e6);
  KernelReport tuned = With(Kernel("a", 250), test::kInstructions, 3e6);
  tuned.grid = {528, 2, 1};
  tuned.block = {128, 1, 1};
  tuned.registers_per_thread = 168;
  tuned.dynamic_shared_bytes = 98304;
  const Sides sides({old_one}, {tuned});
  REQUIRE(sides.pairs.size() == 1);
  CHECK(sides.pairs[0].matched == Matched::kRelaunched);
  CHECK(sides.pairs[0].confidence == Confidence::kMedium);
  CHECK_THAT(sides.pairs[0].why, Contains("no other kernel of this name and range is left"));
  CHECK_THAT(sides.pairs[0].why, Contains("instructions"));

  KernelReport second = tuned;  // which of the two it is nobody knows
  second.grid = {7, 7, 7};
  second.order = 1;
  const Sides two({old_one}, {tuned, second});
  for (const Pair& pair : two.pairs) CHECK(pair.confidence != Confidence::kMedium);
}

TEST_CASE("A kernel with another name that does the same is renamed") {
  const KernelReport old_one = With(Kernel("sm90_gemm_v1", 100), test::kInstructions, 1e6);
  const KernelReport new_one = With(Kernel("cutlass_kernel2", 102), test::kInstructions, 1e6);
  const Sides sides({old_one}, {new_one});
  REQUIRE(sides.pairs.size() == 1);
  CHECK(sides.pairs[0].matched == Matched::kRenamed);
  CHECK_THAT(sides.pairs[0].why, Contains("instructions") && Contains("differs: name"));
}

TEST_CASE("A kernel that does something else is new, and the old one is gone") {
  KernelReport other = With(Kernel("softmax", 900), test::kInstructions, 9e6);
  other.grid = {7, 1, 1};
  other.block = {1024, 1, 1};
  other.registers_per_thread = 128;
  other.launches = 7;
  const Sides sides({With(Kernel("gemm", 100), test::kInstructions, 1e6)}, {other});
  REQUIRE(sides.pairs.size() == 2);
  CHECK(sides.Of("softmax").matched == Matched::kNew);
  CHECK(sides.Of("gemm").matched == Matched::kGone);
  CHECK(sides.Of("gemm").after == nullptr);
}

TEST_CASE("A kernel in another range has moved") {
  KernelReport moved = Kernel("a", 100);
  moved.range = "epoch/step";
  const Sides sides({Kernel("a", 100)}, {moved});
  REQUIRE(sides.pairs.size() == 1);
  CHECK(sides.pairs[0].matched == Matched::kMoved);
}

TEST_CASE("Two candidates that are alike are matched with low confidence") {
  KernelReport twin = Kernel("gemm_b", 100, 1);
  const Sides sides({Kernel("gemm_a", 100, 0)}, {Kernel("gemm_c", 100, 0), twin});
  CHECK(sides.Of("gemm_c").matched == Matched::kRenamed);
  CHECK(sides.Of("gemm_c").confidence < Confidence::kHigh);
  CHECK(sides.Of("gemm_b").matched == Matched::kNew);
}

TEST_CASE("Kernels of different devices are never one") {
  KernelReport other = Kernel("a", 100);
  other.device = 1;
  CHECK(Sides({Kernel("a", 100)}, {other}).pairs.size() == 2);
}

}  // namespace
}  // namespace prof::compare::match_test
