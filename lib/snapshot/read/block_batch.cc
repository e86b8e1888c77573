// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/read/block_batch.h"

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/format/framing.h"
#include "lib/snapshot/decode/state.h"
#include "lib/snapshot/read/message_size.h"

namespace prof::snapshot {
namespace {

// The payload of the next frame.
absl::StatusOr<std::string_view> NextPayload(Source* source) {
  const std::string_view header = source->Next(format::kFrameHeaderSize);
  if (header.empty()) return absl::OutOfRangeError("end");
  if (header.size() < format::kFrameHeaderSize) {
    return absl::DataLossError("the file ends within its header");
  }
  const uint32_t magic = format::GetU32(header.data());
  const uint32_t size = format::GetU32(header.data() + 4);
  const uint32_t crc = format::GetU32(header.data() + 8);
  if (magic != format::kFrameMagic) return absl::DataLossError("it does not begin with \"PBLK\"");
  if (size > format::kMaxPayload) {
    return absl::DataLossError(absl::StrCat("it claims ", size, " bytes, more than a block has"));
  }
  const std::string_view payload = source->Next(size);
  if (payload.size() < size) {
    return absl::DataLossError(
        absl::StrCat("the file ends after ", payload.size(), " of its ", size, " bytes"));
  }
  if (format::Crc32c(payload) != crc) return absl::DataLossError("its checksum does not match");
  return payload;
}

void ReadBlock(Source* source, ParsedBlock* block) {
  block->begin = source->position();
  const absl::StatusOr<std::string_view> payload = NextPayload(source);
  block->status = source->error() != 0 ? ReadingFailed(source->error()) : payload.status();
  if (!block->status.ok()) return;
  block->end = source->position();
  block->payload_bytes = payload->size();
  const size_t memory = MessageSize(*payload, *wire::Block::descriptor());
  if (memory > kMemoryInAnyCase + kMemoryPerByte * payload->size()) {
    block->status = absl::DataLossError(
        absl::StrCat("its ", payload->size(), " bytes would take ", memory, " bytes of memory"));
    return;
  }
  if (!block->block.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) {
    block->status = absl::DataLossError("its content is not a valid block");
  }
}

}  // namespace

void BlockBatch::Read(size_t bytes, Source* source) {
  const uint64_t begin = source->position();
  size_ = 0;
  do {
    if (size_ == blocks_.size()) blocks_.emplace_back();
    ParsedBlock& block = blocks_[size_++];
    ReadBlock(source, &block);
    last_ = !block.status.ok() || block.block.has_trailer();
  } while (!last_ && source->position() - begin < bytes);
}

}  // namespace prof::snapshot
