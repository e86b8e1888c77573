// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/heading.h"

#include <ostream>

#include "lib/report/base/strings.h"

namespace prof::report {
namespace {

const char* Ellipsis(const TextOptions& options) { return options.utf8 ? "\u2026" : "..."; }

}  // namespace

void WriteHeading(std::ostream& out, std::string_view heading, const TextOptions& options) {
  out << '\n' << Bold(heading, options) << '\n';
}

std::string Bold(std::string_view text, const TextOptions& options) {
  return Colored(text, "1", options);
}

std::string Colored(std::string_view text, std::string_view attributes,
                    const TextOptions& options) {
  if (!options.color) return std::string(text);
  return "\033[" + std::string(attributes) + "m" + std::string(text) + "\033[0m";
}

std::string ShortName(std::string_view name, int width, const TextOptions& options) {
  return ShortenMiddle(Printable(name), width, Ellipsis(options));
}

std::string OneLine(std::string_view text, int width, const TextOptions& options) {
  return ShortenEnd(Printable(text), width, Ellipsis(options));
}

}  // namespace prof::report
