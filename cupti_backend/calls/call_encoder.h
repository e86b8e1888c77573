// SPDX-License-Identifier: Apache-2.0
//
// The call encoder turns the API calls of call_trace.h into events with names.
#ifndef PROF_CUPTI_BACKEND_CALLS_CALL_ENCODER_H_
#define PROF_CUPTI_BACKEND_CALLS_CALL_ENCODER_H_

#include <array>
#include <cstdint>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/calls/api_filter.h"
#include "lib/capture/events/event_sink.h"

namespace prof::cupti {

// The collector thread.
class CallEncoder {
 public:
  // Asks CUPTI for all names: Encode runs while the collector holds the lock of the rings' readers.
  explicit CallEncoder(const CuptiApi* api);

  // As ActivityDecoder::NumberFrom.
  void NumberFrom(uint32_t first) { first_correlation_ = first; }

  // Always with the same sink.
  void Encode(const capture::CallEvent& call, capture::EventSink& sink);

 private:
  ApiFilter filter_;
  uint32_t first_correlation_ = 0;
  // EventSink::NameId of each call; 0: not known yet.
  std::array<uint32_t, ApiFilter::kMaxCbid> runtime_names_{}, driver_names_{};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_CALL_ENCODER_H_
