// SPDX-License-Identifier: Apache-2.0
//
// Options of a session, by the option table of the C++ side.
#ifndef PROF_PYTHON_SRC_OPTION_VALUES_H_
#define PROF_PYTHON_SRC_OPTION_VALUES_H_

#include <string>
#include <vector>

#include "prof/session.h"
#include "python/src/values.h"

namespace prof::python {

// Options from the text of each value, by the names of SessionOptions. Raises ValueError with what
// a value should have been, and TypeError for a name that is no option.
[[nodiscard]] SessionOptions ReadOptions(const ByName<nb::str>& texts);

// The names of all options.
[[nodiscard]] std::vector<std::string> OptionFields();

// The flags of `prof run` whose next word is their value: "-o", "--output".
[[nodiscard]] std::vector<std::string> FlagsWithValue();

}  // namespace prof::python

#endif  // PROF_PYTHON_SRC_OPTION_VALUES_H_
