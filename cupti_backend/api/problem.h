// SPDX-License-Identifier: Apache-2.0
//
// A problem is why something does not work on this machine, and what its user can do about it.
#ifndef PROF_CUPTI_BACKEND_API_PROBLEM_H_
#define PROF_CUPTI_BACKEND_API_PROBLEM_H_

#include <string>

namespace prof::cupti {

struct Problem {
  int code = 0;  // a CUptiResult or a CUresult; 0: neither
  std::string what;
  std::string fix;  // empty: nothing helps
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_PROBLEM_H_
