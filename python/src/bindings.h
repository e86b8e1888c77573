// SPDX-License-Identifier: Apache-2.0
//
// The parts of the extension module prof._native; module.cc puts them together.
#ifndef PROF_PYTHON_SRC_BINDINGS_H_
#define PROF_PYTHON_SRC_BINDINGS_H_

#include <nanobind/nanobind.h>

namespace prof::python {

void BindKernels(nanobind::module_& module);   // what a report has about kernels
void BindTimeline(nanobind::module_& module);  // ranges, gaps, copies, streams, devices
void BindSteps(nanobind::module_& module);     // steps and their critical paths
void BindTorch(nanobind::module_& module);     // ops and modules of PyTorch
void BindLines(nanobind::module_& module);     // lines of Python source
void BindMemory(nanobind::module_& module);
void BindReport(nanobind::module_& module);     // findings, actions, notices, totals
void BindEvents(nanobind::module_& module);     // rows of launches and of samples
void BindRecording(nanobind::module_& module);  // a recording with its report
void BindCompare(nanobind::module_& module);
void BindSession(nanobind::module_& module);  // sessions, ranges; where prof has no CUDA: no more
                                              // than has_capture

}  // namespace prof::python

#endif  // PROF_PYTHON_SRC_BINDINGS_H_
