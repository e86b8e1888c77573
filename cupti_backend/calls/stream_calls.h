// SPDX-License-Identifier: Apache-2.0
//
// The stream calls are the calls of the driver that give a stream work without launching anything:
// copies, sets, waits for memory, host functions; and those that begin and end its capture.
#ifndef PROF_CUPTI_BACKEND_CALLS_STREAM_CALLS_H_
#define PROF_CUPTI_BACKEND_CALLS_STREAM_CALLS_H_

#include <cstdint>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

struct StreamCall {
  enum class Kind : uint8_t {
    kNone,          // no such call
    kWork,          // ends by itself
    kWaits,         // may wait for the host, or for another process
    kBeginCapture,  // into a graph
    kEndCapture
  };
  Kind kind = Kind::kNone;
  CUstream stream = nullptr;
};

// With `per_thread` default streams, nullptr is the calling thread's own one: CU_STREAM_PER_THREAD.
// Otherwise, and as CU_STREAM_LEGACY, it is the one of the context: nullptr.
CUstream NormalStream(CUstream stream, bool per_thread);

// What a call of the driver does to which stream. `params`: as CUPTI gives them. A table look-up:
// 1 ns for a call that is none.
StreamCall ReadStreamCall(CUpti_CallbackId cbid, const void* params);

// A stream call that needs a callback although it is not recorded.
bool IsUnrecorded(CUpti_CallbackId cbid);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_STREAM_CALLS_H_
