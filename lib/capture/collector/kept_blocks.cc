// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/kept_blocks.h"

#include <utility>

#include "lib/capture/wire/block_writer.h"
#include "lib/capture/wire/columns.h"

namespace prof::capture {
namespace {

constexpr size_t kTablePayload = 128 << 10;

}  // namespace

void KeptBlocks::Add(std::string tables, std::string events, uint64_t rows, int64_t now_ns) {
  event_bytes_ += events.size();
  blocks_.push_back({std::move(tables), std::move(events), rows, now_ns});
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

void KeptBlocks::WriteTo(Output* output, const Integrity& integrity, int64_t end_ns) const {
  for (const std::string& tables : tables_) output->Append(tables);
  for (const Kept& block : blocks_) output->Append(block.tables + block.events);
  const BlockTrailer trailer = {end_ns, tables_.size() + blocks_.size() + 1};
  std::string last;
  AppendEvents({}, integrity, &trailer, &last);
  output->Append(last);
}

uint64_t KeptBlocks::MoveTo(Output* output) {
  const uint64_t count = tables_.size() + blocks_.size();
  for (std::string& tables : tables_) output->Append(std::exchange(tables, {}));
  for (; !blocks_.empty(); blocks_.pop_front()) {
    output->Append(blocks_.front().tables + blocks_.front().events);
  }
  tables_.clear();
  event_bytes_ = 0;
  return count;
}

}  // namespace prof::capture
