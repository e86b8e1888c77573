// SPDX-License-Identifier: Apache-2.0
#include "prof/line_report.h"
#include "python/src/bindings.h"
#include "python/src/values.h"

namespace prof::python {
namespace {

template <typename Line>
std::optional<uint32_t> LineNumber(const Line& line) {
  return line.line == 0 ? std::nullopt : std::optional<uint32_t>(line.line);
}

std::optional<double> OfSamples(const LineReport& line, double value) {
  return line.host_samples > 0 ? std::optional<double>(value) : std::nullopt;
}

}  // namespace

void BindLines(nb::module_& module) {
  Struct<LineSteps>(module, "LineSteps", "The steps of a run: the range that repeats.")
      .Has("range", &LineSteps::range)
      .Has("by_launches", &LineSteps::by_launches, "No range repeats: turns of launches.")
      .Has("count", &LineSteps::count)
      .Has("time_ns", &LineSteps::time_ns)
      .Shows({"range", "count", "time_ns"});
  Struct<LineReport>(module, "Line", "A line of source, and the GPU's time that it caused.")
      .Has("file", &LineReport::file, "As Python or the compiler has it; empty: not known.")
      .Derives("line", LineNumber<LineReport>, "None: not known.")
      .Has("function", &LineReport::function)
      .Has("module", &LineReport::module, "Native code: its program or library. Empty: Python.")
      .Has("operations", &LineReport::operations)
      .Has("kernels", &LineReport::kernels)
      .Has("time_ns", &LineReport::time_ns, "Its share of the GPU's busy time.")
      .Has("backward_ns", &LineReport::backward_ns, "Of the backward pass of its ops.")
      .Has("idle_ns", &LineReport::idle_ns, "Idle time of the GPU that is charged to this line.")
      .Has("steps_ns", &LineReport::steps_ns, "Its busy and idle time in the steps.")
      .Has("dominant", &LineReport::dominant, "Its kernel with most time; empty: none.")
      .Derives(
          "limiter",
          [](const LineReport& self) {
            return Text(self.dominant.empty() ? "" : ToString(self.limiter));
          },
          "Of that kernel; empty: there is none.")
      .Has("host_samples", &LineReport::host_samples,
           "That found the host here while the GPU waited for it.")
      .Derives(
          "host_share", [](const LineReport& self) { return OfSamples(self, self.host_share); },
          "Of all such samples, 0..1. None: no sample was here.")
      .Derives(
          "host_share_low",
          [](const LineReport& self) { return OfSamples(self, self.host_share_low); },
          "The lower end of its interval of 95 %.")
      .Derives(
          "host_share_high",
          [](const LineReport& self) { return OfSamples(self, self.host_share_high); },
          "The upper end.")
      .Has("host_idle_ns", &LineReport::host_idle_ns,
           "How long the GPU waited while the host was here.")
      .Shows({"file", "line", "time_ns", "idle_ns"});
  Struct<SourceLine>(module, "SourceLine",
                     "A line of Python with all that it called: it has the time of each stack that "
                     "it is in.")
      .Has("file", &SourceLine::file)
      .Derives("line", LineNumber<SourceLine>, "None: not known.")
      .Has("function", &SourceLine::function, "One of those that have the line.")
      .Has("operations", &SourceLine::operations)
      .Has("time_ns", &SourceLine::time_ns)
      .Has("backward_ns", &SourceLine::backward_ns)
      .Has("idle_ns", &SourceLine::idle_ns)
      .Has("host_idle_ns", &SourceLine::host_idle_ns)
      .Shows({"file", "line", "time_ns", "idle_ns"});
  Struct<KernelSource>(module, "KernelLine", "The launches of a kernel that one line made.")
      .Has("file", &KernelSource::file)
      .Derives("line", LineNumber<KernelSource>, "None: not known.")
      .Has("function", &KernelSource::function)
      .Has("backward", &KernelSource::backward, "In the backward pass of an op that it called.")
      .Has("time_ns", &KernelSource::time_ns)
      .Has("launches", &KernelSource::launches)
      .Shows({"file", "line", "time_ns"});
}

}  // namespace prof::python
