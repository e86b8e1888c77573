// SPDX-License-Identifier: Apache-2.0
//
// The verdict on a job, for people.
#ifndef PROF_LIB_RANKS_JOB_TEXT_H_
#define PROF_LIB_RANKS_JOB_TEXT_H_

#include <iosfwd>

#include "lib/ranks/stragglers.h"

namespace prof::ranks {

// Of a job without a problem. `width`: columns.
void WriteJobText(std::ostream& out, const Job& job, int width);

}  // namespace prof::ranks

#endif  // PROF_LIB_RANKS_JOB_TEXT_H_
