// SPDX-License-Identifier: Apache-2.0
#include "lib/options/option_help.h"

#include <variant>

#include "lib/options/number_text.h"
#include "lib/options/option_text.h"

namespace prof::options {
namespace {

std::string Allowed(const Text&) { return {}; }
std::string Allowed(const List&) { return {}; }
std::string Allowed(const Expression&) { return {}; }
std::string Allowed(const Switch&) { return {}; }

template <typename T>
std::string Allowed(const Number<T>& kind) {
  const std::string lowest = NumberText(kind.lowest);
  return lowest + " to " + WithUnit(NumberText(kind.highest), kind.unit);
}

template <typename T>
std::string Allowed(const Choice<T>& kind) {
  return NamesOf(kind);
}

std::string Allowed(const Interval& kind) { return Allowed(kind.interval); }

// Nothing: the value itself is good enough.
template <typename Kind>
std::string Default(const Kind&, const SessionOptions&) {
  return {};
}

std::string Default(const List&, const SessionOptions&) { return "none"; }

std::string Default(const Expression& kind, const SessionOptions&) { return kind.when_empty; }

std::string Default(const Switch& kind, const SessionOptions& values) {
  return values.*kind.field ? "on" : "off";
}

template <typename T>
std::string Default(const Number<T>& kind, const SessionOptions& values) {
  return WithUnit(NumberText(values.*kind.field), kind.unit);
}

std::string Default(const Interval& kind, const SessionOptions& values) {
  return std::string(values.*kind.on ? "on" : "off") + ", " + Default(kind.interval, values);
}

}  // namespace

std::string FlagUsage(const Option& option) {
  const std::string value = option.value;
  if (value.empty()) return option.flag;
  const bool may_lack = std::holds_alternative<Interval>(option.kind);
  return option.flag + (may_lack ? "[=" + value + "]" : " " + value);
}

std::string AllowedText(const Option& option) {
  return std::visit([](const auto& kind) { return Allowed(kind); }, option.kind);
}

std::string DefaultText(const Option& option) {
  const SessionOptions defaults = DefaultOptions();
  const std::string text =
      std::visit([&](const auto& kind) { return Default(kind, defaults); }, option.kind);
  return text.empty() ? ValueText(option, defaults) : text;
}

}  // namespace prof::options
