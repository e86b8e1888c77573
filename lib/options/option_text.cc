// SPDX-License-Identifier: Apache-2.0
#include "lib/options/option_text.h"

#include <cmath>
#include <sstream>
#include <type_traits>

#include "lib/options/name_filter.h"
#include "lib/options/number_text.h"

namespace prof::options {
namespace {

using Problem = std::optional<std::string>;

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
  return "one of " + NamesOf(kind);
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

}  // namespace

std::string ValueText(const Option& option, const SessionOptions& values) {
  return std::visit([&](const auto& kind) { return Write(kind, values); }, option.kind);
}

std::optional<std::string> SetValue(const Option& option, const std::string& text,
                                    SessionOptions* values) {
  return std::visit([&](const auto& kind) { return Read(kind, text, values); }, option.kind);
}

SessionOptions DefaultOptions() {
  SessionOptions options;
  options.output = kDefaultOutput;
  return options;
}

// Of an interval's two fields the one that turns it on.
std::string NameOf(const Option& option, Naming naming) {
  const std::string field = option.field;
  if (naming == Naming::kField) return field.substr(0, field.find(','));
  const std::string flag = option.flag;
  if (naming == Naming::kVariable || flag.empty()) return option.variable;
  return flag.substr(flag.find("--"));
}

std::string Assignment(const Option& option, const std::string& value, Naming naming) {
  const std::string name = NameOf(option, naming);
  if (naming == Naming::kField) return name + " = " + value;
  if (name[0] != '-') return name + "=" + value;
  if (std::holds_alternative<Interval>(option.kind)) {  // its value may be left out
    return value == "1" ? name : name + "=" + value;
  }
  return option.value[0] == '\0' ? name : name + " " + value;  // a switch stands alone
}

}  // namespace prof::options
