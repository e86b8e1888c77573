// SPDX-License-Identifier: Apache-2.0
//
// TextBuffer collects text and hands it to a stream in large pieces.
#ifndef PROF_LIB_EXPORT_BASE_TEXT_BUFFER_H_
#define PROF_LIB_EXPORT_BASE_TEXT_BUFFER_H_

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace prof::exporting {

class TextBuffer {
 public:
  explicit TextBuffer(std::ostream* out) : out_(out) {}
  ~TextBuffer() { Flush(); }
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  TextBuffer& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  TextBuffer& operator<<(int64_t number) {
    std::array<char, 24> digits{};
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text_.append(digits.data(), static_cast<size_t>(end - digits.data()));
    return *this;
  }
  // For functions that append to a string.
  std::string* text() { return &text_; }

  // Call it after each row.
  void EndRow() {
    constexpr size_t kPiece = 1 << 20;
    if (text_.size() >= kPiece) Flush();
  }
  void Flush() {
    out_->write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

 private:
  std::ostream* out_;
  std::string text_;
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_TEXT_BUFFER_H_
