// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json.h"

#include <ostream>
#include <string>

#include "lib/report/json/kernel.h"
#include "lib/report/json/lines.h"
#include "lib/report/json/memory.h"
#include "lib/report/json/nvtx.h"
#include "lib/report/json/run.h"
#include "lib/report/json/steps.h"
#include "lib/report/json/torch.h"
#include "lib/report/json/values.h"

namespace prof {
namespace {

constexpr int kSchema = 3;

Json Everything(const Report& report) {
  const Totals& totals = report.totals;
  return {{"schema", kSchema},
          {"error", report.error},
          {"command", report.command},
          {"host", report.host},
          {"pid", report.pid},
          {"rank", report.rank},
          {"start_ns", report.start_ns > 0 ? Json(report.start_ns) : Json(nullptr)},
          {"prof_version", report.prof_version},
          {"nvidia_driver", report.nvidia_driver},
          {"span_ns", Number(report.span_ns)},
          {"profiler_ns", Number(report.profiler_ns)},
          {"paused_ns", Number(report.paused_ns)},
          {"undisturbed_ns", Number(report.undisturbed_ns)},
          {"counter_cost_ns", Number(report.counter_cost_ns)},
          {"totals",
           {{"kernels", totals.kernels},
            {"copies", totals.copies},
            {"memsets", totals.memsets},
            {"api_calls", totals.api_calls},
            {"ranges", totals.ranges},
            {"samples", totals.samples},
            {"graphs", totals.graphs}}},
          {"devices", List(report.devices)},
          {"actions", List(report.actions)},
          {"rows", List(report.rows)},
          {"ranges", List(report.ranges)},
          {"kernels", List(report.kernels)},
          {"verdicts",
           {{"share", Number(report.verdicts.share)},
            {"counters", Number(report.verdicts.counters)},
            {"pm_samples", Number(report.verdicts.pm_samples)},
            {"both", Number(report.verdicts.both)},
            {"duration", Number(report.verdicts.duration)},
            {"later", Number(report.verdicts.later)},
            {"missing", report.verdicts.missing}}},
          {"regions", List(report.regions)},
          {"gaps", List(report.gaps)},
          {"copies", List(report.copies)},
          {"api_calls", List(report.api_calls)},
          {"streams", List(report.streams)},
          {"findings", List(report.findings)},
          {"findings_missing", report.findings_missing},
          {"continuous", List(report.continuous)},
          {"nvtx", ToJson(report.nvtx)},
          {"torch", ToJson(report.torch)},
          {"memory", ToJson(report.memory)},
          {"pm_samples_lost", report.pm_samples_lost},
          {"pm_restarts", report.pm_restarts},
          {"notices", List(report.notices)},
          {"integrity", report.integrity}};
}

// Lines are there where the recording has stacks or host samples, the whole run where a part of it
// was traced, steps where they were asked for.
Json ToJson(const Report& report) {
  Json json = Everything(report);
  if (!report.lines.all.empty() || report.lines.host_idle.recorded)
    json["lines"] = ToJson(report.lines);
  if (report.whole_run) json["whole_run"] = ToJson(*report.whole_run);
  if (report.steps.wanted) json["steps"] = ToJson(report.steps);
  return json;
}

}  // namespace

void WriteJson(std::ostream& out, const Report& report) {
  const std::string text = ToJson(report).dump(2, ' ', false, Json::error_handler_t::replace);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.put('\n');
}

}  // namespace prof
