// SPDX-License-Identifier: Apache-2.0
#include "prof/step_report.h"
#include "python/src/bindings.h"
#include "python/src/values.h"

namespace prof::python {
namespace {

void BindTimes(nb::module_& module) {
  Struct<StepPartTime>(module, "StepPart",
                       "The time of one part: of a step, or of all steps that count.")
      .Has("part", &StepPartTime::part,
           "\"forward\", \"backward\", \"optimizer\", \"data\", \"communication\", \"other\", "
           "\"not known\".")
      .Has("host_ns", &StepPartTime::host_ns, "On the thread of the steps.")
      .Has("gpu_ns", &StepPartTime::gpu_ns, "While its operations ran.")
      .Has("alone_ns", &StepPartTime::alone_ns, "Of gpu_ns: no other part's ran on that GPU.")
      .Has("idle_ns", &StepPartTime::idle_ns, "The GPU idled while the host was in it.")
      .Has("path_ns", &StepPartTime::path_ns, "On the critical path.")
      .Shows({"part", "gpu_ns", "path_ns"});
  Struct<StepIdle>(module, "StepIdle", "Idle time of a step with one cause.")
      .Has("cause", &StepIdle::cause)
      .Has("time_ns", &StepIdle::time_ns)
      .Shows({"cause", "time_ns"});
  Struct<StepPathTime>(module, "StepPathTime", "Time on a critical path of one kind.")
      .Has("kind", &StepPathTime::kind,
           "\"host\", \"call\", \"launch\", \"kernel\", \"communication\", \"copy\", \"wait\".")
      .Has("time_ns", &StepPathTime::time_ns)
      .Shows({"kind", "time_ns"});
  Struct<StepPathItem>(module, "StepPathItem", "One thing on the critical paths of all steps.")
      .Has("kind", &StepPathItem::kind)
      .Has("what", &StepPathItem::what, "\"host code\", \"cudaMalloc\", a kernel.")
      .Has("where", &StepPathItem::where, "Op, range or line of Python; empty: not known.")
      .Has("part", &StepPathItem::part)
      .Has("limiter", &StepPathItem::limiter, "Of kernels: with most of its time.")
      .Has("limiters", &StepPathItem::limiters, "Of kernels: time_ns by limiter, most first.")
      .Has("count", &StepPathItem::count)
      .Has("time_ns", &StepPathItem::time_ns)
      .Has("host_samples", &StepPathItem::host_samples,
           "That found the host in the line of `where`.")
      .Shows({"kind", "what", "where", "time_ns"});
  Struct<StepOffPath>(module, "StepOffPath", "Work that is hardly on the critical paths.")
      .Has("kind", &StepOffPath::kind)
      .Has("what", &StepOffPath::what)
      .Has("gpu_ns", &StepOffPath::gpu_ns)
      .Has("path_ns", &StepOffPath::path_ns, "Of that: on the path.")
      .Shows({"what", "gpu_ns", "path_ns"});
}

void BindStep(nb::module_& module) {
  Struct<StepReport>(module, "Step",
                     "One step: from the end of the GPU work of the step before to the end of its "
                     "own.")
      .Has("index", &StepReport::index)
      .Has("name", &StepReport::name)
      .Has("begin_ns", &StepReport::begin_ns, "After the recording began.")
      .Has("duration_ns", &StepReport::duration_ns)
      .Has("busy_ns", &StepReport::busy_ns)
      .Has("idle_ns", &StepReport::idle_ns, "Without what prof disturbed.")
      .Has("idle", &StepReport::idle, "By cause, most first.")
      .Has("host_ns", &StepReport::host_ns, "From the end of the range before.")
      .Has("blocked_ns", &StepReport::blocked_ns, "Of host_ns: in calls that wait for the GPU.")
      .Has("operations", &StepReport::operations)
      .Has("copies", &StepReport::copies)
      .Has("copied_bytes", &StepReport::copied_bytes)
      .Has("allocated_bytes", &StepReport::allocated_bytes)
      .Has("left_out", &StepReport::left_out, "Why it is in no statistic; empty: it counts.")
      .Has("outlier", &StepReport::outlier, "Twice the median or more.")
      .Derives(
          "surplus", [](const StepReport& self) { return Text(self.surplus.what); },
          "What it has most more of than the median step; empty: nothing.")
      .Derives("surplus_ns", [](const StepReport& self) { return self.surplus.time_ns; })
      .Has("parts", &StepReport::parts)
      .Has("path", &StepReport::path, "By kind; sums to duration_ns.")
      .Shows({"index", "name", "duration_ns"});
}

void BindPhase(nb::module_& module) {
  Struct<StepPhase>(module, "StepPhase", "A part of the run in which other launches repeat.")
      .Has("range", &StepPhase::range, "\"4 launches that repeat\".")
      .Has("steps", &StepPhase::steps)
      .Has("begin_ns", &StepPhase::begin_ns, "After the recording began.")
      .Has("end_ns", &StepPhase::end_ns)
      .Shows({"range", "steps", "begin_ns", "end_ns"});
}

}  // namespace

void BindSteps(nb::module_& module) {
  BindTimes(module);
  BindPhase(module);
  BindStep(module);
  Struct<StepsReport>(module, "StepSummary",
                      "All steps that count. Times are sums over them, except in statistics.")
      .Has("missing", &StepsReport::missing, "Not empty: why there are no steps.")
      .Has("range", &StepsReport::range, "Its instances are the steps.")
      .Has("by_launches", &StepsReport::by_launches,
           "No range repeats: a step is one turn of launches that do, as `range` has them.")
      .Has("other_phases", &StepsReport::other_phases, "By launches: where others repeat.")
      .Has("counted", &StepsReport::counted, "Steps in the statistics.")
      .Has("counted_share", &StepsReport::counted_share,
           "Of the time of these and of the steps that prof disturbed, 0..1. None: there are "
           "neither.")
      .Has("warning", &StepsReport::warning,
           "The steps that count are a small part of the run; empty: they are not.")
      .Has("duration_ns", &StepsReport::duration_ns)
      .Has("p90_ns", &StepsReport::p90_ns, "None: too few steps.")
      .Has("p99_ns", &StepsReport::p99_ns, "None: too few steps.")
      .Has("first_ns", &StepsReport::first_ns, "Median of the first tenth. None: too few steps.")
      .Has("last_ns", &StepsReport::last_ns, "Median of the last tenth.")
      .Has("rising", &StepsReport::rising, "Share of the pairs of tenths that rise.")
      .Has("parts", &StepsReport::parts)
      .Has("path", &StepsReport::path, "By kind.")
      .Has("items", &StepsReport::items, "By time, descending.")
      .Has("off_path", &StepsReport::off_path, "By GPU time, descending.")
      .Has("not_recorded", &StepsReport::not_recorded, "What the paths follow by time, in words.")
      .Shows({"range", "counted"});
}

}  // namespace prof::python
