// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/table_room.h"

#include <algorithm>

namespace prof::model {
namespace {

constexpr uint64_t kBlocksToEstimateFrom = 16;
constexpr uint64_t kMostToReserveFor = uint64_t{256} << 20;  // bytes of a file

template <typename Visit>
void ForEachLargeTable(model::Model* model, Visit visit) {
  model->ops.VisitRows(visit);
  model->api_calls.VisitRows(visit);
  visit(&model->syncs);
}

}  // namespace

void TableRoom::Follow(uint64_t position, model::Model* model) {
  position_ = position;
  if (++blocks_ != kBlocksToEstimateFrom) return;
  // For a very large file the reservation itself could fail.
  if (file_size_ <= position || file_size_ > kMostToReserveFor) return;
  const auto size = static_cast<double>(file_size_);
  const double growth = 1.02 * size / static_cast<double>(position);
  ForEachLargeTable(model, [&](auto* rows) {
    // No row has fewer than three bytes in the file.
    const double most = size / 3;
    ReserveRows(static_cast<size_t>(std::min(static_cast<double>(rows->size()) * growth, most)),
                rows);
  });
}

std::vector<LargePages> TableRoom::Ahead(uint64_t bytes, model::Model* model) const {
  std::vector<LargePages> pages;
  if (position_ == 0) return pages;
  const double growth = static_cast<double>(bytes) / static_cast<double>(position_);
  ForEachLargeTable(model, [&](auto* rows) {
    const auto more = static_cast<size_t>(static_cast<double>(rows->size()) * growth);
    const size_t more_bytes = more * sizeof(rows->front());
    pages.push_back(PagesOf(FreeRoom(rows), more_bytes, more_bytes / 2));
  });
  return pages;
}

}  // namespace prof::model
