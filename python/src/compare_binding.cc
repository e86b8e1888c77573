// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/vector.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "prof/compare.h"
#include "python/src/bindings.h"
#include "python/src/problem.h"
#include "python/src/recording.h"
#include "python/src/values.h"

namespace prof::python {
namespace {

using nb::literals::operator""_a;
using WithoutGil = nb::call_guard<nb::gil_scoped_release>;
using Runs = std::vector<std::shared_ptr<Recording>>;

std::vector<Report> ReportsOf(const Runs& runs) {
  std::vector<Report> reports;
  reports.reserve(runs.size());
  for (const std::shared_ptr<Recording>& run : runs) reports.push_back(*run->report());
  return reports;
}

std::shared_ptr<Comparison> CompareRuns(const Runs& before, const Runs& after, double alpha,
                                        double threshold, double least_share, bool across) {
  CompareOptions options;
  options.alpha = alpha;
  options.threshold = threshold;
  options.least_share = least_share;
  options.across = across;
  auto answer = std::make_shared<Comparison>(Compare(ReportsOf(before), ReportsOf(after), options));
  if (!answer->error.empty()) throw Problem(answer->error);
  return answer;
}

void BindRows(nb::module_& module) {
  Struct<Ratio>(module, "Ratio", "After over before: 1.10 is 10 % more. NaN: a side has no value.")
      .Has("value", &Ratio::value)
      .Has("low", &Ratio::low)
      .Has("high", &Ratio::high)
      .Has("is_interval", &Ratio::is_interval, "False: too few runs for an interval.")
      .Shows({"value", "low", "high"});
  Struct<Compared>(module, "Compared", "One quantity on both sides, in nanoseconds or cycles.")
      .Has("name", &Compared::name)
      .Has("before", &Compared::before, "Over the runs.")
      .Has("after", &Compared::after, "Over the runs.")
      .Has("ratio", &Compared::ratio)
      .Has("corrected", &Compared::corrected, "Level of the test after Holm's correction, 0..1.")
      .Has("noise", &Compared::noise, "What equal runs differ by, a fraction. None: unknown.")
      .Has("threshold", &Compared::threshold, "The least effect that counts, a fraction.")
      .Has("tested", &Compared::tested)
      .Has("change", &Compared::change, "\"same\", \"faster\", \"slower\", \"inconclusive\".")
      .Has("why", &Compared::why, "One sentence.")
      .Has("runs_needed", &Compared::runs_needed, "Runs of each side that decide; 0: decided.")
      .Shows({"name", "change", "ratio"});
  Struct<ComparedWork>(module, "ComparedWork", "The work of a launch, by exact counters.")
      .Has("change", &ComparedWork::change,
           "\"not-measured\", \"same\", \"less\", \"more\", \"mixed\".")
      .Has("counter", &ComparedWork::counter, "The one that changed most, in words.")
      .Has("ratio", &ComparedWork::ratio, "Of that counter. NaN: a side has none of it.")
      .Has("why", &ComparedWork::why, "One sentence.")
      .Shows({"change", "counter", "ratio"});
  Struct<Normalization>(module, "Normalization", "A time after as one of the device before.")
      .Has("factor", &Normalization::factor)
      .Has("by", &Normalization::by, "\"DRAM bandwidth\", \"SM clock\", ...; empty: it was not.")
      .Has("why", &Normalization::why, "The rates of both devices, or why it was not.")
      .Shows({"factor", "by"});
  Struct<KernelChange>(module, "KernelChange", "One kernel on both sides.")
      .Has("name", &KernelChange::name)
      .Has("range", &KernelChange::range)
      .Has("device", &KernelChange::device)
      .Has("matched", &KernelChange::matched, "\"same\", \"renamed\", \"new\", \"gone\", ...")
      .Has("confidence", &KernelChange::confidence, "Of the match.")
      .Has("time", &KernelChange::time, "The median duration of a launch.")
      .Has("normalized", &KernelChange::normalized, "Of `time`. None: the devices are the same.")
      .Has("work", &KernelChange::work, "Of a launch, whatever its time shows.")
      .Has("total_before_ns", &KernelChange::total_before_ns)
      .Has("total_after_ns", &KernelChange::total_after_ns)
      .Has("explanation", &KernelChange::explanation, "What moved, in words.")
      .Shows({"name", "range", "matched", "time"});
}

}  // namespace

void BindCompare(nb::module_& module) {
  BindRows(module);
  nb::class_<Comparison>(module, "Comparison", "What became slower, what faster, and why.")
      .def_prop_ro(
          "before", [](const Comparison& self) { return Text(self.before); },
          "Runs, device, driver, program.")
      .def_prop_ro("after", [](const Comparison& self) { return Text(self.after); })
      .def_prop_ro(
          "overall", [](const Comparison& self) { return Text(ToString(self.overall())); },
          "The worst verdict of what was tested: slower, inconclusive, faster, same.")
      .def_prop_ro(
          "overall_work",
          [](const Comparison& self) { return Text(ToString(self.overall_work())); },
          "Of the tested kernels: more, mixed, less, same, not-measured, the first that any has.")
      .def_prop_ro(
          "runs_needed", [](const Comparison& self) { return self.runs_needed(); },
          "Runs of each side that would decide all; 0: all is decided.")
      .def_prop_ro(
          "order", [](const Comparison& self) { return Text(ToString(self.order)); },
          "Of the recordings: \"interleaved\", \"before-first\", \"after-first\", \"unknown\".")
      .def_prop_ro(
          "notes", [](const Comparison& self) { return ToPython(self.notes); },
          "How it was normalized, and what weakens it.")
      .def_prop_ro(
          "kernels",
          [](const std::shared_ptr<Comparison>& self) { return Rows(self, self->kernels); },
          "By time on the side with more of it, descending.")
      .def_prop_ro(
          "run", [](const std::shared_ptr<Comparison>& self) { return Rows(self, self->run); },
          "Span, busy time, idle time by cause, ranges, host time.")
      .def(
          "text",
          [](const Comparison& self, int width, bool all) {
            std::ostringstream out;
            WriteComparison(out, self, width, all);
            return out.str();
          },
          "width"_a = 120, "all"_a = false, "The comparison as text; `all`: also what is the same.")
      .def(
          "json",
          [](const Comparison& self) {
            std::ostringstream out;
            WriteComparisonJson(out, self);
            return out.str();
          },
          "The comparison as one JSON object.")
      .def("__str__",
           [](const Comparison& self) {
             std::ostringstream out;
             WriteComparison(out, self);
             return out.str();
           })
      .def("__repr__", [](const Comparison& self) {
        return std::string("Comparison(overall='") + ToString(self.overall()) + "')";
      });
  const CompareOptions standard;
  module.def("compare", &CompareRuns, "before"_a, "after"_a, "alpha"_a = standard.alpha,
             "threshold"_a = standard.threshold, "least_share"_a = standard.least_share,
             "across"_a = standard.across, WithoutGil(), "Compares two sets of runs.");
}

}  // namespace prof::python
