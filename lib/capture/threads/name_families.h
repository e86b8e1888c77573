// SPDX-License-Identifier: Apache-2.0
//
// Names that differ in numbers only are a family (lib/format/name_pattern.h). This file takes names
// apart, and counts how many of each family have a node of their own.
#ifndef PROF_LIB_CAPTURE_THREADS_NAME_FAMILIES_H_
#define PROF_LIB_CAPTURE_THREADS_NAME_FAMILIES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/capture/threads/range_strings.h"
#include "lib/format/name_pattern.h"

namespace prof::capture {

// A name with a mark for each number, in memory of the caller.
class FoldedName {
 public:
  // `name` is cut to kMaxNameBytes. A name that has marks is taken as a folded one. No allocation.
  explicit FoldedName(std::string_view name);
  FoldedName(const FoldedName&) = delete;
  FoldedName& operator=(const FoldedName&) = delete;

  std::string_view view() const { return {text_, size_}; }
  const format::NameNumbers& numbers() const { return numbers_; }

 private:
  char text_[kMaxNameBytes];  // a folded name is never longer than the name
  size_t size_ = 0;
  format::NameNumbers numbers_;
};

[[nodiscard]] bool HasDigit(std::string_view name);
[[nodiscard]] bool HasNumberMark(std::string_view name);

class NameFamilies {
 public:
  constexpr NameFamilies() = default;

  // The number of members of `family` (a hash), which the caller may increase; nullptr when the
  // table (131,072 families) has no room for it. Any thread; lock-free, no allocation.
  [[nodiscard]] std::atomic<uint32_t>* Members(uint64_t family);

 private:
  static constexpr uint32_t kSlots = 1U << 17;
  static constexpr uint32_t kMostProbes = 64;

  struct Slot {
    std::atomic<uint64_t> family{0};  // 0: empty
    std::atomic<uint32_t> members{0};
  };

  Slot slots_[kSlots] = {};
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_NAME_FAMILIES_H_
