// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <utility>

#include "lib/html/html.h"
#include "prof/snapshot.h"
#include "python/src/bindings.h"
#include "python/src/problem.h"
#include "python/src/recording.h"
#include "python/src/rows.h"
#include "python/src/values.h"

namespace prof::python {
namespace {

using nb::literals::operator""_a;
using Shared = std::shared_ptr<Recording>;
using WithoutGil = nb::call_guard<nb::gil_scoped_release>;

// The value of `name` in `names`; ValueError with what there is.
template <typename T>
T Named(const std::map<std::string, T>& names, const std::string& what, const std::string& name) {
  const auto found = names.find(name);
  if (found != names.end()) return found->second;
  std::string known;
  for (const auto& [each, value] : names) known += (known.empty() ? "" : ", ") + each;
  throw nb::value_error(("there is no " + what + " '" + name + "': choose " + known).c_str());
}

ExportTable TableNamed(const std::string& name) {
  static const std::map<std::string, ExportTable> tables = {{"kernels", ExportTable::kKernels},
                                                            {"launches", ExportTable::kLaunches},
                                                            {"counters", ExportTable::kCounters},
                                                            {"ranges", ExportTable::kRanges},
                                                            {"calls", ExportTable::kCalls}};
  return Named(tables, "table", name);
}

ExportFormat FormatNamed(const std::string& name) {
  static const std::map<std::string, ExportFormat> formats = {
      {"perfetto", ExportFormat::kPerfetto},
      {"chrome", ExportFormat::kChrome},
      {"sqlite", ExportFormat::kSqlite},
      {"speedscope", ExportFormat::kSpeedscope},
      {"pprof", ExportFormat::kPprof},
      {"folded", ExportFormat::kFolded},
      {"csv", ExportFormat::kCsv}};
  return Named(formats, "format", name);
}

// What reading took, as an object that keeps the rows alive.
template <typename T, typename Owner>
auto ListOf(std::vector<T> Owner::*rows) {
  return [rows](const Shared& self) { return Rows(self->report(), (*self->report()).*rows); };
}

// The same for a list in a part of the report.
template <typename T, typename Part>
auto ListOf(Part Report::*part, std::vector<T> Part::*rows) {
  return [part, rows](const Shared& self) {
    return Rows(self->report(), ((*self->report()).*part).*rows);
  };
}

// The report with its steps; other threads of Python run while it is analyzed.
std::shared_ptr<Report> WithSteps(const Shared& self) {
  const nb::gil_scoped_release released;
  return self->with_steps();
}

void BindLists(nb::class_<Recording>* recording) {
  recording->def_prop_ro("kernels", ListOf(&Report::kernels), "By total time, descending.")
      .def_prop_ro("ranges", ListOf(&Report::ranges), "As a tree: each before those in it.")
      .def_prop_ro("rows", ListOf(&Report::rows), "Where the span went.")
      .def_prop_ro("findings", ListOf(&Report::findings), "By possible gain, descending.")
      .def_prop_ro("actions", ListOf(&Report::actions), "At most five, by what they save.")
      .def_prop_ro("notices", ListOf(&Report::notices), "Problems while it was recorded.")
      .def_prop_ro("gaps", ListOf(&Report::gaps), "Idle time of devices by cause.")
      .def_prop_ro("copies", ListOf(&Report::copies))
      .def_prop_ro("api_calls", ListOf(&Report::api_calls), "By time, descending.")
      .def_prop_ro("streams", ListOf(&Report::streams), "By time, descending.")
      .def_prop_ro("devices", ListOf(&Report::devices))
      .def_prop_ro("ops", ListOf(&Report::torch, &TorchReport::ops), "Of PyTorch.")
      .def_prop_ro("shapes", ListOf(&Report::torch, &TorchReport::ops_by_shapes),
                   "Ops by the shapes of their inputs.")
      .def_prop_ro("modules", ListOf(&Report::torch, &TorchReport::modules), "Of PyTorch.")
      .def_prop_ro("lines", ListOf(&Report::lines, &LinesReport::own), "Of the program.")
      .def_prop_ro(
          "line_steps",
          [](const Shared& self) {
            const LineSteps& steps = self->report()->lines.steps;
            return steps.range.empty() ? std::nullopt : std::optional<LineSteps>(steps);
          },
          "None: the run has no steps.")
      .def_prop_ro("innermost_lines", ListOf(&Report::lines, &LinesReport::all))
      .def_prop_ro("source_lines", ListOf(&Report::lines, &LinesReport::within),
                   "With all that each called, by file and line.")
      .def_prop_ro(
          "memory",
          [](const Shared& self) {
            return std::shared_ptr<MemoryReport>(self->report(), &self->report()->memory);
          },
          "Allocations, pools, unified memory.")
      .def_prop_ro(
          "whole_run", [](const Shared& self) { return self->report()->whole_run; },
          "Where a part of the time was recorded; else None.")
      .def_prop_ro(
          "steps",
          [](const Shared& self) {
            const std::shared_ptr<Report> report = WithSteps(self);
            return Rows(report, report->steps.steps);
          },
          "The steps of the run, in order. Reads the recording again.")
      .def_prop_ro(
          "step_summary",
          [](const Shared& self) {
            const std::shared_ptr<Report> report = WithSteps(self);
            return std::shared_ptr<StepsReport>(report, &report->steps);
          },
          "All steps together. Reads the recording again.")
      .def_prop_ro(
          "launches",
          [](const Shared& self) {
            const nb::gil_scoped_release released;
            return LaunchesOf(self);
          },
          "All launches, by start. Reads the recording again.")
      .def_prop_ro(
          "samples",
          [](const Shared& self) {
            const nb::gil_scoped_release released;
            return SamplesOf(self);
          },
          "All counter samples. Reads the recording again.");
}

// Properties of the report that are one value.
template <typename T>
void BindValue(nb::class_<Recording>* recording, const char* name, T Report::*member,
               const char* doc) {
  recording->def_prop_ro(
      name, [member](const Recording& self) { return ToPython((*self.report()).*member); }, doc);
}

void BindRun(nb::class_<Recording>* recording) {
  BindValue(recording, "incomplete", &Report::incomplete,
            "Not empty: a part of the recording is not in this report.");
  BindValue(recording, "command", &Report::command, "Command line of the program.");
  BindValue(recording, "host", &Report::host, "Name of its machine.");
  BindValue(recording, "prof_version", &Report::prof_version, "That recorded it.");
  BindValue(recording, "nvidia_driver", &Report::nvidia_driver, "Empty: not known.");
  BindValue(recording, "pid", &Report::pid, "Process id of the program.");
  BindValue(recording, "start_ns", &Report::start_ns,
            "When the recording began, since 1970; 0: not known.");
  BindValue(recording, "rank", &Report::rank, "Of its launcher; -1: none known.");
  BindValue(recording, "span_ns", &Report::span_ns, "First operation's start to last one's end.");
  BindValue(recording, "profiler_ns", &Report::profiler_ns, "Of the span: what prof disturbed.");
  BindValue(recording, "undisturbed_ns", &Report::undisturbed_ns, "span_ns - profiler_ns.");
  BindValue(recording, "totals", &Report::totals, "Counts of records.");
  BindValue(recording, "findings_missing", &Report::findings_missing,
            "Not empty: why there can be no findings.");
  BindValue(recording, "integrity", &Report::integrity,
            "One sentence for each loss; empty: nothing was lost.");
}

void BindTexts(nb::class_<Recording>* recording) {
  recording
      ->def(
          "text",
          [](const Recording& self, int width, int top, bool details, bool color, bool utf8) {
            return self.Text({width, top, color, details, utf8});
          },
          "width"_a, "top"_a, "details"_a, "color"_a, "utf8"_a, WithoutGil(), "The text report.")
      .def(
          "json", [](const Recording& self) { return self.Json(); }, WithoutGil(),
          "Everything in the report, as JSON.")
      .def(
          "html", [](const Recording& self) { return self.Html(); }, WithoutGil(),
          "The HTML report.")
      .def(
          "csv",
          [](Recording& self, const std::string& table) { return self.Csv(TableNamed(table)); },
          "table"_a, WithoutGil(), "A table as CSV: kernels, launches, counters, ranges, calls.");
}

struct ExportArguments {
  std::string to, out, table, range;
  std::optional<uint32_t> gpu;
  std::optional<int64_t> from_ns, to_ns;
  int64_t keep;
  bool verdicts;
};

std::vector<std::string> Write(Recording& self, const ExportArguments& arguments) {
  ExportOptions options;
  options.format = FormatNamed(arguments.to);
  options.table = TableNamed(arguments.table);
  options.range = arguments.range;
  options.gpu = arguments.gpu;
  options.from_ns = arguments.from_ns;
  options.to_ns = arguments.to_ns;
  options.keep = arguments.keep;
  return self.WriteTo(arguments.out, options, arguments.verdicts).notes;
}

void BindWriters(nb::class_<Recording>* recording) {
  recording->def(
      "write",
      [](Recording& self, std::string to, std::string out, std::string table, std::string range,
         std::optional<uint32_t> gpu, std::optional<int64_t> from_ns, std::optional<int64_t> to_ns,
         int64_t keep, bool verdicts) {
        return Write(self, {std::move(to), std::move(out), std::move(table), std::move(range), gpu,
                            from_ns, to_ns, keep, verdicts});
      },
      "to"_a, "out"_a, "table"_a, "range"_a, "gpu"_a.none(), "from_ns"_a.none(), "to_ns"_a.none(),
      "keep"_a, "verdicts"_a, WithoutGil(),
      "Writes the recording in another tool's format; what a reader of the file has to know.");
}

}  // namespace

void BindRecording(nb::module_& module) {
  nb::class_<Snapshot>(module, "Snapshot", "What a session recorded; not analyzed yet.")
      .def_prop_ro(
          "path", [](const Snapshot& self) { return self.path(); },
          "Its file; empty: it is in memory.")
      .def_prop_ro(
          "bytes",
          [](const Snapshot& self) { return nb::bytes(self.bytes().data(), self.bytes().size()); },
          "The recording; empty: it is in a file.")
      .def_prop_ro(
          "complete", [](const Snapshot& self) { return self.integrity().complete(); },
          "True: the session knew of no loss when it ended.");
  nb::class_<Recording> recording(module, "Recording", "A recording with its report.");
  BindLists(&recording);
  BindRun(&recording);
  BindTexts(&recording);
  BindWriters(&recording);
  module.def(
      "load",
      [](std::string path) {
        return std::make_shared<Recording>(Snapshot::FromFile(std::move(path)));
      },
      "path"_a, WithoutGil(), "Reads and analyzes the recording in a file.");
  module.def(
      "analyze", [](const Snapshot& snapshot) { return std::make_shared<Recording>(snapshot); },
      "snapshot"_a, WithoutGil(), "Analyzes what a session recorded.");
  module.def("why_no_html", &html::WhyNoHtml, "Empty: this build can write HTML.");
}

}  // namespace prof::python
