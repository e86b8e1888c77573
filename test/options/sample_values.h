// SPDX-License-Identifier: Apache-2.0
//
// Tests find options by their variable here, and values that each option takes.
#ifndef PROF_TEST_OPTIONS_SAMPLE_VALUES_H_
#define PROF_TEST_OPTIONS_SAMPLE_VALUES_H_

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/options/option_text.h"

namespace prof::options {

template <typename T>
std::vector<std::string> SamplesOf(const Number<T>& kind) {
  return {std::to_string(static_cast<int64_t>(kind.lowest) + 1),
          std::to_string(static_cast<int64_t>(kind.highest))};
}

template <typename T>
std::vector<std::string> SamplesOf(const Choice<T>& kind) {
  std::vector<std::string> names;
  for (const NamedValue<T>& named : kind) names.emplace_back(named.name);
  return names;
}

inline std::vector<std::string> SamplesOf(const Text&) { return {"a-%p.prof", "b c=d.prof"}; }
inline std::vector<std::string> SamplesOf(const List&) { return {"a.sum", "a.sum,b.avg"}; }
inline std::vector<std::string> SamplesOf(const Expression&) { return {"gemm|conv", "^a b=c$"}; }
inline std::vector<std::string> SamplesOf(const Switch&) { return {"0", "1"}; }
inline std::vector<std::string> SamplesOf(const Interval&) { return {"0", "1", "20", "1000000"}; }

// At least two values, written as ValueText() writes them.
inline std::vector<std::string> SampleValues(const Option& option) {
  return std::visit([](const auto& kind) { return SamplesOf(kind); }, option.kind);
}

// The option with the variable `name`, which must be there.
inline const Option& OptionOf(std::string_view name) {
  return *std::find_if(std::begin(kOptions), std::end(kOptions),
                       [&](const Option& option) { return name == option.variable; });
}

}  // namespace prof::options

#endif  // PROF_TEST_OPTIONS_SAMPLE_VALUES_H_
