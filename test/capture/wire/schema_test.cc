// SPDX-License-Identifier: Apache-2.0
//
// Tests the writer (protozero, by field number) against the schema (libprotobuf), field by field.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <set>
#include <string>
#include <vector>

#include "lib/capture/collector/memory_output.h"
#include "lib/capture/wire/block_entries.h"
#include "lib/capture/wire/encoder.h"
#include "test/capture/wire/blocks.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"

namespace prof::capture::test::schema_test {
namespace {

namespace pb = google::protobuf;
using prof::test::Blocks;

std::vector<wire::Block> AllBlocks() {
  MemoryOutput output;
  Encoder encoder(&output);
  AddAll(encoder, EveryLoss());
  return Blocks(output.TakeBytes());
}

// What only a recording of the last seconds has.
wire::Block KeptSampleBlock() {
  std::string entries;
  const SampledKernel kernel = {1, 2, 300};
  AppendEntry(ASample(), &kernel, &entries);
  wire::Block block;
  REQUIRE(block.ParseFromString(entries));
  return block;
}

template <typename Repeated>
auto Values(const Repeated& repeated) {
  return std::vector<typename Repeated::value_type>(repeated.begin(), repeated.end());
}
using U32s = std::vector<uint32_t>;
using U64s = std::vector<uint64_t>;
using I64s = std::vector<int64_t>;

void CollectSet(const pb::Message& message, std::set<std::string>* set) {
  std::vector<const pb::FieldDescriptor*> fields;
  const pb::Reflection& reflection = *message.GetReflection();
  reflection.ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    set->insert(field->full_name());
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) CollectSet(reflection.GetMessage(message, field), set);
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i) {
      CollectSet(reflection.GetRepeatedMessage(message, field, i), set);
    }
  }
}

void CollectFields(const pb::Descriptor& descriptor, std::set<std::string>* names) {
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const pb::FieldDescriptor* field = descriptor.field(i);
    const bool added = names->insert(field->full_name()).second;
    if (added && field->message_type() != nullptr) CollectFields(*field->message_type(), names);
  }
}

void CheckNoUnknown(const pb::Message& message) {
  const pb::Reflection& reflection = *message.GetReflection();
  INFO(message.GetTypeName());
  CHECK(reflection.GetUnknownFields(message).empty());
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) CheckNoUnknown(reflection.GetMessage(message, field));
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i) {
      CheckNoUnknown(reflection.GetRepeatedMessage(message, field, i));
    }
  }
}

TEST_CASE("Every field of the schema has a writer") {
  std::set<std::string> schema, written;
  CollectFields(*wire::Block::descriptor(), &schema);
  REQUIRE(schema.size() > 150);
  for (const wire::Block& block : AllBlocks()) CollectSet(block, &written);
  CollectSet(KeptSampleBlock(), &written);
  // Columns of version 1, which are read but no longer written.
  for (const char* field :
       {"KernelColumns.shape", "KernelColumns.lane", "KernelColumns.start_delta_ns",
        "KernelColumns.duration_ns", "KernelColumns.correlation_delta", "ApiColumns.name",
        "ApiColumns.thread", "ApiColumns.start_delta_ns", "ApiColumns.duration_ns",
        "ApiColumns.correlation_delta", "RangeColumns.thread", "RangeColumns.time_delta_ns",
        "RangeColumns.path"}) {
    CHECK(schema.erase(std::string("prof.wire.") + field) == 1);
  }
  std::vector<std::string> without_writer;
  for (const std::string& field : schema) {
    if (written.count(field) == 0) without_writer.push_back(field);
  }
  CHECK(without_writer == std::vector<std::string>{});
}

TEST_CASE("The writer writes no field that the schema does not have") {
  for (const wire::Block& block : AllBlocks()) CheckNoUnknown(block);
}

TEST_CASE("The header's fields arrive as they were given") {
  const wire::Header header = AllBlocks().at(0).header();
  CHECK(header.format_version() == format::kFormatVersion);
  CHECK(header.prof_version() == "9.8.7");
  CHECK(header.start_ns() == kStart);
  CHECK(header.pid() == 4711);
  CHECK(header.host() == "node17");
  CHECK(header.command() == "./train --fast");
  CHECK(header.rank() == 3);
  CHECK(header.cuda_driver_version() == 13010);
  CHECK(header.cupti_version() == 130001);
  CHECK(header.cupti_path() == "/opt/libcupti.so.13");
  CHECK(header.nvidia_driver() == "580.159.04");
  CHECK(header.injected());
  CHECK(header.cupti_device_bytes() == 134'400'000);
}

TEST_CASE("A process outside of any launcher has rank -1 in its header") {
  MemoryOutput output;
  Encoder encoder(&output);
  HeaderEvent header = AHeader();
  header.rank = -1;
  encoder.Add(header);
  encoder.WriteLastBlock({}, kStart);
  CHECK(Blocks(output.TakeBytes()).at(0).header().rank() == -1);
}

TEST_CASE("A device's fields arrive as they were given") {
  const wire::Block block = AllBlocks().at(0);
  REQUIRE(block.devices_size() == 1);
  const wire::Device& device = block.devices(0);
  CHECK(device.id() == 1);
  CHECK(device.name() == "NVIDIA H200");
  CHECK(device.chip() == "GH100");
  CHECK(device.compute_major() == 9);
  CHECK(device.compute_minor() == 2);
  CHECK(device.sm_count() == 132);
  CHECK(device.warp_size() == 32);
  CHECK(device.max_threads_per_sm() == 2048);
  CHECK(device.max_blocks_per_sm() == 33);
  CHECK(device.registers_per_sm() == 65536);
  CHECK(device.shared_memory_per_sm() == 233472);
  CHECK(device.reserved_shared_memory_per_block() == 1024);
  CHECK(device.l2_bytes() == 62914560);
  CHECK(device.memory_bytes() == 150'000'000'001);
  CHECK(device.sm_clock_khz() == 1980000);
  CHECK(device.memory_clock_khz() == 3201000);
  CHECK(device.memory_bus_bits() == 6144);
  CHECK(device.uuid() == "00112233445566778899aabbccddeeff");
  REQUIRE(device.peaks_size() == 1);
  CHECK(block.strings(static_cast<int>(device.peaks(0).metric()) - 1) ==
        "dram__bytes.sum.peak_sustained");
  CHECK(device.peaks(0).value() == 1536.5);
  REQUIRE(device.ceilings_size() == 1);
  const wire::DeviceCeiling& ceiling = device.ceilings(0);
  CHECK(block.strings(static_cast<int>(ceiling.kind()) - 1) == "dram-copy");
  CHECK(ceiling.per_s() == 4.0e12);
  CHECK(ceiling.n() == 5);
  CHECK(ceiling.min() == 3.9e12);
  CHECK(ceiling.max() == 4.1e12);
  CHECK(ceiling.sm_clock_hz() == 1.9e9);
}

TEST_CASE("Tables arrive as they were given") {
  const wire::Block block = AllBlocks().at(0);
  const auto text = [&](uint32_t id) {
    return id == 0 ? std::string() : block.strings(static_cast<int>(id) - 1);
  };
  REQUIRE(block.range_paths_size() == 5);
  CHECK(block.range_paths(0).parent() == 0);
  CHECK(text(block.range_paths(0).name()) == "step");
  CHECK(text(block.range_paths(0).domain()) == "torch");
  CHECK(block.range_paths(0).color() == 0xff112233);
  CHECK(block.range_paths(0).category() == 44);
  CHECK(block.range_paths(1).parent() == 1);
  CHECK(text(block.range_paths(1).name()) == "layer");
  CHECK(block.range_paths(1).domain() == 0);

  CHECK(text(block.range_paths(2).name()) == "req-* * *");
  CHECK(Values(block.range_paths(2).star()) == U32s{4, 8});

  CHECK(block.range_paths(2).torch() == wire::TORCH_NONE);
  CHECK(block.range_paths(3).torch() == wire::TORCH_OUTSIDE);
  CHECK(block.range_paths(4).torch() == wire::TORCH_BACKWARD);
  CHECK(block.range_paths(4).parent() == 4);
  CHECK(text(block.range_paths(4).domain()) == "torch");

  REQUIRE(block.kernel_shapes_size() == 2);
  const wire::KernelShape& shape = block.kernel_shapes(0);
  CHECK(text(shape.name()) == "_Z5saxpyfPKfPf");
  CHECK(U32s{shape.grid_x(), shape.grid_y(), shape.grid_z()} == U32s{101, 102, 103});
  CHECK(U32s{shape.block_x(), shape.block_y(), shape.block_z()} == U32s{104, 105, 106});
  CHECK(U32s{shape.cluster_x(), shape.cluster_y(), shape.cluster_z()} == U32s{107, 108, 109});
  CHECK(shape.static_shared_bytes() == 110);
  CHECK(shape.dynamic_shared_bytes() == 111);
  CHECK(shape.shared_executed_bytes() == 112);
  CHECK(shape.registers_per_thread() == 113);
  CHECK(shape.local_bytes_per_thread() == 114);
  CHECK(shape.local_known());
  CHECK(shape.code().instructions() == 1001);
  CHECK(shape.code().looped() == 1002);
  CHECK(shape.code().calls_others());
  CHECK(Values(shape.code().count()) == U32s{0, 0, 1003, 0, 1004});
  CHECK(Values(shape.code().looped_count()) == U32s{0, 0, 0, 0, 1005});
  CHECK(shape.launch_type() == 2);

  // Of the kernel, the copy, the memset, the allocation, and the free, whose channel is not known.
  REQUIRE(block.lanes_size() == 5);
  CHECK(block.lanes(0).device() == 1);
  CHECK(block.lanes(0).context() == 115);
  CHECK(block.lanes(0).stream() == 116);
  CHECK(block.lanes(1).stream() == 202);
  CHECK(block.lanes(2).stream() == 302);
  CHECK(block.lanes(3).stream() == 0xffffffff);
  CHECK(block.lanes(0).channel() == 9);
  CHECK(block.lanes(0).channel_type() == wire::CHANNEL_COMPUTE);
  CHECK(block.lanes(1).channel() == 31);
  CHECK(block.lanes(1).channel_type() == wire::CHANNEL_COPY);
  CHECK(block.lanes(2).channel_type() == wire::CHANNEL_UNKNOWN);
  CHECK(block.lanes(4).stream() == 116);
  CHECK(block.lanes(4).channel_type() == wire::CHANNEL_UNKNOWN);

  REQUIRE(block.graph_nodes_size() == 1);
  CHECK(Values(block.graph_nodes(0).node_delta()) ==
        I64s{(int64_t{1} << 40) + 119, 205 - 119 - (int64_t{1} << 40)});
  CHECK(Values(block.graph_nodes(0).path_delta()) == I64s{2, -1});
  CHECK(Values(block.graph_nodes(0).stack_delta()) == I64s{2, -2});

  REQUIRE(block.host_frames_size() == 2);
  CHECK(block.strings(static_cast<int>(block.host_frames(0).function()) - 1) == "Model.forward");
  CHECK(block.strings(static_cast<int>(block.host_frames(0).file()) - 1) == "/app/model.py");
  CHECK(block.host_frames(0).first_line() == 40);
  CHECK(block.host_frames(0).line() == 44);
  CHECK(block.host_frames(0).module() == 0);
  CHECK(block.strings(static_cast<int>(block.host_frames(1).module()) - 1) == "/app/train");
  CHECK(block.strings(static_cast<int>(block.host_frames(1).build_id()) - 1) == "01ab");
  CHECK(block.host_frames(1).offset() == 4711);
  REQUIRE(block.host_stacks_size() == 2);
  CHECK(block.host_stacks(0).parent() == 0);
  CHECK(block.host_stacks(0).frame() == 2);
  CHECK(block.host_stacks(1).parent() == 1);
  CHECK(block.host_stacks(1).frame() == 1);
  CHECK(Values(block.graph_nodes(0).torch_op_delta()) == I64s{0, 5});

  REQUIRE(block.streams_size() == 1);
  CHECK(block.streams(0).context() == 115);
  CHECK(block.streams(0).stream() == 116);
  CHECK(block.streams(0).priority() == -5);
  CHECK(block.streams(0).flag() == wire::STREAM_NON_BLOCKING);

  REQUIRE(block.threads_size() == 2);
  CHECK(block.threads(0).tid() == kTid);
  CHECK(text(block.threads(0).name()) == "trainer");
  CHECK(block.threads(1).tid() == kOtherTid);
  CHECK(block.threads(1).name() == 0);

  REQUIRE(block.pass_groups_size() == 1);
  REQUIRE(block.pass_groups(0).metric_size() == 2);
  CHECK(text(block.pass_groups(0).metric(0)) == "dram__bytes.sum");
  CHECK(text(block.pass_groups(0).metric(1)) == "sm__cycles_active.avg");
  CHECK(text(block.pass_groups(0).level()) == "sol");
  REQUIRE(block.pass_groups(0).throughputs_size() == 1);
  const wire::Throughput& throughput = block.pass_groups(0).throughputs(0);
  CHECK(text(throughput.metric()) == "all__bytes.sum");
  REQUIRE(throughput.part_size() == 2);
  CHECK(text(throughput.part(0)) == "dram__bytes.sum");
  CHECK(text(throughput.part(1)) == "lts__bytes.sum");
  REQUIRE(throughput.missing_size() == 1);
  CHECK(text(throughput.missing(0)) == "x.sum");
}

TEST_CASE("Host samples arrive as they were given") {
  const wire::Block block = AllBlocks().at(0);
  const wire::HostSampleColumns& samples = block.host_samples();
  CHECK(samples.base_ns() == kStart + 4600);
  CHECK(Values(samples.time_delta_ns()) == I64s{0, -100});
  CHECK(Values(samples.stack_delta()) == I64s{2, -1});
  REQUIRE(samples.thread_size() == 2);
  CHECK(block.threads(static_cast<int>(samples.thread(0)) - 1).tid() == kTid);
  CHECK(samples.kind(0) == wire::HOST_SAMPLE_STACK);
  CHECK(samples.kind(1) == wire::HOST_SAMPLE_TORN);
  CHECK(samples.state(0) == wire::HOST_STATE_SLEEP);
  CHECK(samples.state(1) == wire::HOST_STATE_RUNNING);
}

TEST_CASE("Changes of tensors' memory arrive as they were given") {
  const wire::Block block = AllBlocks().at(0);
  const wire::TensorColumns& tensors = block.tensors();
  CHECK(tensors.base_ns() == kStart + 4700);
  CHECK(Values(tensors.time_delta_ns()) == I64s{0, -50});
  REQUIRE(tensors.change_size() == 2);
  CHECK(tensors.change(0) == wire::TENSOR_ALLOCATED);
  CHECK(tensors.change(1) == wire::TENSOR_OPTIMIZER_STATE);
  CHECK(Values(tensors.device()) == U32s{3, 1});
  CHECK(block.threads(static_cast<int>(tensors.thread(0)) - 1).tid() == kTid);
  CHECK(block.threads(static_cast<int>(tensors.thread(1)) - 1).tid() == kOtherTid);
  CHECK(Values(tensors.address_delta()) == I64s{int64_t{1} << 47, 512 - (int64_t{1} << 47)});
  CHECK(Values(tensors.bytes()) == U64s{4096, uint64_t{1} << 40});
  CHECK(Values(tensors.stack_delta()) == I64s{2, -2});
}

TEST_CASE("A sample that is kept has its kernel, its stream and its duration") {
  const wire::CounterSample sample = KeptSampleBlock().samples(0);
  CHECK(sample.shape() == 1);
  CHECK(sample.lane() == 2);
  CHECK(sample.duration_ns() == 300);
  CHECK(sample.correlation() == ASample().correlation);
}

TEST_CASE("Counted launches arrive as they were given, with the shape that a record has") {
  const wire::Block block = AllBlocks().at(0);
  REQUIRE(block.launch_counts_size() == 3);
  const wire::LaunchCount& known = block.launch_counts(0);
  CHECK(known.device() == 2);
  CHECK(known.launches() == 70'000);
  REQUIRE(known.shape() != 0);
  const wire::KernelShape& shape = block.kernel_shapes(static_cast<int>(known.shape()) - 1);
  CHECK(block.strings(static_cast<int>(shape.name()) - 1) == AKernel().name);
  CHECK(shape.registers_per_thread() == AKernel().registers_per_thread);
  const wire::LaunchCount& unknown = block.launch_counts(1);
  CHECK(block.kernel_shapes(static_cast<int>(unknown.shape()) - 1).registers_per_thread() == 0);
  CHECK(block.launch_counts(2).shape() == 0);
  CHECK(block.launch_counts(2).graph_id() == 9);
  CHECK(block.launch_counts(2).launches() == 3);
  CHECK(block.launch_counts(2).counted_ns() == 500);
}

TEST_CASE("The columns of GPU work arrive as they were given") {
  const wire::Block block = AllBlocks().at(0);
  const wire::KernelColumns& kernels = block.kernels();
  CHECK(kernels.base_ns() == kStart + 1000);
  // Nothing is guessed right until three rows have gone before.
  CHECK(Values(kernels.shape_guess()) == U32s{0, 1, 0, 1, 0, 1});
  CHECK(Values(kernels.lane_guess()) == U32s{0, 1, 0, 1, 0, 5});
  CHECK(Values(kernels.correlation_guess()) == U32s{0, 2 * 117, 0, 2 * 13, 0, 2 * 1});
  // The second row repeats the start of the first, which is 120 before its end; the third is 200
  // behind the second, where the guess is 120 before it.
  CHECK(Values(kernels.start_guess_ns()) == I64s{0, -120, 320});
  CHECK(Values(kernels.duration_guess_ns()) == I64s{120, -120, 0});
  CHECK(Values(kernels.graph_row()) == U32s{0});
  CHECK(Values(kernels.graph_id()) == U32s{118});
  CHECK(Values(kernels.graph_node_id()) == U64s{(uint64_t{1} << 40) + 119});
  CHECK(Values(kernels.untimed_row()) == U32s{1});
  CHECK(Values(kernels.untraced_row()) == U32s{2});

  const wire::CopyColumns& copies = block.copies();
  CHECK(copies.base_ns() == kStart + 2000);
  CHECK(Values(copies.kind()) == std::vector<int>{wire::COPY_HOST_TO_DEVICE});
  CHECK(Values(copies.source()) == std::vector<int>{wire::MEMORY_PAGEABLE});
  CHECK(Values(copies.destination()) == std::vector<int>{wire::MEMORY_DEVICE});
  CHECK(Values(copies.bytes()) == U64s{(uint64_t{1} << 33) + 201});
  CHECK(Values(copies.lane()) == U32s{2});
  CHECK(Values(copies.start_delta_ns()) == I64s{0});
  CHECK(Values(copies.duration_ns()) == U64s{206});
  CHECK(Values(copies.correlation_delta()) == I64s{203});
  CHECK(Values(copies.async()) == std::vector<bool>{true});
  CHECK(Values(copies.graph_row()) == U32s{0});
  CHECK(Values(copies.graph_id()) == U32s{204});
  CHECK(Values(copies.graph_node_id()) == U64s{205});

  const wire::GraphRunColumns& runs = block.graph_runs();
  CHECK(runs.base_ns() == kStart + 3500);
  CHECK(Values(runs.graph_id()) == U32s{351});
  CHECK(Values(runs.lane()) == U32s{5});  // of the same stream, by no channel
  CHECK(Values(runs.start_delta_ns()) == I64s{0});
  CHECK(Values(runs.duration_ns()) == U64s{354});
  CHECK(Values(runs.correlation_delta()) == I64s{353});

  const wire::MemsetColumns& memsets = block.memsets();
  CHECK(memsets.base_ns() == kStart + 3000);
  CHECK(Values(memsets.bytes()) == U64s{301});
  CHECK(Values(memsets.memory()) == std::vector<int>{wire::MEMORY_MANAGED});
  CHECK(Values(memsets.lane()) == U32s{3});
  CHECK(Values(memsets.start_delta_ns()) == I64s{0});
  CHECK(Values(memsets.duration_ns()) == U64s{304});
  CHECK(Values(memsets.correlation_delta()) == I64s{303});
  CHECK(Values(memsets.graph_row()) == U32s{0});
  CHECK(Values(memsets.graph_id()) == U32s{305});
  CHECK(Values(memsets.graph_node_id()) == U64s{(uint64_t{1} << 40) + 306});
}

TEST_CASE("The columns of memory arrive as they were given") {
  const wire::Block block = AllBlocks().at(0);
  const wire::AllocationColumns& allocations = block.allocations();
  CHECK(allocations.base_ns() == kStart + 3500);
  CHECK(Values(allocations.operation()) ==
        std::vector<int>{wire::ALLOCATION_ALLOCATE, wire::ALLOCATION_FREE});
  CHECK(Values(allocations.memory()) == std::vector<int>{wire::MEMORY_DEVICE, wire::MEMORY_DEVICE});
  CHECK(Values(allocations.bytes()) == U64s{(uint64_t{1} << 33) + 321, 331});
  CHECK(Values(allocations.address_delta()) == I64s{0x7f00'0000'1000, -0x100'0000'1000});
  CHECK(Values(allocations.lane()) == U32s{4, 5});
  CHECK(Values(allocations.time_delta_ns()) == I64s{0, -100});
  CHECK(Values(allocations.correlation_delta()) == I64s{322, 10});
  CHECK(Values(allocations.pool_row()) == U32s{1});
  CHECK(Values(allocations.pool().type()) == std::vector<int>{wire::POOL_LOCAL});
  CHECK(Values(allocations.pool().address_delta()) == I64s{0x5000});
  CHECK(Values(allocations.pool().reserved_delta()) == I64s{3330});
  CHECK(Values(allocations.pool().used_delta()) == I64s{3340});
  CHECK(Values(allocations.pool().threshold_delta()) == I64s{-1});  // modulo 2^64

  const wire::PoolColumns& pools = block.pool_operations();
  CHECK(pools.base_ns() == kStart + 3600);
  CHECK(Values(pools.operation()) == std::vector<int>{wire::POOL_TRIMMED});
  CHECK(Values(pools.device()) == U32s{1});
  CHECK(Values(pools.state().type()) == std::vector<int>{wire::POOL_LOCAL});
  CHECK(Values(pools.state().address_delta()) == I64s{0x6000});
  CHECK(Values(pools.state().reserved_delta()) == I64s{3410});
  CHECK(Values(pools.state().used_delta()) == I64s{3420});
  CHECK(Values(pools.state().threshold_delta()) == I64s{3430});
  CHECK(Values(pools.managed()) == std::vector<bool>{true});
  CHECK(Values(pools.keep_bytes()) == U64s{3440});
  CHECK(Values(pools.time_delta_ns()) == I64s{0});
  CHECK(Values(pools.correlation_delta()) == I64s{345});

  const wire::UnifiedMemoryColumns& unified = block.unified_memory();
  CHECK(unified.base_ns() == kStart + 3700);
  CHECK(Values(unified.kind()) == std::vector<int>{wire::UNIFIED_DEVICE_TO_HOST});
  CHECK(Values(unified.value()) == U64s{3510});
  CHECK(Values(unified.source()) == U32s{351});
  CHECK(Values(unified.destination()) == U32s{352});
  CHECK(Values(unified.cause()) == U32s{4});
  CHECK(Values(unified.start_delta_ns()) == I64s{0});
  CHECK(Values(unified.duration_ns()) == U64s{3});

  const wire::GpuStateColumns& states = block.gpu_states();
  CHECK(states.base_ns() == kStart + 3750);
  CHECK(Values(states.kind()) == std::vector<int>{wire::GPU_STATE_POWER});
  CHECK(Values(states.device()) == U32s{361});
  CHECK(Values(states.value()) == U32s{362});
  CHECK(Values(states.second()) == U32s{363});
  CHECK(Values(states.reasons()) == U32s{364});
  CHECK(Values(states.time_delta_ns()) == I64s{0});
}

TEST_CASE("The columns of host work arrive as they were given") {
  const wire::Block block = AllBlocks().at(0);
  const wire::SyncColumns& syncs = block.syncs();
  CHECK(syncs.base_ns() == kStart + 4000);
  CHECK(Values(syncs.kind()) == std::vector<int>{wire::SYNC_STREAM_WAIT_EVENT});
  CHECK(Values(syncs.context()) == U32s{115});
  CHECK(Values(syncs.stream()) == U32s{402});
  CHECK(Values(syncs.start_delta_ns()) == I64s{0});
  CHECK(Values(syncs.duration_ns()) == U64s{404});
  CHECK(Values(syncs.correlation_delta()) == I64s{403});

  const wire::ApiColumns& calls = block.api_calls();
  CHECK(calls.base_ns() == kStart + 5000);
  REQUIRE(calls.name_guess_size() == 2);
  CHECK(calls.name_guess(0) == 0);
  CHECK(block.strings(static_cast<int>(calls.name_guess(1)) - 1) == "cudaLaunchKernel");
  CHECK(Values(calls.thread_guess()) == U32s{0, 1});
  CHECK(Values(calls.start_guess_ns()) == I64s{0});
  CHECK(Values(calls.duration_guess_ns()) == I64s{502});
  CHECK(Values(calls.correlation_guess()) == U32s{0, 2 * 117});
  CHECK(Values(calls.stack_guess()) == U32s{0, 2});
  CHECK(Values(calls.error_row()) == U32s{0});
  CHECK(Values(calls.error_code()) == U32s{501});

  const wire::OverheadColumns& overheads = block.overheads();
  CHECK(overheads.base_ns() == kStart + 6000);
  REQUIRE(overheads.kind_size() == 1);
  CHECK(block.strings(static_cast<int>(overheads.kind(0)) - 1) == "driver compiler");
  CHECK(Values(overheads.thread()) == U32s{1});
  CHECK(Values(overheads.start_delta_ns()) == I64s{0});
  CHECK(Values(overheads.duration_ns()) == U64s{601});
}

TEST_CASE("The columns of ranges arrive as they were given") {
  const wire::Block block = AllBlocks().at(0);
  CHECK(block.ranges().base_ns() == kStart + 4500);
  CHECK(Values(block.ranges().thread_guess()) == U32s{0, 1, 0, 1});
  CHECK(Values(block.ranges().time_guess_ns()) == I64s{0, 1100});
  CHECK(Values(block.ranges().path_guess()) == U32s{0, 1});  // the second one, 0, is guessed

  CHECK(Values(block.ranges().shapes_row_delta()) == U32s{1});
  REQUIRE(block.ranges().shapes_size() == 1);
  CHECK(block.strings(static_cast<int>(block.ranges().shapes(0)) - 1) == "[[8, 16], []]");

  CHECK(block.spans().base_ns() == kStart + 7000);
  CHECK(Values(block.spans().path()) == U32s{2});
  CHECK(Values(block.spans().start_thread()) == U32s{1});
  CHECK(Values(block.spans().end_thread()) == U32s{2});
  CHECK(Values(block.spans().start_delta_ns()) == I64s{0});
  CHECK(Values(block.spans().duration_ns()) == U64s{701});

  CHECK(Values(block.ranges().numbers().row_delta()) == U32s{0, 0});
  CHECK(Values(block.ranges().numbers().value_delta()) == I64s{0xabcdef01, 45});
  CHECK(Values(block.ranges().numbers().styled_delta()) == U32s{0});
  CHECK(Values(block.ranges().numbers().style()) == U32s{8 << 2 | 1});
  CHECK(Values(block.spans().numbers().value_delta()) == I64s{46});
  CHECK(Values(block.marks().numbers().value_delta()) == I64s{47});

  CHECK(block.marks().base_ns() == kStart + 8000);
  CHECK(Values(block.marks().path()) == U32s{2});
  CHECK(Values(block.marks().thread()) == U32s{2});
  CHECK(Values(block.marks().time_delta_ns()) == I64s{0});

  CHECK(block.payloads().base_ns() == kStart + 8000);
  CHECK(Values(block.payloads().path()) == U32s{2});
  CHECK(Values(block.payloads().thread()) == U32s{2});
  CHECK(Values(block.payloads().time_delta_ns()) == I64s{0});
  CHECK(Values(block.payloads().type()) == std::vector<int>{wire::PAYLOAD_INT32});
  CHECK(Values(block.payloads().bits()) == U64s{0xfffffff6});
  CHECK(block.payloads().field_size() == 1);

  REQUIRE(block.names_size() == 3);
  const auto text = [&](uint32_t id) { return block.strings(static_cast<int>(id) - 1); };
  CHECK(block.names(0).kind() == wire::NAME_THREAD);
  CHECK(block.names(0).id() == kTid);
  CHECK(text(block.names(0).name()) == "trainer");
  CHECK(block.names(1).kind() == wire::NAME_CATEGORY);
  CHECK(block.names(1).id() == 44);
  CHECK(text(block.names(1).domain()) == "torch");
  CHECK(text(block.names(1).name()) == "forward");
  CHECK(block.names(2).kind() == wire::NAME_STREAM);
  CHECK(block.names(2).id() == uint64_t{1} << 40);
  CHECK(text(block.names(2).name()) == "copies");
  CHECK(block.names(2).context() == 115);
  CHECK(block.names(2).stream() == 116);
}

TEST_CASE("Samples, intervals, notices and clocks arrive as they were given") {
  const int64_t before_ns = RealtimeNs();
  const wire::Block block = AllBlocks().at(0);
  REQUIRE(block.samples_size() == 2);
  const wire::CounterSample& sample = block.samples(0);
  CHECK(sample.group() == 1);
  CHECK(sample.context() == 115);
  CHECK(sample.correlation() == 117);
  CHECK(Values(sample.value()) == std::vector<double>{0.5, 12345.25});
  CHECK(sample.begin_ns() == kStart + 900);
  CHECK(sample.end_ns() == kStart + 1801);
  CHECK(sample.range_path() == 1);
  CHECK(sample.unit() == wire::SAMPLE_KERNEL);
  CHECK(block.samples(1).unit() == wire::SAMPLE_GRAPH);

  REQUIRE(block.profiler_intervals_size() == 1);
  CHECK(block.profiler_intervals(0).work() == wire::PROFILER_WORK_ROTATE);
  CHECK(block.profiler_intervals(0).begin_ns() == kStart + 9000);
  CHECK(block.profiler_intervals(0).end_ns() == kStart + 9901);
  CHECK(block.profiler_intervals(0).thread() == 1);

  REQUIRE(block.notices_size() == 1);
  CHECK(block.notices(0).severity() == wire::NOTICE_WARNING);
  CHECK(block.notices(0).subsystem() == wire::SUBSYSTEM_COUNTERS);
  CHECK(block.notices(0).code() == 35);
  CHECK(block.notices(0).what() == "no counters");
  CHECK(block.notices(0).fix() == "be root");
  CHECK(block.notices(0).time_ns() >= before_ns);
  CHECK(block.notices(0).time_ns() <= RealtimeNs());

  CHECK(block.clock().realtime_ns() == kStart + 1);
  CHECK(block.clock().monotonic_ns() == 5555);
  CHECK(block.clock().uncertainty_ns() == 66);
}

TEST_CASE("PM samples arrive as whole numbers of their scale, equal neighbours as one row") {
  const wire::Block block = AllBlocks().at(0);
  REQUIRE(block.pm_series_size() == 1);
  const wire::PmSeries& series = block.pm_series(0);
  CHECK(series.device() == 1);
  CHECK(series.interval_ns() == 100'000);
  REQUIRE(series.metric_size() == 2);
  CHECK(block.strings(static_cast<int>(series.metric(0)) - 1) == "dram__throughput");
  CHECK(block.strings(static_cast<int>(series.metric(1)) - 1) == "tensor__active");
  CHECK(Values(series.scale()) == std::vector<double>{0.05, 0.5});

  REQUIRE(block.pm_samples_size() == 1);
  const wire::PmColumns& columns = block.pm_samples(0);
  CHECK(columns.series() == 1);
  CHECK(columns.base_ns() == kStart + 1'000'000);
  CHECK(Values(columns.duration_delta_ns()) == I64s{0, 0, 7});
  CHECK(Values(columns.gap_row()) == U32s{2});
  CHECK(Values(columns.gap_ns()) == I64s{50'000});
  CHECK(Values(columns.merged_row()) == U32s{0});
  CHECK(Values(columns.merged_count()) == U32s{2});
  REQUIRE(columns.values_size() == 2);
  CHECK(Values(columns.values(0).delta()) == I64s{1000, 20, -40});
  CHECK(Values(columns.values(1).delta()) == I64s{20, 0, 2});
  CHECK(Values(columns.values(1).missing_row()) == U32s{1});
}

TEST_CASE("Losses and the trailer arrive as they were given") {
  const std::vector<wire::Block> blocks = AllBlocks();
  REQUIRE(blocks.size() == 2);
  CHECK_FALSE(blocks[0].has_trailer());
  for (const wire::Block& block : blocks) {
    const wire::Integrity& integrity = block.integrity();
    const pb::Descriptor& fields = *integrity.GetDescriptor();
    const pb::Reflection& values = *integrity.GetReflection();
    for (const format::IntegrityCount& row : format::kIntegrityCounts) {
      INFO(row.name);
      CHECK(values.GetUInt64(integrity, fields.FindFieldByName(row.name)) == 1000 + row.field);
    }
    for (const format::IntegrityFlag& row : format::kIntegrityFlags) {
      CHECK(values.GetBool(integrity, fields.FindFieldByName(row.name)));
    }
  }
  CHECK(blocks[1].trailer().end_ns() == kStart + 10'000);
  CHECK(blocks[1].trailer().blocks() == 2);
}

}  // namespace
}  // namespace prof::capture::test::schema_test
