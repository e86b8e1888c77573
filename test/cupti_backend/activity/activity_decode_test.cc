// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/activity_decode.h"

#include <sys/mman.h>

#include <array>
#include <climits>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cupti_backend/activity/activity_tracer.h"
#include "cupti_backend/api/cupti_versions.h"
#include "test/cupti_backend/activity/activity_buffer.h"

namespace prof::cupti::test::activity_decode_test {
namespace {

constexpr uint64_t kStart = 1'700'000'000'000'000'000;

int64_t Ns(uint64_t time) { return static_cast<int64_t>(time); }

CUpti_ActivityKernel10 Kernel(const char* name, uint64_t start) {
  auto record = Zeroed<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  record.name = name;
  record.start = start;
  record.end = start + 10;
  record.gridX = record.gridY = record.gridZ = 1;
  record.blockX = record.blockY = record.blockZ = 1;
  return record;
}

CUpti_ActivityAPI ProbeOf(uint32_t tid) {
  auto record = Zeroed<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER);
  record.cbid = ActivityTracer::kProbeCall;
  record.threadId = tid;
  record.start = kStart + 400;
  record.end = kStart + 401;
  return record;
}

TEST_CASE("Every field of a kernel record that prof keeps arrives") {
  auto record = Kernel("_Z4gemmv", kStart);
  record.end = kStart + 500;
  record.gridX = 2, record.gridY = 3, record.gridZ = 4;
  record.blockX = 5, record.blockY = 6, record.blockZ = 7;
  record.clusterX = 8, record.clusterY = 9, record.clusterZ = 10;
  record.staticSharedMemory = 11;
  record.dynamicSharedMemory = 12;
  record.sharedMemoryExecuted = 13;
  record.registersPerThread = 14;
  record.localMemoryPerThread = 15;
  record.launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE;
  record.deviceId = 16;
  record.contextId = 17;
  record.streamId = 18;
  record.correlationId = 19;
  record.graphId = 20;
  record.graphNodeId = 21;
  record.channelID = 22;
  record.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  ActivityBuffer buffer;
  buffer.Add(record);
  Decoding decoding(DecodingApi());
  CHECK_FALSE(decoding.decoder.saw_gpu_work());
  decoding.Decode(buffer);
  CHECK(decoding.decoder.saw_gpu_work());
  const model::Model model = decoding.Model();
  REQUIRE(model.ops.size() == 1);
  const model::Op& op = model.ops[0];
  const model::Shape& shape = model.shapes.at(op.shape);
  CHECK(shape.name == "_Z4gemmv");
  CHECK(shape.grid == std::array<uint32_t, 3>{2, 3, 4});
  CHECK(shape.block == std::array<uint32_t, 3>{5, 6, 7});
  CHECK(shape.cluster == std::array<uint32_t, 3>{8, 9, 10});
  CHECK(shape.static_shared_bytes == 11);
  CHECK(shape.dynamic_shared_bytes == 12);
  CHECK(shape.shared_executed_bytes == 13);
  CHECK(shape.registers_per_thread == 14);
  CHECK(shape.local_bytes_per_thread == 15);
  CHECK(shape.launch_type == CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE);
  CHECK(op.device == 16);
  CHECK(op.context == 17);
  CHECK(op.stream == 18);
  CHECK(op.correlation == 19);
  CHECK(op.graph == 20);
  CHECK(op.graph_node == 21);
  CHECK(op.channel == 22);
  CHECK(op.channel_type == model::ChannelType::kCompute);
  CHECK(op.start_ns == Ns(kStart));
  CHECK(op.end_ns == Ns(kStart + 500));
}

// Of a launch everything that is looked up: as its record has it, and as the model has it.
using LaunchFacts = std::pair<std::string, std::vector<uint32_t>>;

LaunchFacts FactsOf(const CUpti_ActivityKernel10& r) {
  std::vector<uint32_t> facts;
  for (const int32_t size : {r.gridX, r.gridY, r.gridZ, r.blockX, r.blockY, r.blockZ,
                             r.staticSharedMemory, r.dynamicSharedMemory}) {
    facts.push_back(static_cast<uint32_t>(size));
  }
  for (const uint32_t fact :
       {r.clusterX, r.clusterY, r.clusterZ, r.sharedMemoryExecuted, uint32_t{r.registersPerThread},
        r.localMemoryPerThread, uint32_t{r.launchType}, r.deviceId, r.contextId, r.streamId,
        r.channelID, static_cast<uint32_t>(r.channelType)}) {
    facts.push_back(fact);
  }
  return {r.name, facts};
}

LaunchFacts FactsOf(const model::Model& model, const model::Op& op) {
  const model::Shape& shape = model.shapes.at(op.shape);
  std::vector<uint32_t> facts(shape.grid.begin(), shape.grid.end());
  facts.insert(facts.end(), shape.block.begin(), shape.block.end());
  facts.insert(facts.end(), {shape.static_shared_bytes, shape.dynamic_shared_bytes});
  facts.insert(facts.end(), shape.cluster.begin(), shape.cluster.end());
  const bool is_copy = op.channel_type == model::ChannelType::kCopy;
  facts.insert(facts.end(), {shape.shared_executed_bytes, shape.registers_per_thread,
                             shape.local_bytes_per_thread, shape.launch_type, op.device, op.context,
                             op.stream, op.channel,
                             static_cast<uint32_t>(is_copy ? CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY
                                                           : CUPTI_CHANNEL_TYPE_COMPUTE)});
  return {shape.name, facts};
}

TEST_CASE("Launches that differ in one field only are told apart") {
  auto first = Kernel("k", kStart);
  first.deviceId = 1;
  first.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  std::vector<CUpti_ActivityKernel10> launches(22, first);
  launches[1].name = "l";
  launches[2].gridX = 2;
  launches[3].gridY = 2;
  launches[4].gridZ = 2;
  launches[5].blockX = 2;
  launches[6].blockY = 2;
  launches[7].blockZ = 2;
  launches[8].clusterX = 2;
  launches[9].clusterY = 2;
  launches[10].clusterZ = 2;
  launches[11].staticSharedMemory = 2;
  launches[12].dynamicSharedMemory = 2;
  launches[13].sharedMemoryExecuted = 2;
  launches[14].registersPerThread = 2;
  launches[15].localMemoryPerThread = 2;
  launches[16].launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE;
  launches[17].deviceId = 2;
  launches[18].contextId = 2;
  launches[19].streamId = 2;
  launches[20].channelID = 2;
  launches[21].channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
  ActivityBuffer buffer;
  std::vector<LaunchFacts> expected;
  for (const auto& launch : launches) {
    for (auto record : {first, launch, launch, first}) {
      record.start = kStart + 100 * expected.size();
      record.end = record.start + 10;
      buffer.Add(record);
      expected.push_back(FactsOf(record));
    }
  }
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  REQUIRE(model.ops.size() == 2 * expected.size());
  std::set<LaunchFacts> different;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const LaunchFacts facts = FactsOf(model, model.ops[i]);
    CHECK(facts == expected[i / 2]);  // by start: both buffers hold the same
    different.insert(facts);
  }
  CHECK(different.size() == launches.size());
  CHECK(model.shapes.size() == 1 + 17);  // and the one with id 0
}

TEST_CASE("More kernels than are remembered keep their names") {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("kernel" + std::to_string(i));
  ActivityBuffer buffer;
  for (size_t i = 0; i < names.size(); ++i) {
    buffer.Add(Kernel(names[i].c_str(), kStart + 100 * i));
  }
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  REQUIRE(model.ops.size() == names.size());
  size_t wrong = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    wrong += model.shapes.at(model.ops[i].shape).name == names[i] ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("A name is what is at its address now, not what was there in the buffer before") {
  std::string name = "before";
  ActivityBuffer buffer;
  buffer.Add(Kernel(name.c_str(), kStart));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  name.replace(0, 6, "behind");
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  REQUIRE(model.ops.size() == 2);
  CHECK(model.shapes.at(model.ops[0].shape).name == "before");
  CHECK(model.shapes.at(model.ops[1].shape).name == "behind");
}

TEST_CASE("A graph launch that was recorded as a whole is one operation") {
  auto record = Zeroed<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  record.graphId = 9;
  record.deviceId = record.endDeviceId = 1;
  record.contextId = record.endContextId = 2;
  record.streamId = 7;
  record.correlationId = 33;
  record.start = kStart, record.end = kStart + 500;
  ActivityBuffer buffer;
  buffer.Add(record);
  record.deviceId = record.contextId = INT_MAX;  // begins on the host
  record.start += 1000, record.end += 1000;
  buffer.Add(record);
  record.endDeviceId = record.endContextId = INT_MAX;  // and ends there
  buffer.Add(record);
  record.deviceId = record.contextId = 2;
  record.start = record.end = 0;  // no time
  buffer.Add(record);
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK(decoding.decoder.saw_gpu_work());
  CHECK(decoding.decoder.unknown_records() == 1);
  const model::Model model = decoding.Model();
  CHECK(model.integrity.untimed == 1);
  REQUIRE(model.ops.size() == 2);
  for (const model::Op& op : model.ops) {
    CHECK(op.kind == model::OpKind::kGraph);
    CHECK(op.graph == 9);
    CHECK(op.graph_node == 0);
    CHECK(op.device == 1);
    CHECK(op.context == 2);
    CHECK(op.stream == 7);
    CHECK(op.correlation == 33);
    CHECK(op.end_ns - op.start_ns == 500);
  }
  CHECK(model.ops[1].start_ns == Ns(kStart + 1000));
}

// One record whose end is the end of what may be read.
class AtTheEnd {
 public:
  AtTheEnd() {
    base_ = static_cast<uint8_t*>(
        mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(base_ != MAP_FAILED);
    REQUIRE(mprotect(base_ + kPage, kPage, PROT_NONE) == 0);
  }
  ~AtTheEnd() { munmap(base_, 2 * kPage); }
  AtTheEnd(const AtTheEnd&) = delete;
  AtTheEnd& operator=(const AtTheEnd&) = delete;

  // The first `bytes` of `record`, as `version` of CUPTI writes it.
  template <typename Record>
  void Decode(const Record& record, size_t bytes, Decoding& decoding) {
    uint8_t* const at = base_ + kPage - bytes;
    std::memcpy(at, &record, bytes);
    decoding.decoder.Decode(at, bytes, decoding.encoder);
  }

 private:
  static constexpr size_t kPage = 65536;
  uint8_t* base_ = nullptr;
};

TEST_CASE("Records of CUPTI 12.0 are read up to their end, and no further") {
  CuptiApi api = DecodingApi();
  api.version = kCupti12;
  Decoding decoding(api);
  AtTheEnd end;
  // Sizes of CUpti_ActivityKernel9, Memcpy5, MemoryPool2, GraphTrace, Overhead and Memory3.
  auto kernel = Zeroed<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  kernel.name = "old";
  kernel.start = kStart, kernel.end = kStart + 1;
  end.Decode(kernel, 208, decoding);
  auto copy = Zeroed<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.start = kStart, copy.end = kStart + 1;
  end.Decode(copy, 88, decoding);
  auto pool = Zeroed<CUpti_ActivityMemoryPool3>(CUPTI_ACTIVITY_KIND_MEMORY_POOL);
  pool.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  pool.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED;
  pool.timestamp = kStart;
  pool.size = 100;
  end.Decode(pool, 72, decoding);
  auto graph = Zeroed<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  graph.start = kStart, graph.end = kStart + 1;
  end.Decode(graph, 48, decoding);
  graph.deviceId = graph.contextId = INT_MAX;  // it begins on the host: where it ends is not known
  end.Decode(graph, 48, decoding);
  auto overhead = Zeroed<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  overhead.start = kStart, overhead.end = kStart + 1;
  end.Decode(overhead, 40, decoding);
  auto memory = Zeroed<CUpti_ActivityMemory4>(CUPTI_ACTIVITY_KIND_MEMORY2);
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memory.timestamp = kStart;
  end.Decode(memory, 120, decoding);
  auto unified =
      Zeroed<CUpti_ActivityUnifiedMemoryCounter3>(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
  unified.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
  unified.start = kStart, unified.end = kStart + 1;
  end.Decode(unified, 64, decoding);
  CHECK(decoding.decoder.unknown_records() == 1);
  const model::Model model = decoding.Model();
  CHECK(model.ops.size() == 3);
  REQUIRE(model.pool_states.size() == 1);
  CHECK(model.pool_states[0].reserved == 100);
  CHECK_FALSE(model.pool_states[0].managed);
}

TEST_CASE("Streams arrive with their priority and kind, once each") {
  ActivityBuffer buffer;
  auto record = Zeroed<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM);
  record.contextId = 2;
  for (const auto& [stream, priority, flag] :
       {std::tuple{7U, 0, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL},
        std::tuple{13U, -5, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING},
        std::tuple{13U, -5, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING},
        std::tuple{14U, -1, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT},
        std::tuple{15U, 0, static_cast<CUpti_ActivityStreamFlag>(77)}}) {
    record.streamId = stream;
    record.priority = static_cast<uint32_t>(priority);
    record.flag = flag;
    buffer.Add(record);
  }
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK_FALSE(decoding.decoder.saw_gpu_work());
  CHECK(decoding.decoder.unknown_records() == 0);
  const model::Model model = decoding.Model();
  REQUIRE(model.streams.size() == 4);
  CHECK(model.streams[0].context == 2);
  CHECK(model.streams[0].stream == 7);
  CHECK(model.streams[0].flag == model::StreamFlag::kNull);
  CHECK(model.streams[1].stream == 13);
  CHECK(model.streams[1].priority == -5);
  CHECK(model.streams[1].flag == model::StreamFlag::kNonBlocking);
  CHECK(model.streams[2].priority == -1);
  CHECK(model.streams[2].flag == model::StreamFlag::kDefault);
  CHECK(model.streams[3].flag == model::StreamFlag::kUnknown);
}

TEST_CASE("Copies, peer copies and memsets arrive with their kinds") {
  auto copy = Zeroed<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  copy.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  copy.bytes = uint64_t{5} << 32;
  copy.start = kStart, copy.end = kStart + 1;
  copy.deviceId = 1, copy.contextId = 2, copy.streamId = 3, copy.correlationId = 4;
  copy.graphId = 5, copy.graphNodeId = 6;
  copy.channelID = 15, copy.channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
  auto peer = Zeroed<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  peer.srcKind = peer.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC;
  peer.bytes = 77;
  peer.start = kStart + 10, peer.end = kStart + 20;
  peer.deviceId = 7, peer.contextId = 8, peer.streamId = 9, peer.correlationId = 10;
  auto set = Zeroed<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  set.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  set.bytes = 99;
  set.start = kStart + 30, set.end = kStart + 40;
  set.deviceId = 11, set.contextId = 12, set.streamId = 13, set.correlationId = 14;
  set.graphId = 16, set.graphNodeId = 17;
  set.channelID = 18, set.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  ActivityBuffer buffer;
  buffer.Add(copy);
  buffer.Add(peer);
  buffer.Add(set);
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  REQUIRE(model.ops.size() == 3);
  CHECK(model.ops[0].copy == model::CopyKind::kDeviceToHost);
  CHECK(model.ops[0].source == model::MemoryKind::kDevice);
  CHECK(model.ops[0].destination == model::MemoryKind::kPinned);
  CHECK(model.ops[0].async);
  CHECK(model.ops[0].bytes == uint64_t{5} << 32);
  CHECK(model.ops[0].stream == 3);
  CHECK(model.ops[0].channel == 15);
  CHECK(model.ops[0].channel_type == model::ChannelType::kCopy);
  CHECK(model.ops[1].channel_type == model::ChannelType::kUnknown);
  CHECK(model.ops[2].graph == 16);
  CHECK(model.ops[2].graph_node == 17);
  CHECK(model.ops[2].channel == 18);
  CHECK(model.ops[0].correlation == 4);
  CHECK(model.ops[0].graph == 5);
  CHECK(model.ops[0].graph_node == 6);
  CHECK(model.ops[1].copy == model::CopyKind::kPeerToPeer);
  CHECK(model.ops[1].source == model::MemoryKind::kDevice);
  CHECK_FALSE(model.ops[1].async);
  CHECK(model.ops[1].bytes == 77);
  CHECK(model.ops[1].device == 7);
  CHECK(model.ops[1].correlation == 10);
  CHECK(model.ops[2].kind == model::OpKind::kMemset);
  CHECK(model.ops[2].destination == model::MemoryKind::kManaged);
  CHECK(model.ops[2].bytes == 99);
  CHECK(model.ops[2].context == 12);
  CHECK(model.ops[2].end_ns == Ns(kStart + 40));
}

TEST_CASE("Overheads arrive with their kinds") {
  auto on_thread = Zeroed<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  on_thread.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
  on_thread.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  on_thread.objectId.pt.threadId = 55;
  on_thread.start = kStart + 10, on_thread.end = kStart + 20;
  CUpti_ActivityOverhead3 on_device = on_thread;
  on_device.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  on_device.objectKind = CUPTI_ACTIVITY_OBJECT_DEVICE;
  on_device.start = kStart + 30, on_device.end = kStart + 40;
  ActivityBuffer buffer;
  buffer.Add(on_thread);
  buffer.Add(on_device);
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK_FALSE(decoding.decoder.saw_gpu_work());
  const model::Model model = decoding.Model();
  REQUIRE(model.overheads.size() == 2);
  CHECK(model.overheads[0].kind == "lazy function loading");
  CHECK(model.threads.at(model.overheads[0].thread).tid == 55);
  CHECK(model.overheads[1].kind == "CUPTI buffer flush");
  CHECK(model.threads.at(model.overheads[1].thread).tid == 0);
}

TEST_CASE(
    "Records of kernels that the host launched are counted, and those within graphs are not") {
  ActivityBuffer buffer;
  buffer.Add(Kernel("k", kStart));
  CUpti_ActivityKernel10 node = Kernel("k", kStart + 100);
  node.graphId = 5, node.graphNodeId = 6;
  buffer.Add(node);
  buffer.Add(Kernel("k", kStart + 200));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK(decoding.decoder.launches() == 2);
}

TEST_CASE("Probes of one thread are counted, and are no calls of the program") {
  ActivityBuffer buffer;
  buffer.Add(ProbeOf(7));  // before: not ours
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK(decoding.decoder.probes() == 0);
  decoding.decoder.WatchProbesOf(7);
  buffer.Add(ProbeOf(8));
  decoding.Decode(buffer);
  CHECK(decoding.decoder.probes() == 1);
  CHECK(decoding.Model().api_calls.empty());
}

TEST_CASE("A record of a kind that was not asked for is counted, and the next one is read") {
  ActivityBuffer buffer;
  buffer.Add(Zeroed<CUpti_ActivityName>(CUPTI_ACTIVITY_KIND_NAME));
  buffer.Add(Kernel("k", kStart));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK(decoding.decoder.unknown_records() == 1);
  CHECK(decoding.Model().ops.size() == 1);
}

TEST_CASE("A record that was not completed ends its buffer") {
  ActivityBuffer buffer;
  buffer.Add(Kernel("k", kStart));
  buffer.Add(Zeroed<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_INVALID));
  buffer.Add(Kernel("k", kStart + 100));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK(decoding.Model().ops.size() == 1);
}

TEST_CASE("CUPTI's own kernel is left out, a kernel of that name with another shape is not") {
  ActivityBuffer buffer;
  auto larger = Kernel("WaitNs", kStart + 100);
  larger.gridX = 2;
  buffer.Add(Kernel("WaitNs", kStart));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  CHECK_FALSE(decoding.decoder.saw_gpu_work());
  ActivityBuffer second;
  second.Add(larger);
  decoding.Decode(second);
  const model::Model model = decoding.Model();
  REQUIRE(model.ops.size() == 1);
  CHECK(model.ops[0].start_ns == Ns(kStart + 100));
  CHECK(model.integrity.kernels == 1);
}

TEST_CASE("Records without a time are counted as such") {
  auto kernel = Kernel("k", 0);
  kernel.end = 0;
  ActivityBuffer buffer;
  buffer.Add(kernel);
  buffer.Add(Zeroed<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  REQUIRE(model.ops.size() == 1);
  CHECK_FALSE(model.ops[0].timed);
  CHECK(model.integrity.untimed == 2);
}

TEST_CASE("A kernel without a name gets one") {
  ActivityBuffer buffer;
  buffer.Add(Kernel(nullptr, kStart));
  Decoding decoding(DecodingApi());
  decoding.Decode(buffer);
  const model::Model model = decoding.Model();
  REQUIRE(model.ops.size() == 1);
  CHECK(model.shapes.at(model.ops[0].shape).name == "(unnamed kernel)");
}

TEST_CASE("A buffer that CUPTI filled on an H200 is read to its end") {
  std::ifstream file(PROF_TEST_CUPTI_DATA "/transformer_layer.bin", std::ios::binary);
  std::vector<uint8_t> buffer(std::istreambuf_iterator<char>(file), {});
  REQUIRE(buffer.size() == 262'064);
  Decoding decoding(DecodingApi());
  // Names are pointers of the process that was recorded.
  CUpti_Activity* record = nullptr;
  int kernels = 0;
  while (decoding.api.activity_get_next_record(buffer.data(), buffer.size(), &record) ==
         CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    reinterpret_cast<CUpti_ActivityKernel10*>(record)->name = "kernel";
    ++kernels;
  }
  decoding.decoder.Decode(buffer.data(), buffer.size(), decoding.encoder);
  CHECK(decoding.decoder.unknown_records() == 0);
  const model::Model model = decoding.Model();
  CHECK(kernels == 1213);
  CHECK(model.ops.size() == 1213);
  int wrong = 0;
  uint32_t correlation = 0;
  for (const model::Op& op : model.ops) {
    const bool follows = op.correlation > correlation;
    correlation = op.correlation;
    if (!op.timed || op.end_ns <= op.start_ns || op.stream != 7 || !follows) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(model.overheads.size() == 1);
}

TEST_CASE("The installed CUPTI steps through records as this prof lays them out") {
  CuptiApi api;
  if (const std::optional<Problem> problem = LoadCupti(&api)) PROF_SKIP(problem->what.c_str());
  ActivityBuffer buffer;
  buffer.Add(Kernel("k", kStart));
  auto copy = Zeroed<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.start = kStart + 100, copy.end = kStart + 110;
  buffer.Add(copy);
  auto peer = Zeroed<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  peer.start = kStart + 200, peer.end = kStart + 210;
  buffer.Add(peer);
  auto set = Zeroed<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  set.start = kStart + 300, set.end = kStart + 310;
  buffer.Add(set);
  buffer.Add(ProbeOf(7));
  auto overhead = Zeroed<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  overhead.start = kStart + 700, overhead.end = kStart + 710;
  buffer.Add(overhead);
  buffer.Add(Kernel("last", kStart + 800));
  Decoding decoding(api);
  decoding.decoder.WatchProbesOf(7);
  decoding.Decode(buffer);
  CHECK(decoding.decoder.unknown_records() == 0);
  const model::Model model = decoding.Model();
  REQUIRE(model.ops.size() == 5);
  CHECK(model.shapes.at(model.ops[4].shape).name == "last");
  CHECK(decoding.decoder.probes() == 1);
  CHECK(model.overheads.size() == 1);
}

}  // namespace
}  // namespace prof::cupti::test::activity_decode_test
