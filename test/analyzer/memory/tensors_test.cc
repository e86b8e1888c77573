// SPDX-License-Identifier: Apache-2.0
//
// What tensors of PyTorch are used for, and the segments that they are in. Programs are drawn: a
// training step that knows itself what each of its tensors is.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "prof/analyzer.h"
#include "test/analyzer/memory/memory_program.h"
#include "test/support/catch.h"
#include "test/support/python_stacks.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::tensors_test {
namespace {

using model::TensorChange;
using model::TorchScope;
using Roles = std::map<std::string, uint64_t>;

constexpr uint32_t kRuns = 10;
constexpr uint32_t kEngineTid = 1001;
constexpr const char* kTrain = "/app/train.py";
constexpr const char* kSite = "/venv/lib/python3.12/site-packages/";

// Threads of a training program, and its tensors.
class Training {
 public:
  explicit Training(uint32_t seed) : random_(seed) {
    b_.edit = [this](wire::Block& block) { python_.AddTo(&block); };
    net_ = b_.TorchOp(0, "Net", TorchScope::kModule);
    linear_ = b_.TorchOp(net_, "aten::linear");
    engine_ = b_.TorchOp(0, "autograd::engine::evaluate_function: MmBackward0");
    node_ = b_.TorchOp(engine_, "MmBackward0", TorchScope::kBackward);
    optimizer_ = b_.TorchOp(0, "Optimizer.step#Adam.step", TorchScope::kUser);
    foreach_ = b_.TorchOp(optimizer_, "aten::_foreach_add_");
    line_ = python_.Stack(0, "train", kTrain, 10);
  }

  uint64_t Draw() { return 512 * std::uniform_int_distribution<uint64_t>(1, 100'000)(random_); }
  int64_t Tick() { return now_ns_ += 1'000; }
  void In(uint32_t op, uint32_t tid = kMainTid) { b_.TorchStep(Tick(), op, tid); }

  uint64_t Take(const std::string& role, uint32_t stack = 0, uint32_t tid = kMainTid,
                uint64_t bytes = 0) {
    const uint64_t address = next_address_;
    if (bytes == 0) bytes = Draw();
    next_address_ += uint64_t{1} << 32;
    b_.Tensor(TensorChange::kAllocated, address, bytes, Tick(), {0, tid, stack});
    live_[address] = {role, bytes};
    if (stack != 0) lined_.insert(address);
    uint64_t sum = 0;
    for (const auto& [at, one] : live_) sum += one.second;
    if (sum > peak) {
      peak = sum;
      at_peak = Held();
      lines_at_peak = std::any_of(live_.begin(), live_.end(),
                                  [this](const auto& one) { return lined_.count(one.first) != 0; });
    }
    return address;
  }
  void Free(uint64_t address, uint32_t tid = kMainTid) {
    b_.Tensor(TensorChange::kFreed, address, 0, Tick(), {0, tid, 0});
    live_.erase(address);
  }
  void Name(TensorChange use, uint64_t address) { b_.Tensor(use, address, 0, Tick()); }
  Roles Held() const {
    Roles held;
    for (const auto& [address, one] : live_) held[one.first] += one.second;
    return held;
  }

  // A step of a network with `weights`. `names`: Python tells what they are.
  void Step(const std::vector<uint64_t>& weights, bool first, bool names) {
    In(net_);
    std::vector<uint64_t> activations;
    for (int layer = 0; layer < 3; ++layer) {
      In(linear_);
      activations.push_back(Take("activations", line_));
      Free(Take("temporary", line_));  // in the same call of the op
      In(net_);
    }
    In(0);
    std::vector<uint64_t> gradients;
    for (size_t layer = 0; layer < activations.size(); ++layer) {
      In(engine_, kEngineTid);
      In(node_, kEngineTid);
      const uint64_t gradient = Take("backward pass", 0, kEngineTid);
      gradients.push_back(Take("gradients", 0, kEngineTid));
      Free(activations[layer], kEngineTid);
      In(engine_, kEngineTid);
      Free(gradient, kEngineTid);
      In(0, kEngineTid);
    }
    In(optimizer_);
    In(foreach_);
    const uint64_t kept = Take("temporary");
    In(optimizer_);
    Free(kept);  // after the op, and in the optimizer's step
    if (first) states_.push_back(Take("optimizer state"));
    In(0);
    if (names) {
      for (const uint64_t weight : weights) Name(TensorChange::kWeight, weight);
      for (const uint64_t gradient : gradients) Name(TensorChange::kGradient, gradient);
      for (const uint64_t state : states_) Name(TensorChange::kOptimizerState, state);
    }
    for (const uint64_t gradient : gradients) Free(gradient);
  }

  Report Analyzed() { return Analyze(b_.Snapshot()); }

  uint64_t peak = 0;
  Roles at_peak;
  bool lines_at_peak = false;  // a line is known of some of it
  SnapshotBuilder& builder() { return b_; }
  PythonStacks& python() { return python_; }
  uint32_t net() const { return net_; }
  uint32_t linear() const { return linear_; }
  uint32_t node() const { return node_; }

 private:
  std::mt19937 random_;
  SnapshotBuilder b_;
  PythonStacks python_;
  uint32_t net_ = 0, linear_ = 0, engine_ = 0, node_ = 0, optimizer_ = 0, foreach_ = 0, line_ = 0;
  std::map<uint64_t, std::pair<std::string, uint64_t>> live_;
  std::set<uint64_t> lined_;
  std::vector<uint64_t> states_;
  uint64_t next_address_ = 0x7f0000000000;
  int64_t now_ns_ = 1'000'000;
};

Roles RolesOf(const TensorMemory& tensors) {
  Roles roles;
  for (const RoleHolder& role : tensors.roles) roles[ToString(role.role)] += role.bytes;
  return roles;
}

TEST_CASE("The peak of a training program is divided as the program knows it") {
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    Training training(seed);
    const std::vector<uint64_t> weights = {training.Take("weights"), training.Take("weights")};
    const int steps = 3 + static_cast<int>(seed % 4);
    for (int step = 0; step < steps; ++step) training.Step(weights, step == 0, true);
    const Report report = training.Analyzed();
    REQUIRE(report.memory.tensors.size() == 1);
    const TensorMemory& tensors = report.memory.tensors[0];
    CHECK(tensors.peak_bytes == training.peak);
    CHECK(tensors.roles_named);
    CHECK(RolesOf(tensors) == training.at_peak);
    uint64_t lines = 0;
    for (const LineHolder& line : tensors.lines) lines += line.bytes;
    CHECK(lines == (training.lines_at_peak ? tensors.peak_bytes : 0));
  }
}

TEST_CASE("Without names only weights are not told from other tensors") {
  Training training(MemorySeed());
  const std::vector<uint64_t> weights = {training.Take("other tensors")};
  for (int step = 0; step < 4; ++step) training.Step(weights, step == 0, false);
  const Report report = training.Analyzed();
  REQUIRE(report.memory.tensors.size() == 1);
  CHECK_FALSE(report.memory.tensors[0].roles_named);
  CHECK(RolesOf(report.memory.tensors[0]) == training.at_peak);
}

TEST_CASE("Tensors of a forward pass that ended without memory are as those of passes before") {
  Training training(MemorySeed());
  const std::vector<uint64_t> weights = {training.Take("weights")};
  for (int step = 0; step < 2; ++step) training.Step(weights, step == 0, true);
  training.In(training.net());
  training.In(training.linear());
  for (int i = 0; i < 3; ++i) training.Take("activations");
  training.builder().Tensor(TensorChange::kRefused, 0, 1 << 30, training.Tick());
  const Report report = training.Analyzed();
  REQUIRE(report.memory.tensor_failures.size() == 1);
  const TensorFailure& failure = report.memory.tensor_failures[0];
  CHECK(failure.bytes == 1 << 30);
  CHECK(failure.op == "aten::linear");
  CHECK(failure.count == 1);
  Roles roles;
  for (const RoleHolder& role : failure.roles) roles[ToString(role.role)] += role.bytes;
  CHECK(roles == training.Held());
}

TEST_CASE("Caches, buckets and what is kept between calls have roles of their own") {
  Training training(MemorySeed());
  PythonStacks& python = training.python();
  const uint32_t cache = python.Stack(python.Stack(0, "generate", kTrain, 3), "DynamicLayer.update",
                                      std::string(kSite) + "transformers/cache_utils.py", 101);
  const uint32_t cat = python.Stack(cache, "cat", std::string(kSite) + "torch/functional.py", 1);
  const uint32_t buckets =
      python.Stack(0, "DistributedDataParallel._ddp_init_helper",
                   std::string(kSite) + "torch/nn/parallel/distributed.py", 1'200);
  const uint32_t gather = python.Stack(
      0, "all_gather", std::string(kSite) + "torch/distributed/distributed_c10d.py", 3'000);
  training.Take("communication", buckets);
  training.Take("communication", gather);
  for (int call = 0; call < 5; ++call) {
    training.In(training.net());
    training.In(training.linear());
    if (call == 0) training.Take("kept between calls");
    training.Take("KV cache", cat);
    training.In(training.net());
    training.In(0);
  }
  const Report report = training.Analyzed();
  REQUIRE(report.memory.tensors.size() == 1);
  CHECK(RolesOf(report.memory.tensors[0]) == training.at_peak);
}

TEST_CASE("A workspace of cuBLAS is no gradient and no activation") {
  Training training(MemorySeed());
  constexpr uint64_t kHopper = uint64_t{32} << 20;
  training.In(training.linear());
  training.Take("workspaces", 0, kMainTid, kHopper);
  training.In(training.node(), kEngineTid);
  training.Take("workspaces", 0, kEngineTid, kHopper);
  training.In(training.net());
  training.Take("activations", 0, kMainTid, kHopper);  // in no product
  const Report report = training.Analyzed();
  REQUIRE(report.memory.tensors.size() == 1);
  CHECK(RolesOf(report.memory.tensors[0]) == training.at_peak);
}

TEST_CASE("A name belongs to the tensor that was allocated when it was given") {
  SnapshotBuilder b;
  b.Tensor(TensorChange::kWeight, 0x1000, 0, 1'000);  // of nothing that is known
  b.Tensor(TensorChange::kAllocated, 0x1000, 512, 2'000);
  b.Tensor(TensorChange::kFreed, 0x1000, 0, 3'000);
  b.Tensor(TensorChange::kAllocated, 0x1000, 1'024, 4'000);
  b.Tensor(TensorChange::kGradient, 0x1200, 0, 5'000);  // a view into it
  b.Tensor(TensorChange::kWeight, 0x1400, 0, 5'500);    // behind its end
  b.Tensor(TensorChange::kAllocated, 0x5000, 2'048, 6'000);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.memory.tensors.size() == 1);
  CHECK(RolesOf(report.memory.tensors[0]) == Roles{{"gradients", 1'024}, {"other tensors", 2'048}});
}

TEST_CASE("The peak of the device is divided into tensors, what PyTorch keeps, and the rest") {
  SnapshotBuilder b;
  constexpr uint64_t kMiB = 1 << 20;
  b.Allocate(0x1'0000'0000, 100 * kMiB, "", 10'000);  // a segment
  b.Allocate(0x2'0000'0000, 50 * kMiB, "", 20'000);   // not PyTorch's
  b.Tensor(TensorChange::kAllocated, 0x1'0000'0000, 30 * kMiB, 30'000);
  b.Tensor(TensorChange::kAllocated, 0x1'0000'0000 + 40 * kMiB, 20 * kMiB, 40'000);
  b.Tensor(TensorChange::kAllocated, 0x9'0000'0000, 5 * kMiB, 50'000);  // nobody saw its segment
  b.Tensor(TensorChange::kWeight, 0x1'0000'0000, 0, 60'000);
  b.Tensor(TensorChange::kRefused, 0, 45 * kMiB, 65'000);
  b.Allocate(0x3'0000'0000, kMiB, "", 70'000);
  b.Free(0x2'0000'0000, 80'000);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.memory.devices.size() == 1);
  const DeviceMemory& device = report.memory.devices[0];
  CHECK(device.peak_bytes == 151 * kMiB);
  Roles parts;
  for (const MemoryPart& part : device.parts) parts[part.part] = part.bytes;
  CHECK(parts == Roles{{"not PyTorch's", 51 * kMiB},
                       {"unused by PyTorch", 50 * kMiB},
                       {"weights", 30 * kMiB},
                       {"other tensors", 20 * kMiB}});
  REQUIRE(report.memory.tensors.size() == 1);
  const TensorSegments& segments = report.memory.tensors[0].segments;
  CHECK(segments.segments == 1);
  CHECK(segments.bytes == 100 * kMiB);
  CHECK(segments.unused_bytes == 50 * kMiB);
  CHECK(segments.gaps == 2);
  CHECK(segments.largest_gap == 40 * kMiB);
  CHECK(segments.outside_bytes == 5 * kMiB);
  REQUIRE(report.memory.tensor_failures.size() == 1);
  CHECK(report.memory.tensor_failures[0].segments.largest_gap == 40 * kMiB);  // 45 do not fit
}

TEST_CASE("The tensor that a segment was taken for is in the peak that the segment makes") {
  SnapshotBuilder b;
  constexpr uint64_t kMiB = 1 << 20;
  b.Allocate(0x1'0000'0000, 8 * kMiB, "", 10'000);
  b.Tensor(TensorChange::kAllocated, 0x1'0000'0000, 8 * kMiB, 11'000);
  b.Tensor(TensorChange::kFreed, 0x1'0000'0000, 0, 20'000);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.memory.devices.size() == 1);
  const std::vector<MemoryPart>& parts = report.memory.devices[0].parts;
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].part == "other tensors");
  CHECK(parts[0].bytes == 8 * kMiB);
}

TEST_CASE("Results of a model that the next call replaces are activations, beside other modules") {
  Training training(MemorySeed());
  const uint32_t loss = training.builder().TorchOp(0, "CrossEntropyLoss", TorchScope::kModule);
  uint64_t results = 0;
  for (int step = 0; step < 4; ++step) {
    training.In(training.net());
    training.In(training.linear());
    const uint64_t fresh = training.Take("activations");
    training.In(0);
    if (results != 0) training.Free(results);  // rebound
    results = fresh;
    training.In(loss);
    training.In(0);
  }
  const Report report = training.Analyzed();
  REQUIRE(report.memory.tensors.size() == 1);
  CHECK(RolesOf(report.memory.tensors[0]) == training.at_peak);
}

TEST_CASE("Tensors whose frees were lost in a pause end where others take their memory") {
  SnapshotBuilder b;
  b.Tensor(TensorChange::kAllocated, 0x1000, 0x400, 1'000);
  b.Tensor(TensorChange::kAllocated, 0x1400, 0x400, 2'000);
  b.Tensor(TensorChange::kAllocated, 0x1800, 0x400, 3'000);
  b.Tensor(TensorChange::kAllocated, 0x1200, 0x600, 4'000);  // over the first two
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.memory.tensors.size() == 1);
  CHECK(report.memory.tensors[0].peak_bytes == 0xc00);
  CHECK(report.memory.tensors[0].bytes_at_end == 0xa00);
  CHECK(report.memory.frees_missing == 2);
}

TEST_CASE("A tensor that each step keeps is a growth of tensors, with its line") {
  Training training(MemorySeed());
  const uint32_t leak = training.python().Stack(0, "log", kTrain, 77);
  const std::vector<uint64_t> weights = {training.Take("weights")};
  constexpr int kSteps = 20;
  const uint64_t leaked = training.Draw();
  for (int step = 0; step < kSteps; ++step) {
    training.Step(weights, step == 0, true);
    training.Take("leak", leak, kMainTid, leaked);
  }
  training.In(0);
  const Report report = training.Analyzed();
  const auto growth = std::find_if(report.memory.growth.begin(), report.memory.growth.end(),
                                   [](const MemoryGrowth& one) { return one.memory == "tensors"; });
  REQUIRE(growth != report.memory.growth.end());
  CHECK(growth->step == "Net");  // no range of NVTX repeats
  CHECK(growth->grows);
  CHECK(growth->bytes_per_step == static_cast<double>(leaked));
  REQUIRE_FALSE(growth->lines.empty());
  CHECK(growth->lines[0].place.line == 77);
  const Finding* finding = FindingOf(report, "memory-growth");
  REQUIRE(finding != nullptr);
  CHECK_THAT(finding->title, Catch::Contains("memory of tensors on GPU 0 grows by"));
  CHECK_THAT(finding->title, Catch::Contains("train.py:77 log"));
}

TEST_CASE("Any changes of tensors give roles and lines that sum to the peak") {
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    std::mt19937 random(seed);
    SnapshotBuilder b;
    std::vector<uint32_t> ops = {0, b.TorchOp(0, "Net", TorchScope::kModule)};
    for (int op = 0; op < 6; ++op) {
      ops.push_back(b.TorchOp(ops[random() % ops.size()], "op" + std::to_string(op),
                              static_cast<TorchScope>(2 + random() % 4)));
    }
    for (int change = 0; change < 2'000; ++change) {
      const auto time_ns = static_cast<int64_t>(1'000 + random() % 1'000'000);
      b.TorchStep(time_ns, ops[random() % ops.size()], 1'000 + random() % 3);
      b.Tensor(
          static_cast<TensorChange>(random() % 9), random() % 50 * 512,
          uint64_t{random()} << (random() % 30), time_ns,
          {static_cast<uint32_t>(random() % 2), static_cast<uint32_t>(1'000 + random() % 3), 0});
    }
    const MemoryReport memory = Analyze(b.Snapshot()).memory;
    REQUIRE(memory.tensors.size() == 2);
    for (const TensorMemory& tensors : memory.tensors) {
      uint64_t roles = 0, ranges = 0;
      for (const RoleHolder& role : tensors.roles) roles += role.bytes;
      for (const MemoryHolder& range : tensors.holders) ranges += range.bytes;
      CHECK(roles == tensors.peak_bytes);
      CHECK(ranges == tensors.peak_bytes);
    }
  }
}

}  // namespace
}  // namespace prof::test::tensors_test
