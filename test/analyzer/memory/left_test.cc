// SPDX-License-Identifier: Apache-2.0
//
// What ranges leave until the end.
#include <string>

#include "prof/analyzer.h"
#include "test/analyzer/memory/memory_program.h"
#include "test/support/catch.h"

namespace prof::test::left_test {
namespace {

const RangeAllocations& RangeOf(const Report& report, const std::string& name) {
  for (const RangeAllocations& range : report.memory.ranges) {
    if (WithoutNumbers(range.range) == name) return range;
  }
  FAIL("no range " << name);
  return report.memory.ranges.front();
}

// 100 requests, of which those from `from` to `to` leave memory behind.
Report Requests(int64_t from, int64_t to) {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {132}, {256}), "", 1'000'000, 101'000'000);
  for (int64_t i = 0; i < 100; ++i) {
    const int64_t start_ns = 1'000'000 + i * 1'000'000;
    b.Range("request", start_ns, start_ns + 500'000);
    if (i < from || i >= to) continue;
    b.Allocate(0x1000000 * (static_cast<uint64_t>(i) + 1), 40'000, "", start_ns + 100'000);
    b.Allocate(0x1000000 * (static_cast<uint64_t>(i) + 1) + 0x10000, 10'000, "",
               start_ns + 200'000);
    b.Free(0x1000000 * (static_cast<uint64_t>(i) + 1) + 0x10000, start_ns + 300'000);
  }
  return Analyze(b.Snapshot());
}

TEST_CASE("Instances that allocated and that left memory are counted") {
  const Report report = Requests(0, 100);
  const RangeAllocations& range = RangeOf(report, "request");
  CHECK(range.allocations == 200);
  CHECK(range.instances == 100);
  CHECK(range.instances_left == 100);
  CHECK(range.blocks_at_end == 100);
  CHECK(range.bytes_at_end == 4'000'000);
  CHECK(range.first_left_ns < range.last_left_ns);
}

TEST_CASE("A range that leaves memory behind to the end of the run is a finding") {
  MemoryProgram program(MemorySeed());
  // The levels of a step know nothing of a leak that stays in the shadow of what is freed.
  std::vector<uint64_t> pool;
  for (int i = 0; i < 40; ++i) pool.push_back(program.Allocate("", 100'000'000));
  for (int step = 0; step < 40; ++step) {
    program.BeginStep();
    program.Allocate("result", 1'000'000);
    program.Free(pool[static_cast<size_t>(step)]);
    program.EndStep();
  }
  const Report report = program.Analyzed();
  CHECK(FindingOf(report, "memory-growth") == nullptr);
  const Finding* finding = FindingOf(report, "memory-left");
  REQUIRE(finding != nullptr);
  CHECK(WithoutNumbers(finding->title).find("step/result") != std::string::npos);
  CHECK(finding->confidence == Confidence::kMedium);
}

TEST_CASE("What a range prepares at the begin of a run and keeps is no finding") {
  CHECK(FindingOf(Requests(0, 30), "memory-left") == nullptr);
  CHECK(FindingOf(Requests(60, 100), "memory-left") == nullptr);
}

}  // namespace
}  // namespace prof::test::left_test
