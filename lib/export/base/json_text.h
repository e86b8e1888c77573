// SPDX-License-Identifier: Apache-2.0
//
// Text that other programs read: valid UTF-8, and JSON. The events of a trace are too many for a
// JSON library, which would build a tree of each.
#ifndef PROF_LIB_EXPORT_BASE_JSON_TEXT_H_
#define PROF_LIB_EXPORT_BASE_JSON_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace prof::exporting {

// `text` with U+FFFD for each byte that is not UTF-8.
[[nodiscard]] std::string ValidUtf8(std::string_view text);

// `text` in quotes: quotes, backslashes and control characters escaped, bytes that are not UTF-8
// replaced.
[[nodiscard]] std::string JsonString(std::string_view text);

// The shortest text that reads back as the same number; "null" for NaN and infinity.
[[nodiscard]] std::string JsonNumber(double value);

// Nanoseconds as microseconds with three decimals: "1234.567".
void AppendMicroseconds(int64_t ns, std::string* out);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_JSON_TEXT_H_
