// SPDX-License-Identifier: Apache-2.0
#include "prof/report.h"
#include "python/src/bindings.h"
#include "python/src/values.h"

namespace prof::python {

void BindReport(nb::module_& module) {
  Struct<IdleStretch>(module, "IdleStretch", "A part of the run with a GPU that idles much.")
      .Has("cause", &IdleStretch::cause)
      .Has("begin_ns", &IdleStretch::begin_ns, "After the recording began.")
      .Has("end_ns", &IdleStretch::end_ns)
      .Shows({"cause", "begin_ns", "end_ns"});
  Struct<Finding>(module, "Finding", "A change to the run that is worth making.")
      .Has("id", &Finding::id, "\"launch-bound\", \"pageable-copy\", ...")
      .Has("title", &Finding::title)
      .Has("evidence", &Finding::evidence)
      .Has("action", &Finding::action)
      .Has("place", &Finding::place, "The range with half or more of its idle time, or \"\".")
      .Has("place_share", &Finding::place_share, "Its part of that time, 0.5..1; 0: no place.")
      .Has("kind", &Finding::kind, "What `gain_at_most_ns` bounds.")
      .Has("gain_at_most_ns", &Finding::gain_at_most_ns)
      .Has("stretch", &Finding::stretch, "Of \"idle-stretch\". None: it is about the whole run.")
      .Has("check", &Finding::check, "What would decide more; may be empty.")
      .Has("confidence", &Finding::confidence)
      .Has("withheld", &Finding::withheld, "True: the data it depends on is incomplete.")
      .Has("withheld_why", &Finding::withheld_why)
      .Shows({"id", "title", "gain_at_most_ns"});
  Struct<RankedAction>(module, "Action", "One of the few changes at the top of a report.")
      .Derives(
          "id", [](const RankedAction& self) { return Text(self.action.id); }, "Stable.")
      .Derives(
          "kind", [](const RankedAction& self) { return Text(ToString(self.action.kind)); },
          "How it saves time: \"same-work\", \"less-work\", ...")
      .Derives(
          "what", [](const RankedAction& self) { return Text(self.action.what); }, "One sentence.")
      .Has("target", &RankedAction::target, "The kernel and its range, or the run.")
      .Has("target_ns", &RankedAction::target_ns, "Time that it is about, on the critical path.")
      .Has("saves_at_most_ns", &RankedAction::saves_at_most_ns,
           "Upper bound when the actions before it are done. None: nothing bounds it.")
      .Derives(
          "floor", [](const RankedAction& self) { return Text(self.action.floor); },
          "Where the bound comes from.")
      .Has("confidence", &RankedAction::confidence)
      .Has("evidence", &RankedAction::evidence)
      .Has("check", &RankedAction::check, "What would decide what is open; may be empty.")
      .Shows({"what", "target", "saves_at_most_ns"});
  Struct<NoticeReport>(module, "Notice", "A problem, or a remark, that prof had while it recorded.")
      .Has("severity", &NoticeReport::severity, "\"info\", \"warning\", \"error\".")
      .Has("subsystem", &NoticeReport::subsystem)
      .Has("what", &NoticeReport::what)
      .Has("fix", &NoticeReport::fix)
      .Shows({"severity", "subsystem", "what"});
  Struct<Totals>(module, "Totals", "Counts of records.")
      .Has("kernels", &Totals::kernels)
      .Has("copies", &Totals::copies)
      .Has("memsets", &Totals::memsets)
      .Has("api_calls", &Totals::api_calls)
      .Has("ranges", &Totals::ranges)
      .Has("samples", &Totals::samples)
      .Has("graphs", &Totals::graphs)
      .Shows({"kernels", "copies", "memsets", "api_calls", "ranges", "samples"});
}

}  // namespace prof::python
