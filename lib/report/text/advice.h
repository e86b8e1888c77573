// SPDX-License-Identifier: Apache-2.0
//
// The advice of a report: each sentence stands once, and has a letter by which tables refer to it.
#ifndef PROF_LIB_REPORT_TEXT_ADVICE_H_
#define PROF_LIB_REPORT_TEXT_ADVICE_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "lib/report/text/text.h"

namespace prof::report {

struct AdviceEntry {
  std::string letter;  // "a", ..., "z", "aa"
  std::string what;
  std::string floor;                 // where the bound comes from; of its first use
  std::string check;                 // what would decide more; of its first use
  std::vector<std::string> targets;  // kernels, or the run
  // Where the bounds of the targets' signatures differ: the lowest to the highest, "17 to 32 %",
  // and the one that `floor` is of, with its place: "19 % for saxpy in step/axpy". Otherwise empty.
  std::string bounds, floor_of;
};

// The actions at the top first, then those of the kernels that are shown.
[[nodiscard]] std::vector<AdviceEntry> AdviceOf(const Report& report, const TextOptions& options);

// The letter of `what`; empty: it has none.
[[nodiscard]] std::string LetterOf(const std::vector<AdviceEntry>& advice, const std::string& what);

// `what` in at most `width` columns: where it is too long, it ends at the last part of the sentence
// that fits, "Move fewer bytes" of "Move fewer bytes: fuse with ...". WriteAdvice has all of it.
[[nodiscard]] std::string ShortAdvice(const std::string& what, int width,
                                      const TextOptions& options);

void WriteAdvice(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_ADVICE_H_
