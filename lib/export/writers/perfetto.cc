// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/perfetto.h"

#include <algorithm>
#include <cstdint>

#include "lib/export/base/json_text.h"
#include "lib/export/base/left_out.h"
#include "lib/export/base/proto_writer.h"
#include "lib/export/base/time_span.h"
#include "lib/export/writers/perfetto_counters.h"
#include "lib/export/writers/perfetto_fields.h"
#include "lib/export/writers/perfetto_gpu.h"
#include "lib/export/writers/perfetto_host.h"
#include "lib/export/writers/perfetto_memory.h"
#include "lib/export/writers/perfetto_stream.h"

namespace prof::exporting {
namespace {

using perfetto::PacketStream;

// The times of the trace are those of CLOCK_REALTIME. Perfetto's own clock is BOOTTIME: the two are
// written as equal, so that its times are read as they are.
void WriteClock(int64_t begin_ns, PacketStream* stream) {
  namespace clocks = perfetto::clocks;
  ProtoWriter& out = stream->writer();
  const size_t packet = stream->Begin(perfetto::kHeadSequence);
  const size_t snapshot = out.Begin(perfetto::packet::kClockSnapshot);
  for (const uint64_t clock : {clocks::kBoottime, clocks::kRealtime}) {
    const size_t begin = out.Begin(clocks::kClock);
    out.Integer(clocks::kId, clock);
    out.Integer(clocks::kTimestamp, static_cast<uint64_t>(begin_ns));
    out.End(begin);
  }
  out.End(snapshot);
  stream->End(packet);
}

// A GPU's place in the list is its id.
void WriteGpus(const Events& events, PacketStream* stream) {
  namespace gpu = perfetto::gpu;
  constexpr uint32_t kMostGpus = 1024;
  uint32_t count = 0;
  for (const DeviceInfo& device : events.devices()) {
    if (device.id < kMostGpus) count = std::max(count, device.id + 1);
  }
  if (count == 0) return;
  ProtoWriter& out = stream->writer();
  const size_t packet = stream->Begin(perfetto::kHeadSequence);
  const size_t info = out.Begin(perfetto::packet::kGpuInfo);
  for (uint32_t id = 0; id < count; ++id) {
    const size_t entry = out.Begin(gpu::kGpus);
    for (const DeviceInfo& device : events.devices()) {
      if (device.id != id) continue;
      out.Text(gpu::kName, ValidUtf8(device.name));
      out.Text(gpu::kVendor, "NVIDIA");
      out.Text(gpu::kModel, ValidUtf8(device.name));
      out.Text(gpu::kArchitecture, ValidUtf8(device.chip));
    }
    out.End(entry);
  }
  out.End(info);
  stream->End(packet);
}

}  // namespace

std::vector<std::string> WritePerfetto(const Events& events, const Report& report,
                                       const Selection& selection, std::ostream& out) {
  const int64_t begin_ns = BeginOf(events);
  PacketStream stream(&out);
  WriteClock(begin_ns, &stream);
  perfetto::WriteTracks(events, &stream);
  WriteGpus(events, &stream);
  perfetto::WriteOperations(events, report, selection, begin_ns, &stream);
  perfetto::WriteHost(events, selection, begin_ns, &stream);
  perfetto::WriteMemory(events, selection, &stream);
  const int64_t left_out = perfetto::WriteCounters(events, selection, begin_ns, &stream);
  stream.Finish();

  std::vector<std::string> notes;
  if (left_out > 0) {
    notes.push_back(std::to_string(left_out) +
                    " samples of counters are not in the trace: their kernels overlap another "
                    "sampled one, and Perfetto shows one value at a time");
  }
  NoteSamplesWithoutKernel(events, selection, &notes);
  NoteSyncs(events, selection, &notes);
  return notes;
}

}  // namespace prof::exporting
