// SPDX-License-Identifier: Apache-2.0
//
// The same kernel as different recordings have it: with everything measured, and with what the
// default options read of it.
#ifndef PROF_LIB_EVAL_FORMS_H_
#define PROF_LIB_EVAL_FORMS_H_

#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::eval {

enum class Form {
  kAll,     // every counter that was measured
  kDefault  // PM samples of the units, and the counters that --counters auto reads by need
};

[[nodiscard]] const char* ToString(Form form);

// The kernel in that form: units, operations by type, occupancy and roofline are computed, the
// verdict is not. PM samples have the values of the counters, and an error bound of one point:
// what --counters auto reads is decided by the same table as in a recording.
[[nodiscard]] KernelReport InForm(const KernelReport& measured, const model::Device& device,
                                  Form form);

// With its verdict.
[[nodiscard]] KernelReport Decided(const KernelReport& measured, const model::Device& device,
                                   Form form);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_FORMS_H_
