// SPDX-License-Identifier: Apache-2.0
//
// Text that fits: widths of UTF-8, wrapping, names shortened in the middle. Names come from the
// profiled program, so control characters are made harmless before they reach a terminal.
#ifndef PROF_LIB_REPORT_BASE_STRINGS_H_
#define PROF_LIB_REPORT_BASE_STRINGS_H_

#include <string>
#include <string_view>
#include <vector>

namespace prof::report {

// Columns that a terminal uses: 0 for combining marks, 2 for wide East Asian characters and emoji.
[[nodiscard]] int DisplayWidth(std::string_view text);

// Control characters and bytes that are not UTF-8 become '?', so that a name can neither break a
// line nor send an escape sequence.
[[nodiscard]] std::string Printable(std::string_view text);

// `text` in lines of at most `width` columns (at least 1), broken at spaces, and words that are too
// long for a line after punctuation where possible. Nothing is lost. At least one line.
[[nodiscard]] std::vector<std::string> Wrap(std::string_view text, int width);

// At most `width` columns: the head and the tail, with `ellipsis` between them.
[[nodiscard]] std::string ShortenMiddle(std::string_view text, int width,
                                        std::string_view ellipsis);

// At most `width` columns: the head, then `ellipsis`.
[[nodiscard]] std::string ShortenEnd(std::string_view text, int width, std::string_view ellipsis);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_BASE_STRINGS_H_
