// SPDX-License-Identifier: Apache-2.0
//
// The call trace times CUDA API calls, in the callbacks at their begin and end. CUPTI's own records
// of them (CUPTI_ACTIVITY_KIND_RUNTIME and _DRIVER) would cost each launch some percent more
// (docs/measurements/cost.md).
#ifndef PROF_CUPTI_BACKEND_CALLS_CALL_TRACE_H_
#define PROF_CUPTI_BACKEND_CALLS_CALL_TRACE_H_

#include <cstdint>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

// A call as one number, for capture::RecordCall.
constexpr uint32_t kRuntimeCall = 1U << 16;
inline uint32_t CallOf(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  return (domain == CUPTI_CB_DOMAIN_RUNTIME_API ? kRuntimeCall : 0) | cbid;
}

// The thread that makes the call. Where calls are inside of each other (a runtime call makes driver
// calls) the outermost is recorded. `epoch` is that of the recording: a call that began in another
// epoch is left out. No lock, no allocation once the thread is known.
void BeginCall(uint32_t epoch);
void EndCall(uint32_t epoch, uint32_t call, uint32_t correlation, uint32_t error);

// As BeginCall and EndCall, for a call that asks whether the GPU is done with `about`, a handle. It
// is recorded where the thread asked until the answer was yes (thread_questions.h).
void BeginQuestion(uint32_t epoch);
void EndQuestion(uint32_t epoch, uint32_t call, uint32_t correlation, uint32_t error,
                 const void* about);

// While it lives, what this thread calls are prof's own calls, which are not recorded.
class OwnCalls {
 public:
  explicit OwnCalls(uint32_t epoch);
  ~OwnCalls();
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;

 private:
  uint32_t epoch_;
};

// Records what a call waits for, before its EndCall; an inner call counts for its outer one. The
// ids are CUPTI's. An id that does not fit its bits becomes 0: not known.
struct Waited {
  uint32_t context = 0, stream = 0;

  static constexpr uint32_t kStreamBits = 20, kContextBits = 9;
  uint32_t Packed() const {
    return (context >> kContextBits == 0 ? context << kStreamBits : 0) |
           (stream >> kStreamBits == 0 ? stream : 0);
  }
  static Waited Unpacked(uint32_t bits) {
    return {bits >> kStreamBits, bits & ((1U << kStreamBits) - 1)};
  }
};
void RecordWaited(const Waited& waited);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_CALL_TRACE_H_
