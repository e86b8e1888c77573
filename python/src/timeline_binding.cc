// SPDX-License-Identifier: Apache-2.0
#include "prof/report.h"
#include "prof/timeline_report.h"
#include "python/src/bindings.h"
#include "python/src/values.h"

namespace prof::python {
namespace {

nb::str KindName(RangeRow::Kind kind) {
  switch (kind) {
    case RangeRow::Kind::kRange:
      return Text("range");
    case RangeRow::Kind::kOutside:
      return Text("outside");
    case RangeRow::Kind::kGap:
      return Text("gap");
    case RangeRow::Kind::kProfiler:
      return Text("profiler");
  }
  return Text("unknown");
}

void BindRanges(nb::module_& module) {
  Struct<RangeRow>(module, "Row",
                   "A row of the first table: rows sum to the span. Each moment belongs to the "
                   "operation that had started first, to a gap, or to prof.")
      .Derives(
          "kind", [](const RangeRow& self) { return KindName(self.kind); },
          "\"range\", \"outside\", \"gap\", \"profiler\".")
      .Has("label", &RangeRow::label, "NVTX path; \"(no range)\"; \"gaps\"; \"prof (sampling)\".")
      .Has("time_ns", &RangeRow::time_ns, "Exclusive GPU time.")
      .Has("share", &RangeRow::share,
           "Of the undisturbed time, 0..1; of prof's own row: of the span.")
      .Has("instances", &RangeRow::instances)
      .Has("operations", &RangeRow::operations, "Kernels, copies and memsets.")
      .Has("limiter", &RangeRow::limiter)
      .Has("dominant", &RangeRow::dominant, "Kernel or copy with most time.")
      .Has("evidence", &RangeRow::evidence)
      .Has("verdict", &RangeRow::verdict, "One line: what to do.")
      .Has("gain_at_most_ns", &RangeRow::gain_at_most_ns)
      .Shows({"kind", "label", "time_ns", "share"});
  Struct<RangeNode>(module, "Range",
                    "An NVTX range in the tree of all ranges. Siblings that differ in numbers "
                    "only are one node when there are three or more: \"layer *\".")
      .Has("name", &RangeNode::name, "The last part of `path`.")
      .Has("path", &RangeNode::path)
      .Has("parent", &RangeNode::parent, "Index in Report.ranges; -1: none.")
      .Has("depth", &RangeNode::depth, "0: outermost.")
      .Has("ranges", &RangeNode::ranges, "Paths that are one in this node.")
      .Has("calls", &RangeNode::calls, "Times they were entered, on all threads.")
      .Has("host_ns", &RangeNode::host_ns, "From push to pop, summed over threads.")
      .Has("host_longest_ns", &RangeNode::host_longest_ns)
      .Has("gpu_ns", &RangeNode::gpu_ns, "GPU time, without inner ranges.")
      .Has("gpu_inclusive_ns", &RangeNode::gpu_inclusive_ns, "With inner ranges.")
      .Has("operations", &RangeNode::operations, "Without inner ranges.")
      .Has("rows", &RangeNode::rows, "Labels of its rows in Report.rows.")
      .Shows({"path", "calls", "gpu_inclusive_ns", "host_ns"});
}

}  // namespace

void BindTimeline(nb::module_& module) {
  BindRanges(module);
  Struct<GapSummary>(module, "Gap", "The sum of one device's idle time with one cause.")
      .Has("device", &GapSummary::device)
      .Has("cause", &GapSummary::cause, "\"sync\", \"launch\", \"host-work\", ...")
      .Has("count", &GapSummary::count)
      .Has("total_ns", &GapSummary::total_ns)
      .Has("longest_ns", &GapSummary::longest_ns)
      .Has("where", &GapSummary::where, "NVTX range or API call with most of it.")
      .Has("example", &GapSummary::example, "The longest one, in words.")
      .Shows({"cause", "count", "total_ns"});
  Struct<CopySummary>(module, "Copy", "Copies with one direction and one pair of memory kinds.")
      .Has("device", &CopySummary::device)
      .Has("direction", &CopySummary::direction)
      .Has("memory", &CopySummary::memory)
      .Has("count", &CopySummary::count)
      .Has("bytes", &CopySummary::bytes)
      .Has("time_ns", &CopySummary::time_ns)
      .Has("overlapped_ns", &CopySummary::overlapped_ns, "While a kernel ran on the device.")
      .Has("ceiling_bytes_per_s", &CopySummary::ceiling_bytes_per_s,
           "What a calibration reached in this direction, pinned; 0: there was none.")
      .Shows({"direction", "memory", "count", "bytes"});
  Struct<ApiSummary>(module, "ApiCalls", "All calls of one CUDA function.")
      .Has("name", &ApiSummary::name)
      .Has("count", &ApiSummary::count)
      .Has("total_ns", &ApiSummary::total_ns, "On all threads, with the calls that it makes.")
      .Has("longest_ns", &ApiSummary::longest_ns)
      .Has("failed", &ApiSummary::failed, "Calls that returned an error.")
      .Shows({"name", "count", "total_ns"});
  Struct<StreamReport>(module, "Stream", "A stream that ran something.")
      .Has("device", &StreamReport::device)
      .Has("context", &StreamReport::context)
      .Has("stream", &StreamReport::stream)
      .Has("name", &StreamReport::name, "By NVTX; empty: none.")
      .Has("kind", &StreamReport::kind, "Empty: not recorded.")
      .Has("priority", &StreamReport::priority, "None: not recorded.")
      .Has("operations", &StreamReport::operations)
      .Has("time_ns", &StreamReport::time_ns, "Sum of their durations.")
      .Shows({"stream", "name", "operations", "time_ns"});
  Struct<ClockHold>(module, "ClockHold", "What held the clocks of a GPU down, by the driver.")
      .Has("kind", &ClockHold::kind, "\"power\", \"thermal\", \"chosen\".")
      .Has("what", &ClockHold::what)
      .Has("readings", &ClockHold::readings)
      .Shows({"what", "readings"});
  Struct<GpuStateReport>(module, "GpuState", "Readings of the driver while the GPU worked.")
      .Has("sm_clock_hz", &GpuStateReport::sm_clock_hz)
      .Has("memory_clock_hz", &GpuStateReport::memory_clock_hz)
      .Has("celsius", &GpuStateReport::celsius)
      .Has("watts", &GpuStateReport::watts)
      .Has("power_limit_w", &GpuStateReport::power_limit_w, "0: not known.")
      .Has("with_reasons", &GpuStateReport::with_reasons)
      .Has("holds", &GpuStateReport::holds)
      .Shows({"watts", "celsius"});
  Struct<DeviceReport>(module, "Device", "A device that was described or that ran something.")
      .Has("id", &DeviceReport::id)
      .Has("name", &DeviceReport::name)
      .Has("chip", &DeviceReport::chip)
      .Has("sm_count", &DeviceReport::sm_count)
      .Has("busy_ns", &DeviceReport::busy_ns, "Without what prof disturbed.")
      .Has("idle_ns", &DeviceReport::idle_ns, "Without what prof disturbed.")
      .Has("sm_clock_hz", &DeviceReport::sm_clock_hz, "From counter samples.")
      .Has("dram_clock_hz", &DeviceReport::dram_clock_hz, "From counter samples.")
      .Has("state", &DeviceReport::state, "By the driver; empty without gpu_state.")
      .Has("dram_peak_bytes_per_s", &DeviceReport::dram_peak_bytes_per_s)
      .Shows({"id", "name", "busy_ns", "idle_ns"});
  Struct<EstimatedTime>(module, "EstimatedTime", "A sum of times, scaled from traced launches.")
      .Has("ns", &EstimatedTime::ns)
      .Has("error_ns", &EstimatedTime::error_ns,
           "The true value is within it in 95 % of recordings; None: fewer than three windows.")
      .Shows({"ns", "error_ns"});
  Struct<WholeRunKernel>(module, "WholeRunKernel",
                         "All launches of a kernel with one grid, block and shared memory.")
      .Has("name", &WholeRunKernel::name)
      .Has("grid", &WholeRunKernel::grid)
      .Has("block", &WholeRunKernel::block)
      .Has("dynamic_shared_bytes", &WholeRunKernel::dynamic_shared_bytes)
      .Has("device", &WholeRunKernel::device)
      .Has("launches", &WholeRunKernel::launches, "Counted, those of CUDA graphs included.")
      .Has("traced", &WholeRunKernel::traced, "Of these, with a time.")
      .Has("time", &WholeRunKernel::time, "None: no launch was traced.")
      .Shows({"name", "launches", "traced"});
  Struct<WholeRun>(module, "WholeRun", "What kernels took in a run of which a part was traced.")
      .Has("windows", &WholeRun::windows)
      .Has("span_ns", &WholeRun::span_ns)
      .Has("traced_ns", &WholeRun::traced_ns)
      .Has("kernels_time", &WholeRun::kernels_time)
      .Has("launches", &WholeRun::launches)
      .Has("launches_without", &WholeRun::launches_without,
           "Of kernels and graphs that no window had.")
      .Has("kernels", &WholeRun::kernels, "By time, descending; then those without.")
      .Shows({"windows", "traced_ns", "span_ns"});
}

}  // namespace prof::python
