// SPDX-License-Identifier: Apache-2.0
#include "lib/options/option_checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

namespace prof::options {
namespace {

// Whether CaptureSessionOptions(), from which a program may take its SessionOptions, has another
// value than the default. In SessionOptions such a value is no choice of the program, and no
// conflict.
enum class Preset { kNo, kYes };

// `option` does nothing while `holds`. With `other` at its default the cure is to set that one.
struct ConflictRule {
  std::string_view option, other;  // variables
  bool (*holds)(const SessionOptions& values);
  Preset preset = Preset::kNo;
  const char* what = "has no effect";
};

bool ReadsNoCounters(const SessionOptions& values) {
  return values.counters == Counters::kNone && values.metrics.empty();
}

bool ReplaysKernels(const SessionOptions& values) {
  return values.replay == Replay::kKernel && !ReadsNoCounters(values);
}

// Whether the field has another value than its default.
template <auto kField>
bool IsSet(const SessionOptions& values) {
  return values.*kField != SessionOptions().*kField;
}

template <auto kField>
bool NeedsCounters(const SessionOptions& values) {
  return IsSet<kField>(values) && ReadsNoCounters(values);
}

// A replayed launch gives all its counters at once, whatever that costs.
template <auto kField>
bool IgnoredByReplay(const SessionOptions& values) {
  return IsSet<kField>(values) && ReplaysKernels(values);
}

template <auto kField>
bool NeedsSchedule(const SessionOptions& values) {
  return IsSet<kField>(values) && values.step_active == 0;
}

template <auto kField>
bool NeedsKeeping(const SessionOptions& values) {
  return IsSet<kField>(values) && values.keep_last_seconds == 0;
}

bool IsTriageSet(const SessionOptions& values) {
  return IsSet<&SessionOptions::triage_core_percent>(values);
}

using Options = SessionOptions;

constexpr ConflictRule kConflicts[] = {
    {"PROF_DUTY", "PROF_PROFILER_API",
     [](const Options& values) { return values.duty_percent > 0 && values.profiler_api; }},
    {"PROF_DUTY", "PROF_WINDOW",
     [](const Options& values) {
       return values.duty_percent > 0 && !values.window_ranges.empty();
     }},
    {"PROF_DUTY", "PROF_STEP_ACTIVE",
     [](const Options& values) { return values.duty_percent > 0 && values.step_active > 0; }},
    {"PROF_DUMP_SIGNAL", "PROF_KEEP_SECONDS", &NeedsKeeping<&Options::dump_signal>},
    {"PROF_TORCH", "PROF_RANGES",
     [](const Options& values) { return IsSet<&Options::torch>(values) && !values.ranges; }},
    {"PROF_TORCH_SHAPES", "PROF_TORCH",
     [](const Options& values) { return values.torch_shapes && values.torch == Torch::kOff; }},
    {"PROF_TORCH_MEMORY", "PROF_TORCH",
     [](const Options& values) { return values.torch_memory && values.torch == Torch::kOff; }},
    {"PROF_SAMPLES", "PROF_COUNTERS", &NeedsCounters<&Options::samples_per_signature>},
    {"PROF_BUDGET_PERCENT", "PROF_COUNTERS", &NeedsCounters<&Options::counter_budget_percent>,
     Preset::kYes},
    {"PROF_BUDGET_SECONDS", "PROF_COUNTERS", &NeedsCounters<&Options::counter_budget_seconds>,
     Preset::kYes},
    // It would end the recording at once.
    {"PROF_UNTIL_COMPLETE", "PROF_COUNTERS", &NeedsCounters<&Options::until_complete_seconds>,
     Preset::kNo, "has no counters to wait for"},
    {"PROF_REPLAY", "PROF_COUNTERS", &NeedsCounters<&Options::replay>},
    {"PROF_KERNEL", "PROF_COUNTERS", &NeedsCounters<&Options::kernel_filter>},
    {"PROF_RANGE_FILTER", "PROF_COUNTERS", &NeedsCounters<&Options::range_filter>},
    {"PROF_LAUNCH_SKIP", "PROF_COUNTERS", &NeedsCounters<&Options::launch_skip>},
    {"PROF_LAUNCH_COUNT", "PROF_COUNTERS", &NeedsCounters<&Options::launch_count>},
    {"PROF_SKIP", "PROF_COUNTERS", &NeedsCounters<&Options::skip_first_launches>},
    {"PROF_SAMPLE_EVERY", "PROF_COUNTERS", &NeedsCounters<&Options::sample_every>},
    {"PROF_COUNTED_RANGES", "PROF_COUNTERS", &NeedsCounters<&Options::counted_ranges>},
    {"PROF_SAMPLES", "PROF_REPLAY", &IgnoredByReplay<&Options::samples_per_signature>},
    {"PROF_SKIP", "PROF_REPLAY", &IgnoredByReplay<&Options::skip_first_launches>},
    {"PROF_BUDGET_PERCENT", "PROF_REPLAY", &IgnoredByReplay<&Options::counter_budget_percent>,
     Preset::kYes},
    {"PROF_BUDGET_SECONDS", "PROF_REPLAY", &IgnoredByReplay<&Options::counter_budget_seconds>,
     Preset::kYes},
    {"PROF_TRIAGE_CORE", "PROF_COUNTERS",
     [](const Options& values) {
       return IsTriageSet(values) && values.counters != Counters::kAuto;
     }},
    {"PROF_TRIAGE_CORE", "PROF_CONTINUOUS",
     [](const Options& values) {
       return IsTriageSet(values) && values.counters == Counters::kAuto && values.continuous;
     }},
    {"PROF_TRIAGE_CORE", "PROF_REPLAY",
     [](const Options& values) {
       return IsTriageSet(values) && values.counters == Counters::kAuto && !values.continuous &&
              values.replay != Replay::kNone;
     }},
    {"PROF_CONTINUOUS_CORE", "PROF_CONTINUOUS",
     [](const Options& values) {
       return IsSet<&Options::continuous_core_percent>(values) && !values.continuous;
     }},
    {"PROF_WINDOW_COUNT", "PROF_WINDOW",
     [](const Options& values) {
       return values.window_count != 0 && values.window_ranges.empty() && !values.profiler_api;
     }},
    {"PROF_STEP", "PROF_STEP_ACTIVE",
     [](const Options& values) {
       return NeedsSchedule<&Options::step_ranges>(values) && values.dump_slow_step == 0 &&
              values.dump_long_step_ms == 0;
     }},
    {"PROF_STEP_SKIP", "PROF_STEP_ACTIVE", &NeedsSchedule<&Options::step_skip>},
    {"PROF_STEP_WAIT", "PROF_STEP_ACTIVE", &NeedsSchedule<&Options::step_wait>},
    {"PROF_STEP_WARMUP", "PROF_STEP_ACTIVE", &NeedsSchedule<&Options::step_warmup>},
    {"PROF_STEP_REPEAT", "PROF_STEP_ACTIVE", &NeedsSchedule<&Options::step_repeat>},
    {"PROF_KEEP_MIB", "PROF_KEEP_SECONDS", &NeedsKeeping<&Options::keep_mib>},
    {"PROF_DUMP_SLOW_STEP", "PROF_KEEP_SECONDS", &NeedsKeeping<&Options::dump_slow_step>},
    {"PROF_DUMP_LONG_STEP", "PROF_KEEP_SECONDS", &NeedsKeeping<&Options::dump_long_step_ms>},
    {"PROF_DUMP_IDLE", "PROF_KEEP_SECONDS", &NeedsKeeping<&Options::dump_idle_percent>},
};

const Option& OptionOf(std::string_view variable) {
  return *std::find_if(std::begin(kOptions), std::end(kOptions),
                       [&](const Option& option) { return option.variable == variable; });
}

std::string ConflictText(const ConflictRule& rule, const SessionOptions& values, Naming naming) {
  const Option &option = OptionOf(rule.option), &other = OptionOf(rule.other);
  const std::string start =
      Assignment(option, ValueText(option, values), naming) + " " + rule.what + " ";
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
    if (naming == Naming::kField && rule.preset == Preset::kYes) continue;
    if (!rule.holds(values)) continue;
    conflicts.push_back({&OptionOf(rule.option), ConflictText(rule, values, naming)});
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
