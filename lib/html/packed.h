// SPDX-License-Identifier: Apache-2.0
//
// Bytes travel in the page deflated (zlib's format) and as base64.
#ifndef PROF_LIB_HTML_PACKED_H_
#define PROF_LIB_HTML_PACKED_H_

#include <string>
#include <string_view>

namespace prof::html {

// As base64, of the deflated bytes. Costs about 30 ns a byte. Never fails, except for memory.
[[nodiscard]] std::string Packed(std::string_view bytes);

[[nodiscard]] std::string Base64(std::string_view bytes);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_PACKED_H_
