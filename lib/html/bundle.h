// SPDX-License-Identifier: Apache-2.0
//
// A bundle is the built front end of one kind of page. The build writes bundle.cc from both
// (lib/html/CMakeLists.txt).
#ifndef PROF_LIB_HTML_BUNDLE_H_
#define PROF_LIB_HTML_BUNDLE_H_

#include <string_view>

namespace prof::html {

enum class PageKind { kReport, kComparison };

struct Bundle {
  std::string_view script, style;            // empty: this build has none
  std::string_view script_hash, style_hash;  // "sha256-..." for the page's policy
  std::string_view missing;                  // why there is none, and the way out
};

[[nodiscard]] Bundle BuiltBundle(PageKind kind);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_BUNDLE_H_
