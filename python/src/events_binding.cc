// SPDX-License-Identifier: Apache-2.0
#include "python/src/bindings.h"
#include "python/src/rows.h"
#include "python/src/values.h"

namespace prof::python {
namespace {

// A sequence whose rows are made when they are read.
template <typename Row>
void BindRows(nb::module_& module, const char* name, const char* doc) {
  nb::class_<RowsOf<Row>>(module, name, doc)
      .def("__len__", [](const RowsOf<Row>& rows) { return rows.size; })
      .def("__getitem__", [](const RowsOf<Row>& rows, Py_ssize_t index) {
        const auto size = static_cast<Py_ssize_t>(rows.size);
        const Py_ssize_t place = index < 0 ? index + size : index;
        if (place < 0 || place >= size) throw nb::index_error("there is no such row");
        return RowAt(rows, static_cast<size_t>(place));
      });
}

void BindLaunches(nb::module_& module) {
  Struct<LaunchRow>(module, "Launch",
                    "What ran on a device once: a kernel, copy, memset or CUDA graph. Times are "
                    "nanoseconds since 1970. None: not known, or it has none.")
      .Has("kind", &LaunchRow::kind, "\"kernel\", \"copy\", \"memset\", \"graph\".")
      .Has("name", &LaunchRow::name)
      .Has("range", &LaunchRow::range, "NVTX path; empty: outside all ranges.")
      .Has("device", &LaunchRow::device)
      .Has("context", &LaunchRow::context)
      .Has("stream", &LaunchRow::stream)
      .Has("correlation", &LaunchRow::correlation, "Of CUPTI: the same as that of its call.")
      .Has("start_ns", &LaunchRow::start_ns)
      .Has("duration_ns", &LaunchRow::duration_ns)
      .Has("call_start_ns", &LaunchRow::call_start_ns, "Of the CUDA call that launched it.")
      .Has("call_duration_ns", &LaunchRow::call_duration_ns)
      .Has("thread", &LaunchRow::thread, "Of that call: the system's number.")
      .Has("graph", &LaunchRow::graph, "CUDA graph that it belongs to.")
      .Has("bytes", &LaunchRow::bytes, "Of copies and memsets.")
      .Has("grid", &LaunchRow::grid, "Of kernels.")
      .Has("block", &LaunchRow::block, "Of kernels.")
      .Has("copy", &LaunchRow::copy, "Of copies: \"host to device\"; else empty.")
      .Has("source", &LaunchRow::source, "Of copies: \"pageable\"; else empty.")
      .Has("destination", &LaunchRow::destination, "Of copies and memsets; else empty.")
      .Has("sampled", &LaunchRow::sampled, "Counters ran around it: its time is no evidence.")
      .Shows({"kind", "name", "range", "start_ns", "duration_ns"});
  BindRows<LaunchRow>(module, "Launches", "All launches of a recording, by start.");
}

void BindSamples(nb::module_& module) {
  Struct<SampleRow>(module, "Sample", "The counters of one launch, range or graph launch.")
      .Has("unit", &SampleRow::unit, "What was counted: \"kernel\", \"range\", \"graph\".")
      .Has("level", &SampleRow::level, "The level of counters that asked for them.")
      .Has("kernel", &SampleRow::kernel, "Empty: not a kernel, or unknown.")
      .Has("range", &SampleRow::range)
      .Has("device", &SampleRow::device)
      .Has("correlation", &SampleRow::correlation)
      .Has("start_ns", &SampleRow::start_ns, "When counting began, by the host's clock.")
      .Has("duration_ns", &SampleRow::duration_ns)
      .Derives(
          "values",
          [](const SampleRow& self) {
            nb::dict values;
            for (const auto& [metric, value] : self.values) values[Text(metric)] = value;
            return nb::cast<ByName<double>>(values);
          },
          "By CUPTI name, in CUPTI's unit. NaN: CUPTI gave none.")
      .Shows({"unit", "kernel", "range", "level"});
  BindRows<SampleRow>(module, "Samples", "All counter samples of a recording.");
}

}  // namespace

void BindEvents(nb::module_& module) {
  BindLaunches(module);
  BindSamples(module);
}

}  // namespace prof::python
