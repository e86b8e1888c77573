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
  if (compressed_.size() == kBatchesAtOnce) WriteCompressed();
  compressed_.push_back(
      std::async(std::launch::async | std::launch::deferred,
                 [batch = writer_.Take()] { return Deflate(batch, Envelope::kZlib); }));
}

void PacketStream::WriteCompressed() {
  std::future<std::string> oldest = std::move(compressed_.front());
  compressed_.pop_front();  // get() may throw
  ProtoWriter outer;
  const size_t begin = outer.Begin(kTracePacket);
  outer.Text(packet::kCompressed, oldest.get());
  outer.End(begin);
  out_->write(outer.bytes().data(), static_cast<std::streamsize>(outer.size()));
}

void PacketStream::Finish() {
  if (writer_.size() > 0) Compress();
  while (!compressed_.empty()) WriteCompressed();
}

Sequence::Sequence(PacketStream* stream, uint32_t id, int64_t begin_ns)
    : stream_(stream), last_ns_(begin_ns) {
  ProtoWriter head;
  head.Integer(packet::kSequence, id);
  head.Integer(packet::kFlags, packet::kNeedsState);
  head_ = head.bytes();
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

size_t Sequence::Begin() {
  ProtoWriter& out = stream_->writer();
  const size_t begin = out.Begin(kTracePacket);
  out.Raw(head_);
  return begin;
}

void Sequence::EndAt(size_t begin, int64_t time_ns) {
  const int64_t time = std::max(time_ns, last_ns_);
  stream_->writer().Integer(packet::kTimestamp, static_cast<uint64_t>(time - last_ns_));
  last_ns_ = time;
  stream_->End(begin);
}

size_t Sequence::BeginInterned() {
  packet_ = Begin();
  return stream_->writer().Begin(packet::kInterned);
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
