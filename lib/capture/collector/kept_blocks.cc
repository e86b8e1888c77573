// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/kept_blocks.h"

#include <utility>

#include "lib/capture/process/clock.h"
#include "lib/capture/wire/block_writer.h"
#include "lib/capture/wire/columns.h"

namespace prof::capture {
namespace {

constexpr size_t kTablePayload = 128 << 10;

}  // namespace

void KeptBlocks::Append(const EncodedBlock& block) {
  event_bytes_ += block.events.size();
  blocks_.push_back(
      {std::string(block.tables), std::string(block.events), block.rows, MonotonicNs()});
  while (event_bytes_ > cap_bytes_) DropOldest();
}

void KeptBlocks::Expire(int64_t now_ns) {
  while (!blocks_.empty() && now_ns - blocks_.front().ended_ns > keep_ns_) DropOldest();
}

void KeptBlocks::DropOldest() {
  Kept& oldest = blocks_.front();
  if (!oldest.tables.empty()) {
    // Fields of one message may come in several pieces: the pieces are simply appended.
    if (tables_.empty() || tables_.back().size() >= kTablePayload) tables_.emplace_back();
    tables_.back() += oldest.tables;
  }
  event_bytes_ -= oldest.events.size();
  rows_dropped_ += oldest.rows;
  blocks_.pop_front();
}

void KeptBlocks::WriteTo(BlockSink* sink, const Integrity& integrity, int64_t end_ns) const {
  for (const std::string& tables : tables_) sink->Append({tables, {}});
  for (const Kept& block : blocks_) sink->Append({block.tables, block.events, block.rows});
  const BlockTrailer trailer = {end_ns, blocks() + 1};
  std::string last;
  AppendEvents({}, integrity, &trailer, &last);
  sink->Append({{}, last});
}

void KeptBlocks::MoveTo(BlockSink* sink) {
  for (std::string& tables : tables_) {
    sink->Append({tables, {}});
    std::string().swap(tables);
  }
  tables_.clear();
  for (; !blocks_.empty(); blocks_.pop_front()) {
    const Kept& oldest = blocks_.front();
    sink->Append({oldest.tables, oldest.events, oldest.rows});
  }
  event_bytes_ = 0;
}

}  // namespace prof::capture
