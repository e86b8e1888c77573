// SPDX-License-Identifier: Apache-2.0
//
// The CUPTI settings are the attributes that prof changes. They hold for the whole process, so
// another profiler would find them changed: they are set back when a recording ends.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_CUPTI_SETTINGS_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_CUPTI_SETTINGS_H_

#include <cstddef>
#include <cstdint>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

// The threads that start and stop recordings, one at a time.
class CuptiSettings {
 public:
  explicit CuptiSettings(const CuptiApi* api) : api_(api) {}

  // Limits the device memory that CUPTI takes in each context, to whole buffers. Before the first
  // Set.
  void LimitDeviceMemory(size_t bytes);
  // The limit that CUPTI reports; 0: none.
  [[nodiscard]] size_t device_bytes() const { return device_bytes_; }

  // Sets all of them. The first call since SetBack notes what was there before.
  void Set();
  // What CUPTI does not give stays at its documented default. The memory that CUPTI has taken stays
  // taken.
  void SetBack();
  // CUPTI has forgotten all of them.
  void OnLost() { set_ = false; }
  // Lets CUPTI zero its buffers itself: another profiler's do not come zeroed.
  void LetCuptiZero();

 private:
  void Note();
  void SetZeroed(uint8_t zeroed);
  void SetPoolLimit(size_t buffers);

  const CuptiApi* const api_;
  size_t device_bytes_ = 0;
  size_t buffers_ = 0, buffers_before_ = 0;  // 0: not limited
  bool set_ = false;
  uint8_t zeroed_before_ = 0;
  CUpti_ActivityThreadIdType thread_ids_before_ = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_CUPTI_SETTINGS_H_
