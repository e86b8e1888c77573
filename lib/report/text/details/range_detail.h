// SPDX-License-Identifier: Apache-2.0
//
// The detail of some ranges: their time, their kernels, and the evidence about these.
#ifndef PROF_LIB_REPORT_TEXT_DETAILS_RANGE_DETAIL_H_
#define PROF_LIB_REPORT_TEXT_DETAILS_RANGE_DETAIL_H_

#include <functional>
#include <iosfwd>
#include <string>

#include "lib/report/text/text.h"

namespace prof {

// The ranges whose path `matches`, with the paths that they stand for where these match. False, and
// nothing is written: there are none.
[[nodiscard]] bool WriteRangeDetail(std::ostream& out, const Report& report,
                                    const std::function<bool(const std::string&)>& matches,
                                    const TextOptions& options);

}  // namespace prof

#endif  // PROF_LIB_REPORT_TEXT_DETAILS_RANGE_DETAIL_H_
