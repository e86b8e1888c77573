// SPDX-License-Identifier: Apache-2.0
//
// These functions turn the values of recording options into text and back. They do not depend on
// the program's locale. The command line of `prof run` and the environment hold the same text.
#ifndef PROF_LIB_OPTIONS_OPTION_TEXT_H_
#define PROF_LIB_OPTIONS_OPTION_TEXT_H_

#include <optional>
#include <string>

#include "lib/options/option_table.h"

namespace prof::options {

// The value in `values`, as SetValue() reads it: "5", "2.5", "stalls", "a.sum,b.avg", "1".
[[nodiscard]] std::string ValueText(const Option& option, const SessionOptions& values);

// Reads `text` into `values`. Returns nothing, or what the text should have been ("a whole number
// from 1 to 100"): then `values` is unchanged.
[[nodiscard]] std::optional<std::string> SetValue(const Option& option, const std::string& text,
                                                  SessionOptions* values);

// The options of a process in which nobody chose any: it records to kDefaultOutput.
[[nodiscard]] SessionOptions DefaultOptions();

// How a message names an option: as a flag, a variable, or a field of SessionOptions.
enum class Naming { kFlag, kVariable, kField };
// "--samples"; an option without a flag has the name of its variable, and an interval that of its
// switch: "continuous".
[[nodiscard]] std::string NameOf(const Option& option, Naming naming);
// "--samples 0", "--continuous=50", "PROF_SAMPLES=0", "samples_per_signature = 0".
[[nodiscard]] std::string Assignment(const Option& option, const std::string& value, Naming naming);

}  // namespace prof::options

#endif  // PROF_LIB_OPTIONS_OPTION_TEXT_H_
