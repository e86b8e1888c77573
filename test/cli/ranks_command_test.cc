// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::ranks_command_test {
namespace {

constexpr int64_t kUs = 1'000;

// A step is a kernel and a collective that ends 50 us after the slower rank has come.
std::string RankOf(uint32_t pid, int64_t kernel_ns, int64_t slowest_ns, int steps) {
  SnapshotBuilder builder;
  builder.process.pid = pid;
  const uint32_t gemm = builder.Shape("gemm", {132}, {256});
  const uint32_t nccl = builder.Shape("ncclDevKernel_AllReduce", {24}, {512});
  int64_t at_ns = 100 * kUs;
  for (int step = 0; step < steps; ++step) {
    builder.Kernel(gemm, "", at_ns, at_ns + kernel_ns);
    const int64_t end_ns = at_ns + slowest_ns + 50 * kUs;
    builder.Kernel(nccl, "", at_ns + kernel_ns, end_ns);
    at_ns = end_ns + kUs;
  }
  return builder.Bytes();
}

Folder* Job() {
  static Folder folder;
  folder.Write("a.prof", RankOf(71, 400 * kUs, 500 * kUs, 60));
  folder.Write("b.prof", RankOf(72, 500 * kUs, 500 * kUs, 60));
  return &folder;
}

Ended ProfIn(const std::vector<std::string>& arguments) { return Prof(arguments, Job()->path()); }

TEST_CASE("prof ranks names the late rank of a folder of recordings") {
  const Ended ended = ProfIn({"ranks", "."});
  CHECK(ended.exit_code() == 0);
  CHECK_THAT(ended.out, Contains("2 ranks met in 60 collectives"));
  CHECK_THAT(ended.out, Contains("is late: the others wait "));
  CHECK_THAT(ended.out, Contains("cause: the same kernels take longer on it"));
  CHECK_THAT(ended.out, Contains("next: prof report ./b.prof"));
}

TEST_CASE("prof ranks prints JSON, and names recordings without collectives") {
  Folder folder;
  folder.Write("a.prof", RankOf(71, 400 * kUs, 500 * kUs, 60));
  folder.Write("b.prof", RankOf(72, 500 * kUs, 500 * kUs, 60));
  SnapshotBuilder builder;
  builder.Kernel(builder.Shape("gemm", {132}, {256}), "", 0, 100 * kUs);
  folder.Write("main.prof", builder.Bytes());
  const Ended ended = Prof({"ranks", "--json", "a.prof", "b.prof", "main.prof"}, folder.path());
  CHECK(ended.exit_code() == 0);
  const auto json = nlohmann::json::parse(ended.out, nullptr, false);
  CHECK(json.at("finding") == "straggler");
  CHECK(json.at("ranks")[0].at("file") == "b.prof");
  CHECK(json.at("notes")[0] == "main.prof has no collective of NCCL: it is left out.");
}

TEST_CASE("prof ranks refuses a single rank, a missing file, and to replace a recording") {
  Ended ended = ProfIn({"ranks", "a.prof"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("a job has two ranks with collectives of NCCL or more"));
  ended = ProfIn({"ranks", "a.prof", "c.prof"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("c.prof"));
  ended = ProfIn({"ranks", ".", "-o", "a.prof"});
  CHECK(ended.exit_code() == 2);
  CHECK_THAT(ended.err, Contains("a.prof"));
}

}  // namespace
}  // namespace prof::test::ranks_command_test
