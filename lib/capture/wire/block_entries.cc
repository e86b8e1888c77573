// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/block_entries.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/capture/wire/utf8.h"
#include "lib/capture/wire/wire_tags.h"
#include "lib/capture/wire/wire_writer.h"
#include "lib/format/framing.h"
#include "lib/format/name_pattern.h"

namespace prof::capture {

void AppendEntry(const HeaderEvent& event, std::string* entries) {
  Message block(*entries);
  Message header(block, tag::block::kHeader);
  U32(header, tag::header::kFormatVersion, format::kFormatVersion);
  Text(header, tag::header::kProfVersion, event.prof_version);
  I64(header, tag::header::kStartNs, event.start_ns);
  U32(header, tag::header::kPid, event.pid);
  Text(header, tag::header::kHost, event.host);
  Text(header, tag::header::kCommand, event.command);
  header.add_int32(tag::header::kRank, event.rank);
  U32(header, tag::header::kCudaDriverVersion, event.versions.cuda_driver);
  U32(header, tag::header::kCuptiVersion, event.versions.cupti);
  Text(header, tag::header::kCuptiPath, event.versions.cupti_path);
  Text(header, tag::header::kNvidiaDriver, event.versions.nvidia_driver);
  if (event.injected) header.add_bool(tag::header::kInjected, true);
  U32(header, tag::header::kCuptiDeviceBytes, event.versions.cupti_device_bytes);
}

void AppendEntry(const DeviceEvent& event, EntryTables* tables, std::string* entries) {
  std::vector<std::pair<uint32_t, double>> peaks;
  for (const auto& [metric, value] : event.peaks) peaks.emplace_back(tables->Intern(metric), value);
  std::vector<uint32_t> kinds;
  for (const CeilingEvent& ceiling : event.ceilings) kinds.push_back(tables->Intern(ceiling.kind));
  Message block(*entries);
  Message device(block, tag::block::kDevices);
  U32(device, tag::device::kId, event.id);
  Text(device, tag::device::kName, event.name);
  Text(device, tag::device::kChip, event.chip);
  U32(device, tag::device::kComputeMajor, event.compute_major);
  U32(device, tag::device::kComputeMinor, event.compute_minor);
  U32(device, tag::device::kSmCount, event.sm_count);
  U32(device, tag::device::kWarpSize, event.warp_size);
  U32(device, tag::device::kMaxThreadsPerSm, event.max_threads_per_sm);
  U32(device, tag::device::kMaxBlocksPerSm, event.max_blocks_per_sm);
  U32(device, tag::device::kRegistersPerSm, event.registers_per_sm);
  U32(device, tag::device::kSharedMemoryPerSm, event.shared_memory_per_sm);
  U32(device, tag::device::kReservedSharedMemoryPerBlock, event.reserved_shared_memory_per_block);
  U32(device, tag::device::kL2Bytes, event.l2_bytes);
  U32(device, tag::device::kMemoryBytes, event.memory_bytes);
  U32(device, tag::device::kSmClockKhz, event.sm_clock_khz);
  U32(device, tag::device::kMemoryClockKhz, event.memory_clock_khz);
  U32(device, tag::device::kMemoryBusBits, event.memory_bus_bits);
  Text(device, tag::device::kUuid, event.uuid);
  for (const auto& [metric, value] : peaks) {
    Message peak(device, tag::device::kPeaks);
    U32(peak, tag::device_peak::kMetric, metric);
    peak.add_double(tag::device_peak::kValue, value);
  }
  for (size_t i = 0; i < kinds.size(); ++i) {
    Message ceiling(device, tag::device::kCeilings);
    U32(ceiling, tag::device_ceiling::kKind, kinds[i]);
    ceiling.add_double(tag::device_ceiling::kPerS, event.ceilings[i].per_s);
    U32(ceiling, tag::device_ceiling::kN, event.ceilings[i].n);
    ceiling.add_double(tag::device_ceiling::kMin, event.ceilings[i].min);
    ceiling.add_double(tag::device_ceiling::kMax, event.ceilings[i].max);
    ceiling.add_double(tag::device_ceiling::kSmClockHz, event.ceilings[i].sm_clock_hz);
  }
}

void AppendEntry(const RangePathInfo& path, EntryTables* tables, std::string* entries) {
  // Stars for the marks of numbers. Other bytes keep their places.
  std::string text;
  std::vector<uint32_t> stars;
  if (path.folded) {
    text = SanitizeUtf8(path.name);
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != format::kNumberMark) continue;
      text[i] = '*';
      stars.push_back(static_cast<uint32_t>(i));
    }
  }
  const uint32_t name = tables->Intern(path.folded ? text : path.name);
  const uint32_t domain = tables->Intern(path.domain);
  Message block(*entries);
  Message range(block, tag::block::kRangePaths);
  First(range, tag::range_path::kParent, path.parent);
  U32(range, tag::range_path::kName, name);
  U32(range, tag::range_path::kDomain, domain);
  U32(range, tag::range_path::kColor, path.color);
  U32(range, tag::range_path::kCategory, path.category);
  Packed32(range, tag::range_path::kStar, stars);
  U32(range, tag::range_path::kTorch, static_cast<uint32_t>(path.torch));
}

void AppendEntry(const HostFrameEvent& frame, EntryTables* tables, std::string* entries) {
  const uint32_t function = tables->Intern(frame.function);
  const uint32_t file = tables->Intern(frame.file);
  const uint32_t module = tables->Intern(frame.module);
  const uint32_t build_id = tables->Intern(frame.build_id);
  Message block(*entries);
  Message message(block, tag::block::kHostFrames);
  First(message, tag::host_frame::kFunction, function);
  U32(message, tag::host_frame::kFile, file);
  U32(message, tag::host_frame::kFirstLine, frame.first_line);
  U32(message, tag::host_frame::kLine, frame.line);
  U32(message, tag::host_frame::kModule, module);
  U32(message, tag::host_frame::kBuildId, build_id);
  U32(message, tag::host_frame::kOffset, frame.offset);
}

void AppendEntry(const HostStackEvent& stack, std::string* entries) {
  Message block(*entries);
  Message message(block, tag::block::kHostStacks);
  First(message, tag::host_stack::kParent, stack.parent);
  U32(message, tag::host_stack::kFrame, stack.frame);
}

void AppendEntry(const PassGroupEvent& group, EntryTables* tables, std::string* entries) {
  const auto ids = [&](const std::vector<std::string>& names) {
    std::vector<uint32_t> interned;
    interned.reserve(names.size());
    for (const std::string& name : names) interned.push_back(tables->Intern(name));
    return interned;
  };
  struct Throughput {
    uint32_t metric;
    std::vector<uint32_t> parts, missing;
  };
  const std::vector<uint32_t> metrics = ids(group.metrics);
  const uint32_t level = tables->Intern(group.level);
  std::vector<Throughput> throughputs;
  for (const ThroughputEvent& event : group.throughputs) {
    throughputs.push_back({tables->Intern(event.metric), ids(event.parts), ids(event.missing)});
  }
  Message block(*entries);
  Message message(block, tag::block::kPassGroups);
  Packed32(message, tag::pass_group::kMetric, metrics);
  First(message, tag::pass_group::kLevel, level);
  for (const Throughput& throughput : throughputs) {
    Message entry(message, tag::pass_group::kThroughputs);
    U32(entry, tag::throughput::kMetric, throughput.metric);
    Packed32(entry, tag::throughput::kPart, throughput.parts);
    Packed32(entry, tag::throughput::kMissing, throughput.missing);
  }
}

void AppendEntry(const PmSeriesEvent& series, const PmLayout& layout, EntryTables* tables,
                 std::string* entries) {
  std::vector<uint32_t> names;
  for (const PmMetric& metric : series.metrics) names.push_back(tables->Intern(metric.name));
  Message block(*entries);
  Message message(block, tag::block::kPmSeries);
  First(message, tag::pm_series::kDevice, series.device);
  U32(message, tag::pm_series::kIntervalNs, static_cast<uint64_t>(layout.interval_ns));
  Packed32(message, tag::pm_series::kMetric, names);
  if (!names.empty()) {
    message.add_packed_double(tag::pm_series::kScale, layout.scales.begin(), layout.scales.end());
  }
}

void AppendEntry(const NameEvent& event, EntryTables* tables, std::string* entries) {
  const uint32_t name = tables->Intern(event.name);
  const uint32_t domain = tables->Intern(event.domain);
  if (event.kind == NameKind::kThread) tables->NameThread(static_cast<uint32_t>(event.id), name);
  Message block(*entries);
  Message message(block, tag::block::kNames);
  message.add_enum(tag::name::kKind, static_cast<int32_t>(event.kind));
  U32(message, tag::name::kId, event.id);
  U32(message, tag::name::kDomain, domain);
  U32(message, tag::name::kName, name);
  U32(message, tag::name::kContext, event.context);
  U32(message, tag::name::kStream, event.stream);
}

void AppendEntry(const CounterSampleEvent& event, const SampledKernel* kernel,
                 std::string* entries) {
  Message block(*entries);
  Message sample(block, tag::block::kSamples);
  U32(sample, tag::counter_sample::kGroup, event.group);
  U32(sample, tag::counter_sample::kContext, event.context);
  U32(sample, tag::counter_sample::kCorrelation, event.correlation);
  sample.add_packed_double(tag::counter_sample::kValue, event.values.begin(), event.values.end());
  I64(sample, tag::counter_sample::kBeginNs, event.begin_ns);
  I64(sample, tag::counter_sample::kEndNs, event.end_ns);
  U32(sample, tag::counter_sample::kRangePath, event.path);
  if (event.unit != SampleUnit::kKernel) {
    sample.add_enum(tag::counter_sample::kUnit, static_cast<int32_t>(event.unit));
  }
  if (kernel == nullptr) return;
  U32(sample, tag::counter_sample::kShape, kernel->shape);
  U32(sample, tag::counter_sample::kLane, kernel->lane);
  U32(sample, tag::counter_sample::kDurationNs, kernel->duration_ns);
}

void AppendEntry(const ProfilerIntervalEvent& event, EntryTables* tables, std::string* entries) {
  const bool pause = event.work == ProfilerWork::kPause;  // of all threads
  const uint32_t thread = pause ? 0 : tables->Thread(event.tid);
  Message block(*entries);
  Message interval(block, tag::block::kProfilerIntervals);
  interval.add_enum(tag::profiler_interval::kWork, static_cast<int32_t>(event.work));
  I64(interval, tag::profiler_interval::kBeginNs, event.begin_ns);
  I64(interval, tag::profiler_interval::kEndNs, event.end_ns);
  U32(interval, tag::profiler_interval::kThread, thread);
}

void AppendEntry(const LaunchCountEvent& event, EntryTables* tables, std::string* entries) {
  const uint32_t shape = event.name.empty() ? 0 : tables->Shape(event);
  Message block(*entries);
  Message count(block, tag::block::kLaunchCounts);
  U32(count, tag::launch_count::kDevice, event.device);
  U32(count, tag::launch_count::kShape, shape);
  U32(count, tag::launch_count::kGraphId, event.graph);
  U32(count, tag::launch_count::kLaunches, event.launches);
  U32(count, tag::launch_count::kCountedNs, event.counted_ns);
}

void AppendEntry(const NoticeEvent& event, std::string* entries) {
  Message block(*entries);
  Message notice(block, tag::block::kNotices);
  if (event.severity != Severity::kInfo) {
    notice.add_enum(tag::notice::kSeverity, static_cast<int32_t>(event.severity));
  }
  notice.add_enum(tag::notice::kSubsystem, static_cast<int32_t>(event.subsystem));
  U32(notice, tag::notice::kCode, event.code);
  Text(notice, tag::notice::kWhat, event.what);
  Text(notice, tag::notice::kFix, event.fix);
  I64(notice, tag::notice::kTimeNs, RealtimeNs());
}

void AppendEntry(const ClockPair& clocks, std::string* entries) {
  Message block(*entries);
  Message clock(block, tag::block::kClock);
  I64(clock, tag::clock_sample::kRealtimeNs, clocks.realtime_ns);
  I64(clock, tag::clock_sample::kMonotonicNs, clocks.monotonic_ns);
  U32(clock, tag::clock_sample::kUncertaintyNs, static_cast<uint64_t>(clocks.uncertainty_ns));
}

}  // namespace prof::capture
