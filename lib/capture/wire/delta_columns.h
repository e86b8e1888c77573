// SPDX-License-Identifier: Apache-2.0
//
// Delta columns hold the differences between rows, which take fewer bytes than the values.
#ifndef PROF_LIB_CAPTURE_WIRE_DELTA_COLUMNS_H_
#define PROF_LIB_CAPTURE_WIRE_DELTA_COLUMNS_H_

#include <cstdint>
#include <vector>

namespace prof::capture {

// 0 where the end is not after the start.
inline uint64_t DurationOf(int64_t start_ns, int64_t end_ns) {
  return end_ns > start_ns ? static_cast<uint64_t>(end_ns - start_ns) : 0;
}

// Times: differences to the row before. The first row's reference is `base`.
class DeltaColumn {
 public:
  void Add(int64_t value) {
    if (values_.empty() && !has_base_) {
      base_ = value;
      last_ = value;
      has_base_ = true;
    }
    values_.push_back(value - last_);
    last_ = value;
  }
  int64_t base() const { return base_; }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
  int64_t base_ = 0;
  int64_t last_ = 0;
  bool has_base_ = false;
};

// Ids: differences, the first one to 0.
class CorrelationColumn {
 public:
  void Add(uint32_t value) {
    values_.push_back(static_cast<int64_t>(value) - last_);
    last_ = value;
  }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
  int64_t last_ = 0;
};

// Addresses and sizes: differences modulo 2^64, the first one to 0.
class WrappingColumn {
 public:
  void Add(uint64_t value) {
    values_.push_back(static_cast<int64_t>(value - last_));
    last_ = value;
  }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
  uint64_t last_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_DELTA_COLUMNS_H_
