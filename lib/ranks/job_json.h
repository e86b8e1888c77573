// SPDX-License-Identifier: Apache-2.0
//
// The verdict on a job, for programs.
#ifndef PROF_LIB_RANKS_JOB_JSON_H_
#define PROF_LIB_RANKS_JOB_JSON_H_

#include <iosfwd>

#include "lib/ranks/stragglers.h"

namespace prof::ranks {

// Of a job without a problem: one JSON object and a newline; times in ns.
void WriteJobJson(std::ostream& out, const Job& job);

}  // namespace prof::ranks

#endif  // PROF_LIB_RANKS_JOB_JSON_H_
