// SPDX-License-Identifier: Apache-2.0
//
// The head of a page: its title, its style, and a policy that lets in its own script and style, and
// nothing else.
#ifndef PROF_LIB_HTML_PAGE_HEAD_H_
#define PROF_LIB_HTML_PAGE_HEAD_H_

#include <iosfwd>
#include <string_view>

#include "lib/html/bundle.h"

namespace prof::html {

// From the doctype to </head>. `title`: plain text.
void WriteHead(std::ostream& out, const Bundle& bundle, std::string_view title);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_PAGE_HEAD_H_
