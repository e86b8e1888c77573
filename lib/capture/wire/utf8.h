// SPDX-License-Identifier: Apache-2.0
//
// UTF-8 is what protobuf strings need; names that programs make are any bytes.
#ifndef PROF_LIB_CAPTURE_WIRE_UTF8_H_
#define PROF_LIB_CAPTURE_WIRE_UTF8_H_

#include <string>
#include <string_view>

namespace prof::capture {

// `text` with every byte that is not part of well-formed UTF-8 replaced by '?'.
[[nodiscard]] std::string SanitizeUtf8(std::string_view text);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_UTF8_H_
