// SPDX-License-Identifier: Apache-2.0
#include "python/src/option_values.h"

#include <sstream>
#include <variant>

#include "lib/options/option_table.h"
#include "lib/options/option_text.h"

namespace prof::python {
namespace {

// In the table, one row has both fields of PM sampling.
constexpr const char* kSampling = "continuous";
constexpr const char* kSamplingInterval = "continuous_interval_us";

// Each field of SessionOptions by itself, other than in the table.
std::vector<options::Option> FieldOptions() {
  std::vector<options::Option> fields;
  for (const options::Option& option : options::kOptions) {
    const auto* both = std::get_if<options::Interval>(&option.kind);
    if (both == nullptr) {
      fields.push_back(option);
      continue;
    }
    options::Option part = option;
    part.field = kSampling;
    part.kind = options::Switch{both->on};
    fields.push_back(part);
    part.field = kSamplingInterval;
    part.kind = both->interval;
    fields.push_back(part);
  }
  return fields;
}

// `text` as the option table reads it. ValueError with what the value should have been.
void SetOption(const std::string& field, const std::string& text, SessionOptions* values) {
  for (const options::Option& option : FieldOptions()) {
    if (option.field != field) continue;
    const auto wanted = options::SetValue(option, text, values);
    if (!wanted) return;
    throw nb::value_error(
        (options::Assignment(option, text, options::Naming::kField) + " is not " + *wanted)
            .c_str());
  }
  throw nb::type_error(("a session has no option '" + field + "'").c_str());
}

}  // namespace

std::vector<std::string> OptionFields() {
  std::vector<std::string> fields;
  for (const options::Option& option : FieldOptions()) fields.emplace_back(option.field);
  return fields;
}

std::vector<std::string> FlagsWithValue() {
  std::vector<std::string> flags;
  for (const options::Option& option : options::kOptions) {
    const bool may_lack = std::holds_alternative<options::Interval>(option.kind);
    if (*option.value == '\0' || may_lack) continue;
    std::istringstream names(option.flag);
    for (std::string name; std::getline(names, name, ',');) flags.push_back(name);
  }
  return flags;
}

SessionOptions ReadOptions(const ByName<nb::str>& texts) {
  SessionOptions values;
  for (const auto& [field, text] : texts) {
    SetOption(nb::cast<std::string>(field), nb::cast<std::string>(text), &values);
  }
  return values;
}

}  // namespace prof::python
