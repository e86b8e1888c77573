// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/together.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "lib/compare/compare_json.h"
#include "lib/compare/compare_text.h"
#include "lib/text/strings.h"
#include "prof/compare.h"
#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::together_test {
namespace {

using test::Contains;
using test::With;

constexpr char kL2Sectors[] = "lts__t_sectors.sum";

// A kernel of 100 launches that nothing takes for another one.
KernelReport Other(const std::string& name, double time_ns, uint32_t grid, int order) {
  KernelReport kernel = test::Kernel(name, time_ns, order);
  kernel.grid = {grid, 1, 1};
  kernel.block = {grid % 3 * 64 + 64, 1, 1};
  kernel.registers_per_thread = grid % 200;
  return kernel;
}

// Seven runs with these kernels, all of them in the range "step".
std::vector<Report> Side(const std::vector<KernelReport>& kernels, uint32_t pid) {
  std::vector<Report> runs;
  for (const double factor : test::Around(1)) {
    std::vector<KernelReport> own = kernels;
    RangeRow row;
    row.label = "step";
    for (KernelReport& kernel : own) {
      kernel.duration_ns = test::Median(kernel.duration_ns.median * factor);
      kernel.total_ns *= factor;
      row.time_ns += kernel.total_ns;
    }
    Report run = test::Run(own, pid++);
    run.rows.push_back(row);
    runs.push_back(run);
  }
  return runs;
}

std::string ExplanationOf(const Comparison& comparison, const std::string& name) {
  for (const Compared& compared : comparison.run) {
    if (compared.name == name) return text::Join(compared.explanation, "\n");
  }
  FAIL("nothing is called " << name);
  return "";
}

const KernelReport kAdd = With(test::Kernel("add", 20e3, 0), kL2Sectors, 1000);
const KernelReport kHalf = Other("half_gemm_tensor_op", 80e3, 77, 1);
const KernelReport kFloat = Other("volta_sgemm_128x64_nn", 170e3, 1056, 1);

TEST_CASE("Where the kernels are others, the sums of a range and of the run show the work") {
  const Comparison comparison = Compare(Side({kAdd, With(kHalf, kL2Sectors, 4000)}, 1),
                                        Side({kAdd, With(kFloat, kL2Sectors, 7000)}, 100));
  for (const char* name : {"step", "GPU busy"}) {
    CAPTURE(name);
    CHECK_THAT(ExplanationOf(comparison, name),
               Contains("all its kernels together: L2 sectors: 500,000 -> 800,000 (1.60 times)") &&
                   Contains("gone: half_gemm_tensor_op (80 % of its kernels' time)") &&
                   Contains("new: volta_sgemm_128x64_nn (89 % of its kernels' time)"));
  }
  CHECK_THAT(ExplanationOf(comparison, "step"), !Contains("by the counters of"));
  CHECK(ExplanationOf(comparison, "span").empty());
}

TEST_CASE("Work that did not move with the time is no explanation") {
  const Comparison less = Compare(Side({kAdd, With(kHalf, kL2Sectors, 4000)}, 1),
                                  Side({kAdd, With(kFloat, kL2Sectors, 2000)}, 100));
  CHECK_THAT(ExplanationOf(less, "step"), !Contains("L2 sectors"));
  const Comparison same = Compare(Side({kAdd, With(kHalf, kL2Sectors, 4000)}, 1),
                                  Side({kAdd, With(kHalf, kL2Sectors, 9000)}, 100));
  CHECK(ExplanationOf(same, "step").empty());  // the time is the same
}

TEST_CASE("A sum is of the kernels that were counted, and of most of the time or of none") {
  const KernelReport small = Other("copy_of_a_part", 15e3, 9, 2);
  const Comparison most = Compare(Side({kAdd, With(kHalf, kL2Sectors, 4000), small}, 1),
                                  Side({kAdd, With(kFloat, kL2Sectors, 7000), small}, 100));
  CHECK_THAT(ExplanationOf(most, "step"),
             Contains("(1.60 times), by the counters of kernels with 87 % of the time"));
  const Comparison little =
      Compare(Side({kAdd, With(kHalf, kL2Sectors, 4000)}, 1), Side({kAdd, kFloat}, 100));
  CHECK_THAT(ExplanationOf(little, "step"),
             !Contains("together") &&
                 Contains("kernels with 100 % of its time before and 11 % after have a counter of "
                          "the work: longer runs with --counters all have more"));
}

TEST_CASE("A kernel that only one side has counted is no change of the work") {
  const KernelReport part = Other("another_part", 20e3, 9, 2);
  const KernelReport slower = Other("another_part", 36e3, 9, 2);
  const KernelReport add = With(test::Kernel("add", 80e3, 0), kL2Sectors, 4000);
  const Comparison comparison =
      Compare(Side({add, part}, 1), Side({add, With(slower, kL2Sectors, 1000)}, 100));
  CHECK(ExplanationOf(comparison, "step").empty());
}

TEST_CASE("Kernels that take turns from run to run do not add up") {
  const KernelReport one = With(Other("first_choice", 120e3, 301, 1), kL2Sectors, 4000);
  const KernelReport other = With(Other("second_choice_of_it", 120e3, 1503, 1), kL2Sectors, 4000);
  std::vector<Report> after = Side({kAdd, one}, 100), others = Side({kAdd, other}, 200);
  for (size_t run = 0; run < 3; ++run) after[run] = others[run];
  const Comparison comparison = Compare(Side({kAdd, With(kHalf, kL2Sectors, 4000)}, 1), after);
  CHECK_THAT(ExplanationOf(comparison, "step"), !Contains("together") && Contains("new: "));
}

TEST_CASE("The text and the JSON have what explains a time of the run") {
  const Comparison comparison = Compare(Side({kAdd, With(kHalf, kL2Sectors, 4000)}, 1),
                                        Side({kAdd, With(kFloat, kL2Sectors, 7000)}, 100));
  std::ostringstream text, json;
  WriteComparison(text, comparison, 200, false);
  CHECK_THAT(text.str(), Contains("- all its kernels together: L2 sectors"));
  WriteComparisonJson(json, comparison);
  const auto parsed = nlohmann::json::parse(json.str());
  for (const auto& one : parsed["run"]) {
    CHECK(one["explanation"].empty() == (one["name"] == "span"));
  }
  CHECK_FALSE(parsed["kernels"][0]["time"].contains("explanation"));
}

}  // namespace
}  // namespace prof::together_test
