// SPDX-License-Identifier: Apache-2.0
#include "python/src/option_values.h"

#include <sstream>

#include "lib/options/option_table.h"
#include "lib/options/option_text.h"

namespace prof::python {
namespace {

// In the table, one row has both fields of PM sampling.
constexpr const char* kSampling = "continuous";
constexpr const char* kSamplingInterval = "continuous_interval_us";

void SetInterval(const std::string& text, SessionOptions* values) {
  SessionOptions read;
  for (const options::Option& option : options::kOptions) {
    if (option.field != std::string(kSampling) + ", " + kSamplingInterval) continue;
    if (const auto wanted = options::SetValue(option, text, &read)) {
      throw nb::value_error(
          (std::string(kSamplingInterval) + " = " + text + " is not " + *wanted).c_str());
    }
  }
  values->continuous_interval_us = read.continuous_interval_us;
}

// `text` as the option table reads it. ValueError with what the value should have been.
void SetOption(const std::string& field, const std::string& text, SessionOptions* values) {
  if (field == kSampling) {
    values->continuous = text == "1";
    return;
  }
  if (field == kSamplingInterval) return SetInterval(text, values);
  for (const options::Option& option : options::kOptions) {
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
  std::vector<std::string> fields = {kSampling, kSamplingInterval};
  for (const options::Option& option : options::kOptions) {
    const std::string field = option.field;
    if (field.find(',') == std::string::npos) fields.push_back(field);
  }
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
