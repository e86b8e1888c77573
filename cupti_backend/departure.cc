// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/departure.h"

#include <chrono>
#include <thread>

#include "lib/capture/process/complain.h"

namespace prof::cupti {

void Departure::Ask() { state_.store(State::kAsked); }

void Departure::Stay() {
  State asked = State::kAsked;
  state_.compare_exchange_strong(asked, State::kStays);
}

void Departure::Leave() {
  State asked = State::kAsked;
  if (!state_.compare_exchange_strong(asked, State::kLeaving)) return;
  const CUptiResult result = api_->finalize();
  if (result != CUPTI_SUCCESS) {
    capture::Complain("prof: CUPTI could not be left (%s): launches stay slower\n",
                      ErrorText(*api_, result).c_str());
  }
  state_.store(result == CUPTI_SUCCESS ? State::kGone : State::kStays);
}

Departure::Left Departure::TakeGone() {
  Stay();
  for (int tries = 0; state_.load() == State::kLeaving; ++tries) {
    if (tries == 2'000) return Left::kLeaving;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  State gone = State::kGone;
  return state_.compare_exchange_strong(gone, State::kStays) ? Left::kGone : Left::kNo;
}

}  // namespace prof::cupti
