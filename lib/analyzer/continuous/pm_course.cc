// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_course.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>

#include "lib/format/triage_metrics.h"

namespace prof::analyzer {
namespace {

constexpr double kSamplesOfCoursePart = 2;  // of one launch
constexpr size_t kMostCourseParts = 16;
constexpr double kFewCourseParts = 4;
// Bursts are rare in so long a launch: triage means to give each eighth one.
constexpr double kLongLaunchNs = 1e8;
constexpr size_t kPartsOfLong = 8;
constexpr int64_t kLeastOfCoursePart = 3;  // samples, for a mean
constexpr double kKnownCourseParts = 0.75;

// Parts are as long as two samples. Where a launch has few, as long as one, as the samples of many
// launches lie anywhere in it.
size_t PartsOf(const PmEntity& entity, double sample_ns) {
  if (!(sample_ns > 0) || entity.mean_ns < kLeastCourseSamples * sample_ns) return 0;
  if (entity.mean_ns >= kLongLaunchNs) return kPartsOfLong;
  const double samples = entity.mean_ns / sample_ns;
  const double parts = std::max(samples / kSamplesOfCoursePart, std::min(samples, kFewCourseParts));
  return static_cast<size_t>(std::min(static_cast<double>(kMostCourseParts), parts));
}

// The sums of one entity.
struct CourseSums {
  std::vector<int64_t> samples;  // by part
  std::vector<double> values;    // parts x metrics
  int64_t launches = 0;
  size_t launch = std::numeric_limits<size_t>::max();  // the last one
};

struct UnitColumn {
  std::string_view unit;
  size_t column = 0;  // of the series
};

// The columns of the series that are uses of units, in the order of the table of units.
std::vector<UnitColumn> UnitColumns(const model::PmSeries& series, const PmRows& rows) {
  std::vector<UnitColumn> columns;
  for (const format::TriageMetric& unit : format::kTriageMetrics) {
    for (const size_t m : rows.metrics) {
      if (format::FindTriageMetric(series.metrics[m]) == &unit) columns.push_back({unit.name, m});
    }
  }
  return columns;
}

LaunchCourse DescribeCourse(const PmEntity& entity, const model::PmSeries& series,
                            const std::vector<UnitColumn>& columns, const CourseSums& sums) {
  const size_t parts = sums.samples.size();
  const auto is_known = [](int64_t samples) { return samples >= kLeastOfCoursePart; };
  const auto known = std::count_if(sums.samples.begin(), sums.samples.end(), is_known);
  LaunchCourse course;
  if (parts == 0 || static_cast<double>(known) < kKnownCourseParts * static_cast<double>(parts)) {
    return course;
  }
  course.part_ns = entity.mean_ns / static_cast<double>(parts);
  course.launches = sums.launches;
  course.samples_of_part = sums.samples;
  for (const int64_t samples : sums.samples) course.samples += samples;
  for (size_t c = 0; c < columns.size(); ++c) {
    LaunchCourse::Unit& unit = course.units.emplace_back();
    unit.name = columns[c].unit;
    unit.metric = series.metrics[columns[c].column];
    for (size_t part = 0; part < parts; ++part) {
      const double sum = sums.values[part * columns.size() + c];
      unit.percent.push_back(is_known(sums.samples[part])
                                 ? sum / static_cast<double>(sums.samples[part])
                                 : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return course;
}

}  // namespace

std::vector<LaunchCourse> FindCourses(const model::PmSeries& series, const PmWork& work,
                                      const PmRows& rows, int64_t offset_ns) {
  const std::vector<UnitColumn> columns = UnitColumns(series, rows);
  std::vector<CourseSums> sums(work.entities.size());
  for (size_t e = 0; e < sums.size(); ++e) {
    if (work.entities[e].group == model::kNoIndex) continue;  // copies and memsets
    sums[e].samples.resize(PartsOf(work.entities[e], rows.sample_ns));
    sums[e].values.resize(sums[e].samples.size() * columns.size());
  }
  const std::vector<PmInterval>& launches = work.intervals;
  size_t launch = 0;  // the last one that began before the row
  for (size_t row = 0; row < series.rows(); ++row) {
    if (rows.use[row] != RowUse::kAlone) continue;
    const int64_t begin_ns = series.begin_ns[row] - offset_ns;
    const int64_t end_ns = series.end_ns[row] - offset_ns;
    while (launch + 1 < launches.size() && launches[launch + 1].start_ns <= begin_ns) ++launch;
    if (launch >= launches.size()) break;
    const PmInterval& one = launches[launch];
    if (one.start_ns > begin_ns || one.end_ns < end_ns) continue;  // a part of it is outside
    CourseSums& sum = sums[static_cast<size_t>(one.entity)];
    if (sum.samples.empty()) continue;
    const int64_t middle_ns = begin_ns + (end_ns - begin_ns) / 2;
    const double at = static_cast<double>(middle_ns - one.start_ns) /
                      static_cast<double>(one.end_ns - one.start_ns);
    const size_t part = std::min(static_cast<size_t>(at * static_cast<double>(sum.samples.size())),
                                 sum.samples.size() - 1);
    const auto samples = static_cast<int64_t>(series.samples[row]);
    sum.samples[part] += samples;
    if (sum.launch != launch) ++sum.launches;
    sum.launch = launch;
    for (size_t c = 0; c < columns.size(); ++c) {
      sum.values[part * columns.size() + c] +=
          static_cast<double>(series.row(row)[columns[c].column]) * static_cast<double>(samples);
    }
  }
  std::vector<LaunchCourse> courses;
  for (size_t e = 0; e < sums.size(); ++e) {
    courses.push_back(DescribeCourse(work.entities[e], series, columns, sums[e]));
  }
  return courses;
}

}  // namespace prof::analyzer
