// SPDX-License-Identifier: Apache-2.0
//
// The wait calls are the calls of the driver that wait for the GPU, ask whether it is done, or make
// a stream wait.
#ifndef PROF_CUPTI_BACKEND_CALLS_WAIT_CALLS_H_
#define PROF_CUPTI_BACKEND_CALLS_WAIT_CALLS_H_

#include <cstdint>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

struct WaitCall {
  enum class Kind : uint8_t {
    kNone,      // no such call
    kOfStream,  // waits for a stream, asks about one, or makes one wait
    kOther      // an event, or all of the context
  };
  Kind kind = Kind::kNone;
  CUstream stream = nullptr;
  bool per_thread = false;  // the default stream is the calling thread's own one
};

// `params`: as CUPTI gives them.
WaitCall ReadWaitCall(CUpti_CallbackId cbid, const void* params);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_WAIT_CALLS_H_
