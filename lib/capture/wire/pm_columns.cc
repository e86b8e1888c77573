// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/pm_columns.h"

#include <cmath>
#include <limits>

namespace prof::capture {
namespace {

constexpr int64_t kMissing = std::numeric_limits<int64_t>::min();
constexpr double kLargest = 9e15;  // doubles up to here are exact whole numbers

int64_t Quantize(double value, double scale) {
  const double units = std::nearbyint(value / scale);
  return std::abs(units) < kLargest ? static_cast<int64_t>(units) : kMissing;  // NaN: missing
}

}  // namespace

PmColumns::PmColumns(const PmLayout& layout)
    : values(layout.scales.size()),
      layout_(layout),
      now_(layout.scales.size()),
      last_(layout.scales.size()),
      reference_(layout.scales.size()) {}

bool PmColumns::MergeWithLast(int64_t begin_ns, int64_t end_ns) {
  if (rows() == 0 || begin_ns != end_ns_ || now_ != last_) return false;
  const auto row = static_cast<uint32_t>(rows() - 1);
  if (merged_row.empty() || merged_row.back() != row) {
    merged_row.push_back(row);
    merged_count.push_back(1);
  }
  ++merged_count.back();
  duration_delta.back() += end_ns - begin_ns - layout_.interval_ns;
  end_ns_ = end_ns;
  return true;
}

void PmColumns::Add(int64_t begin_ns, int64_t end_ns, const double* sample) {
  for (size_t m = 0; m < now_.size(); ++m) now_[m] = Quantize(sample[m], layout_.scales[m]);
  if (MergeWithLast(begin_ns, end_ns)) return;
  const auto row = static_cast<uint32_t>(rows());
  if (row == 0) {
    base_ns_ = end_ns_ = begin_ns;
  } else if (begin_ns != end_ns_) {
    gap_row.push_back(row);
    gap.push_back(begin_ns - end_ns_);
  }
  duration_delta.push_back(end_ns - begin_ns - layout_.interval_ns);
  end_ns_ = end_ns;
  for (size_t m = 0; m < now_.size(); ++m) {
    if (now_[m] == kMissing) {
      values[m].missing_row.push_back(row);
      values[m].delta.push_back(0);
    } else {
      values[m].delta.push_back(now_[m] - reference_[m]);
      reference_[m] = now_[m];
    }
  }
  last_ = now_;
}

}  // namespace prof::capture
