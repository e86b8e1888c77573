// SPDX-License-Identifier: Apache-2.0
//
// Calls that failed for lack of memory.
#include <string>

#include "prof/analyzer.h"
#include "prof/snapshot.pb.h"
#include "test/analyzer/memory/memory_program.h"
#include "test/support/catch.h"

namespace prof::test::failures_test {
namespace {

constexpr uint32_t kOutOfMemory = 2, kInvalidValue = 1;

// Gives the calls with this name an error.
void Fail(SnapshotBuilder* b, const std::string& name, uint32_t error) {
  const uint32_t id = b->String(name);
  b->edit = [id, error](wire::Block& block) {
    if (!block.has_api_calls()) return;
    wire::ApiColumns* calls = block.mutable_api_calls();
    for (int row = 0; row < calls->name_size(); ++row) {
      if (calls->name(row) != id) continue;
      calls->add_error_row(static_cast<uint32_t>(row));
      calls->add_error_code(error);
    }
  };
}

void Plan(SnapshotBuilder* b) {
  b->process.start_ns = 0;
  b->Kernel(b->Shape("k", {132}, {256}), "", 100'000, 900'000);
  b->Allocate(0x1000, 100'000, "setup", 20'000);
  b->Allocate(0x2000, 30'000, "step/forward", 200'000);
  b->Range("step/backward", 300'000, 420'000);
  b->Api("cudaMallocAsync", 310'000, 330'000);
  b->Api("cudaMallocAsync", 350'000, 370'000);
  b->Allocate(0x3000, 7'000, "step/late", 600'000);
}

TEST_CASE("A call that failed for lack of memory is a finding with the ledger of that moment") {
  SnapshotBuilder b;
  Plan(&b);
  Fail(&b, "cudaMallocAsync", kOutOfMemory);
  const Report report = Analyze(b.Snapshot());
  INFO(report.error);
  REQUIRE(report.memory.failures.size() == 1);
  const AllocationFailure& failure = report.memory.failures[0];
  CHECK(failure.call == "cudaMallocAsync");
  CHECK(failure.range == "step/backward");
  CHECK(failure.count == 2);
  CHECK(failure.first_at_ns == 330'000);
  CHECK(failure.device == 0u);
  CHECK(failure.bytes == 130'000);
  REQUIRE(failure.holders.size() == 2);
  CHECK(failure.holders[0].range == "setup");
  CHECK(failure.holders[1].bytes == 30'000);
  REQUIRE_FALSE(report.findings.empty());
  CHECK(report.findings[0].id == "out-of-memory");
  CHECK(report.findings[0].confidence == Confidence::kHigh);
  CHECK(report.findings[0].title.find("2 calls failed") == 0);
}

TEST_CASE("Calls that failed for another reason are no lack of memory") {
  SnapshotBuilder b;
  Plan(&b);
  Fail(&b, "cudaMallocAsync", kInvalidValue);
  const Report report = Analyze(b.Snapshot());
  CHECK(report.memory.failures.empty());
  CHECK(FindingOf(report, "out-of-memory") == nullptr);
}

TEST_CASE("A call that failed before any allocation has an unknown ledger, not an empty one") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {132}, {256}), "", 100'000, 900'000);
  b.Api("cudaMalloc", 310'000, 330'000);
  Fail(&b, "cudaMalloc", kOutOfMemory);
  const Report report = Analyze(b.Snapshot());
  CHECK_FALSE(report.memory.empty());
  REQUIRE(report.memory.failures.size() == 1);
  CHECK_FALSE(report.memory.failures[0].device.has_value());
  CHECK(report.memory.failures[0].range == "(no range)");
  CHECK(FindingOf(report, "out-of-memory") != nullptr);
}

}  // namespace
}  // namespace prof::test::failures_test
