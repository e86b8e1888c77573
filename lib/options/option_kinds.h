// SPDX-License-Identifier: Apache-2.0
//
// The kinds of values that a recording option can have. Each kind holds the field of SessionOptions
// that keeps the value, and which values are allowed.
#ifndef PROF_LIB_OPTIONS_OPTION_KINDS_H_
#define PROF_LIB_OPTIONS_OPTION_KINDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "prof/session.h"

namespace prof::options {

// Any text.
struct Text {
  std::string SessionOptions::*field;
};

// Names with commas between them: "a,b,c".
struct List {
  std::vector<std::string> SessionOptions::*field;
};

// A regular expression, as NameFilter takes it.
struct Expression {
  std::string SessionOptions::*field;
  const char* when_empty;  // what no expression means: "all"
};

// 0 or 1.
struct Switch {
  bool SessionOptions::*field;
};

// A number from `lowest` to `highest`; a whole one where T is an integer.
template <typename T>
struct Number {
  T SessionOptions::*field;
  T lowest, highest;
  const char* unit = "";  // "MiB"
};

template <typename T>
struct NamedValue {
  const char* name;
  T value;
};

// One of a few values that have names.
template <typename T>
struct Choice {
  template <size_t kCount>
  constexpr Choice(T SessionOptions::*of, const NamedValue<T> (&names)[kCount])
      : field(of), first(names), count(kCount) {}
  const NamedValue<T>* begin() const { return first; }
  const NamedValue<T>* end() const { return first + count; }

  T SessionOptions::*field;
  const NamedValue<T>* first;
  size_t count;
};

// "none, pulse, sol".
template <typename T>
[[nodiscard]] std::string NamesOf(const Choice<T>& choice) {
  std::string names;
  for (const NamedValue<T>& named : choice) {
    names += (names.empty() ? "" : ", ") + std::string(named.name);
  }
  return names;
}

// 0: off. 1: on, with the interval's default. Any other number: on, with this interval. The row
// names both fields: "continuous, continuous_interval_us".
struct Interval {
  bool SessionOptions::*on;
  Number<int> interval;
};

using Kind = std::variant<Text, List, Expression, Switch, Number<int>, Number<int64_t>,
                          Number<double>, Choice<Counters>, Choice<Replay>, Choice<Graphs>,
                          Choice<Torch>, Choice<int>, Interval>;

}  // namespace prof::options

#endif  // PROF_LIB_OPTIONS_OPTION_KINDS_H_
