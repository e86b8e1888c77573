// SPDX-License-Identifier: Apache-2.0
//
// The course of a kernel: what it does over the time of one launch, from the PM samples that lie
// within one. No fit is needed: a launch that is much longer than a sample has samples of its own.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_COURSE_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_COURSE_H_

#include <cstdint>
#include <vector>

#include "lib/analyzer/continuous/pm_work.h"
#include "lib/snapshot/model/model.h"
#include "prof/continuous_report.h"

namespace prof::analyzer {

// By entity; empty where its launches are shorter than kLeastCourseSamples samples, or where more
// than a quarter of the parts have too few samples. Uses rows in which one operation ran at a time.
// `offset_ns`: by how much the samples' clock is ahead of the operations' clock. Linear in rows and
// operations.
[[nodiscard]] std::vector<LaunchCourse> FindCourses(const model::PmSeries& series,
                                                    const PmWork& work, const PmRows& rows,
                                                    int64_t offset_ns);

// Samples of one launch, for a course.
constexpr double kLeastCourseSamples = 3;

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_COURSE_H_
