// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/perfetto_stream.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "lib/export/base/deflate.h"
#include "lib/export/base/json_text.h"
#include "lib/export/writers/perfetto_fields.h"

namespace prof::exporting::perfetto {

size_t PacketStream::Begin(uint32_t sequence) {
  const size_t begin = writer_.Begin(kTracePacket);
  writer_.Integer(packet::kSequence, sequence);
  return begin;
}

void PacketStream::Compress() {
  WriteCompressed();
  compressed_ = std::async(std::launch::async | std::launch::deferred,
                           [batch = writer_.Take()] { return Deflate(batch, Envelope::kZlib); });
}

void PacketStream::WriteCompressed() {
  if (!compressed_.valid()) return;
  ProtoWriter outer;
  const size_t begin = outer.Begin(kTracePacket);
  outer.Text(packet::kCompressed, compressed_.get());
  outer.End(begin);
  out_->write(outer.bytes().data(), static_cast<std::streamsize>(outer.size()));
}

void PacketStream::Finish() {
  if (writer_.size() > 0) Compress();
  WriteCompressed();
}

Sequence::Sequence(PacketStream* stream, uint32_t id, int64_t begin_ns)
    : stream_(stream), id_(id), last_ns_(begin_ns) {
  const auto time = static_cast<uint64_t>(begin_ns);
  ProtoWriter& out = stream->writer();
  const size_t packet = stream->Begin(id);
  out.Integer(packet::kFlags, packet::kStateCleared);
  const size_t snapshot = out.Begin(packet::kClockSnapshot);
  for (const uint64_t clock : {clocks::kBoottime, clocks::kDelta}) {
    const size_t begin = out.Begin(clocks::kClock);
    out.Integer(clocks::kId, clock);
    out.Integer(clocks::kTimestamp, time);
    if (clock == clocks::kDelta) out.Integer(clocks::kIncremental, 1);
    out.End(begin);
  }
  out.End(snapshot);
  const size_t defaults = out.Begin(packet::kDefaults);
  out.Integer(packet::kClockId, clocks::kDelta);
  out.End(defaults);
  out.Integer(packet::kClockId, clocks::kBoottime);  // of this packet
  out.Integer(packet::kTimestamp, time);
  stream->End(packet);
}

size_t Sequence::BeginAt(int64_t time_ns) {
  const int64_t time = std::max(time_ns, last_ns_);
  const size_t begin = stream_->Begin(id_);
  ProtoWriter& out = stream_->writer();
  out.Integer(packet::kTimestamp, static_cast<uint64_t>(time - last_ns_));
  out.Integer(packet::kFlags, packet::kNeedsState);
  last_ns_ = time;
  return begin;
}

size_t Sequence::BeginInterned() {
  packet_ = stream_->Begin(id_);
  ProtoWriter& out = stream_->writer();
  out.Integer(packet::kFlags, packet::kNeedsState);
  return out.Begin(packet::kInterned);
}

void Sequence::EndInterned(size_t begin) {
  stream_->writer().End(begin);
  stream_->End(packet_);
}

uint64_t Sequence::Intern(uint32_t field, std::string_view name) {
  auto& names = names_[field];
  const auto [entry, is_new] = names.emplace(std::string(name), names.size() + 1);
  if (is_new) {
    const size_t begin = BeginInterned();
    ProtoWriter& out = stream_->writer();
    const size_t message = out.Begin(field);
    out.Integer(interned::kIid, entry->second);
    out.Text(interned::kName, ValidUtf8(name));
    out.End(message);
    EndInterned(begin);
  }
  return entry->second;
}

}  // namespace prof::exporting::perfetto
