// SPDX-License-Identifier: Apache-2.0
//
// This file removes the suffixes of CUDA API names. The recorder and the analyzer compare names
// without them.
#ifndef PROF_LIB_FORMAT_API_NAMES_H_
#define PROF_LIB_FORMAT_API_NAMES_H_

#include <cstddef>
#include <string_view>

namespace prof::format {

// "cudaMemcpyAsync_v3020_ptsz" -> "cudaMemcpyAsync". The version differs from build to build of the
// program, and "_ptsz" and "_ptds" only name the default stream that it was compiled for.
[[nodiscard]] inline std::string_view WithoutApiSuffix(std::string_view name) {
  while (true) {
    const size_t at = name.rfind('_');
    if (at == name.npos) return name;
    const std::string_view suffix = name.substr(at);
    const bool version = suffix.size() > 2 && suffix[1] == 'v' &&
                         suffix.find_first_not_of("0123456789", 2) == suffix.npos;
    if (!version && suffix != "_ptsz" && suffix != "_ptds") return name;
    name = name.substr(0, at);
  }
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_API_NAMES_H_
