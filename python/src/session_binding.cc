// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "python/src/bindings.h"

#ifdef PROF_WITH_CUDA

#include <memory>
#include <string>

#include "prof/range.h"
#include "prof/session.h"
#include "prof/snapshot.h"
#include "python/src/option_values.h"
#include "python/src/problem.h"
#include "python/src/values.h"

namespace prof::python {
namespace {

using nb::literals::operator""_a;
using WithoutGil = nb::call_guard<nb::gil_scoped_release>;

std::shared_ptr<Session> Start(const ByName<nb::str>& texts) {
  SessionOptions values = ReadOptions(texts);
  const nb::gil_scoped_release released;
  return std::make_shared<Session>(std::move(values));
}

// What was recorded. Throws Problem where nothing was, with the reason.
Snapshot Stop(Session& session) {
  const Status status = session.status();
  Snapshot snapshot = session.Stop();
  if (!snapshot.bytes().empty() || !snapshot.path().empty()) return snapshot;
  const SubsystemStatus& why = status.timeline;
  throw Problem("nothing was recorded: " + why.what +
                (why.fix.empty() ? "" : "; to get it: " + why.fix));
}

void BindStatus(nb::module_& module) {
  Struct<SubsystemStatus>(module, "PartStatus", "Whether a part of a recording works.")
      .Has("state", &SubsystemStatus::state, "\"working\", \"degraded\", \"off\", \"unavailable\".")
      .Has("code", &SubsystemStatus::code, "CUptiResult or errno; 0: none.")
      .Has("what", &SubsystemStatus::what, "Empty when all is well.")
      .Has("fix", &SubsystemStatus::fix, "How to make it work; empty: unknown.")
      .Shows({"state", "what", "fix"});
  Struct<Status>(module, "Status", "The state of each part of a recording.")
      .Has("timeline", &Status::timeline)
      .Has("ranges", &Status::ranges)
      .Has("counters", &Status::counters)
      .Has("continuous", &Status::continuous, "PM sampling.")
      .Has("output", &Status::output)
      .Has("options", &Status::options, "\"degraded\" when a value was changed.")
      .Shows({"timeline", "ranges", "counters", "continuous", "output", "options"});
}

}  // namespace

void BindSession(nb::module_& module) {
  module.attr("has_capture") = true;
  BindStatus(module);
  nb::class_<Session>(module, "Session", "A recording under way.")
      .def_prop_ro("status", &Session::status)
      .def_prop_ro("counters_complete", &Session::counters_complete)
      .def_prop_ro("counters_pending", &Session::counters_pending)
      .def("synchronize", &Session::Synchronize, WithoutGil())
      .def("pause", &Session::Pause, WithoutGil())
      .def("resume", &Session::Resume, WithoutGil())
      .def("step", &Session::Step, WithoutGil())
      .def("dump", &Session::Dump, "path"_a, WithoutGil())
      .def("stop", &Stop, WithoutGil(),
           "Ends it. Error where nothing was recorded, with the reason.");
  module.def("start", &Start, "options"_a,
             "Starts to record. `options`: the text of each value by its name in C++.");
  module.def(
      "push_range", [](const char* name) { PushRange(name); }, "name"_a);
  module.def("pop_range", [] { PopRange(); });
}

}  // namespace prof::python

#else  // the analyzer alone

namespace prof::python {

void BindSession(nanobind::module_& module) { module.attr("has_capture") = false; }

}  // namespace prof::python

#endif
