// SPDX-License-Identifier: Apache-2.0
//
// What the rates of PM samples (format::TriageRate) say of the work of a kernel: mostly ratios of
// two of them, with error bounds.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_RATES_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_RATES_H_

#include <cstdint>
#include <optional>

#include "prof/continuous_report.h"

namespace prof::analyzer {

struct PmRatio {
  double value = 0;
  double least = 0, most = 0;  // by the error bounds of both rates
  int64_t samples = 0, launches = 0;
};

// Each is empty where it was not sampled, or where there is too little of it to tell.
struct PmRatios {
  std::optional<PmRatio> conflicts;  // bank conflicts of shared memory's wavefronts, 0..1
  // Sectors that L1 got from L2, for each cycle in which it returned data of loads. A cycle returns
  // 128 bytes at most, which are four sectors: more of them are bytes that nobody asked for.
  std::optional<PmRatio> sectors_per_return;
  // Sectors in a request of the SMs to L2, 1..4.
  std::optional<PmRatio> sectors_per_request;
  std::optional<PmRatio> other_memory;  // L2's sectors of memory that is not the GPU's own, 0..1
  // Of DRAM's traffic, reads that no SM asked for: L2 reads what a store leaves out of a sector,
  // and what an atomic changes.
  std::optional<PmRatio> reads_for_stores;
  std::optional<PmRatio> lanes;  // that execute an instruction, of the 32 of a warp, 0..1
  // Wavefronts of L1's data path in a cycle of an SM that are not of shared memory: at least so
  // many, by the error bounds.
  std::optional<double> least_wavefronts;
};

[[nodiscard]] PmRatios FindPmRatios(const ContinuousValues& values);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_RATES_H_
