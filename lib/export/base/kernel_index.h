// SPDX-License-Identifier: Apache-2.0
//
// KernelIndex finds the row of a report that a launch belongs to.
#ifndef PROF_LIB_EXPORT_BASE_KERNEL_INDEX_H_
#define PROF_LIB_EXPORT_BASE_KERNEL_INDEX_H_

#include <string>
#include <unordered_map>

#include "prof/events.h"
#include "prof/report.h"

namespace prof::exporting {

// Both must outlive it.
class KernelIndex {
 public:
  KernelIndex(const Events& events, const Report& report);

  // nullptr: not a kernel, or the report has no row of it. Costs a string: call it once for each
  // signature, not for each launch.
  [[nodiscard]] const KernelReport* Find(const OperationEvent& op) const;

 private:
  const Events* events_;
  std::unordered_map<std::string, const KernelReport*> kernels_;
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_KERNEL_INDEX_H_
