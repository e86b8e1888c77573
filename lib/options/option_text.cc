// SPDX-License-Identifier: Apache-2.0
#include "lib/options/option_text.h"

#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>
#include <type_traits>

#include "lib/options/name_filter.h"

namespace prof::options {
namespace {

using Problem = std::optional<std::string>;

std::optional<double> ParseNumber(const std::string& text) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double number = 0;
  in >> number;
  if (!in || in.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return number;
}

// A fraction has the shorter one of two precisions that reads back as the same number.
template <typename T>
std::string NumberText(T number) {
  if constexpr (std::is_integral_v<T>) return std::to_string(number);
  std::string text;
  for (const int digits : {10, 17}) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << std::setprecision(digits) << number;
    text = out.str();
    if (ParseNumber(text) == number) break;
  }
  return text;
}

std::string WithUnit(const std::string& number, const char* unit) {
  return *unit == '\0' ? number : number + " " + unit;
}

template <typename T>
std::string Names(const Choice<T>& choice) {
  std::string names;
  for (const NamedValue<T>& named : choice)
    names += (names.empty() ? "" : ", ") + std::string(named.name);
  return names;
}

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

// --- From a field to text ------------------------------------------------------------------------

std::string Write(const Text& kind, const SessionOptions& values) { return values.*kind.field; }

std::string Write(const List& kind, const SessionOptions& values) {
  std::string text;
  for (const std::string& part : values.*kind.field) text += (text.empty() ? "" : ",") + part;
  return text;
}

std::string Write(const Expression& kind, const SessionOptions& values) {
  return values.*kind.field;
}

std::string Write(const Switch& kind, const SessionOptions& values) {
  return values.*kind.field ? "1" : "0";
}

template <typename T>
std::string Write(const Number<T>& kind, const SessionOptions& values) {
  return NumberText(values.*kind.field);
}

// A signal without a name is its number. No other choice has such values.
template <typename T>
std::string Write(const Choice<T>& kind, const SessionOptions& values) {
  for (const NamedValue<T>& named : kind) {
    if (named.value == values.*kind.field) return named.name;
  }
  return std::to_string(static_cast<int>(values.*kind.field));
}

std::string Write(const Interval& kind, const SessionOptions& values) {
  if (!(values.*kind.on)) return "0";
  const bool usual = values.*kind.interval.field == SessionOptions().*kind.interval.field;
  return usual ? "1" : Write(kind.interval, values);
}

// --- From text to a field ------------------------------------------------------------------------

Problem Read(const Text& kind, const std::string& text, SessionOptions* values) {
  values->*kind.field = text;
  return std::nullopt;
}

Problem Read(const List& kind, const std::string& text, SessionOptions* values) {
  values->*kind.field = SplitList(text);
  return std::nullopt;
}

Problem Read(const Expression& kind, const std::string& text, SessionOptions* values) {
  const std::string problem = ExpressionProblem(text);
  if (!problem.empty()) return problem;
  values->*kind.field = text;
  return std::nullopt;
}

Problem Read(const Switch& kind, const std::string& text, SessionOptions* values) {
  const std::optional<double> number = ParseNumber(text);
  if (number != 0.0 && number != 1.0) return "0 or 1";
  values->*kind.field = number == 1.0;
  return std::nullopt;
}

template <typename T>
Problem Read(const Number<T>& kind, const std::string& text, SessionOptions* values) {
  const std::optional<double> number = ParseNumber(text);
  const bool good = number && *number >= static_cast<double>(kind.lowest) &&
                    *number <= static_cast<double>(kind.highest) &&
                    (!std::is_integral_v<T> || *number == std::floor(*number));
  if (!good) {
    return std::string(std::is_integral_v<T> ? "a whole number" : "a number") + " from " +
           NumberText(kind.lowest) + " to " + NumberText(kind.highest);
  }
  values->*kind.field = static_cast<T>(*number);
  return std::nullopt;
}

template <typename T>
Problem Read(const Choice<T>& kind, const std::string& text, SessionOptions* values) {
  for (const NamedValue<T>& named : kind) {
    if (text != named.name) continue;
    values->*kind.field = named.value;
    return std::nullopt;
  }
  return "one of " + Names(kind);
}

Problem Read(const Interval& kind, const std::string& text, SessionOptions* values) {
  const std::optional<double> number = ParseNumber(text);
  const bool is_switch = number == 0.0 || number == 1.0;
  if (!is_switch && Read(kind.interval, text, values)) {
    return "0, 1 or an interval from " + NumberText(kind.interval.lowest) + " to " +
           WithUnit(NumberText(kind.interval.highest), kind.interval.unit);
  }
  values->*kind.on = number != 0.0;
  return std::nullopt;
}

// --- For people ----------------------------------------------------------------------------------

std::string Allowed(const Text&) { return {}; }
std::string Allowed(const List&) { return {}; }
std::string Allowed(const Expression&) { return {}; }
std::string Allowed(const Switch&) { return {}; }

template <typename T>
std::string Allowed(const Number<T>& kind) {
  const std::string lowest = NumberText(kind.lowest);
  // A limit that nobody reaches is only in the way.
  if (kind.highest >= static_cast<T>(1e9)) return WithUnit(lowest, kind.unit) + " or more";
  return lowest + " to " + WithUnit(NumberText(kind.highest), kind.unit);
}

template <typename T>
std::string Allowed(const Choice<T>& kind) {
  return Names(kind);
}

std::string Allowed(const Interval& kind) { return Allowed(kind.interval); }

template <typename Kind>
std::string Default(const Kind& kind, const SessionOptions& values) {
  return Write(kind, values);
}

std::string Default(const List&, const SessionOptions&) { return "none"; }

std::string Default(const Expression& kind, const SessionOptions&) { return kind.when_empty; }

std::string Default(const Switch& kind, const SessionOptions& values) {
  return values.*kind.field ? "on" : "off";
}

template <typename T>
std::string Default(const Number<T>& kind, const SessionOptions& values) {
  return WithUnit(Write(kind, values), kind.unit);
}

std::string Default(const Interval& kind, const SessionOptions& values) {
  return std::string(values.*kind.on ? "on" : "off") + ", " + Default(kind.interval, values);
}

}  // namespace

std::string ValueText(const Option& option, const SessionOptions& values) {
  return std::visit([&](const auto& kind) { return Write(kind, values); }, option.kind);
}

std::optional<std::string> SetValue(const Option& option, const std::string& text,
                                    SessionOptions* values) {
  return std::visit([&](const auto& kind) { return Read(kind, text, values); }, option.kind);
}

std::string AllowedText(const Option& option) {
  return std::visit([](const auto& kind) { return Allowed(kind); }, option.kind);
}

std::string DefaultText(const Option& option) {
  const SessionOptions defaults = DefaultOptions();
  return std::visit([&](const auto& kind) { return Default(kind, defaults); }, option.kind);
}

SessionOptions DefaultOptions() {
  SessionOptions options;
  options.output = kDefaultOutput;
  return options;
}

std::string NameOf(const Option& option, Naming naming) {
  if (naming == Naming::kField) return option.field;
  const std::string flag = option.flag;
  if (naming == Naming::kVariable || flag.empty()) return option.variable;
  return flag.substr(flag.find("--"));
}

std::string FlagUsage(const Option& option) {
  const std::string flag = option.flag, value = option.value;
  if (value.empty()) return flag;
  const bool may_lack = std::holds_alternative<Interval>(option.kind);
  return flag + (may_lack ? "[=" + value + "]" : " " + value);
}

std::string Assignment(const Option& option, const std::string& value, Naming naming) {
  const std::string name = NameOf(option, naming);
  if (naming == Naming::kField) return name + " = " + value;
  return name + (name[0] == '-' ? " " : "=") + value;
}

}  // namespace prof::options
