// SPDX-License-Identifier: Apache-2.0
//
// The ops of PyTorch: one line in the report, a table of all of them, and one by their shapes.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_TORCH_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_TORCH_SECTION_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "lib/report/text/text.h"

namespace prof::report {

// How much of the GPU time has an op. Nothing where no op was recorded.
void WriteTorch(std::ostream& out, const Report& report, const TextOptions& options);

// "dram 83 %": the limiter with most of the time, and its share of what has one. Empty: none has.
[[nodiscard]] std::string LimiterText(const std::vector<LimiterTime>& limiters);

// The table of ops by the shapes of their inputs. False: no shapes were recorded.
[[nodiscard]] bool WriteTorchShapes(std::ostream& out, const Report& report,
                                    const TextOptions& options);

// The table of ops, and the ranges with their backward pass. False: no op was recorded.
[[nodiscard]] bool WriteTorchOps(std::ostream& out, const Report& report,
                                 const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_TORCH_SECTION_H_
