// SPDX-License-Identifier: Apache-2.0
//
// The work of a device while it was PM sampled: operations as intervals of entities (a kernel's
// signature, or the copies or memsets of one range), and the rows of samples that can be used.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_WORK_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_WORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

struct PmInterval {
  int64_t start_ns = 0, end_ns = 0;
  int32_t entity = 0;
};

struct PmEntity {
  uint32_t path = 0;                // the first one of its family
  int32_t group = model::kNoIndex;  // of KernelGroups; kNoIndex: copies or memsets
  std::string name;
  double time_ns = 0;           // within rows that can be used
  double time_alone_ns = 0;     // the part of it in rows without concurrent work
  double time_together_ns = 0;  // in all rows that are not skipped
  int64_t launches = 0;         // in all of the recording
  double mean_ns = 0;           // how long one takes
};

struct PmWork {
  std::vector<PmInterval> intervals;  // of one device, sorted by start
  int64_t longest_ns = 0;
  std::vector<PmEntity> entities;
};

[[nodiscard]] PmWork GatherPmWork(const model::Model& model, uint32_t device,
                                  const RangeFamilies& families, const KernelGroups& groups);

enum class RowUse : uint8_t {
  kSkip,        // a value is missing, or the row overlaps the one before
  kIdle,        // nothing ran
  kAlone,       // one operation at a time
  kConcurrent,  // several at a time, for more than a hundredth of the row
};

struct PmRows {
  std::vector<RowUse> use;      // parallel to the rows of the series
  std::vector<size_t> metrics;  // indices of the first ones that CUPTI gave in most rows
  double sample_ns = 0;         // the length of one sample, on average
  bool shared = false;          // concurrent rows are used: too little is left without them
  double concurrent_share = 0;  // of the rows in which anything ran
};

// Decides how each row is used, and fills in the entities' times. Linear in rows and operations.
[[nodiscard]] PmRows ClassifyPmRows(const model::PmSeries& series, PmWork* work);

// Metrics of a series that get values. Triage reads 26.
constexpr size_t kMostPmMetrics = 32;

// An entity needs this many samples' worth of time for a value of its own, or so many samples of
// several launches. What so few leave open is in the error bound.
constexpr double kLeastPmSamples = 6;

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_WORK_H_
