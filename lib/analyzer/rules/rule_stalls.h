// SPDX-License-Identifier: Apache-2.0
//
// The advice on each warp stall reason: what the warp waits for, and what to do.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_STALLS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_STALLS_H_

#include <string_view>
#include <vector>

namespace prof::analyzer {

struct StallAdvice {
  std::string_view reason;
  std::string_view waits_for;
  std::string_view action_id;  // of rule_actions.h
  std::string_view action;
  bool hidden_by_warps = false;  // more resident warps would hide it
};

// An unknown reason has an entry of its own.
const StallAdvice& AdviceOn(std::string_view reason);

[[nodiscard]] const std::vector<StallAdvice>& StallRows();

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_STALLS_H_
