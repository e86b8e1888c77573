// SPDX-License-Identifier: Apache-2.0
//
// A name pattern is a name without its numbers: "step 12" and "step 13" have the same one. Both
// halves take names apart in the same way. A number is
//  - a run of decimal digits: "layer12", "seq = 4567", "0.5" (two of them);
//  - hexadecimal digits behind "0x";
//  - a word of 6 or more hexadecimal digits in one case, with a letter and a digit: "req-7f3a9c";
//  - a UUID, in the form 8-4-4-4-12.
#ifndef PROF_LIB_FORMAT_NAME_PATTERN_H_
#define PROF_LIB_FORMAT_NAME_PATTERN_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prof::format {

// Stands for a number in a pattern. Hardly any name holds it.
constexpr char kNumberMark = '\x01';

// The numbers of a name that an event keeps; a name may have more.
constexpr size_t kMaxNameNumbers = 4;

enum class NumberForm : uint8_t { kDecimal = 0, kLowerHex = 1, kUpperHex = 2, kUuid = 3 };

// A number as it stood in a name. Of a number with too many digits for 64 bits, `value` has the
// first 19 decimal or 16 hexadecimal digits.
struct NameNumber {
  uint64_t value = 0;
  uint8_t digits = 0;  // at most 255
  NumberForm form = NumberForm::kDecimal;
};
struct NameNumbers {
  std::array<NameNumber, kMaxNameNumbers> number{};
  uint32_t count = 0;
};

constexpr size_t kMostDecimalDigits = 19, kMostHexDigits = 16;

inline size_t DecimalDigits(uint64_t value) {
  size_t digits = 1;
  for (; value >= 10; value /= 10) ++digits;
  return digits;
}

// How the number was written, as a number of the file. 0: decimal, complete, no leading zeros.
inline uint32_t StyleOf(const NameNumber& number) {
  if (number.form == NumberForm::kDecimal && number.digits == DecimalDigits(number.value)) return 0;
  return uint32_t{number.digits} << 2 | static_cast<uint32_t>(number.form);
}
inline NameNumber FromStyle(uint64_t value, uint32_t style) {
  if (style == 0) {
    return {value, static_cast<uint8_t>(DecimalDigits(value)), NumberForm::kDecimal};
  }
  return {value, static_cast<uint8_t>(style >> 2), static_cast<NumberForm>(style & 3U)};
}

// A piece of a name: text, or one number.
struct NamePiece {
  std::string_view text;
  bool is_number = false;
  NumberForm form = NumberForm::kDecimal;
};

namespace name_pattern {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
inline bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool IsWordChar(char c) { return IsDigit(c) || IsLower(c) || IsUpper(c); }

// Bits: digits, letters a to f, letters A to F, anything else.
inline uint32_t HexClasses(std::string_view text) {
  uint32_t classes = 0;
  for (const char c : text) {
    if (IsDigit(c)) {
      classes |= 1;
    } else if (c >= 'a' && c <= 'f') {
      classes |= 2;
    } else if (c >= 'A' && c <= 'F') {
      classes |= 4;
    } else {
      return 8;
    }
  }
  return classes;
}
inline bool IsHexInOneCase(std::string_view text) {
  const uint32_t classes = HexClasses(text);
  return classes != 0 && classes < 6;
}
inline NumberForm HexForm(std::string_view text) {
  return (HexClasses(text) & 4U) != 0 ? NumberForm::kUpperHex : NumberForm::kLowerHex;
}

constexpr size_t kUuidSize = 36;

// `text` begins at a word.
inline bool BeginsWithUuid(std::string_view text) {
  if (text.size() < kUuidSize) return false;
  if (text.size() > kUuidSize && IsWordChar(text[kUuidSize])) return false;
  for (const size_t dash : {8, 13, 18, 23}) {
    if (text[dash] != '-') return false;
  }
  for (size_t i = 0; i < kUuidSize; ++i) {
    if (text[i] != '-' && HexClasses(text.substr(i, 1)) == 8) return false;
  }
  return true;
}

inline uint64_t DigitOf(char c) {
  if (IsDigit(c)) return static_cast<uint64_t>(c - '0');
  return static_cast<uint64_t>(10 + c - (IsLower(c) ? 'a' : 'A'));
}

inline size_t WordSize(std::string_view text) {
  size_t size = 0;
  while (size < text.size() && IsWordChar(text[size])) ++size;
  return size;
}

}  // namespace name_pattern

// Takes the next piece off the front of `rest`, which is not empty. `at_word`: whether a word may
// begin there; true for a name. No allocation.
class NameReader {
 public:
  explicit NameReader(std::string_view name) : rest_(name) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }

  NamePiece Next() {
    using namespace name_pattern;  // NOLINT(google-build-using-namespace)
    if (at_word_) {
      at_word_ = false;
      if (BeginsWithUuid(rest_)) return Take(kUuidSize, true, NumberForm::kUuid);
      const size_t word = WordSize(rest_);
      const std::string_view text = rest_.substr(0, word);
      const bool prefixed = word > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
      if (prefixed && IsHexInOneCase(text.substr(2))) {
        hex_ = true;
        return Take(2, false);
      }
      const uint32_t classes = HexClasses(text);
      if (word >= kMinHexWord && (classes == 3 || classes == 5)) {
        return Take(word, true, HexForm(text));
      }
    }
    if (hex_) {
      hex_ = false;
      const size_t word = WordSize(rest_);
      return Take(word, true, HexForm(rest_.substr(0, word)));
    }
    size_t size = 0;
    if (IsDigit(rest_[0])) {
      while (size < rest_.size() && IsDigit(rest_[size])) ++size;
      return Take(size, true);
    }
    // Up to a digit, or to the beginning of a word.
    while (size < rest_.size() && !IsDigit(rest_[size])) {
      const bool word_ended = !IsWordChar(rest_[size]);
      ++size;
      if (word_ended && size < rest_.size() && IsWordChar(rest_[size])) {
        at_word_ = true;
        break;
      }
    }
    return Take(size, false);
  }

 private:
  static constexpr size_t kMinHexWord = 6;

  NamePiece Take(size_t size, bool is_number, NumberForm form = NumberForm::kDecimal) {
    const NamePiece piece = {rest_.substr(0, size), is_number, form};
    rest_.remove_prefix(size);
    return piece;
  }

  std::string_view rest_;
  bool at_word_ = true;
  bool hex_ = false;  // the number behind "0x" comes next
};

// `piece` is a number.
inline NameNumber NumberOf(const NamePiece& piece) {
  const bool decimal = piece.form == NumberForm::kDecimal;
  const size_t most = decimal ? kMostDecimalDigits : kMostHexDigits;
  NameNumber number;
  number.form = piece.form;
  size_t digits = 0;
  for (const char c : piece.text) {
    if (c == '-') continue;
    if (digits++ < most)
      number.value = number.value * (decimal ? 10 : 16) + name_pattern::DigitOf(c);
  }
  number.digits = static_cast<uint8_t>(std::min<size_t>(digits, 255));
  return number;
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_NAME_PATTERN_H_
