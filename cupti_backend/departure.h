// SPDX-License-Identifier: Apache-2.0
//
// A departure leaves CUPTI for good after a recording: cuptiFinalize. Without it each launch of the
// program stays dearer (docs/measurements/launches.md). CUPTI's documentation wants it to be called
// where a call of CUDA ends, on the thread that has made it. CUPTI waits for the GPU then: so it is
// the end of a call that has waited itself, behind which no kernel waits for what the thread will
// do.
#ifndef PROF_CUPTI_BACKEND_DEPARTURE_H_
#define PROF_CUPTI_BACKEND_DEPARTURE_H_

#include <atomic>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

class Departure {
 public:
  explicit Departure(const CuptiApi* api) : api_(api) {}

  // From now on a thread may leave. Nothing of CUPTI may be in use.
  void Ask();
  [[nodiscard]] bool asked() const {
    return state_.load(std::memory_order_relaxed) == State::kAsked;
  }
  // A thread of the program, at the end of a call that has waited for the GPU. One of them does it.
  void Leave();
  // The program does something with which we do not leave: it is not asked any more.
  void Stay();

  // kGone: with the subscription and all that was enabled. kLeaving: a thread is at it, and CUPTI
  // cannot be used.
  enum class Left { kNo, kLeaving, kGone };
  // The thread that starts a recording; asks for nothing any more. Waits while a thread is leaving,
  // for two seconds at most.
  [[nodiscard]] Left TakeGone();

 private:
  enum class State { kStays, kAsked, kLeaving, kGone };

  const CuptiApi* const api_;
  std::atomic<State> state_{State::kStays};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_DEPARTURE_H_
