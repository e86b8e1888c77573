// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/perfetto_memory.h"

#include <set>
#include <string>

#include "lib/export/base/memory_levels.h"
#include "lib/export/base/proto_writer.h"
#include "lib/export/writers/perfetto_fields.h"
#include "lib/export/writers/perfetto_gpu.h"
#include "lib/export/writers/perfetto_host.h"

namespace prof::exporting::perfetto {
namespace {

uint64_t MemoryTrack(const Events& events, uint32_t device) {
  return TrackId(events, "memory", device);
}

void WriteTrack(const Events& events, uint32_t device, PacketStream* stream) {
  ProtoWriter& out = stream->writer();
  const size_t packet = stream->Begin(kSpanSequence);
  const size_t descriptor = out.Begin(packet::kTrackDescriptor);
  out.Integer(track::kDescriptorUuid, MemoryTrack(events, device));
  out.Integer(track::kParent, ProcessTrack(events));
  out.Text(track::kDescriptorName, "GPU " + std::to_string(device) + " allocated memory");
  const size_t details = out.Begin(track::kCounterDescriptor);
  out.Integer(track::kCounterUnit, track::kBytes);
  out.End(details);
  out.End(descriptor);
  stream->End(packet);
}

void WriteLevel(const Events& events, const MemoryLevel& level, PacketStream* stream) {
  ProtoWriter& out = stream->writer();
  const size_t packet = stream->Begin(kSpanSequence);
  out.Integer(packet::kTimestamp, static_cast<uint64_t>(level.time_ns));
  const size_t event = out.Begin(packet::kTrackEvent);
  out.Integer(track::kType, track::kCounter);
  out.Integer(track::kUuid, MemoryTrack(events, level.device));
  out.Integer(track::kCounterValue, level.bytes);
  out.End(event);
  stream->End(packet);
}

}  // namespace

void WriteMemory(const Events& events, const Selection& selection, PacketStream* stream) {
  std::set<uint32_t> devices;
  for (const MemoryLevel& level : MemoryLevels(events)) {
    if (!selection.HasOn(level.device, level.time_ns, level.time_ns)) continue;
    if (devices.insert(level.device).second) WriteTrack(events, level.device, stream);
    WriteLevel(events, level, stream);
  }
}

}  // namespace prof::exporting::perfetto
