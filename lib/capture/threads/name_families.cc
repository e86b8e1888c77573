// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/name_families.h"

#include <algorithm>
#include <cstring>

namespace prof::capture {

FoldedName::FoldedName(std::string_view name) {  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const std::string_view cut = RangeStrings::Cut(name);
  if (HasNumberMark(cut)) {
    std::memcpy(text_, cut.data(), cut.size());
    size_ = cut.size();
    return;
  }
  format::NameReader reader(cut);
  while (!reader.done()) {
    const format::NamePiece piece = reader.Next();
    if (!piece.is_number) {
      std::memcpy(text_ + size_, piece.text.data(), piece.text.size());
      size_ += piece.text.size();
      continue;
    }
    text_[size_++] = format::kNumberMark;
    if (numbers_.count < format::kMaxNameNumbers) {
      numbers_.number[numbers_.count++] = format::NumberOf(piece);
    }
  }
}

bool HasDigit(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool HasNumberMark(std::string_view name) {
  return name.find(format::kNumberMark) != std::string_view::npos;
}

std::atomic<uint32_t>* NameFamilies::Members(uint64_t family) {
  if (family == 0) family = 1;
  for (uint32_t probe = 0; probe < kMostProbes; ++probe) {
    Slot& slot = slots_[(family + probe) & (kSlots - 1)];
    uint64_t there = slot.family.load(std::memory_order_acquire);
    if (there == 0 &&
        slot.family.compare_exchange_strong(there, family, std::memory_order_acq_rel)) {
      return &slot.members;
    }
    if (there == family) return &slot.members;
  }
  return nullptr;
}

}  // namespace prof::capture
