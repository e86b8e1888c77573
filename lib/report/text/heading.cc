// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/heading.h"

#include <ostream>

#include "lib/report/base/strings.h"

namespace prof::report {

void WriteHeading(std::ostream& out, std::string_view heading, const TextOptions& options) {
  out << '\n' << (options.color ? "\033[1m" : "") << heading;
  out << (options.color ? "\033[0m" : "") << '\n';
}

std::string ShortName(std::string_view name, int width, const TextOptions& options) {
  return ShortenMiddle(Printable(name), width, options.utf8 ? "\u2026" : "...");
}

}  // namespace prof::report
