// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/cupti_settings.h"

#include <algorithm>

namespace prof::cupti {
namespace {

constexpr size_t kLeastDeviceBuffers = 4;  // CUPTI takes three of them in advance

// 0: CUPTI does not give it.
size_t SizeOf(const CuptiApi& api, CUpti_ActivityAttribute attribute) {
  size_t value = 0, size = sizeof(value);
  return api.activity_get_attribute(attribute, &size, &value) == CUPTI_SUCCESS ? value : 0;
}

}  // namespace

void CuptiSettings::LimitDeviceMemory(size_t bytes) {
  const size_t buffer_bytes = SizeOf(*api_, CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE);
  if (buffer_bytes == 0) return;
  if (buffers_before_ == 0) {
    buffers_before_ = SizeOf(*api_, CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT);
  }
  buffers_ = std::max(bytes / buffer_bytes, kLeastDeviceBuffers);
  SetPoolLimit(buffers_);
  device_bytes_ = SizeOf(*api_, CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT) * buffer_bytes;
}

void CuptiSettings::Set() {
  if (!set_) Note();
  set_ = true;
  // Thread ids as gettid() gives them, so that calls join with NVTX ranges.
  api_->set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  // Our buffers come zeroed (the collector does it), so CUPTI need not do it on a launching thread.
  SetZeroed(1);
  if (buffers_ != 0) SetPoolLimit(buffers_);
}

void CuptiSettings::Note() {
  uint8_t zeroed = 0;
  size_t size = sizeof(zeroed);
  const CUptiResult result =
      api_->activity_get_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed);
  zeroed_before_ = result == CUPTI_SUCCESS ? zeroed : 0;
  if (api_->get_thread_id_type(&thread_ids_before_) != CUPTI_SUCCESS) {
    thread_ids_before_ = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  }
}

void CuptiSettings::SetBack() {
  if (!set_) return;
  set_ = false;
  SetZeroed(zeroed_before_);
  api_->set_thread_id_type(thread_ids_before_);
  if (buffers_before_ != 0) SetPoolLimit(buffers_before_);
}

void CuptiSettings::LetCuptiZero() { SetZeroed(0); }

void CuptiSettings::SetZeroed(uint8_t zeroed) {
  size_t size = sizeof(zeroed);
  api_->activity_set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed);
}

void CuptiSettings::SetPoolLimit(size_t buffers) {
  size_t size = sizeof(buffers);
  api_->activity_set_attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &size, &buffers);
}

}  // namespace prof::cupti
