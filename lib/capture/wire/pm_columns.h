// SPDX-License-Identifier: Apache-2.0
//
// PM columns hold the PM samples of one series in the block under construction: multiples of each
// metric's scale, as differences. Equal neighbours share a row, so that an idle GPU costs nothing.
#ifndef PROF_LIB_CAPTURE_WIRE_PM_COLUMNS_H_
#define PROF_LIB_CAPTURE_WIRE_PM_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::capture {

struct PmValueColumn {
  std::vector<int64_t> delta;
  std::vector<uint32_t> missing_row;
};

// What the columns need from a series.
struct PmLayout {
  uint32_t series = 0;
  int64_t interval_ns = 0;
  std::vector<double> scales;  // greater than 0
};

class PmColumns {
 public:
  explicit PmColumns(const PmLayout& layout);

  // A sample with one value for each scale; NaN is missing. begin_ns < end_ns.
  void Add(int64_t begin_ns, int64_t end_ns, const double* values);

  uint32_t series() const { return layout_.series; }
  int64_t base_ns() const { return base_ns_; }
  size_t rows() const { return duration_delta.size(); }

  std::vector<int64_t> duration_delta;
  std::vector<uint32_t> gap_row;
  std::vector<int64_t> gap;
  std::vector<uint32_t> merged_row, merged_count;
  std::vector<PmValueColumn> values;

 private:
  bool MergeWithLast(int64_t begin_ns, int64_t end_ns);

  PmLayout layout_;
  int64_t base_ns_ = 0;
  int64_t end_ns_ = 0;         // of the last row
  std::vector<int64_t> now_;   // the sample being added, quantized
  std::vector<int64_t> last_;  // the last row
  // The last value that was not missing: the next delta starts there.
  std::vector<int64_t> reference_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_PM_COLUMNS_H_
