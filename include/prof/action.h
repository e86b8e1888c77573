// SPDX-License-Identifier: Apache-2.0
//
// A change to the program that may save time, with the most that it can save.
#ifndef PROF_ACTION_H_
#define PROF_ACTION_H_

#include <optional>
#include <string>

namespace prof {

/// How an action saves time. It decides what bounds the gain.
enum class GainKind {
  kSameWork,      ///< The same work, at the ceiling of the unit that limits it.
  kLessWork,      ///< Fewer bytes or instructions, down to the time of the next unit.
  kCauseRemoved,  ///< Without a waste that was counted: conflicts, spills, idle SMs.
  kIdleTime,      ///< Time in which the GPU had nothing to do.
  kMemory         ///< No time: memory.
};

/// Short lower-case name, stable in JSON: "same-work", "less-work", "cause-removed", "idle-time",
/// "memory".
const char* ToString(GainKind kind);

/// One change that is worth a try. Gains of several actions overlap: they never add up.
struct Action {
  std::string id;  ///< Stable: "coalesce", "cuda-graph"; docs/guide/rules.md has all of them.
  GainKind kind = GainKind::kSameWork;
  std::string what;  ///< One sentence for the reader, in the imperative.
  /// Upper bound of what it saves, as a fraction of the time of what it changes, 0..1. nullopt:
  /// nothing that was measured bounds it; `floor` has the reason.
  std::optional<double> gain_at_most;
  std::string floor;  ///< Where the bound comes from: the formula with its numbers.
  std::string check;  ///< The measurement or command that would decide more; may be empty.
};

}  // namespace prof

#endif  // PROF_ACTION_H_
