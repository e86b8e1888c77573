// SPDX-License-Identifier: Apache-2.0
//
// The text of NVTX calls, which has several encodings, becomes UTF-8 views here.
#ifndef PROF_NVTX_BRIDGE_TEXT_H_
#define PROF_NVTX_BRIDGE_TEXT_H_

#include <array>
#include <string_view>

#include "lib/capture/threads/range_strings.h"

namespace prof::nvtx {

// A view of `text` up to its end, or up to where range_strings.h would cut it. nullptr: "".
[[nodiscard]] std::string_view FromNarrow(const char* text) noexcept;

// A wide string as UTF-8, in a buffer of its own. What is no character becomes U+FFFD.
class WideText {
 public:
  explicit WideText(const wchar_t* text) noexcept;
  [[nodiscard]] std::string_view view() const { return {buffer_.data(), size_}; }

 private:
  std::array<char, capture::kMaxNameBytes> buffer_;
  size_t size_ = 0;
};

}  // namespace prof::nvtx

#endif  // PROF_NVTX_BRIDGE_TEXT_H_
