// SPDX-License-Identifier: Apache-2.0
//
// What each warp stall reason means, and what to do about it.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_STALLS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_STALLS_H_

#include <string_view>

namespace prof::analyzer {

struct StallAdvice {
  std::string_view reason;
  std::string_view waits_for;
  std::string_view action;
  bool hidden_by_warps = false;  // more resident warps would hide it
};

// For a reason this version does not know, an entry that says so.
const StallAdvice& AdviceOn(std::string_view reason);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_STALLS_H_
