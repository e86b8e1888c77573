// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/notes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/compare/program.h"
#include "lib/compare/run_set.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof {
namespace {

// What the sides have in common cannot differ. Empty: they have no recording in common.
std::string NoteOnSharedRuns(const RunSet& before, const RunSet& after) {
  const compare::SharedRuns shared = compare::FindSharedRuns(before, after);
  if (shared.after == 0) return "";
  if (shared.before == before.runs && shared.after == after.runs) {
    return std::string("both sides are the same ") +
           (after.runs == 1 ? "recording" : "recordings") +
           ": nothing can differ, and this is no test of a change. Record the program again for "
           "one side";
  }
  return text::Plural(shared.after, "recording is", "recordings are") + " on both sides, of " +
         text::Plural(before.runs, "run", "runs") + " before and " + text::Count(after.runs) +
         " after: they show no difference. Leave them out of one side";
}

// Where a change was found and a drift could be it: the clock, the temperature or other work on the
// machine may have changed from one side to the other. Between devices the runs cannot take turns.
std::string NoteOnOrder(const RunSet& before, const RunSet& after, const Comparison& comparison) {
  const bool apart =
      comparison.order == RunOrder::kBeforeFirst || comparison.order == RunOrder::kAfterFirst;
  const auto moved = [](const Compared& c) {
    return c.tested && (c.change == Change::kSlower || c.change == Change::kFaster);
  };
  const bool any = std::any_of(comparison.run.begin(), comparison.run.end(), moved) ||
                   std::any_of(comparison.kernels.begin(), comparison.kernels.end(),
                               [&](const KernelChange& kernel) { return moved(kernel.time); });
  if (!apart || !any || before.devices != after.devices) return "";
  const bool before_first = comparison.order == RunOrder::kBeforeFirst;
  return std::string("the sides were not interleaved: all runs ") +
         (before_first ? "before" : "after") + " were recorded before those " +
         (before_first ? "after" : "before") +
         ". A drift, as of a GPU that warms up, can look like this change: record them in turns";
}

// Between devices: how many kernels were normalized by what.
std::string NoteOnDevices(const Comparison& comparison) {
  std::map<std::string, int64_t> counts;
  int64_t left = 0;
  for (const KernelChange& kernel : comparison.kernels) {
    if (!kernel.normalized) continue;
    if (kernel.normalized->by.empty()) {
      ++left;
    } else {
      ++counts[kernel.normalized->by];
    }
  }
  std::vector<std::string> parts;
  parts.reserve(counts.size() + 1);
  for (const auto& [by, count] : counts) parts.push_back(text::Count(count) + " by " + by);
  if (left > 0) parts.push_back(text::Count(left) + " not normalized");
  return "the devices differ: the time of a kernel after is multiplied by the ratio of what limits "
         "the kernel, after over before" +
         (parts.empty() ? "" : " (kernels: " + text::Enumerate(parts) + ")") +
         ". Cycles and times of the whole run are as they are";
}

// Its notes name commands.
bool NamesCommands(const RunSet& runs) {
  return std::any_of(runs.notes.begin(), runs.notes.end(), [](const std::string& note) {
    return text::StartsWith(note, compare::kCommandsDiffer) ||
           text::StartsWith(note, compare::kSeveralPrograms);
  });
}

}  // namespace

std::vector<std::string> compare::NotesOnSides(const RunSet& before, const RunSet& after,
                                               const Comparison& comparison) {
  std::vector<std::string> notes;
  const std::string on_shared = NoteOnSharedRuns(before, after);
  if (!on_shared.empty()) notes.push_back(on_shared);
  for (const std::string& note : before.notes) notes.push_back("before: " + note);
  for (const std::string& note : after.notes) notes.push_back("after: " + note);
  const bool named = NamesCommands(before) && NamesCommands(after);
  if (before.command != after.command && !named) {
    notes.push_back("the commands differ: '" + before.command + "' before, '" + after.command +
                    "' after");
  }
  if ((before.counted_runs > 0) != (after.counted_runs > 0)) {
    notes.push_back(std::string("only the runs ") + (before.counted_runs > 0 ? "before" : "after") +
                    " have counters of launches: record both sides with the same options");
  }
  const std::string on_order = NoteOnOrder(before, after, comparison);
  if (!on_order.empty()) notes.push_back(on_order);
  if (before.driver != after.driver) {
    notes.push_back("the drivers differ: " + before.driver + " before, " + after.driver + " after");
  }
  if (before.devices != after.devices) notes.push_back(NoteOnDevices(comparison));
  return notes;
}

}  // namespace prof
