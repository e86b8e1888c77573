// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/kernel_names.h"

#include <algorithm>

namespace prof::analyzer {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";

bool HasNoMeaning(std::string_view name) {
  return name == "Kernel" || name == "Kernel2" || name == "kernel" || name == "device_kernel";
}

// The length of the bracketed text that `text` begins with, brackets included.
size_t Bracketed(std::string_view text, char open, char close) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool arrow = close == '>' && i > 0 && text[i - 1] == '-';
    if (text[i] == open) ++depth;
    if (text[i] == close && !arrow && --depth == 0) return i + 1;
  }
  return text.size();
}

// The name before its parameters with template arguments left out; `arguments` gets the last
// list of them.
std::string WithoutArguments(std::string_view name, std::string_view* arguments) {
  std::string kept;
  for (size_t i = 0; i < name.size();) {
    if (name.substr(i, kAnonymous.size()) == kAnonymous) {
      kept += "::";  // a namespace like any other
      i += kAnonymous.size();
    } else if (name[i] == '<') {
      const size_t length = Bracketed(name.substr(i), '<', '>');
      *arguments = name.substr(i + 1, length - std::min<size_t>(length, 2));
      i += length;
    } else if (name[i] == '(') {
      // A function around a local class or lambda has its parameters in the middle.
      const size_t after = i + Bracketed(name.substr(i), '(', ')');
      if (name.substr(after, 2) != "::") break;
      i = after;
    } else {
      kept += name[i++];
    }
  }
  return kept;
}

std::string_view FirstArgument(std::string_view arguments) {
  int depth = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == '<' || arguments[i] == '(') ++depth;
    if (arguments[i] == '>' || arguments[i] == ')') --depth;
    if (arguments[i] == ',' && depth == 0) return arguments.substr(0, i);
  }
  return arguments;
}

}  // namespace

std::string ShortName(std::string_view demangled) {
  std::string_view arguments;
  const std::string kept = WithoutArguments(demangled, &arguments);
  std::string_view name = kept;
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  if (const size_t space = name.rfind(' '); space != name.npos) name.remove_prefix(space + 1);
  if (const size_t scope = name.rfind("::"); scope != name.npos) name.remove_prefix(scope + 2);
  if (name.empty()) return std::string(demangled);
  std::string result(name);
  if (!HasNoMeaning(name) || arguments.empty()) return result;
  const std::string inner = ShortName(FirstArgument(arguments));
  return result + '<' + inner + '>';
}

}  // namespace prof::analyzer
