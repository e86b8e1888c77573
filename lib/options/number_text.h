// SPDX-License-Identifier: Apache-2.0
//
// These functions turn numbers into text and back. They do not depend on the locale, which belongs
// to the program that libprof.so is loaded into.
#ifndef PROF_LIB_OPTIONS_NUMBER_TEXT_H_
#define PROF_LIB_OPTIONS_NUMBER_TEXT_H_

#include <iomanip>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>

namespace prof::options {

// Nothing where `text` is not one finite number and no more.
[[nodiscard]] inline std::optional<double> ParseNumber(const std::string& text) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double number = 0;
  in >> number;
  if (!in || in.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return number;
}

// A fraction has the shorter one of two precisions that reads back as the same number.
template <typename T>
[[nodiscard]] std::string NumberText(T number) {
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

// "64 MiB"; a number without a unit stays alone.
[[nodiscard]] inline std::string WithUnit(const std::string& number, const char* unit) {
  return *unit == '\0' ? number : number + " " + unit;
}

}  // namespace prof::options

#endif  // PROF_LIB_OPTIONS_NUMBER_TEXT_H_
