// SPDX-License-Identifier: Apache-2.0
//
// These functions check recording options: what the environment holds, what a program put into
// SessionOptions, and which options contradict each other.
#ifndef PROF_LIB_OPTIONS_OPTION_CHECKS_H_
#define PROF_LIB_OPTIONS_OPTION_CHECKS_H_

#include <functional>
#include <string>
#include <vector>

#include "lib/options/option_text.h"

namespace prof::options {

// A variable's value; empty: it is not set.
using Variables = std::function<std::string(const char* name)>;

// The variables of the table over DefaultOptions(). A value that cannot be read keeps its default
// and gets a line in `problems`: "PROF_SAMPLES=0 is not a whole number from 1 to 100".
[[nodiscard]] SessionOptions ReadVariables(const Variables& variables,
                                           std::vector<std::string>* problems);

// An option that has no effect because of another one.
struct Conflict {
  const Option* option;
  std::string text;  // "--replay kernel has no effect with --counters none"
};
// An option with its default is never a conflict. With Naming::kField the budgets are none either,
// because CaptureSessionOptions() sets them.
[[nodiscard]] std::vector<Conflict> FindConflicts(const SessionOptions& values, Naming naming);

// Makes `values` usable: numbers out of their range go to its end, expressions that are none and
// options that have no effect to their default. Each change gets a line in `problems`.
void Correct(Naming naming, SessionOptions* values, std::vector<std::string>* problems);

}  // namespace prof::options

#endif  // PROF_LIB_OPTIONS_OPTION_CHECKS_H_
