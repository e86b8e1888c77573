// SPDX-License-Identifier: Apache-2.0
//
// Tests of what the encoder writes, as the analyzer's reader sees it.
#include "lib/capture/wire/encoder.h"

#include <string>
#include <vector>

#include "lib/capture/collector/memory_output.h"
#include "lib/snapshot/read/reader.h"
#include "test/capture/wire/blocks.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"

namespace prof::capture::test::encoder_test {
namespace {

using prof::test::Blocks;
using prof::test::Payloads;

model::Model Read(const std::string& bytes) {
  absl::StatusOr<model::Model> model = ReadSnapshot(bytes);
  INFO(model.status());
  REQUIRE(model.ok());
  CHECK(model->truncation.empty());
  return *std::move(model);
}

struct Recording {
  Recording() { encoder.Add(AHeader()); }
  std::string Bytes() {
    Integrity integrity;
    encoder.AddCounts(integrity);
    encoder.WriteLastBlock(integrity, kStart + 1'000'000'000);
    return output.TakeBytes();
  }
  MemoryOutput output;
  Encoder encoder{&output};
};

KernelEvent KernelAt(int64_t start_ns, uint32_t correlation) {
  KernelEvent kernel;
  kernel.name = "k";
  kernel.grid = kernel.block = {1, 1, 1};
  kernel.correlation = correlation;
  kernel.start_ns = start_ns;
  kernel.end_ns = start_ns + 10;
  return kernel;
}

TEST_CASE("An allocation and its free cost few bytes") {
  const auto size = [](int pairs, bool pooled) {
    Recording recording;
    for (int i = 0; i < pairs; ++i) {
      AllocationEvent event = AnAllocation();
      event.pooled = pooled;
      event.pool = {PoolType::kLocal, 0x55d0'1234'5678, uint64_t{1} << 30, 0, ~uint64_t{0}};
      event.pool.used = static_cast<uint64_t>(i % 7 + 1) << 21;
      event.address += static_cast<uint64_t>(i * 7919 % 512) << 21;
      event.bytes = static_cast<uint64_t>(i % 100 + 1) << 21;
      event.correlation = 1000 + 20 * static_cast<uint32_t>(i);
      event.time_ns = kStart + i * int64_t{90'000};
      recording.encoder.Add(event);
      event.free = true;
      event.correlation += 9;
      event.time_ns += 41'234;
      recording.encoder.Add(event);
    }
    return static_cast<double>(recording.Bytes().size());
  };
  CHECK((size(2000, false) - size(1000, false)) / 1000 < 32);
  CHECK((size(2000, true) - size(1000, true)) / 1000 < 48);
}

TEST_CASE("A launch costs no byte more while its channel stays the same") {
  const auto size = [](Channel channel) {
    Recording recording;
    for (uint32_t i = 1; i <= 1000; ++i) {
      KernelEvent kernel = KernelAt(kStart + i * 100, i);
      kernel.channel = channel;
      recording.encoder.Add(kernel);
    }
    return recording.Bytes().size();
  };
  CHECK(size({300, ChannelType::kCompute}) <= size({}) + 5);  // in the table of lanes
}

TEST_CASE("The reader understands everything that the encoder writes") {
  MemoryOutput output;
  Encoder encoder(&output);
  AddAll(encoder, EveryLoss());
  const model::Model model = Read(output.TakeBytes());

  CHECK(model.process.command == "./train --fast");
  CHECK(model.process.rank == 3);
  CHECK(model.process.injected);
  CHECK(model.integrity.samples_failed == 1011);
  CHECK(model.integrity.incomplete);
  CHECK(model.stopped_in_order);
  CHECK(model.end_ns == kStart + 10'000);
  REQUIRE(model.devices.size() == 1);
  CHECK(model.devices[0].memory_bytes == 150'000'000'001);
  CHECK(model.devices[0].peaks.at("dram__bytes.sum.peak_sustained") == 1536.5);

  REQUIRE(model.ops.size() == 6);
  const model::Op& kernel = model.ops[0];
  CHECK(kernel.kind == model::OpKind::kKernel);
  CHECK(model.shapes.at(kernel.shape).name == "_Z5saxpyfPKfPf");
  CHECK(model.shapes.at(kernel.shape).cluster == std::array<uint32_t, 3>{107, 108, 109});
  CHECK(kernel.device == 1);
  CHECK(kernel.context == 115);
  CHECK(kernel.stream == 116);
  CHECK(kernel.graph == 118);
  CHECK(kernel.graph_node == (uint64_t{1} << 40) + 119);
  CHECK(kernel.start_ns == kStart + 1000);
  CHECK(kernel.end_ns == kStart + 1120);
  REQUIRE(kernel.api == 0);
  CHECK(model.paths.at(model.LaunchPath(kernel)).full == "torch:step");
  CHECK(model.paths.at(kernel.path).full == "torch:step > torch:step/layer");
  CHECK(kernel.sampled);
  const model::Op& copy = model.ops[1];
  CHECK(copy.kind == model::OpKind::kCopy);
  CHECK(copy.copy == model::CopyKind::kHostToDevice);
  CHECK(copy.source == model::MemoryKind::kPageable);
  CHECK(copy.destination == model::MemoryKind::kDevice);
  CHECK(copy.async);
  CHECK(copy.bytes == (uint64_t{1} << 33) + 201);
  const model::Op& memset = model.ops[2];
  CHECK(memset.kind == model::OpKind::kMemset);
  CHECK(memset.destination == model::MemoryKind::kManaged);
  CHECK(memset.bytes == 301);
  CHECK(model.ops[3].kind == model::OpKind::kGraph);
  CHECK(model.ops[3].graph == 351);
  CHECK_FALSE(model.ops[4].timed);

  REQUIRE(model.allocations.size() == 2);  // by time
  CHECK(model.allocations[0].operation == model::AllocationOperation::kFree);
  CHECK(model.allocations[0].pooled);
  CHECK(model.allocations[0].address == 0x7e00'0000'0000);
  CHECK(model.allocations[0].stream == 116);
  CHECK(model.allocations[1].operation == model::AllocationOperation::kAllocate);
  CHECK_FALSE(model.allocations[1].pooled);
  CHECK(model.allocations[1].address == 0x7f00'0000'1000);
  CHECK(model.allocations[1].bytes == (uint64_t{1} << 33) + 321);
  REQUIRE(model.pool_states.size() == 2);
  CHECK(model.pool_states[0].operation == model::PoolOperation::kAllocation);
  CHECK(model.pool_states[0].threshold == ~uint64_t{0});
  CHECK(model.pool_states[1].operation == model::PoolOperation::kTrimmed);
  CHECK(model.pool_states[1].used == 3420);
  REQUIRE(model.unified_memory.size() == 1);
  CHECK(model.unified_memory[0].kind == model::UnifiedMemoryKind::kDeviceToHost);
  REQUIRE(model.gpu_states.size() == 1);
  CHECK(model.gpu_states[0].second == 363);

  REQUIRE(model.syncs.size() == 1);
  CHECK(model.syncs[0].kind == model::SyncKind::kStreamWaitEvent);
  REQUIRE(model.api_calls.size() == 1);
  CHECK(model.api_calls[0].error == 501);
  CHECK(model.threads.at(model.api_calls[0].thread).name == "trainer");
  REQUIRE(model.overheads.size() == 1);
  CHECK(model.overheads[0].kind == "driver compiler");
  REQUIRE(model.instances.size() == 1);
  CHECK(model.instances[0].end_ns == kStart + 5600);
  REQUIRE(model.spans.size() == 1);
  CHECK(model.paths.at(model.spans[0].path).full == "torch:step/layer");
  REQUIRE(model.samples.size() == 2);
  CHECK(model.samples[0].values == std::vector<double>{0.5, 12345.25});
  const model::PassGroup& group = model.groups.at(model.samples[0].group);
  CHECK(group.level == "sol");
  REQUIRE(group.throughputs.size() == 1);
  CHECK(group.throughputs[0].metric == "all__bytes.sum");
  CHECK(group.throughputs[0].parts ==
        std::vector<std::string>{"dram__bytes.sum", "lts__bytes.sum"});
  CHECK(group.throughputs[0].missing == std::vector<std::string>{"x.sum"});
  REQUIRE(model.profiler_intervals.size() == 1);
  CHECK(model.profiler_intervals[0].work == model::ProfilerWork::kRotate);
  REQUIRE(model.notices.size() == 1);
  CHECK(model.notices[0].fix == "be root");
}

TEST_CASE("Differences start again in each block, so that each can be read by itself") {
  Recording recording;
  const std::vector<int64_t> starts = {kStart + 500, kStart + 100, kStart + 900, kStart + 300};
  for (size_t i = 0; i < starts.size(); ++i) {
    recording.encoder.Add(KernelAt(starts[i], static_cast<uint32_t>(1000 - 7 * i)));
    if (i % 2 == 1) recording.encoder.WriteBlock({});
  }
  const std::string bytes = recording.Bytes();
  const std::vector<wire::Block> blocks = Blocks(bytes);
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[1].kernels().base_ns() == kStart + 900);
  CHECK(blocks[1].kernels().correlation_guess(1) == 2 * (1000 - 14));
  const model::Model model = Read(bytes);
  REQUIRE(model.ops.size() == 4);
  CHECK(model.ops[0].start_ns == kStart + 100);
  CHECK(model.ops[0].correlation == 993);
  CHECK(model.ops[1].start_ns == kStart + 300);
  CHECK(model.ops[1].correlation == 979);
  CHECK(model.ops[3].start_ns == kStart + 900);
  CHECK(model.ops[3].correlation == 986);
}

TEST_CASE("Nothing of a block is left in the columns of the next one") {
  Recording recording;
  for (int block = 0; block < 3; ++block) {
    for (uint32_t i = 0; i < 50; ++i) {
      KernelEvent kernel = AKernel();
      kernel.grid[0] = 1 + i * i % 7;
      kernel.correlation += i * i % 11;
      kernel.start_ns += i * 100'000;
      kernel.end_ns = kernel.start_ns + i * i % 300 * 50;
      kernel.graph = i % 3;
      if (i % 13 == 0) kernel.start_ns = kernel.end_ns = 0;
      recording.encoder.Add(kernel);
      ApiEvent call = AnApiCall();
      call.tid += i % 5;
      call.error = i % 4;
      call.start_ns = kernel.start_ns + 1;
      call.end_ns = call.start_ns + i;
      recording.encoder.Add(call);
      recording.encoder.Add(kTid + i % 2, RangeEvent{kernel.start_ns + 1, i % 3});
    }
    UntracedKernelEvent untraced;
    untraced.launch_ns = kStart;
    recording.encoder.Add(untraced);
    recording.encoder.WriteBlock({});
  }
  const std::vector<wire::Block> blocks = Blocks(recording.Bytes());
  REQUIRE(blocks.size() == 4);
  for (int block = 1; block < 3; ++block) {
    const wire::Block &first = blocks[0], &later = blocks[block];
    CHECK(later.kernels().SerializeAsString() == first.kernels().SerializeAsString());
    CHECK(later.api_calls().SerializeAsString() == first.api_calls().SerializeAsString());
    CHECK(later.ranges().SerializeAsString() == first.ranges().SerializeAsString());
  }
  CHECK_FALSE(blocks[3].has_kernels());
}

TEST_CASE("Table entries are written once and keep their ids in later blocks") {
  Recording recording;
  recording.encoder.Add(AKernel());
  recording.encoder.Add(AnApiCall());
  recording.encoder.WriteBlock({});
  recording.encoder.Add(AKernel());
  recording.encoder.Add(AnApiCall());
  const std::vector<wire::Block> blocks = Blocks(recording.Bytes());
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].strings_size() == 2);
  CHECK(blocks[1].strings_size() == 0);
  CHECK(blocks[1].kernel_shapes_size() == 0);
  CHECK(blocks[1].lanes_size() == 0);
  CHECK(blocks[1].threads_size() == 0);
  CHECK(blocks[1].kernels().shape_guess(1) == 1);
}

TEST_CASE("A table entry of nothing but zeros and empty names keeps its place") {
  Recording recording;
  recording.encoder.Add(RangePathInfo{1, 0, "", "", 0, 0});
  recording.encoder.Add(RangePathInfo{2, 0, "named", "", 0, 0});
  recording.encoder.Add(PassGroupEvent{});
  KernelEvent nothing;
  nothing.start_ns = nothing.end_ns = kStart;
  recording.encoder.Add(nothing);
  recording.encoder.Add(AKernel());
  recording.encoder.Add(0, RangeEvent{kStart, 1});
  recording.encoder.Add(kTid, RangeEvent{kStart, 2});
  recording.encoder.Add(kTid, RangeEvent{kStart + 5, 0});
  const model::Model model = Read(recording.Bytes());
  CHECK(model.groups.size() == 2);
  REQUIRE(model.ops.size() == 2);
  CHECK(model.ops[0].stream == 0);
  CHECK(model.shapes.at(model.ops[0].shape).name.empty());
  CHECK(model.ops[1].stream == 116);
  CHECK(model.shapes.at(model.ops[1].shape).name == "_Z5saxpyfPKfPf");
  REQUIRE(model.instances.size() == 2);
  for (const model::RangeInstance& instance : model.instances) {
    const bool named = model.paths.at(instance.path).full == "named";
    CHECK(model.threads.at(instance.thread).tid == (named ? kTid : 0));
  }
}

TEST_CASE("Kernels without a time are kept, marked and counted, wherever they stand in a block") {
  Recording recording;
  for (const int64_t start_ns : {int64_t{0}, kStart + 50, int64_t{0}, kStart + 80}) {
    KernelEvent kernel = KernelAt(start_ns, 1);
    if (start_ns == 0) kernel.end_ns = 0;
    recording.encoder.Add(kernel);
  }
  KernelEvent backwards = KernelAt(kStart + 90, 1);
  backwards.end_ns = backwards.start_ns - 1;
  recording.encoder.Add(backwards);
  const model::Model model = Read(recording.Bytes());
  REQUIRE(model.ops.size() == 5);
  CHECK(model.ops[0].start_ns == kStart + 50);
  CHECK(model.ops[0].timed);
  CHECK(model.ops[1].start_ns == kStart + 80);
  CHECK(model.ops[1].timed);
  for (size_t i = 2; i < 5; ++i) CHECK_FALSE(model.ops[i].timed);
  CHECK(model.integrity.kernels == 5);
  CHECK(model.integrity.untimed == 3);
}

TEST_CASE("A launch that was kept from tracing is a launch of its kernel without a time") {
  Recording recording;
  const KernelEvent kernel = KernelAt(kStart + 50, 1);
  recording.encoder.Add(kernel);
  UntracedKernelEvent untraced;
  untraced.name = std::string(kernel.name);
  untraced.grid = kernel.grid;
  untraced.block = kernel.block;
  untraced.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  untraced.device = kernel.device;
  untraced.context = kernel.context;
  untraced.stream = kernel.stream;
  untraced.correlation = 2;
  untraced.launch_ns = kStart + 70;
  recording.encoder.Add(untraced);
  untraced.name = "never seen";
  untraced.correlation = 3;
  recording.encoder.Add(untraced);
  const model::Model model = Read(recording.Bytes());
  REQUIRE(model.ops.size() == 3);
  CHECK(model.ops[1].untraced);
  CHECK_FALSE(model.ops[1].timed);
  CHECK(model.ops[1].shape == model.ops[0].shape);
  CHECK(model.ops[1].correlation == 2);
  CHECK(model.shapes[model.ops[2].shape].name == "never seen");
  CHECK(model.integrity.untimed == 0);
  CHECK(model.integrity.kernels == 1);  // records
}

TEST_CASE("Other records without a time are left out and counted") {
  Recording recording;
  CopyEvent copy = ACopy();
  MemsetEvent memset = AMemset();
  SyncEvent sync = ASync();
  ApiEvent call = AnApiCall();
  OverheadEvent overhead = AnOverhead();
  copy.start_ns = memset.start_ns = sync.start_ns = call.start_ns = overhead.start_ns = 0;
  recording.encoder.Add(copy);
  recording.encoder.Add(memset);
  recording.encoder.Add(sync);
  recording.encoder.Add(call);
  recording.encoder.Add(overhead);
  const model::Model model = Read(recording.Bytes());
  CHECK(model.ops.empty());
  CHECK(model.syncs.empty());
  CHECK(model.api_calls.empty());
  CHECK(model.overheads.empty());
  CHECK(model.integrity.untimed == 5);
}

TEST_CASE("An end before its start is a duration of zero, not of centuries") {
  Recording recording;
  SyncEvent sync = ASync();
  sync.end_ns = 0;
  recording.encoder.Add(sync);
  const model::Model model = Read(recording.Bytes());
  REQUIRE(model.syncs.size() == 1);
  CHECK(model.syncs[0].end_ns == model.syncs[0].start_ns);
}

TEST_CASE("Only the rows that a graph launched carry a graph") {
  Recording recording;
  for (uint32_t i = 0; i < 6; ++i) {
    KernelEvent kernel = KernelAt(kStart + i, i);
    if (i % 3 == 1) kernel.graph = 40 + i, kernel.graph_node = 400 + i;
    recording.encoder.Add(kernel);
  }
  const model::Model model = Read(recording.Bytes());
  REQUIRE(model.ops.size() == 6);
  for (uint32_t i = 0; i < 6; ++i) {
    CHECK(model.ops[i].graph == (i % 3 == 1 ? 40 + i : 0));
    CHECK(model.ops[i].graph_node == (i % 3 == 1 ? 400 + i : 0));
  }
}

TEST_CASE("Names that are not UTF-8 are readable afterwards") {
  Recording recording;
  KernelEvent kernel = KernelAt(kStart, 1);
  kernel.name = "bad\xff\xc0name\xe2\x82\xac";
  recording.encoder.Add(kernel);
  recording.encoder.Add(NoticeEvent{Severity::kInfo, Subsystem::kOutput, 0, "\x80", ""});
  const model::Model model = Read(recording.Bytes());
  CHECK(model.shapes.at(1).name == "bad??name\xe2\x82\xac");
  REQUIRE(model.notices.size() == 1);
  CHECK(model.notices[0].what == "?");
}

TEST_CASE("A program that makes up names without end fills a bounded table") {
  Recording recording;
  const std::string filler(64 << 10, 'x');
  constexpr int kNames = 600;  // 37.5 MiB of them
  for (int i = 0; i < kNames; ++i) {
    const std::string name = std::to_string(i) + filler;
    recording.encoder.Add(ApiEvent{name, kTid, 1, 0, kStart + i, kStart + i + 1});
    recording.encoder.WriteIfLarge();
  }
  Integrity integrity;
  recording.encoder.AddCounts(integrity);
  CHECK(integrity.dropped_by_cap > 50);
  CHECK(integrity.dropped_by_cap < 120);
  const std::string bytes = recording.Bytes();
  CHECK(bytes.size() < 34 << 20);
  int calls = 0;
  for (const wire::Block& block : Blocks(bytes)) calls += block.api_calls().start_guess_ns_size();
  CHECK(calls == kNames);  // those without room have no name, but are there
}

TEST_CASE("A kernel that comes after grids without end keeps its name") {
  Recording recording;
  constexpr uint32_t kGrids = (1 << 18) + 100;
  KernelEvent kernel = KernelAt(kStart, 1);
  for (uint32_t i = 0; i < kGrids; ++i) {
    kernel.grid[0] = i + 1;
    recording.encoder.Add(kernel);
    recording.encoder.WriteIfLarge();
  }
  kernel.name = "late";
  kernel.correlation = 2;
  recording.encoder.Add(kernel);
  const model::Model m = Read(recording.Bytes());
  CHECK(m.integrity.dropped_by_cap == 101);
  REQUIRE(m.ops.size() == kGrids + 1);
  size_t of_k = 0, late = 0;
  for (const model::Op& op : m.ops) {
    of_k += m.shapes[op.shape].name == "k" ? 1 : 0;
    late += m.shapes[op.shape].name == "late" ? 1 : 0;
  }
  CHECK(of_k == kGrids);
  CHECK(late == 1);
}

TEST_CASE("A file holds any number of graph nodes, kept seconds a bounded one") {
  constexpr uint64_t kNodes = (uint64_t{1} << 22) + 5;
  for (const bool keeps : {false, true}) {
    class Sink final : public BlockSink {
     public:
      explicit Sink(bool keeps) : keeps_(keeps) {}
      void Append(const EncodedBlock& /*block*/) override { ++blocks_; }
      [[nodiscard]] uint64_t blocks() const override { return blocks_; }
      [[nodiscard]] bool drops_blocks() const override { return keeps_; }

     private:
      const bool keeps_;
      uint64_t blocks_ = 0;
    } sink(keeps);
    Encoder encoder(&sink);
    encoder.Add(AHeader());
    for (uint64_t node = 1; node <= kNodes; ++node) {
      encoder.Add(GraphNodeEvent{node, 1});
      if (node % 1024 == 0) encoder.WriteIfLarge();
    }
    Integrity integrity;
    encoder.AddCounts(integrity);
    CHECK(integrity.graph_nodes_dropped == (keeps ? 5 : 0));
  }
}

TEST_CASE("Long names count towards the size of a block") {
  Recording recording;
  for (int i = 0; i < 100; ++i) {
    const std::string name = std::to_string(i) + std::string(10'000, 'x');
    recording.encoder.Add(ApiEvent{name, kTid, 1, 0, kStart + i, kStart + i + 1});
    recording.encoder.WriteIfLarge();
  }
  const std::vector<std::string> payloads = Payloads(recording.Bytes());
  CHECK(payloads.size() >= 5);
  for (const std::string& payload : payloads) CHECK(payload.size() < 300'000);
}

TEST_CASE("A large input becomes many blocks, each far below the format's limit") {
  Recording recording;
  constexpr uint32_t kKernels = 300'000;
  for (uint32_t i = 0; i < kKernels; ++i) {
    recording.encoder.Add(KernelAt(kStart + 100 * int64_t{i}, i + 1));
    if (i % 1000 == 999) recording.encoder.WriteIfLarge();
  }
  const std::string bytes = recording.Bytes();
  const std::vector<std::string> payloads = Payloads(bytes);
  CHECK(payloads.size() > 10);
  for (const std::string& payload : payloads) CHECK(payload.size() < format::kMaxPayload / 16);
  const model::Model model = Read(bytes);
  REQUIRE(model.ops.size() == kKernels);
  CHECK(model.ops.back().start_ns == kStart + 100 * int64_t{kKernels - 1});
  CHECK(model.ops.back().correlation == kKernels);
}

TEST_CASE("Nothing is written before the header, however large it grows") {
  MemoryOutput output;
  Encoder encoder(&output);
  for (int i = 0; i < 100'000; ++i) encoder.Add(kTid, RangeEvent{kStart + i, 0});
  encoder.WriteIfLarge();
  CHECK(output.TakeBytes().empty());
}

TEST_CASE("Notices beyond a bound are counted as lost, and what is wrong still finds a place") {
  Recording recording;
  for (int i = 0; i < 3000; ++i) {
    recording.encoder.Add(NoticeEvent{Severity::kInfo, Subsystem::kCounters, 0, "again", ""});
  }
  recording.encoder.Add(NoticeEvent{Severity::kError, Subsystem::kTimeline, 7, "broken", ""});
  Integrity integrity;
  recording.encoder.AddCounts(integrity);
  CHECK(integrity.dropped_by_cap == 3000 - 2048);
  const model::Model model = Read(recording.Bytes());
  REQUIRE(model.notices.size() == 2049);
  CHECK(model.notices.back().what == "broken");
}

}  // namespace
}  // namespace prof::capture::test::encoder_test
