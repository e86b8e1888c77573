// SPDX-License-Identifier: Apache-2.0
//
// PacketStream writes the packets of a Perfetto trace, compressed in batches.
#ifndef PROF_LIB_EXPORT_WRITERS_PERFETTO_STREAM_H_
#define PROF_LIB_EXPORT_WRITERS_PERFETTO_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/export/base/proto_writer.h"

namespace prof::exporting::perfetto {

class PacketStream {
 public:
  explicit PacketStream(std::ostream* out) : out_(out) {}
  ~PacketStream() { Finish(); }
  PacketStream(const PacketStream&) = delete;
  PacketStream& operator=(const PacketStream&) = delete;

  // The writer of a packet that is open between both. End() gets what Begin() returned.
  ProtoWriter& writer() { return writer_; }
  [[nodiscard]] size_t Begin(uint32_t sequence);
  void End(size_t begin) {
    writer_.End(begin);
    if (writer_.size() >= kBatchBytes) Compress();
  }
  // Waits until all is written.
  void Finish();

 private:
  static constexpr size_t kBatchBytes = 512 << 10;
  // Batches that other threads compress. Compression takes longer than writing the packets: with
  // two of them this thread waits, and both of two processors have work.
  static constexpr size_t kBatchesAtOnce = 2;
  void Compress();
  void WriteCompressed();

  std::ostream* out_;
  ProtoWriter writer_;
  std::deque<std::future<std::string>> compressed_;  // of the batches before, in their order
};

// A sequence whose packets come in the order of time: their times are differences, which are short.
class Sequence {
 public:
  // Opens the sequence: its clock, and that its interned data begins.
  Sequence(PacketStream* stream, uint32_t id, int64_t begin_ns);

  // A packet with a time. Times before that of the last packet are moved to it. The time is the
  // last field: behind what differs between packets anyway, which makes the file a tenth smaller.
  [[nodiscard]] size_t Begin();
  void EndAt(size_t begin, int64_t time_ns);
  // A packet with interned data only: what is written between both is fields of InternedData.
  [[nodiscard]] size_t BeginInterned();
  void EndInterned(size_t begin);

  // The id of a name in `field` (an interned message with an id and a name), which is written at
  // its first use.
  uint64_t Intern(uint32_t field, std::string_view name);

 private:
  PacketStream* stream_;
  std::string head_;  // the fields that each packet begins with, encoded
  int64_t last_ns_;
  size_t packet_ = 0;
  std::unordered_map<uint32_t, std::unordered_map<std::string, uint64_t>> names_;  // by field
};

}  // namespace prof::exporting::perfetto

#endif  // PROF_LIB_EXPORT_WRITERS_PERFETTO_STREAM_H_
