// SPDX-License-Identifier: Apache-2.0
#include "lib/options/option_checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

namespace prof::options {
namespace {

// `option` does nothing while `holds`. With `other` at its default the cure is to set that one.
struct ConflictRule {
  std::string_view option, other;  // variables
  bool (*holds)(const SessionOptions& values);
};

bool ReadsNoCounters(const SessionOptions& values) {
  return values.counters == Counters::kNone && values.metrics.empty();
}

// Whether `field` has another value than its default.
template <typename T>
bool IsSet(const SessionOptions& values, T SessionOptions::*field) {
  return values.*field != SessionOptions().*field;
}

template <typename T>
bool NeedsSchedule(const SessionOptions& values, T SessionOptions::*field) {
  return IsSet(values, field) && values.step_active == 0;
}

template <typename T>
bool NeedsKeeping(const SessionOptions& values, T SessionOptions::*field) {
  return IsSet(values, field) && values.keep_last_seconds == 0;
}

constexpr ConflictRule kConflicts[] = {
    {"PROF_DUMP_SIGNAL", "PROF_KEEP_SECONDS",
     [](const SessionOptions& values) {
       return values.dump_signal != 0 && values.keep_last_seconds == 0;
     }},
    {"PROF_TORCH", "PROF_RANGES",
     [](const SessionOptions& values) { return values.torch != Torch::kOff && !values.ranges; }},
    {"PROF_TORCH_SHAPES", "PROF_TORCH",
     [](const SessionOptions& values) {
       return values.torch_shapes && values.torch == Torch::kOff;
     }},
    {"PROF_REPLAY", "PROF_COUNTERS",
     [](const SessionOptions& values) {
       return values.replay != Replay::kNone && ReadsNoCounters(values);
     }},
    {"PROF_COUNTED_RANGES", "PROF_COUNTERS",
     [](const SessionOptions& values) {
       return !values.counted_ranges.empty() && ReadsNoCounters(values);
     }},
    {"PROF_WINDOW_COUNT", "PROF_WINDOW",
     [](const SessionOptions& values) {
       return values.window_count != 0 && values.window_ranges.empty() && !values.profiler_api;
     }},
    {"PROF_STEP_SKIP", "PROF_STEP_ACTIVE",
     [](const SessionOptions& values) {
       return NeedsSchedule(values, &SessionOptions::step_skip);
     }},
    {"PROF_STEP_WAIT", "PROF_STEP_ACTIVE",
     [](const SessionOptions& values) {
       return NeedsSchedule(values, &SessionOptions::step_wait);
     }},
    {"PROF_STEP_WARMUP", "PROF_STEP_ACTIVE",
     [](const SessionOptions& values) {
       return NeedsSchedule(values, &SessionOptions::step_warmup);
     }},
    {"PROF_STEP_REPEAT", "PROF_STEP_ACTIVE",
     [](const SessionOptions& values) {
       return NeedsSchedule(values, &SessionOptions::step_repeat);
     }},
    {"PROF_DUMP_SLOW_STEP", "PROF_KEEP_SECONDS",
     [](const SessionOptions& values) {
       return NeedsKeeping(values, &SessionOptions::dump_slow_step);
     }},
    {"PROF_DUMP_LONG_STEP", "PROF_KEEP_SECONDS",
     [](const SessionOptions& values) {
       return NeedsKeeping(values, &SessionOptions::dump_long_step_ms);
     }},
    {"PROF_DUMP_IDLE", "PROF_KEEP_SECONDS",
     [](const SessionOptions& values) {
       return NeedsKeeping(values, &SessionOptions::dump_idle_percent);
     }},
};

const Option& OptionOf(std::string_view variable) {
  return *std::find_if(std::begin(kOptions), std::end(kOptions),
                       [&](const Option& option) { return option.variable == variable; });
}

std::string ConflictText(const Option& option, const Option& other, const SessionOptions& values,
                         Naming naming) {
  const std::string start =
      Assignment(option, ValueText(option, values), naming) + " has no effect ";
  const std::string value = ValueText(other, values);
  if (value == ValueText(other, SessionOptions())) {
    return start + "without " + NameOf(other, naming);
  }
  return start + "with " + Assignment(other, value, naming);
}

// The nearest value that is allowed; the default for what is no number.
template <typename T>
T Nearest(T value, const Number<T>& kind) {
  if (std::isnan(static_cast<double>(value))) return SessionOptions().*kind.field;
  return std::clamp(value, kind.lowest, kind.highest);
}

std::string ProblemText(const Option& option, const std::string& before,
                        const std::string& expected, const std::string& used, Naming naming) {
  return Assignment(option, before, naming) + " is not " + expected + "; " + used + " is used";
}

// Each Repair() makes the field of `kind` usable, and returns what was wrong with it.
using Problem = std::optional<std::string>;

template <typename Kind>
Problem Repair(const Option&, const Kind&, Naming, SessionOptions*) {
  return std::nullopt;
}

template <typename T>
Problem Repair(const Option& option, const Number<T>& kind, Naming naming, SessionOptions* values) {
  const std::string before = ValueText(option, *values);
  const Problem expected = SetValue(option, before, values);
  if (!expected) return std::nullopt;
  values->*kind.field = Nearest(values->*kind.field, kind);
  return ProblemText(option, before, *expected, ValueText(option, *values), naming);
}

Problem Repair(const Option& option, const Interval& kind, Naming naming, SessionOptions* values) {
  if (!(values->*kind.on)) return std::nullopt;  // nobody uses the interval
  Option interval = option;
  interval.kind = kind.interval;
  interval.field = std::strrchr(option.field, ' ') + 1;  // the second name
  return Repair(interval, kind.interval, naming, values);
}

Problem Repair(const Option& option, const Expression& kind, Naming naming,
               SessionOptions* values) {
  const std::string before = values->*kind.field;
  const Problem expected = SetValue(option, before, values);
  if (!expected) return std::nullopt;
  (values->*kind.field).clear();
  return ProblemText(option, before, *expected, "the default", naming);
}

}  // namespace

SessionOptions ReadVariables(const Variables& variables, std::vector<std::string>* problems) {
  SessionOptions values = DefaultOptions();
  for (const Option& option : kOptions) {
    const std::string text = variables(option.variable);
    if (text.empty()) continue;
    if (const std::optional<std::string> expected = SetValue(option, text, &values)) {
      problems->push_back(Assignment(option, text, Naming::kVariable) + " is not " + *expected);
    }
  }
  return values;
}

std::vector<Conflict> FindConflicts(const SessionOptions& values, Naming naming) {
  std::vector<Conflict> conflicts;
  for (const ConflictRule& rule : kConflicts) {
    if (!rule.holds(values)) continue;
    const Option& option = OptionOf(rule.option);
    conflicts.push_back({&option, ConflictText(option, OptionOf(rule.other), values, naming)});
  }
  return conflicts;
}

void Correct(Naming naming, SessionOptions* values, std::vector<std::string>* problems) {
  for (const Option& option : kOptions) {
    const auto repair = [&](const auto& kind) { return Repair(option, kind, naming, values); };
    if (Problem problem = std::visit(repair, option.kind)) problems->push_back(*problem);
  }
  for (const Conflict& conflict : FindConflicts(*values, naming)) {
    problems->push_back(conflict.text);
    (void)SetValue(*conflict.option, ValueText(*conflict.option, SessionOptions()), values);
  }
}

}  // namespace prof::options
