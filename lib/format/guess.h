// SPDX-License-Identifier: Apache-2.0
//
// These classes guess the next row of a column from the rows before it in the same block. The
// writer and the reader of a snapshot make the same guess, so the file only holds where it was
// wrong, and by how much (docs/internals/snapshot-format.md, "Guessed columns"). Every constant
// here is part of the format.
#ifndef PROF_LIB_FORMAT_GUESS_H_
#define PROF_LIB_FORMAT_GUESS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::format {

// Guesses an id: the one that followed when the last three values came in this order before.
// Programs launch the same kernels in the same order again and again.
class IdGuess {
 public:
  uint32_t guess() const { return next_[slot_]; }
  void Learn(uint32_t value) {
    next_[slot_] = value;
    third_ = second_;
    second_ = last_;
    last_ = value;
    slot_ = (last_ * 0x9e3779b1u ^ second_ * 0x85ebca6bu ^ third_ * 0xc2b2ae35u) >> 20;
  }
  // True when the guess is `value` and Learn(value) would change nothing.
  bool Repeats(uint32_t value) const {
    return value == last_ && value == second_ && value == third_;
  }
  // Makes the object like a new one, without allocating.
  void Forget() {
    std::fill(next_.begin(), next_.end(), 0);
    last_ = second_ = third_ = slot_ = 0;
  }

 private:
  std::vector<uint32_t> next_ = std::vector<uint32_t>(1 << 12);
  uint32_t last_ = 0, second_ = 0, third_ = 0, slot_ = 0;
};

// Guesses an interval. The time since the end of the row before is guessed from the last time that
// these two kinds of rows followed each other, the duration from the last row of this kind.
// Arithmetic wraps round, so that no file can make it undefined.
class IntervalGuess {
 public:
  // Sets the time at which the row before the first one ends.
  void Begin(int64_t base_ns) { end_ns_ = static_cast<uint64_t>(base_ns); }
  // Starts the guess of a row of kind `id`.
  void Enter(uint32_t id) {
    gap_slot_ = (id * 0x9e3779b1u ^ previous_ * 0x85ebca6bu) >> 21;
    duration_slot_ = id % kSlots;
    previous_ = id;
  }
  uint64_t start_ns() const { return end_ns_ + gaps_ns_[gap_slot_]; }
  uint64_t duration_ns() const { return durations_ns_[duration_slot_]; }
  void Learn(uint64_t start_ns, uint64_t duration_ns) {
    gaps_ns_[gap_slot_] = start_ns - end_ns_;
    durations_ns_[duration_slot_] = duration_ns;
    end_ns_ = start_ns + duration_ns;
  }
  // Makes the object like a new one, without allocating.
  void Forget() {
    std::fill(gaps_ns_.begin(), gaps_ns_.end(), 0);
    std::fill(durations_ns_.begin(), durations_ns_.end(), 0);
    end_ns_ = 0;
    gap_slot_ = duration_slot_ = 0;
    previous_ = 0;
  }

 private:
  static constexpr size_t kSlots = 1 << 11;
  std::vector<uint64_t> gaps_ns_ = std::vector<uint64_t>(kSlots);
  std::vector<uint64_t> durations_ns_ = std::vector<uint64_t>(kSlots);
  uint64_t end_ns_ = 0;
  size_t gap_slot_ = 0, duration_slot_ = 0;
  uint32_t previous_ = 0;
};

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_GUESS_H_
