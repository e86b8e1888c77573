// SPDX-License-Identifier: Apache-2.0
//
// Compression with zlib.
#ifndef PROF_LIB_EXPORT_BASE_DEFLATE_H_
#define PROF_LIB_EXPORT_BASE_DEFLATE_H_

#include <string>
#include <string_view>

namespace prof::exporting {

enum class Envelope { kZlib, kGzip };

// Level 1: on event data, level 6 takes four times the time for a fifth of the size.
[[nodiscard]] std::string Deflate(std::string_view bytes, Envelope envelope, int level = 1);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_DEFLATE_H_
