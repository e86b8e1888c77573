// SPDX-License-Identifier: Apache-2.0
//
// What prof cannot do becomes prof.Error in Python, with the message that the C++ side has.
#ifndef PROF_PYTHON_SRC_PROBLEM_H_
#define PROF_PYTHON_SRC_PROBLEM_H_

#include <stdexcept>

namespace prof::python {

struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace prof::python

#endif  // PROF_PYTHON_SRC_PROBLEM_H_
