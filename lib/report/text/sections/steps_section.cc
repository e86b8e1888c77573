// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/steps_section.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/base/column_sums.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::report {
namespace {

// Things on the critical path, and beside it, that are shown.
constexpr size_t kMostItems = 10;
constexpr size_t kMostOffPath = 5;
constexpr int kNameColumns = 40;  // of a name in a sentence

// Tables have the mean of the steps that count, so that their rows sum.
class PerStep {
 public:
  explicit PerStep(const StepsReport& steps)
      : count_(static_cast<double>(steps.counted)), sum_ns_(steps.duration_ns.sum) {}
  std::string Time(double time_ns) const { return TimeOrBlank(time_ns / count_); }
  std::string Share(double time_ns) const {
    return time_ns > 0 ? PartPercent(time_ns / sum_ns_) : "";
  }

 private:
  double count_, sum_ns_;
};

const char* KindText(StepPathKind kind) {
  switch (kind) {
    case StepPathKind::kHost:
      return "host code";
    case StepPathKind::kCall:
      return "CUDA calls";
    case StepPathKind::kLaunch:
      return "launches";
    case StepPathKind::kKernel:
      return "kernels";
    case StepPathKind::kCommunication:
      return "communication";
    case StepPathKind::kCopy:
      return "copies";
    case StepPathKind::kWait:
      return "waits";
  }
  return "?";
}

// "1 step is left out: no step before it."
std::string LeftOutText(const StepsReport& steps) {
  std::map<std::string, int64_t> reasons;
  int64_t all = 0;
  for (const StepReport& step : steps.steps) {
    if (step.left_out.empty()) continue;
    ++reasons[step.left_out];
    ++all;
  }
  if (all == 0) return "";
  std::vector<std::string> parts;
  parts.reserve(reasons.size());
  for (const auto& [reason, count] : reasons) {
    parts.push_back(reason + (all > 1 ? " (" + text::Count(count) + ")" : ""));
  }
  return " " + text::Plural(all, "step is", "steps are") + " left out: " + text::Join(parts, "; ") +
         ".";
}

std::string DriftText(const StepsReport& steps) {
  if (!steps.first_ns || !steps.last_ns) return "";
  return " The median of the first tenth is " + text::Time(*steps.first_ns) + ", of the last " +
         text::Time(*steps.last_ns) + ".";
}

// What a step is, and how it is known.
std::string OriginText(const StepsReport& steps) {
  if (!steps.by_launches)
    return "A step is one time in the range '" + Printable(steps.range) + "'.";
  return "No NVTX range repeats. A step is one turn of " + steps.range + " on one thread.";
}

// " Other launches repeat elsewhere: 4 launches that repeat, 300 times from 3.21 s to 4.60 s."
std::string PhasesText(const StepsReport& steps) {
  std::vector<std::string> parts;
  for (const StepPhase& phase : steps.other_phases) {
    parts.push_back(phase.range + ", " + text::Count(phase.steps) + " times from " +
                    text::Time(phase.begin_ns) + " to " + text::Time(phase.end_ns));
  }
  return parts.empty() ? "" : " The run has other phases: " + text::Join(parts, "; ") + ".";
}

void WriteSummary(std::ostream& out, const StepsReport& steps, const TextOptions& options) {
  WriteParagraph(
      out, "",
      OriginText(steps) +
          " It lasts from the end of the GPU work of the step before to the end of its own." +
          LeftOutText(steps) + PhasesText(steps),
      options.width);
  if (steps.counted == 0) return;
  std::string line =
      "n = " + text::Count(steps.counted) + ", median " + text::Time(steps.duration_ns.median);
  if (steps.p90_ns) line += ", p90 " + text::Time(*steps.p90_ns);
  if (steps.p99_ns) line += ", p99 " + text::Time(*steps.p99_ns);
  line += ", shortest " + text::Time(steps.duration_ns.min) + ", longest " +
          text::Time(steps.duration_ns.max) + "." + DriftText(steps);
  WriteParagraph(out, "", line, options.width);
}

bool OnlyNotKnown(const StepsReport& steps) {
  return std::all_of(steps.parts.begin(), steps.parts.end(), [](const StepPartTime& part) {
    return part.part == StepPart::kNotKnown || part.part == StepPart::kOther;
  });
}

void WriteParts(std::ostream& out, const StepsReport& steps, const TextOptions& options) {
  WriteHeading(out, "What a step consists of", options);
  if (OnlyNotKnown(steps)) {
    WriteParagraph(out, "",
                   "Nothing tells the parts of a step. Record with --torch ops, or put NVTX ranges "
                   "named forward, backward, optimizer, data around them.",
                   options.width);
  }
  const PerStep mean(steps);
  Table table;
  table.columns = {{"part", Align::kLeft},   {"GPU", Align::kRight},
                   {"alone", Align::kRight}, {"GPU idle", Align::kRight},
                   {"host", Align::kRight},  {"on the path", Align::kRight},
                   {"share", Align::kRight}};
  for (const StepPartTime& part : steps.parts) {
    table.rows.push_back({{ToString(part.part), mean.Time(part.gpu_ns), mean.Time(part.alone_ns),
                           mean.Time(part.idle_ns), mean.Time(part.host_ns),
                           mean.Time(part.path_ns), mean.Share(part.path_ns)}});
  }
  report::WriteTable(out, table, options.width, options.utf8);
  WriteParagraph(out, "",
                 "Means of the steps. GPU: its operations ran; alone: no other part's ran beside "
                 "them. GPU idle: the host was in it meanwhile. The path is the critical one.",
                 options.width);
}

// "kernels 71 % (dram 40 %, tensor 31 %), host code 20 %".
std::string KindsText(const StepsReport& steps) {
  const PerStep mean(steps);
  std::map<Limiter, double> limiters;
  for (const StepPathItem& item : steps.items) {
    for (const LimiterTime& time : item.limiters) limiters[time.limiter] += time.time_ns;
  }
  std::vector<std::pair<double, std::string>> by_time;
  by_time.reserve(limiters.size());
  for (const auto& [limiter, time_ns] : limiters) by_time.emplace_back(time_ns, ToString(limiter));
  std::sort(by_time.rbegin(), by_time.rend());
  std::vector<std::string> inner;
  inner.reserve(by_time.size());
  for (const auto& [time_ns, name] : by_time) inner.push_back(name + " " + mean.Share(time_ns));
  std::vector<StepPathTime> kinds = steps.path;
  std::stable_sort(kinds.begin(), kinds.end(), [](const StepPathTime& a, const StepPathTime& b) {
    return a.time_ns > b.time_ns;
  });
  std::vector<std::string> parts;
  for (const StepPathTime& kind : kinds) {
    parts.push_back(std::string(KindText(kind.kind)) + " " + mean.Share(kind.time_ns));
    if (kind.kind != StepPathKind::kKernel || inner.empty()) continue;
    parts.back() += " (" + text::Join(inner, ", ") + ")";
  }
  return text::Join(parts, ", ");
}

// Its signatures differ in what limits them.
bool HasSeveralLimiters(const StepPathItem& item) { return item.limiters.size() > 1; }

// "saxpy (dram)"; "saxpy (dram*)" where a part of its time has another limiter.
std::string WhatText(const StepPathItem& item) {
  std::string text = Printable(item.what);
  if (item.kind != StepPathKind::kKernel) return text;
  return text + " (" + ToString(item.limiter) + (HasSeveralLimiters(item) ? "*)" : ")");
}

void WritePath(std::ostream& out, const StepsReport& steps, const TextOptions& options) {
  WriteHeading(out, "The critical path of the steps", options);
  WriteParagraph(out, "",
                 KindsText(steps) +
                     ". Each moment of a step belongs to the one thing that held the next one up, "
                     "on the host or the GPU.",
                 options.width);
  const PerStep mean(steps);
  Table table;
  table.columns = {{"share", Align::kRight},
                   {"a step", Align::kRight},
                   {"times", Align::kRight, 0, 2},
                   {"kind", Align::kLeft},
                   {"part", Align::kLeft, 0, 1},
                   {"what", Align::kLeft, 24, 0, true},
                   {"where", Align::kLeft, 26, 0, true}};
  const size_t shown = std::min(steps.items.size(), kMostItems);
  double rest_ns = 0;
  for (size_t i = 0; i < steps.items.size(); ++i) {
    const StepPathItem& item = steps.items[i];
    if (i >= shown) {
      rest_ns += item.time_ns;
      continue;
    }
    table.rows.push_back(
        {{mean.Share(item.time_ns), mean.Time(item.time_ns), text::Count(item.count),
          KindText(item.kind), item.part == StepPart::kNotKnown ? "" : ToString(item.part),
          WhatText(item), Printable(item.where)}});
  }
  report::WriteTable(out, table, options.width, options.utf8);
  if (rest_ns > 0) {
    out << "and " << text::Count(static_cast<int64_t>(steps.items.size() - shown)) << " more with "
        << mean.Share(rest_ns) << "; --json has them\n";
  }
  if (std::any_of(steps.items.begin(), steps.items.begin() + static_cast<ptrdiff_t>(shown),
                  HasSeveralLimiters)) {
    WriteParagraph(out, "",
                   "*: the limiter of most of its time; --kernel shows all of its signatures.",
                   options.width);
  }
}

void WriteOffPath(std::ostream& out, const StepsReport& steps, const TextOptions& options) {
  if (steps.off_path.empty()) return;
  const PerStep mean(steps);
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(steps.off_path.size(), kMostOffPath); ++i) {
    const StepOffPath& off = steps.off_path[i];
    const std::string on = mean.Time(off.path_ns);
    parts.push_back(report::ShortName(off.what, kNameColumns, options) + ", " +
                    mean.Time(off.gpu_ns) + " a step" +
                    (on.empty() ? "" : ", " + on + " of it on the path"));
  }
  const size_t more = steps.off_path.size() - parts.size();
  std::string list = text::Join(parts, "; ");
  if (more > 0) list += "; and " + text::Count(static_cast<int64_t>(more)) + " more";
  WriteParagraph(out, "",
                 "Off the path, beside other work or host code: " + list +
                     ". Less of it makes no step shorter, beyond what is on the path.",
                 options.width);
}

void WriteEdges(std::ostream& out, const StepsReport& steps, const TextOptions& options) {
  for (const std::string& line : steps.not_recorded) WriteParagraph(out, "", line, options.width);
}

std::string IdleText(const StepReport& step) {
  if (step.idle.empty()) return "";
  const StepIdle& most = step.idle.front();
  return text::Time(step.idle_ns) + " (" + ToString(most.cause) + ")";
}

std::string DifferenceText(const StepReport& step) {
  if (!step.left_out.empty()) return step.left_out;
  if (step.surplus.what.empty()) return "";
  return step.surplus.what + " +" + text::Time(step.surplus.time_ns);
}

std::string OverText(const StepReport& step, double median_ns) {
  if (!step.left_out.empty()) return "";
  return (step.outlier ? "! " : "") + text::Fixed(step.duration_ns / median_ns, 2) + "x";
}

// "#12 step 12"; "#12" where launches tell the steps.
std::string StepName(const StepReport& step) {
  const std::string number = "#" + std::to_string(step.index);
  return step.name.empty() ? number : number + " " + Printable(step.name);
}

void WriteSlowest(std::ostream& out, const StepsReport& steps, const TextOptions& options) {
  std::vector<const StepReport*> slowest;
  for (const StepReport& step : steps.steps) {
    if (step.duration_ns > 0) slowest.push_back(&step);
  }
  std::stable_sort(slowest.begin(), slowest.end(), [](const StepReport* a, const StepReport* b) {
    if (a->left_out.empty() != b->left_out.empty()) return a->left_out.empty();
    return a->duration_ns > b->duration_ns;
  });
  const size_t all = slowest.size();
  slowest.resize(std::min(all, static_cast<size_t>(options.max_rows)));
  WriteHeading(out, "The slowest steps", options);
  Table table;
  table.columns = {
      {"duration", Align::kRight},         {"of median", Align::kRight},
      {"begin", Align::kRight, 0, 4},      {"GPU busy", Align::kRight},
      {"GPU idle", Align::kRight},         {"host", Align::kRight, 0, 3},
      {"copies", Align::kRight, 0, 2},     {"allocated", Align::kRight, 0, 1},
      {"step", Align::kLeft, 20, 0, true}, {"most more than the median step", Align::kLeft, 16}};
  for (const StepReport* step : slowest) {
    const std::string copies = step->copies > 0
                                   ? text::Count(step->copies) + ", " +
                                         text::Bytes(static_cast<double>(step->copied_bytes))
                                   : "";
    table.rows.push_back(
        {{text::Time(step->duration_ns), OverText(*step, steps.duration_ns.median),
          text::Time(step->begin_ns), TimeOrBlank(step->busy_ns), IdleText(*step),
          TimeOrBlank(step->host_ns), copies,
          step->allocated_bytes > 0 ? text::Bytes(static_cast<double>(step->allocated_bytes)) : "",
          StepName(*step), DifferenceText(*step)}});
  }
  report::WriteTable(out, table, options.width, options.utf8);
  if (all > slowest.size()) {
    out << "and " << text::Count(static_cast<int64_t>(all - slowest.size()))
        << " more steps; --top shows more, --json has all\n";
  }
}

}  // namespace

void WriteSteps(std::ostream& out, const Report& report, const TextOptions& options) {
  const StepsReport& steps = report.steps;
  WriteHeading(out, "Steps", options);
  if (!steps.warning.empty()) WriteParagraph(out, "Warning: ", steps.warning, options.width);
  WriteSummary(out, steps, options);
  if (steps.counted > 0) {
    WriteParts(out, steps, options);
    WritePath(out, steps, options);
    WriteOffPath(out, steps, options);
    WriteEdges(out, steps, options);
  }
  WriteSlowest(out, steps, options);
}

}  // namespace prof::report
