// SPDX-License-Identifier: Apache-2.0
#include "lib/html/comparison_page.h"

#include <ostream>
#include <sstream>
#include <string>

#include "lib/html/bundle.h"
#include "lib/html/page_head.h"
#include "lib/html/page_json.h"

namespace prof::html {

absl::Status WriteComparisonPage(std::ostream& out, const Comparison& comparison) {
  const Bundle bundle = BuiltBundle(PageKind::kComparison);
  if (!bundle.missing.empty()) return absl::UnimplementedError(std::string(bundle.missing));
  std::ostringstream json;
  WriteComparisonJson(json, comparison);
  WriteHead(out, bundle, "Before and after");
  out << "<body>\n<div id=\"app\"></div>\n"
         "<noscript>This page needs JavaScript. prof compare prints it as text.</noscript>\n"
         "<script type=\"application/json\" id=\"comparison\">"
      << ForPage(json.str()) << "</script>\n<script>" << bundle.script
      << "</script>\n</body>\n</html>\n";
  return absl::OkStatus();
}

}  // namespace prof::html
