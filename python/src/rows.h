// SPDX-License-Identifier: Apache-2.0
//
// Rows of a recording for Python: each has its names beside its numbers.
#ifndef PROF_PYTHON_SRC_ROWS_H_
#define PROF_PYTHON_SRC_ROWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/src/recording.h"

namespace prof::python {

// What ran on a device: a kernel, copy, memset, or CUDA graph.
struct LaunchRow {
  std::string kind, name, range;
  uint32_t device = 0, context = 0, stream = 0, correlation = 0;
  // Nanoseconds since 1970; absent: CUPTI gave no valid time.
  std::optional<int64_t> start_ns, duration_ns;
  std::optional<int64_t> call_start_ns, call_duration_ns;  // of the CUDA call that launched it
  std::optional<uint32_t> thread, graph;
  std::optional<uint64_t> bytes;            // of copies and memsets
  std::array<uint32_t, 3> grid{}, block{};  // of kernels
  std::string copy, source, destination;    // of copies
  bool sampled = false;
};

// The counters of one launch, range or graph launch.
struct SampleRow {
  std::string unit, level, kernel, range;
  uint32_t correlation = 0;
  std::optional<uint32_t> device;
  int64_t start_ns = 0, duration_ns = 0;               // of the counters, by the host
  std::vector<std::pair<std::string, double>> values;  // NaN: CUPTI gave none
};

// Rows that are made when they are read: a list of them takes no memory of its own.
template <typename Row>
struct RowsOf {
  std::shared_ptr<Recording> recording;
  size_t size = 0;
};

[[nodiscard]] RowsOf<LaunchRow> LaunchesOf(const std::shared_ptr<Recording>& recording);
[[nodiscard]] RowsOf<SampleRow> SamplesOf(const std::shared_ptr<Recording>& recording);
[[nodiscard]] LaunchRow RowAt(const RowsOf<LaunchRow>& rows, size_t index);
[[nodiscard]] SampleRow RowAt(const RowsOf<SampleRow>& rows, size_t index);

}  // namespace prof::python

#endif  // PROF_PYTHON_SRC_ROWS_H_
