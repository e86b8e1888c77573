// SPDX-License-Identifier: Apache-2.0
//
// A departure leaves CUPTI for good after a recording: cuptiFinalize. Without it each launch of the
// program stays dearer (docs/measurements/launches.md). CUPTI's documentation wants it to be called
// where a call of CUDA ends, on the thread that has made it.
#ifndef PROF_CUPTI_BACKEND_DEPARTURE_H_
#define PROF_CUPTI_BACKEND_DEPARTURE_H_

#include <atomic>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

class Departure {
 public:
  explicit Departure(const CuptiApi* api) : api_(api) {}

  // From now on the first call of the program that ends leaves. Nothing of CUPTI may be in use.
  void Ask();
  [[nodiscard]] bool asked() const {
    return state_.load(std::memory_order_relaxed) == State::kAsked;
  }
  // A thread of the program, at the end of a call of CUDA. One of them does it. CUPTI waits for the
  // GPU meanwhile.
  void Leave();
  // The program does something with which we do not leave: it is not asked any more.
  void Stay();

  // The thread that starts a recording; asks for nothing any more. True: CUPTI is gone, with the
  // subscription and all that was enabled. Waits while a thread is leaving.
  [[nodiscard]] bool TakeGone();

 private:
  enum class State { kStays, kAsked, kLeaving, kGone };

  const CuptiApi* const api_;
  std::atomic<State> state_{State::kStays};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_DEPARTURE_H_
