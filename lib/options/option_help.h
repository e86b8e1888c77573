// SPDX-License-Identifier: Apache-2.0
//
// These functions describe an option for people: in --help and in the documentation.
#ifndef PROF_LIB_OPTIONS_OPTION_HELP_H_
#define PROF_LIB_OPTIONS_OPTION_HELP_H_

#include <string>

#include "lib/options/option_table.h"

namespace prof::options {

// "-o,--output PATTERN", "--no-ranges", "--continuous[=US]".
[[nodiscard]] std::string FlagUsage(const Option& option);

// "1 to 100", "none, pulse, sol, stalls, all"; empty: any text.
[[nodiscard]] std::string AllowedText(const Option& option);

// "5", "stalls", "off".
[[nodiscard]] std::string DefaultText(const Option& option);

}  // namespace prof::options

#endif  // PROF_LIB_OPTIONS_OPTION_HELP_H_
