// SPDX-License-Identifier: Apache-2.0
#include "prof/action.h"
#include "prof/continuous_report.h"
#include "prof/kernel_code.h"
#include "prof/kernel_report.h"
#include "prof/roofline.h"
#include "prof/statistic.h"
#include "python/src/bindings.h"
#include "python/src/values.h"

namespace prof::python {
namespace {

void BindValues(nb::module_& module) {
  Struct<Statistic>(module, "Statistic",
                    "Summary of n observations. With n == 0 the values are NaN.")
      .Has("n", &Statistic::n)
      .Has("median", &Statistic::median)
      .Has("min", &Statistic::min)
      .Has("max", &Statistic::max)
      .Has("sum", &Statistic::sum)
      .Shows({"n", "median", "min", "max"});
  Struct<ContinuousValue>(module, "ContinuousValue",
                          "A metric of the whole GPU while something ran, by PM samples.")
      .Has("value", &ContinuousValue::value, "In CUPTI's unit. None: `missing` has the reason.")
      .Has("error", &ContinuousValue::error,
           "Half width: 95 % of the sampling error, and the error of the clocks.")
      .Has("seconds", &ContinuousValue::seconds, "GPU time of it in the samples that were used.")
      .Has("samples", &ContinuousValue::samples, "Samples in which it ran.")
      .Has("launches", &ContinuousValue::launches, "Launches that were sampled.")
      .Has("beside", &ContinuousValue::beside,
           "Not empty: it hardly ran alone; what ran beside it most.")
      .Has("missing", &ContinuousValue::missing)
      .Shows({"value", "error", "samples"});
  Struct<Action>(module, "KernelAction", "One change that is worth a try. Gains never add up.")
      .Has("id", &Action::id, "Stable: \"coalesce\", \"cuda-graph\".")
      .Has("kind", &Action::kind, "How it saves time: \"same-work\", \"less-work\", ...")
      .Has("what", &Action::what, "One sentence.")
      .Has("gain_at_most", &Action::gain_at_most,
           "Upper bound of the gain, as a fraction of the time. None: nothing bounds it.")
      .Has("floor", &Action::floor, "Where the bound comes from.")
      .Has("check", &Action::check, "What would decide more; may be empty.")
      .Shows({"id", "what", "gain_at_most"});
}

void BindMeasured(nb::module_& module) {
  Struct<UnitUse>(module, "UnitUse", "How busy one hardware unit was: the highest of its metrics.")
      .Has("unit", &UnitUse::unit, "\"dram\", \"l2\", \"tensor\", ...")
      .Has("of_peak", &UnitUse::of_peak, "Fraction of the unit's peak over elapsed time.")
      .Has("metric", &UnitUse::metric, "The metric that is highest.")
      .Has("n", &UnitUse::n, "Samples of that metric.")
      .Has("source", &UnitUse::source, "\"counters\" or \"pm-samples\".")
      .Has("error", &UnitUse::error, "PM samples: half width of 95 %, as a fraction.")
      .Has("missing", &UnitUse::missing, "Not empty: `of_peak` is a lower bound.")
      .Shows({"unit", "of_peak", "metric"});
  Struct<KernelCode::Count>(module, "CodeCount", "Instructions of one kind in a kernel's code.")
      .Has("all", &KernelCode::Count::all)
      .Has("in_loops", &KernelCode::Count::in_loops)
      .Shows({"all", "in_loops"});
  Struct<KernelCode>(module, "KernelCode",
                     "Which instructions a kernel's machine code has. How often each one is "
                     "executed is not known.")
      .Has("instructions", &KernelCode::instructions)
      .Has("calls_others", &KernelCode::calls_others,
           "True: it calls functions that are not counted.")
      .Has("global_loads", &KernelCode::global_loads)
      .Has("global_stores", &KernelCode::global_stores)
      .Has("local_loads", &KernelCode::local_loads)
      .Has("local_stores", &KernelCode::local_stores)
      .Has("shared_loads", &KernelCode::shared_loads)
      .Has("shared_stores", &KernelCode::shared_stores)
      .Has("generic_accesses", &KernelCode::generic_accesses)
      .Has("global_atomics", &KernelCode::global_atomics)
      .Has("shared_atomics", &KernelCode::shared_atomics)
      .Has("async_copies", &KernelCode::async_copies)
      .Has("bulk_copies", &KernelCode::bulk_copies)
      .Has("warp_mma", &KernelCode::warp_mma)
      .Has("double_mma", &KernelCode::double_mma)
      .Has("group_mma", &KernelCode::group_mma)
      .Has("tensor_memory_mma", &KernelCode::tensor_memory_mma)
      .Has("fp64", &KernelCode::fp64)
      .Has("special", &KernelCode::special)
      .Shows({"instructions"});
  Struct<Occupancy>(module, "Occupancy", "Theoretical occupancy and its limits.")
      .Has("known", &Occupancy::known, "False: the device's limits were not recorded.")
      .Has("blocks_per_sm", &Occupancy::blocks_per_sm)
      .Has("limited_by", &Occupancy::limited_by)
      .Has("theoretical", &Occupancy::theoretical, "Resident warps over warp slots, 0..1.")
      .Has("achieved", &Occupancy::achieved, "0..1. None: not measured.")
      .Has("waves", &Occupancy::waves, "Blocks in the grid over blocks that the device holds.")
      .Has("tail_lost", &Occupancy::tail_lost, "0..1.")
      .Shows({"theoretical", "achieved", "limited_by"});
  Struct<Roofline>(module, "Roofline", "Position under the roofline. None: not measured.")
      .Has("flops_per_s", &Roofline::flops_per_s, "Of the kind in `flop_kind`.")
      .Has("flops_per_byte", &Roofline::flops_per_byte, "Arithmetic intensity against DRAM.")
      .Has("flop_peak_per_s", &Roofline::flop_peak_per_s)
      .Has("flop_kind", &Roofline::flop_kind, "\"fp16 tensor\"; empty: not measured.")
      .Has("dram_bytes_per_s", &Roofline::dram_bytes_per_s)
      .Has("dram_peak_bytes_per_s", &Roofline::dram_peak_bytes_per_s)
      .Has("attainable_flops_per_s", &Roofline::attainable_flops_per_s)
      .Has("of_attainable", &Roofline::of_attainable, "Fraction of the attainable rate.")
      .Has("bound_by", &Roofline::bound_by, "\"compute\", \"dram\", ...; empty: unknown.")
      .Has("rates_of", &Roofline::rates_of, "Which time the rates are of: \"run\", \"samples\".")
      .Shows({"flops_per_s", "flops_per_byte", "bound_by"});
  Struct<Doubt>(module, "Doubt", "A reason why a verdict may be wrong.")
      .Has("id", &Doubt::id)
      .Has("text", &Doubt::text)
      .Shows({"id", "text"});
  Struct<Verdict>(module, "Verdict", "What limits a kernel, the evidence, and what to do.")
      .Has("limiter", &Verdict::limiter, "\"dram\", \"latency\", \"not-measured\", ...")
      .Has("confidence", &Verdict::confidence, "\"none\", \"low\", \"medium\", \"high\".")
      .Has("doubts", &Verdict::doubts, "Why the confidence is not higher, the gravest first.")
      .Has("source", &Verdict::source, "\"counters\", \"pm-samples\", \"both\", \"none\".")
      .Has("decided", &Verdict::decided, "False: `missing` has what would decide.")
      .Has("rule", &Verdict::rule, "Id of the rule.")
      .Has("summary", &Verdict::summary, "One sentence.")
      .Has("evidence", &Verdict::evidence, "Each with its number, unit and metric.")
      .Has("actions", &Verdict::actions, "By gain, descending.")
      .Has("action", &Verdict::action, "The first of `actions`; empty: nothing worth it.")
      .Derives(
          "gain_at_most", [](const Verdict& self) { return self.known_gain(); },
          "The largest known gain of `actions`, as a fraction of the time. None: unknown.")
      .Has("gain_formula", &Verdict::gain_formula)
      .Has("runner_up", &Verdict::runner_up, "The next unit and its value, or warps that wait.")
      .Has("missing", &Verdict::missing, "The measurement that would decide.")
      .Has("stall", &Verdict::stall, "The top stall reason, where it was measured.")
      .Has("notes", &Verdict::notes)
      .Shows({"limiter", "confidence", "summary"});
}

}  // namespace

void BindKernels(nb::module_& module) {
  BindValues(module);
  BindMeasured(module);
  Struct<KernelReport>(module, "Kernel",
                       "One signature (kernel, grid, block, shared memory, NVTX path): its "
                       "launches, its counters, and what limits it.")
      .Has("name", &KernelReport::name, "Short, demangled.")
      .Has("full_name", &KernelReport::full_name, "With template arguments and parameters.")
      .Has("range", &KernelReport::range, "NVTX path; empty: outside all ranges.")
      .Has("captured_in", &KernelReport::captured_in)
      .Has("device", &KernelReport::device)
      .Has("grid", &KernelReport::grid)
      .Has("block", &KernelReport::block)
      .Has("cluster", &KernelReport::cluster)
      .Derives(
          "registers_per_thread",
          [](const KernelReport& self) {
            return self.resources_known ? std::optional<uint32_t>(self.registers_per_thread)
                                        : std::nullopt;
          },
          "None: not known.")
      .Derives(
          "static_shared_bytes",
          [](const KernelReport& self) {
            return self.resources_known ? std::optional<uint32_t>(self.static_shared_bytes)
                                        : std::nullopt;
          },
          "None: not known.")
      .Has("dynamic_shared_bytes", &KernelReport::dynamic_shared_bytes)
      .Has("launches", &KernelReport::launches)
      .Has("duration_ns", &KernelReport::duration_ns, "Of a launch, in nanoseconds.")
      .Has("comes_again", &KernelReport::comes_again,
           "It was launched near the end of the recording: a longer one has more launches of it.")
      .Has("duration_from_counters", &KernelReport::duration_from_counters,
           "True: no launch has a time on the timeline; the times come from counters.")
      .Has("total_ns", &KernelReport::total_ns, "Sum over all launches with a valid time.")
      .Has("share", &KernelReport::share, "Of the undisturbed time, 0..1.")
      .Has("busy_ns", &KernelReport::busy_ns, "GPU time of the span that belongs to it.")
      .Has("critical_ns", &KernelReport::critical_ns, "Of its time: on the critical path.")
      .Has("in_graph", &KernelReport::in_graph)
      .Has("whole_graph", &KernelReport::whole_graph,
           "True: a CUDA graph that was recorded without its kernels.")
      .Has("metrics", &KernelReport::metrics, "Counters by CUPTI name, in CUPTI's unit.")
      .Has("units", &KernelReport::units, "Use of hardware units, descending.")
      .Has("samples_used", &KernelReport::samples_used)
      .Has("samples_rejected", &KernelReport::samples_rejected)
      .Has("counters_from", &KernelReport::counters_from,
           "Not empty: its counters are those of the same kernel elsewhere.")
      .Has("continuous", &KernelReport::continuous, "Values of PM samples by CUPTI name.")
      .Has("code", &KernelReport::code, "None: its code was not seen.")
      .Has("occupancy", &KernelReport::occupancy)
      .Has("roofline", &KernelReport::roofline)
      .Has("verdict", &KernelReport::verdict)
      .Has("torch_ops", &KernelReport::torch_ops, "Ops of PyTorch that launched it, by time.")
      .Has("torch_modules", &KernelReport::torch_modules, "Modules of PyTorch, by time.")
      .Has("lines", &KernelReport::lines, "Lines of Python that launched it, by time.")
      .Shows({"name", "range", "launches", "total_ns", "share"});
}

}  // namespace prof::python
