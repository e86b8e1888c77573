// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/capture_watch.h"

namespace prof::cupti {

// The default stream cannot be captured: nullptr is free.
void CaptureWatch::Begin(CUstream stream) {
  if (stream == nullptr) return;
  for (std::atomic<CUstream>& slot : streams_) {
    CUstream known = nullptr;
    if (slot.compare_exchange_strong(known, stream)) {
      active_.fetch_add(1);
      return;
    }
    if (known == stream) return;
  }
}

void CaptureWatch::End(CUstream stream) {
  if (stream == nullptr || !active()) return;
  for (std::atomic<CUstream>& slot : streams_) {
    CUstream known = stream;
    if (slot.compare_exchange_strong(known, nullptr)) active_.fetch_sub(1);
  }
}

}  // namespace prof::cupti
