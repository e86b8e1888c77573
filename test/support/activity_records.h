// SPDX-License-Identifier: Apache-2.0
//
// Activity buffers made by hand, for tests and benchmarks.
#ifndef PROF_TEST_SUPPORT_ACTIVITY_RECORDS_H_
#define PROF_TEST_SUPPORT_ACTIVITY_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti::test {

// Records one after another, as CUPTI packs them.
class ActivityBuffer {
 public:
  template <typename Record>
  void Add(const Record& record) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(record));
    std::memcpy(&bytes_[at], &record, sizeof(record));
  }
  uint8_t* data() { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

 private:
  std::vector<uint8_t> bytes_;
};

// A record with its kind set and everything else zero.
template <typename Record>
Record Zeroed(CUpti_ActivityKind kind) {
  Record record;
  std::memset(&record, 0, sizeof(record));
  record.kind = kind;
  return record;
}

}  // namespace prof::cupti::test

#endif  // PROF_TEST_SUPPORT_ACTIVITY_RECORDS_H_
