// SPDX-License-Identifier: Apache-2.0
//
// The lines and the ops of PyTorch from which memory was allocated. Programs are drawn.
#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "prof/analyzer.h"
#include "test/analyzer/memory/memory_program.h"
#include "test/support/catch.h"
#include "test/support/python_stacks.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::places_test {
namespace {

using model::TorchScope;

constexpr uint32_t kRuns = 10;
constexpr const char* kTrain = "/app/train.py";
constexpr const char* kTorch = "/venv/lib/python3.12/site-packages/torch/nn/functional.py";

// A program whose blocks come from lines and ops that it knows.
class Program {
 public:
  explicit Program(uint32_t seed) : random_(seed) {
    builder_.edit = [this](wire::Block& block) {
      python_.AddTo(&block);
      AddErrors(&block);
    };
  }

  int64_t Draw(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }

  // Line 0: a call without a stack. Op 0: in none.
  uint64_t Allocate(uint64_t bytes, uint32_t line, uint32_t op = 0) {
    const uint64_t address = next_address_;
    next_address_ += 1ULL << 36;
    builder_.TorchStep(now_ns_ += 5'000, op);
    const uint32_t call = builder_.Allocate(address, bytes, "", now_ns_ += 5'000);
    if (line != 0) python_.of_call[call] = StackAt(line);
    builder_.TorchStep(now_ns_ += 5'000, 0);
    return address;
  }

  // A call that gets no memory; likewise.
  void Fail(uint32_t line, uint32_t op) {
    builder_.TorchStep(now_ns_ += 5'000, op);
    const uint32_t call = builder_.Api("cudaMallocAsync", now_ns_, now_ns_ + 5'000);
    now_ns_ += 10'000;
    failed_.insert(call);
    if (line != 0) python_.of_call[call] = StackAt(line);
    builder_.TorchStep(now_ns_ += 5'000, 0);
  }

  void Free(uint64_t address) { builder_.Free(address, now_ns_ += 5'000); }

  // The end of a step; the first begins with the program.
  void EndStep() {
    builder_.Range("step", step_ns_, now_ns_ += 1'000);
    step_ns_ = now_ns_ += 1'000;
  }

  Report Analyzed() { return Analyze(builder_.Snapshot()); }
  SnapshotBuilder& builder() { return builder_; }

 private:
  void AddErrors(wire::Block* block) const {
    if (!block->has_api_calls()) return;
    wire::ApiColumns* calls = block->mutable_api_calls();
    int64_t correlation = 0;
    for (int row = 0; row < calls->correlation_delta_size(); ++row) {
      correlation += calls->correlation_delta(row);
      if (failed_.count(correlation) == 0) continue;
      calls->add_error_row(static_cast<uint32_t>(row));
      calls->add_error_code(2);
    }
  }

  // The line calls a function of a package, which allocates.
  uint32_t StackAt(uint32_t line) {
    uint32_t& stack = stacks_[line];
    if (stack == 0) {
      const uint32_t own = python_.Stack(0, "step", kTrain, line);
      stack = python_.Stack(own, "linear", kTorch, 1 + line % 3);
    }
    return stack;
  }

  std::mt19937 random_;
  SnapshotBuilder builder_;
  PythonStacks python_;
  std::map<uint32_t, uint32_t> stacks_;
  std::set<int64_t> failed_;  // correlation ids
  uint64_t next_address_ = 0x7f0000000000;
  int64_t now_ns_ = 1'000'000, step_ns_ = 1'000'000;
};

TEST_CASE("What the lines and the ops hold at the peak is what the program knows") {
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    Program program(seed);
    const std::map<std::string, uint32_t> ops = {
        {"", 0},
        {"aten::linear", program.builder().TorchOp(0, "aten::linear")},
        {"aten::gelu", program.builder().TorchOp(0, "aten::gelu")}};
    std::map<uint32_t, uint64_t> by_line;
    std::map<std::string, uint64_t> by_op;
    uint64_t peak = 0;
    const int64_t blocks = program.Draw(5, 60);
    for (int64_t block = 0; block < blocks; ++block) {
      const auto bytes = static_cast<uint64_t>(program.Draw(1, 1'000'000'000));
      const auto line = static_cast<uint32_t>(program.Draw(0, 6));
      const auto op = std::next(ops.begin(), program.Draw(0, 2));
      const uint64_t address = program.Allocate(bytes, line, op->second);
      if (program.Draw(0, 4) == 0 && block + 1 < blocks) {
        // At most once at the peak: what comes next is larger.
        program.Free(address);
        program.Free(program.Allocate(1, 1));
        continue;
      }
      by_line[line] += bytes;
      by_op[op->first] += bytes;
      peak += bytes;
    }
    program.Allocate(2'000'000'000, 1, 0);
    by_line[1] += 2'000'000'000;
    by_op[""] += 2'000'000'000;
    peak += 2'000'000'000;

    const Report report = program.Analyzed();
    REQUIRE(report.memory.devices.size() == 1);
    const DeviceMemory& device = report.memory.devices[0];
    CHECK(device.peak_bytes == peak);
    std::map<uint32_t, uint64_t> lines;
    int64_t held = 0;
    for (const LineHolder& holder : device.lines) {
      CHECK(holder.place.known() == (holder.place.line != 0));
      if (holder.place.known()) CHECK(holder.place.file == kTrain);  // not the package's
      REQUIRE(lines.emplace(holder.place.line, holder.bytes).second);
      held += holder.blocks;
    }
    CHECK(lines == by_line);
    CHECK(held == device.blocks_at_peak);
    CHECK(std::is_sorted(device.lines.begin(), device.lines.end(),
                         [](const auto& a, const auto& b) { return a.bytes > b.bytes; }));
    std::map<std::string, uint64_t> in_ops;
    for (const OpHolder& holder : device.ops) {
      REQUIRE(in_ops.emplace(holder.op, holder.bytes).second);
    }
    if (by_op.size() == 1) by_op.clear();  // no block was in an op
    CHECK(in_ops == by_op);
  }
}

TEST_CASE("A leak of a megabyte a step is named with its line within 20 steps") {
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    Program program(seed);
    const auto leak = static_cast<uint32_t>(program.Draw(10, 99));
    for (int step = 0; step < 20; ++step) {
      for (int64_t block = program.Draw(1, 5); block > 0; --block) {
        program.Free(program.Allocate(static_cast<uint64_t>(program.Draw(1, 500'000'000)),
                                      static_cast<uint32_t>(program.Draw(0, 9))));
      }
      program.Allocate(1'000'000, leak);
      program.EndStep();
    }
    const Report report = program.Analyzed();
    REQUIRE(report.memory.growth.size() == 1);
    const MemoryGrowth& growth = report.memory.growth[0];
    REQUIRE(growth.lines.size() == 1);
    CHECK(growth.lines[0].place.line == leak);
    CHECK(growth.lines[0].bytes ==
          static_cast<int64_t>(growth.last_bytes) - static_cast<int64_t>(growth.first_bytes));
    const Finding* const finding = FindingOf(report, "memory-growth");
    REQUIRE(finding != nullptr);
    CHECK(finding->title.find("/app/train.py:" + std::to_string(leak) + " step") !=
          std::string::npos);
  }
}

TEST_CASE("Without stacks and ops there are no lists of lines and ops") {
  Program program(1);
  for (int step = 0; step < 20; ++step) {
    program.Allocate(1'000'000, 0);
    program.EndStep();
  }
  const MemoryReport memory = program.Analyzed().memory;
  CHECK(memory.devices.at(0).lines.empty());
  CHECK(memory.devices.at(0).ops.empty());
  CHECK(memory.growth.at(0).lines.empty());
  CHECK_FALSE(memory.growth.at(0).holders.empty());
}

TEST_CASE("Memory is of the outermost op in the innermost module, or of the node") {
  Program program(1);
  SnapshotBuilder& b = program.builder();
  const uint32_t module = b.TorchOp(0, "MLP.fc1", TorchScope::kModule);
  const uint32_t linear = b.TorchOp(module, "aten::linear");
  const uint32_t empty = b.TorchOp(b.TorchOp(linear, "aten::addmm"), "aten::empty");
  const uint32_t node = b.TorchOp(b.TorchOp(0, "autograd::engine::evaluate_function"),
                                  "AddmmBackward0", TorchScope::kBackward);
  const uint32_t mm = b.TorchOp(node, "aten::mm");
  program.Allocate(100, 1, empty);
  program.Allocate(1'000, 1, mm);
  // The node runs a part of the forward pass again.
  const uint32_t checkpoint = b.TorchOp(0, "CheckpointFunctionBackward", TorchScope::kBackward);
  const uint32_t again = b.TorchOp(checkpoint, "MLP.fc1", TorchScope::kModule);
  program.Allocate(10'000, 1, b.TorchOp(again, "aten::gelu"));
  program.Allocate(100'000, 1, again);
  const uint32_t marked = b.TorchOp(0, "optimizer", TorchScope::kUser);
  program.Allocate(1'000'000, 1, b.TorchOp(marked, "aten::add"));
  program.Allocate(10'000'000, 1, marked);
  std::vector<std::string> names;
  const MemoryReport memory = program.Analyzed().memory;
  for (const OpHolder& op : memory.devices.at(0).ops) names.push_back(op.op);
  CHECK(names == std::vector<std::string>{"", "aten::add", "CheckpointFunctionBackward",
                                          "aten::gelu", "AddmmBackward0", "aten::linear"});
}

TEST_CASE("A call that failed for lack of memory has its line and its op") {
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    Program program(seed);
    const std::map<uint32_t, std::string> ops = {
        {0, ""}, {program.builder().TorchOp(0, "aten::linear"), "aten::linear"}};
    std::map<std::pair<uint32_t, std::string>, int64_t> failed;
    const int64_t calls = program.Draw(1, 30);
    for (int64_t call = 0; call < calls; ++call) {
      const auto line = static_cast<uint32_t>(program.Draw(0, 2));
      const auto op = std::next(ops.begin(), program.Draw(0, 1));
      if (program.Draw(0, 1) == 0) {
        program.Allocate(1'000, line, op->first);
      } else {
        program.Fail(line, op->first);
        ++failed[{line, op->second}];
      }
    }
    const Report report = program.Analyzed();
    std::map<std::pair<uint32_t, std::string>, int64_t> found;
    for (const AllocationFailure& failure : report.memory.failures) {
      CHECK(failure.call == "cudaMallocAsync");
      CHECK(failure.place.file == (failure.place.line == 0 ? "" : kTrain));
      found[{failure.place.line, failure.op}] += failure.count;
    }
    CHECK(found == failed);
    if (failed.empty()) continue;
    const Finding* finding = FindingOf(report, "out-of-memory");
    REQUIRE(finding != nullptr);
    const SourcePlace& first = report.memory.failures[0].place;
    const bool named = finding->title.find(", at " + ToString(first) + ".") != std::string::npos;
    CHECK(named == first.known());
  }
}

}  // namespace
}  // namespace prof::test::places_test
