// SPDX-License-Identifier: Apache-2.0
//
// Events for tests: one of every kind, with a value of its own in every field.
#ifndef PROF_TEST_CAPTURE_WIRE_EVENTS_H_
#define PROF_TEST_CAPTURE_WIRE_EVENTS_H_

#include <cmath>

#include "lib/capture/wire/encoder.h"
#include "lib/format/losses.h"

namespace prof::capture::test {

constexpr int64_t kStart = 1'700'000'000'000'000'000;
constexpr uint32_t kTid = 77, kOtherTid = 78;

inline HeaderEvent AHeader() {
  HeaderEvent header;
  header.prof_version = "9.8.7";
  header.host = "node17";
  header.command = "./train --fast";
  header.start_ns = kStart;
  header.pid = 4711;
  header.rank = 3;
  header.injected = true;
  header.versions = {13010, 130001, "/opt/libcupti.so.13", "580.159.04", 134'400'000};
  return header;
}

inline DeviceEvent ADevice() {
  DeviceEvent device;
  device.id = 1;
  device.name = "NVIDIA H200";
  device.chip = "GH100";
  device.uuid = "00112233445566778899aabbccddeeff";
  device.compute_major = 9;
  device.compute_minor = 2;
  device.sm_count = 132;
  device.warp_size = 32;
  device.max_threads_per_sm = 2048;
  device.max_blocks_per_sm = 33;
  device.registers_per_sm = 65536;
  device.shared_memory_per_sm = 233472;
  device.reserved_shared_memory_per_block = 1024;
  device.l2_bytes = 62914560;
  device.sm_clock_khz = 1980000;
  device.memory_clock_khz = 3201000;
  device.memory_bus_bits = 6144;
  device.memory_bytes = 150'000'000'001;
  device.peaks = {{"dram__bytes.sum.peak_sustained", 1536.5}};
  device.ceilings = {{"dram-copy", 4.0e12, 5, 3.9e12, 4.1e12, 1.9e9}};
  return device;
}

inline const format::CodeCensus& ACensus() {
  static const format::CodeCensus census = [] {
    format::CodeCensus made;
    made.instructions = 1001;
    made.looped = 1002;
    made.calls_others = true;
    made.counts[2] = {1003, 0};
    made.counts[4] = {1004, 1005};
    return made;
  }();
  return census;
}

inline KernelEvent AKernel() {
  KernelEvent kernel;
  kernel.name = "_Z5saxpyfPKfPf";
  kernel.grid = {101, 102, 103};
  kernel.block = {104, 105, 106};
  kernel.cluster = {107, 108, 109};
  kernel.static_shared_bytes = 110;
  kernel.dynamic_shared_bytes = 111;
  kernel.shared_executed_bytes = 112;
  kernel.registers_per_thread = 113;
  kernel.local_bytes_per_thread = 114;
  kernel.local_known = true;
  kernel.code = &ACensus();
  kernel.launch_type = 2;
  kernel.device = 1;
  kernel.context = 115;
  kernel.stream = 116;
  kernel.correlation = 117;
  kernel.channel = {9, ChannelType::kCompute};
  kernel.graph = 118;
  kernel.graph_node = (uint64_t{1} << 40) + 119;
  kernel.start_ns = kStart + 1000;
  kernel.end_ns = kStart + 1120;
  return kernel;
}

inline CopyEvent ACopy() {
  CopyEvent copy;
  copy.kind = CopyKind::kHostToDevice;
  copy.source = MemoryKind::kPageable;
  copy.destination = MemoryKind::kDevice;
  copy.async = true;
  copy.bytes = (uint64_t{1} << 33) + 201;
  copy.device = 1;
  copy.context = 115;
  copy.stream = 202;
  copy.correlation = 203;
  copy.channel = {31, ChannelType::kCopy};
  copy.graph = 204;
  copy.graph_node = 205;
  copy.start_ns = kStart + 2000;
  copy.end_ns = kStart + 2206;
  return copy;
}

inline MemsetEvent AMemset() {
  MemsetEvent memset;
  memset.bytes = 301;
  memset.memory = MemoryKind::kManaged;
  memset.device = 1;
  memset.context = 115;
  memset.stream = 302;
  memset.correlation = 303;
  memset.graph = 305;
  memset.graph_node = (uint64_t{1} << 40) + 306;
  memset.start_ns = kStart + 3000;
  memset.end_ns = kStart + 3304;
  return memset;
}

inline AllocationEvent AnAllocation() {
  AllocationEvent allocation;
  allocation.memory = MemoryKind::kDevice;
  allocation.address = 0x7f00'0000'1000;
  allocation.bytes = (uint64_t{1} << 33) + 321;
  allocation.device = 1;
  allocation.context = 115;
  allocation.correlation = 322;
  allocation.time_ns = kStart + 3500;
  return allocation;
}

inline AllocationEvent AFreeIntoAPool() {
  AllocationEvent free = AnAllocation();
  free.free = free.pooled = true;
  free.address = 0x7e00'0000'0000;
  free.bytes = 331;
  free.stream = 116;
  free.correlation = 332;
  free.time_ns = kStart + 3400;
  free.pool = {PoolType::kLocal, 0x5000, 3330, 3340, ~uint64_t{0}};
  return free;
}

inline PoolEvent APoolOperation() {
  PoolEvent pool;
  pool.operation = PoolOperation::kTrimmed;
  pool.managed = true;
  pool.state = {PoolType::kLocal, 0x6000, 3410, 3420, 3430};
  pool.keep_bytes = 3440;
  pool.device = 1;
  pool.correlation = 345;
  pool.time_ns = kStart + 3600;
  return pool;
}

inline UnifiedMemoryEvent AMigration() {
  return {UnifiedMemoryKind::kDeviceToHost, 3510, 351, 352, 4, kStart + 3700, kStart + 3703};
}

inline GpuStateEvent AStateReading() {
  return {GpuStateKind::kPower, 361, 362, 363, 364, kStart + 3750};
}

inline StreamEvent AStream() { return {115, 116, -5, StreamFlag::kNonBlocking}; }

inline GraphRunEvent AGraphRun() {
  GraphRunEvent run;
  run.graph = 351;
  run.device = 1;
  run.context = 115;
  run.stream = 116;
  run.correlation = 353;
  run.start_ns = kStart + 3500;
  run.end_ns = kStart + 3854;
  return run;
}

inline SyncEvent ASync() {
  return {SyncKind::kStreamWaitEvent, 115, 402, 403, kStart + 4000, kStart + 4404};
}

inline ApiEvent AnApiCall() {
  return {"cudaLaunchKernel", kTid, 117, 501, kStart + 5000, kStart + 5502, 0, 2};
}

inline OverheadEvent AnOverhead() {
  return {"driver compiler", kTid, kStart + 6000, kStart + 6601};
}

inline CounterSampleEvent ASample() {
  CounterSampleEvent sample;
  sample.group = 1;
  sample.context = 115;
  sample.correlation = 117;
  sample.path = 1;
  sample.values = {0.5, 12345.25};
  sample.begin_ns = kStart + 900;
  sample.end_ns = kStart + 1801;
  return sample;
}

inline CounterSampleEvent AGraphSample() {
  CounterSampleEvent sample = ASample();
  sample.unit = SampleUnit::kGraph;
  return sample;
}

inline PmSeriesEvent APmSeries() {
  return {1, 1, 100'000, {{"dram__throughput", 0.05}, {"tensor__active", 0.5}}};
}

// Four samples: the second is equal to the first, the third has a missing value, the fourth is
// behind a gap.
inline PmBatchEvent APmBatch() {
  PmBatchEvent batch;
  batch.series = 1;
  for (const int64_t begin_us : {1000, 1100, 1200, 1350}) {
    batch.begin_ns.push_back(kStart + begin_us * 1000);
    batch.end_ns.push_back(kStart + begin_us * 1000 + 100'000);
  }
  batch.end_ns.back() += 7;
  batch.values = {50.02, 10, 50.02, 10, 51, std::nan(""), 49, 11};
  return batch;
}

// Everything, in two blocks; the second one is the last.
inline void AddAll(Encoder& encoder, const Integrity& integrity) {
  encoder.Add(AHeader());
  encoder.Add(ClockPair{kStart + 1, 5555, 66});
  encoder.Add(NameEvent{NameKind::kThread, kTid, "", "trainer", 0, 0});
  encoder.Add(NameEvent{NameKind::kCategory, 44, "torch", "forward", 0, 0});
  encoder.Add(NameEvent{NameKind::kStream, uint64_t{1} << 40, "", "copies", 115, 116});
  encoder.Add(ADevice());
  encoder.Add(RangePathInfo{1, 0, "step", "torch", 0xff112233, 44});
  encoder.Add(RangePathInfo{2, 1, "layer", "", 0, 0});
  encoder.Add(RangePathInfo{3, 1, "req-\x01 * \x01", "", 0, 0, true});
  encoder.Add(RangePathInfo{4, 0, "", "torch", 0, 0, false, TorchScope::kOutside});
  encoder.Add(RangePathInfo{5, 4, "layer", "torch", 0, 0, false, TorchScope::kBackward});
  encoder.Add(
      PassGroupEvent{1,
                     "sol",
                     {"dram__bytes.sum", "sm__cycles_active.avg"},
                     {{"all__bytes.sum", {"dram__bytes.sum", "lts__bytes.sum"}, {"x.sum"}}}});
  encoder.Add(AKernel());
  encoder.Add(ACopy());
  encoder.Add(AMemset());
  encoder.Add(AnAllocation());
  encoder.Add(AFreeIntoAPool());
  encoder.Add(APoolOperation());
  encoder.Add(AMigration());
  encoder.Add(AStateReading());
  encoder.Add(HostFrameEvent{"Model.forward", "/app/model.py", 40, 44});
  encoder.Add(HostFrameEvent{"main", "/app/train.cc", 7, 9, "/app/train", "01ab", 4711});
  encoder.Add(HostStackEvent{0, 2});
  encoder.Add(HostStackEvent{1, 1});
  encoder.Add(
      TensorEvent{TensorChange::kAllocated, 3, kTid, 2, uint64_t{1} << 47, 4096, kStart + 4700});
  encoder.Add(TensorEvent{TensorChange::kOptimizerState, 1, kOtherTid, 0, 512, uint64_t{1} << 40,
                          kStart + 4650});
  encoder.Add(HostSampleEvent{kStart + 4600, kTid, 2, HostSampleKind::kStack, HostState::kSleep});
  encoder.Add(
      HostSampleEvent{kStart + 4500, kOtherTid, 1, HostSampleKind::kTorn, HostState::kRunning});
  encoder.Add(GraphNodeEvent{(uint64_t{1} << 40) + 119, 2, 2});
  encoder.Add(GraphNodeEvent{205, 1, 0, 5});
  encoder.Add(AGraphRun());
  encoder.Add(AStream());
  encoder.Add(AStream());  // said already
  encoder.Add(ASync());
  encoder.Add(AnApiCall());
  encoder.Add(AnOverhead());
  encoder.Add(NumberEvent{NumberOwner::kStep, 1, 0xabcdef01, 8 << 2 | 1});
  encoder.Add(NumberEvent{NumberOwner::kStep, 1, 45, 0});
  encoder.Add(kTid, RangeEvent{kStart + 4500, 1});
  encoder.Add(TorchShapesInfo{33, "[[8, 16], []]"});
  encoder.Add(kTid, RangeEvent{kStart + 5600, 0, 33});
  encoder.Add(NumberEvent{NumberOwner::kSpan, 2, 46, 0});
  encoder.Add(SpanEvent{2, kTid, kOtherTid, kStart + 7000, kStart + 7701});
  encoder.Add(NumberEvent{NumberOwner::kMark, 2, 47, 0});
  encoder.Add(MarkEvent{2, kOtherTid, kStart + 8000});
  encoder.Add(
      PayloadEvent{2, kOtherTid, kStart + 8000, {PayloadType::kInt32, 0xfffffff6, 77}, "field"});
  encoder.Add(ASample());
  encoder.Add(AGraphSample());
  encoder.Add(APmSeries());
  encoder.Add(APmBatch());
  const KernelEvent launched = AKernel();
  LaunchCountEvent launches{2,
                            0,
                            std::string(launched.name),
                            launched.grid,
                            launched.block,
                            launched.dynamic_shared_bytes,
                            70'000};
  encoder.Add(launches);
  launches.name = "counted, and never traced";
  encoder.Add(launches);
  encoder.Add(LaunchCountEvent{1, 9, "", {}, {}, 0, 3, 500});
  encoder.Add(ProfilerIntervalEvent{ProfilerWork::kRotate, kTid, kStart + 9000, kStart + 9901});
  encoder.Add(NoticeEvent{Severity::kWarning, Subsystem::kCounters, 35, "no counters", "be root"});
  KernelEvent untimed = AKernel();
  untimed.start_ns = untimed.end_ns = 0;
  untimed.graph = 0;
  untimed.correlation = 130;
  encoder.Add(untimed);
  UntracedKernelEvent untraced;
  untraced.name = std::string(untimed.name);
  untraced.grid = untimed.grid;
  untraced.block = untimed.block;
  untraced.dynamic_shared_bytes = untimed.dynamic_shared_bytes;
  untraced.device = untimed.device;
  untraced.context = untimed.context;
  untraced.stream = untimed.stream;
  untraced.correlation = 131;
  untraced.launch_ns = kStart + 1200;
  encoder.Add(untraced);
  encoder.WriteBlock(integrity);
  encoder.WriteLastBlock(integrity, kStart + 10'000);
}

// Each count is 1000 and the number of its field.
inline Integrity EveryLoss() {
  Integrity integrity;
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    integrity.*row.count = 1000 + row.field;
  }
  for (const format::IntegrityFlag& row : format::kIntegrityFlags) integrity.*row.flag = true;
  return integrity;
}

}  // namespace prof::capture::test

#endif  // PROF_TEST_CAPTURE_WIRE_EVENTS_H_
