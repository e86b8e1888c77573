// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/block_entries.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/capture/wire/wire_tags.h"
#include "lib/capture/wire/wire_writer.h"
#include "lib/format/framing.h"

namespace prof::capture {

void AppendEntry(const HeaderEvent& event, std::string* entries) {
  Message block(*entries);
  Message header(block, tag::block::kHeader);
  U32(header, 1, format::kFormatVersion);
  Text(header, 2, event.prof_version);
  I64(header, 3, event.start_ns);
  U32(header, 4, event.pid);
  Text(header, 5, event.host);
  Text(header, 6, event.command);
  header.add_int32(7, event.rank);
  U32(header, 8, event.versions.cuda_driver);
  U32(header, 9, event.versions.cupti);
  Text(header, 10, event.versions.cupti_path);
  Text(header, 11, event.versions.nvidia_driver);
  if (event.injected) header.add_bool(12, true);
  U32(header, 13, event.versions.cupti_device_bytes);
}

void AppendEntry(const DeviceEvent& event, EntryTables* tables, std::string* entries) {
  std::vector<std::pair<uint32_t, double>> peaks;
  for (const auto& [metric, value] : event.peaks) peaks.emplace_back(tables->Intern(metric), value);
  Message block(*entries);
  Message device(block, tag::block::kDevices);
  U32(device, 1, event.id);
  Text(device, 2, event.name);
  Text(device, 3, event.chip);
  U32(device, 4, event.compute_major);
  U32(device, 5, event.compute_minor);
  U32(device, 6, event.sm_count);
  U32(device, 7, event.warp_size);
  U32(device, 8, event.max_threads_per_sm);
  U32(device, 9, event.max_blocks_per_sm);
  U32(device, 10, event.registers_per_sm);
  U32(device, 11, event.shared_memory_per_sm);
  U32(device, 12, event.reserved_shared_memory_per_block);
  U32(device, 13, event.l2_bytes);
  U32(device, 14, event.memory_bytes);
  U32(device, 15, event.sm_clock_khz);
  U32(device, 16, event.memory_clock_khz);
  U32(device, 17, event.memory_bus_bits);
  Text(device, 18, event.uuid);
  for (const auto& [metric, value] : peaks) {
    Message peak(device, 19);
    U32(peak, 1, metric);
    peak.add_double(2, value);
  }
}

void AppendEntry(const RangePathInfo& path, EntryTables* tables, std::string* entries) {
  const uint32_t name = tables->Intern(path.name);
  const uint32_t domain = tables->Intern(path.domain);
  Message block(*entries);
  Message range(block, tag::block::kRangePaths);
  First(range, 1, path.parent);
  U32(range, 2, name);
  U32(range, 3, domain);
  U32(range, 4, path.color);
  U32(range, 5, path.category);
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
  const uint32_t tier = tables->Intern(group.tier);
  std::vector<Throughput> throughputs;
  for (const ThroughputEvent& event : group.throughputs) {
    throughputs.push_back({tables->Intern(event.metric), ids(event.parts), ids(event.missing)});
  }
  Message block(*entries);
  Message message(block, tag::block::kPassGroups);
  Packed32(message, 1, metrics);
  First(message, 2, tier);
  for (const Throughput& throughput : throughputs) {
    Message entry(message, 3);
    U32(entry, 1, throughput.metric);
    Packed32(entry, 2, throughput.parts);
    Packed32(entry, 3, throughput.missing);
  }
}

void AppendEntry(const PmSeriesEvent& series, const PmLayout& layout, EntryTables* tables,
                 std::string* entries) {
  std::vector<uint32_t> names;
  for (const PmMetric& metric : series.metrics) names.push_back(tables->Intern(metric.name));
  Message block(*entries);
  Message message(block, tag::block::kPmSeries);
  First(message, 1, series.device);
  U32(message, 2, static_cast<uint64_t>(layout.interval_ns));
  Packed32(message, 3, names);
  if (!names.empty()) message.add_packed_double(4, layout.scales.begin(), layout.scales.end());
}

void AppendEntry(const NameEvent& event, EntryTables* tables, std::string* entries) {
  const uint32_t name = tables->Intern(event.name);
  const uint32_t domain = tables->Intern(event.domain);
  if (event.kind == NameKind::kThread) tables->NameThread(static_cast<uint32_t>(event.id), name);
  Message block(*entries);
  Message message(block, tag::block::kNames);
  message.add_enum(1, static_cast<int32_t>(event.kind));
  U32(message, 2, event.id);
  U32(message, 3, domain);
  U32(message, 4, name);
  U32(message, 5, event.context);
  U32(message, 6, event.stream);
}

void AppendEntry(const CounterSampleEvent& event, std::string* entries) {
  Message block(*entries);
  Message sample(block, tag::block::kSamples);
  U32(sample, 1, event.group);
  U32(sample, 2, event.context);
  U32(sample, 3, event.correlation);
  sample.add_packed_double(4, event.values.begin(), event.values.end());
  I64(sample, 5, event.begin_ns);
  I64(sample, 6, event.end_ns);
  U32(sample, 7, event.path);
  if (event.unit != SampleUnit::kKernel) sample.add_enum(8, static_cast<int32_t>(event.unit));
}

void AppendEntry(const ProfilerIntervalEvent& event, EntryTables* tables, std::string* entries) {
  const uint32_t thread = tables->Thread(event.tid);
  Message block(*entries);
  Message interval(block, tag::block::kProfilerIntervals);
  interval.add_enum(1, static_cast<int32_t>(event.work));
  I64(interval, 2, event.begin_ns);
  I64(interval, 3, event.end_ns);
  U32(interval, 4, thread);
}

void AppendEntry(const NoticeEvent& event, std::string* entries) {
  Message block(*entries);
  Message notice(block, tag::block::kNotices);
  if (event.severity != Severity::kInfo) notice.add_enum(1, static_cast<int32_t>(event.severity));
  notice.add_enum(2, static_cast<int32_t>(event.subsystem));
  U32(notice, 3, event.code);
  Text(notice, 4, event.what);
  Text(notice, 5, event.fix);
  I64(notice, 6, RealtimeNs());
}

void AppendEntry(const ClockPair& clocks, std::string* entries) {
  Message block(*entries);
  Message clock(block, tag::block::kClock);
  I64(clock, 1, clocks.realtime_ns);
  I64(clock, 2, clocks.monotonic_ns);
  U32(clock, 3, static_cast<uint64_t>(clocks.uncertainty_ns));
}

}  // namespace prof::capture
