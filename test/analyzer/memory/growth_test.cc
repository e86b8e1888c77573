// SPDX-License-Identifier: Apache-2.0
//
// Memory that grows from step to step, and what only looks like it. Programs are drawn.
#include <deque>
#include <functional>
#include <string>

#include "prof/analyzer.h"
#include "test/analyzer/memory/memory_program.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::growth_test {
namespace {

constexpr uint32_t kRuns = 10;

// A program with weights, and in each step temporaries, buffers that live for two or three steps,
// and what `step` does.
Report Run(uint32_t seed, int64_t steps,
           const std::function<void(MemoryProgram*, int64_t)>& each_step) {
  MemoryProgram program(seed);
  program.Allocate("weights", static_cast<uint64_t>(program.Draw(1, 40'000'000'000)));
  std::deque<uint64_t> buffers;
  const auto keep = static_cast<size_t>(program.Draw(1, 3));
  for (int64_t step = 0; step < steps; ++step) {
    program.BeginStep();
    program.Temporaries("forward");
    buffers.push_back(program.Allocate("input", 64'000'000));
    each_step(&program, step);
    if (buffers.size() > keep) {
      program.Free(buffers.front());
      buffers.pop_front();
    }
    program.EndStep();
  }
  return program.Analyzed();
}

const MemoryGrowth& OfDevice(const Report& report) {
  for (const MemoryGrowth& growth : report.memory.growth) {
    if (growth.memory == "device") return growth;
  }
  FAIL("no growth of device memory: " << report.memory.growth_missing);
  return report.memory.growth.front();
}

void CheckSum(const MemoryGrowth& growth) {
  int64_t sum = 0;
  for (const GrowingHolder& holder : growth.holders) sum += holder.bytes;
  CHECK(sum == static_cast<int64_t>(growth.last_bytes) - static_cast<int64_t>(growth.first_bytes));
}

TEST_CASE("A leak is found without ranges, from turn to turn of launches that repeat") {
  SnapshotBuilder b;
  const uint32_t gemm = b.Shape("gemm", {132}, {256});
  for (uint64_t step = 0; step < 40; ++step) {
    const int64_t at_ns = 1'000'000 + static_cast<int64_t>(step) * 100'000;
    b.Allocate(0x7000'0000'0000 + (step << 24U), 2'000'000, "", at_ns);
    b.Kernel(gemm, "", at_ns + 50'000, at_ns + 80'000);
    b.Api("cudaStreamSynchronize", at_ns + 60'000, at_ns + 82'000);
  }
  const Report report = Analyze(b.Snapshot());
  const MemoryGrowth& growth = OfDevice(report);
  INFO(growth.why_not);
  CHECK(growth.by_launches);
  CHECK(growth.step == "1 launch that repeats");
  CHECK(growth.bytes_per_step == 2'000'000);
  const Finding* finding = FindingOf(report, "memory-growth");
  REQUIRE(finding != nullptr);
  CHECK(finding->evidence.at(0).find(" steps of 1 launch that repeats; ") != std::string::npos);
}

TEST_CASE("A leak of a megabyte or more a step is found within 20 steps, with its range") {
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    const auto leak = static_cast<uint64_t>(1'000'000 * (1 + seed % 4));
    const Report report =
        Run(seed, 20, [&](MemoryProgram* program, int64_t) { program->Allocate("loss", leak); });
    const MemoryGrowth& growth = OfDevice(report);
    INFO(growth.why_not);
    REQUIRE(growth.grows);
    CHECK(growth.steps == 15);
    CHECK(growth.bytes_per_step == static_cast<double>(leak));
    CHECK(growth.at_least <= growth.bytes_per_step);
    CHECK(growth.bytes_per_step <= growth.at_most);
    REQUIRE_FALSE(growth.holders.empty());
    CHECK(WithoutNumbers(growth.holders[0].range) == "step/loss");
    CheckSum(growth);
    const Finding* finding = FindingOf(report, "memory-growth");
    REQUIRE(finding != nullptr);
    CHECK(WithoutNumbers(finding->title).find("step/loss") != std::string::npos);
    CHECK(finding->kind == GainKind::kMemory);
    CHECK(finding->gain_at_most_ns == 0);
    CHECK(FindingOf(report, "memory-left") == nullptr);  // it is the same memory
  }
}

TEST_CASE("Of a leak that several ranges share the largest part is named, as most of it or not") {
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    const auto largest = static_cast<uint64_t>(1'000'000 + seed % 1'000'000);
    const auto other = largest / (1 + i % 4);  // two others: together more than it, or less
    const Report report = Run(seed, 20, [&](MemoryProgram* program, int64_t) {
      program->Allocate("loss", largest);
      program->Allocate("metrics", other - 1);
      program->Allocate("log", other - 1);
    });
    const Finding* finding = FindingOf(report, "memory-growth");
    REQUIRE(finding != nullptr);
    const std::string title = WithoutNumbers(finding->title);
    INFO(title);
    const std::string part = 2 * (other - 1) < largest ? "most of it" : "the largest part";
    CHECK(title.find(part + " in range step/loss.") != std::string::npos);
  }
}

TEST_CASE("A leak of pinned memory is found as well") {
  const Report report = Run(MemorySeed(), 30, [](MemoryProgram* program, int64_t) {
    program->Allocate("copy", 2'000'000, model::MemoryKind::kPinned);
  });
  CHECK_FALSE(OfDevice(report).grows);
  const Finding* finding = FindingOf(report, "memory-growth");
  REQUIRE(finding != nullptr);
  CHECK(finding->title.find("pinned memory grows by 2") != std::string::npos);
}

TEST_CASE("A leak that a program frees before its end is growth") {
  std::vector<uint64_t> leaked;
  MemoryProgram program(MemorySeed());
  for (int step = 0; step < 40; ++step) {
    program.BeginStep();
    leaked.push_back(program.Allocate("loss", 3'000'000));
    program.EndStep();
  }
  for (const uint64_t address : leaked) program.Free(address);
  const Report report = program.Analyzed();
  CHECK(report.memory.devices.at(0).bytes_at_end == 0);
  CHECK(FindingOf(report, "memory-growth") != nullptr);
}

TEST_CASE("Steady programs have no growth") {
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    uint64_t held = 0;
    const Report report = Run(seed, 20 + seed % 100, [&](MemoryProgram* program, int64_t) {
      // One buffer of a size that changes from step to step.
      if (held != 0) program->Free(held);
      held = program->Allocate("activations",
                               static_cast<uint64_t>(program->Draw(100'000'000, 900'000'000)));
    });
    const MemoryGrowth& growth = OfDevice(report);
    CHECK_FALSE(growth.grows);
    CheckSum(growth);
    CHECK(FindingOf(report, "memory-growth") == nullptr);
    CHECK(FindingOf(report, "memory-left") == nullptr);
  }
}

TEST_CASE("A warm-up that settles is no growth") {
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    const int64_t steps = 20 + static_cast<int64_t>(seed % 200);
    const Report report = Run(seed, steps, [&](MemoryProgram* program, int64_t step) {
      if (step < steps / 3) program->Allocate("cache", 50'000'000);
    });
    const MemoryGrowth& growth = OfDevice(report);
    CHECK_FALSE(growth.grows);
    CHECK_FALSE(growth.why_not.empty());
    CHECK(FindingOf(report, "memory-growth") == nullptr);
  }
}

TEST_CASE("Without a range that repeats growth is not known") {
  MemoryProgram program(MemorySeed());
  for (int i = 0; i < 100; ++i) program.Allocate("", 1'000'000);
  const Report report = program.Analyzed();
  CHECK(report.memory.growth.empty());
  CHECK(report.memory.growth_missing.find("no NVTX range") != std::string::npos);
  CHECK(FindingOf(report, "memory-growth") == nullptr);
}

// Epochs of a loop within "train", with steps in them; each step leaks a megabyte.
Report Nested(int epochs, int steps) {
  SnapshotBuilder b;
  int64_t now_ns = 1'000'000;
  uint64_t address = 0x1000000;
  const int64_t train_ns = now_ns;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const int64_t epoch_ns = now_ns += 1'000;
    for (int step = 0; step < steps; ++step) {
      const int64_t step_ns = now_ns += 1'000;
      b.Allocate(address += 0x1000000, 1'000'000, "", now_ns += 10'000);
      now_ns += 10'000;
      b.Range("train/epoch/step " + std::to_string(step), step_ns, now_ns);
    }
    b.Range("train/epoch", epoch_ns, now_ns += 1'000);
  }
  b.Range("train", train_ns, now_ns += 1'000);
  b.Kernel(b.Shape("k", {132}, {256}), "", 1'010'000, now_ns);
  return Analyze(b.Snapshot());
}

TEST_CASE(
    "Steps are the outermost ranges that repeat, numbered or not, also within one that does not") {
  const Report few_epochs = Nested(2, 30);
  REQUIRE(few_epochs.memory.growth.size() == 1);
  CHECK(few_epochs.memory.growth[0].step == "train/epoch/step * (30 ranges)");
  CHECK(few_epochs.memory.growth[0].bytes_per_step == 1'000'000);
  CHECK(few_epochs.memory.growth[0].grows);
  const Report many_epochs = Nested(20, 5);
  REQUIRE(many_epochs.memory.growth.size() == 1);
  CHECK(many_epochs.memory.growth[0].step == "train/epoch");
  CHECK(many_epochs.memory.growth[0].bytes_per_step == 5'000'000);
}

TEST_CASE("Where records were lost growth is withheld") {
  MemoryProgram program(MemorySeed());
  for (int step = 0; step < 30; ++step) {
    program.BeginStep();
    program.Allocate("loss", 3'000'000);
    program.EndStep();
  }
  Integrity losses;
  losses.dropped_by_cupti = 3;
  program.builder().integrity = losses;
  const Report report = program.Analyzed();
  const Finding* finding = FindingOf(report, "memory-growth");
  REQUIRE(finding != nullptr);
  CHECK(finding->withheld);
  CHECK(finding->action.empty());
}

TEST_CASE("Where the recording was paused between allocations growth is withheld") {
  MemoryProgram program(MemorySeed());
  for (int step = 0; step < 30; ++step) {
    program.BeginStep();
    program.Allocate("loss", 3'000'000);
    program.EndStep();
    if (step != 12) continue;
    const int64_t begin_ns = program.now_ns() + 1'000;
    program.Wait(500'000);
    program.builder().Profiler(model::ProfilerWork::kPause, begin_ns, begin_ns);
    program.builder().Profiler(model::ProfilerWork::kPause, begin_ns, program.now_ns());
    program.Wait(1'000);
  }
  const Report report = program.Analyzed();
  const Finding* finding = FindingOf(report, "memory-growth");
  REQUIRE(finding != nullptr);
  CHECK(finding->withheld);
  CHECK(finding->withheld_why.find("paused") != std::string::npos);
}

}  // namespace
}  // namespace prof::test::growth_test
