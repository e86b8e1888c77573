// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/range_strings.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace prof::capture {
namespace {

constexpr uint32_t kEmpty = 0;

struct OverflowText {
  StoredString head;
  char text[16];
};
constexpr OverflowText kOverflow{{15, 0}, "(too many names"};
constexpr OverflowText kOtherNames{{13, 0}, "(other names)"};
// By TorchScope, from kOutside on.
constexpr OverflowText kTorchDomains[] = {
    {{5, 0}, "torch"}, {{5, 0}, "torch"}, {{5, 0}, "torch"}, {{5, 0}, "torch"}, {{5, 0}, "torch"}};

uint64_t Load(const char* from, size_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

uint32_t HashOf(std::string_view text) { return static_cast<uint32_t>(HashText(text) >> 32U); }

}  // namespace

std::string_view RangeStrings::Cut(std::string_view text) {
  if (text.size() <= kMaxNameBytes) return text;
  size_t size = kMaxNameBytes;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

const StoredString* RangeStrings::At(uint32_t place) const {
  return std::launder(reinterpret_cast<const StoredString*>(arena_ + place * kAlignment));
}

// The place of a new copy; kEmpty when there is no room.
uint32_t RangeStrings::Store(std::string_view text, uint32_t hash, Room room) {
  constexpr size_t kRoom = kArenaBytes - kAlignment;
  const size_t reserved = room == Room::kReserved ? 0 : 1;
  const size_t bytes =
      (sizeof(StoredString) + text.size() + kAlignment - 1) / kAlignment * kAlignment;
  if (arena_used_.load(std::memory_order_relaxed) + bytes > kRoom - reserved * (kRoom / 8) ||
      string_count_.load(std::memory_order_relaxed) >= kMaxStrings - reserved * (kMaxStrings / 8)) {
    return kEmpty;
  }
  string_count_.fetch_add(1, std::memory_order_relaxed);
  const size_t used = arena_used_.fetch_add(bytes, std::memory_order_relaxed);
  if (used + bytes > kRoom) return kEmpty;
  const size_t place = kAlignment + used;
  auto* stored = new (arena_ + place) StoredString{static_cast<uint32_t>(text.size()), hash};
  if (!text.empty()) std::memcpy(stored + 1, text.data(), text.size());
  return static_cast<uint32_t>(place / kAlignment);
}

uint64_t MixHash(uint64_t a, uint64_t b) {
  // A folded 64 x 64 bit product (wyhash's mixing step); constants are random odd numbers.
  __extension__ using Product = unsigned __int128;
  const Product product =
      static_cast<Product>(a ^ 0x9E3779B97F4A7C15U) * static_cast<Product>(b ^ 0xD6E8FEB86659FD93U);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U);
}

uint64_t HashText(std::string_view text) {
  uint64_t hash = text.size();
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= sizeof(uint64_t); at += sizeof(uint64_t), left -= sizeof(uint64_t)) {
    hash = MixHash(hash, Load(at, sizeof(uint64_t)));
  }
  if (left > 0) hash = MixHash(hash, Load(at, left));
  return hash;
}

const StoredString* RangeStrings::Intern(std::string_view full_text, Room room) {
  const std::string_view text = Cut(full_text);
  const uint32_t hash = HashOf(text);
  uint32_t mine = kEmpty;
  for (size_t i = hash & (kSlots - 1);; i = (i + 1) & (kSlots - 1)) {
    uint32_t place = slots_[i].load(std::memory_order_acquire);
    if (place == kEmpty) {
      if (mine == kEmpty) mine = Store(text, hash, room);
      if (mine == kEmpty) return nullptr;
      // A thread that stored the same text first wins; our copy is lost room, nothing worse.
      if (slots_[i].compare_exchange_strong(place, mine, std::memory_order_acq_rel)) {
        return At(mine);
      }
    }
    const StoredString* stored = At(place);
    if (stored->hash == hash && stored->Is(text)) return stored;
  }
}

const StoredString* RangeStrings::Find(std::string_view full_text) const {
  const std::string_view text = Cut(full_text);
  const uint32_t hash = HashOf(text);
  for (size_t i = hash & (kSlots - 1);; i = (i + 1) & (kSlots - 1)) {
    const uint32_t place = slots_[i].load(std::memory_order_acquire);
    if (place == kEmpty) return nullptr;
    const StoredString* stored = At(place);
    if (stored->hash == hash && stored->Is(text)) return stored;
  }
}

uint32_t RangeStrings::QuartersFull() const {
  const size_t of_bytes = arena_used_.load(std::memory_order_relaxed) / (kArenaBytes / 4);
  const uint32_t of_count = string_count_.load(std::memory_order_relaxed) / (kMaxStrings / 4);
  return std::min(3U, std::max(static_cast<uint32_t>(of_bytes), of_count));
}

const StoredString* RangeStrings::Overflow() { return &kOverflow.head; }

const StoredString* RangeStrings::OtherNames() { return &kOtherNames.head; }

const StoredString* RangeStrings::TorchDomain(TorchScope scope) {
  if (scope == TorchScope::kNone) return nullptr;
  return &kTorchDomains[static_cast<size_t>(scope) - 1].head;
}

TorchScope RangeStrings::ScopeOf(const StoredString* domain) {
  const auto address = reinterpret_cast<uintptr_t>(domain);
  const auto first = reinterpret_cast<uintptr_t>(&kTorchDomains[0]);
  if (address < first || address - first >= sizeof(kTorchDomains)) return TorchScope::kNone;
  return static_cast<TorchScope>((address - first) / sizeof(OverflowText) + 1);
}

uint32_t RangeStrings::PlaceOf(const StoredString* stored) const {
  if (stored == nullptr || stored == Overflow()) return 0;
  return static_cast<uint32_t>((reinterpret_cast<const char*>(stored) - arena_) / kAlignment);
}

std::string_view RangeStrings::TextAt(uint32_t place) const {
  return place == 0 ? std::string_view() : At(place)->view();
}

const StoredString* RangeStrings::FromHandle(const void* handle) const {
  if (handle == Overflow()) return Overflow();
  const auto address = reinterpret_cast<uintptr_t>(handle);
  const auto begin = reinterpret_cast<uintptr_t>(&arena_[0]);
  if (address < begin + kAlignment || address >= begin + kArenaBytes) return nullptr;
  if ((address - begin) % kAlignment != 0) return nullptr;
  return static_cast<const StoredString*>(handle);
}

}  // namespace prof::capture
