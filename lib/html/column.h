// SPDX-License-Identifier: Apache-2.0
//
// A column is a list of numbers as varints: 7 bits a byte, low bits first, the high bit of a byte
// is set where more bytes follow. The page decodes it (html/src/data/decode.ts).
#ifndef PROF_LIB_HTML_COLUMN_H_
#define PROF_LIB_HTML_COLUMN_H_

#include <cstdint>
#include <string>

namespace prof::html {

class Column {
 public:
  void Add(uint64_t value);
  // Small numbers of both signs stay small: 0, -1, 1, -2 become 0, 1, 2, 3.
  void AddSigned(int64_t value);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

}  // namespace prof::html

#endif  // PROF_LIB_HTML_COLUMN_H_
