// SPDX-License-Identifier: Apache-2.0
#include "lib/html/page_head.h"

#include <ostream>
#include <string>

namespace prof::html {
namespace {

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

}  // namespace

void WriteHead(std::ostream& out, const Bundle& bundle, std::string_view title) {
  out << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '"
      << bundle.script_hash << "'; style-src '" << bundle.style_hash
      << "'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>"
      << Escaped(title) << " - prof</title>\n<style>" << bundle.style << "</style>\n</head>\n";
}

}  // namespace prof::html
