// SPDX-License-Identifier: Apache-2.0
//
// The extension module prof._native: prof's C++ API for the Python package around it.
#include <nanobind/nanobind.h>

#include "python/src/bindings.h"
#include "python/src/option_values.h"
#include "python/src/problem.h"
#include "python/src/values.h"

NB_MODULE(_native, module) {
  using namespace prof::python;
  module.doc() = "The C++ part of the package prof. Use the package: this module may change.";
  // What a program still has at its end is no leak, and stderr is the program's.
  nanobind::set_leak_warnings(false);
  module.attr("version") = PROF_VERSION;
  nanobind::exception<Problem>(module, "Error", PyExc_RuntimeError);
  module.def(
      "option_fields", [] { return ToPython(OptionFields()); }, "The names of all options.");
  module.def(
      "flags_with_value", [] { return ToPython(FlagsWithValue()); },
      "The flags of `prof run` whose next word is their value.");
  BindKernels(module);
  BindTimeline(module);
  BindSteps(module);
  BindTorch(module);
  BindLines(module);
  BindMemory(module);
  BindReport(module);
  BindEvents(module);
  BindRecording(module);
  BindCompare(module);
  BindSession(module);
}
