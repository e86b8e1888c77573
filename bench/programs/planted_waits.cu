// SPDX-License-Identifier: Apache-2.0
//
// Waits of the host: those that cost time, and those that do not.
#include <array>
#include <memory>
#include <thread>

#include "planted.h"

namespace {

using Clock = std::chrono::steady_clock;

class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming) {
    CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags));
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { CUDA_CHECK(cudaEventDestroy(event_)); }

  void Record(cudaStream_t stream) const { CUDA_CHECK(cudaEventRecord(event_, stream)); }
  void Wait() const { CUDA_CHECK(cudaEventSynchronize(event_)); }
  // Asks until it has happened.
  void Poll() const {
    cudaError_t state = cudaErrorNotReady;
    while (state == cudaErrorNotReady) state = cudaEventQuery(event_);
    CUDA_CHECK(state);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

Step AfterEach(Machine* m) {
  const double us = m->Draw("kernel_us", 1, 15);
  return [=](int64_t) {
    for (int i = 0; i < kShortKernels; ++i) {
      m->Work(us);
      m->Wait();
    }
  };
}

// Several kernels, and then a wait for the whole device.
Step AfterEachLayer(Machine* m) {
  const double us = m->Draw("kernel_us", 10, 15);
  return [=](int64_t) {
    for (int i = 0; i < 6; ++i) m->Work(us);
    CUDA_CHECK(cudaDeviceSynchronize());
  };
}

// The thread sleeps until the event is there, or asks all the time.
Step ForEvents(Machine* m) {
  const double us = m->Draw("kernel_us", 10, 20);
  const bool sleeps = m->Draw("sleeps", 0, 1) < 0.5;
  const auto event =
      std::make_shared<Event>(cudaEventDisableTiming | (sleeps ? cudaEventBlockingSync : 0U));
  return [=](int64_t) {
    for (int i = 0; i < 3; ++i) m->Work(us);
    event->Record(m->streams[0]);
    event->Wait();
  };
}

// A wait that is no call that waits.
Step Polling(Machine* m) {
  const double us = m->Draw("kernel_us", 10, 20);
  const auto event = std::make_shared<Event>();
  return [=](int64_t) {
    for (int i = 0; i < 3; ++i) m->Work(us);
    event->Record(m->streams[0]);
    event->Poll();
  };
}

// Waits for the step before: the GPU has this one to do.
Step BehindTheQueue(Machine* m) {
  const double us = m->Draw("kernel_us", 50, 90);
  const auto events = std::make_shared<std::array<Event, 2>>();
  return [=](int64_t number) {
    for (int i = 0; i < 4; ++i) m->Work(us);
    events->at(number % 2).Record(m->streams[0]);
    if (number > 0) events->at((number - 1) % 2).Wait();
  };
}

// A wait costs some 20 us, a hundredth or two of a step.
Step AfterLongKernels(Machine* m) {
  const double us = m->Draw("kernel_us", 1500, 2000);
  return [=](int64_t) {
    m->Work(us);
    m->Wait();
  };
}

// One thread waits after each of its kernels, and the other one keeps the GPU busy meanwhile.
Step BesideABusyThread(Machine* m) {
  const double us = m->Draw("kernel_us", 20, 50);
  return [=](int64_t) {
    for (int i = 0; i < 10; ++i) m->Work(200, 0.75, 0);
    std::thread waiting([=] {
      const auto end = Clock::now() + std::chrono::microseconds(1200);
      while (Clock::now() < end) {
        m->Work(us, 0.2, 1);
        m->Wait(1);
      }
    });
    waiting.join();
  };
}

// 80 ms of a good run. Some 40 ms of them are idle, which are below 5 % of the run.
Step Stretch(Machine* m) {
  const double us = m->Draw("kernel_us", 6, 9);
  return [=](int64_t number) {
    m->Work(1000);
    if (number != 600) return;
    m->Wait();
    const auto end = Clock::now() + std::chrono::milliseconds(80);
    while (Clock::now() < end) {
      m->Work(us);
      m->Wait();
    }
  };
}

}  // namespace

Timelines WaitTimelines() {
  return {{"waits", AfterEach, 0.6},           {"waits-layer", AfterEachLayer},
          {"waits-event", ForEvents},          {"polling", Polling},
          {"waits-behind", BehindTheQueue},    {"waits-cheap", AfterLongKernels},
          {"waits-beside", BesideABusyThread}, {"stretch", Stretch, 5}};
}
