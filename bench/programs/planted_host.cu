// SPDX-License-Identifier: Apache-2.0
//
// Host code outside CUDA: between launches, in few long pauses, at the start, or beside the GPU.
#include <thread>

#include "planted.h"

namespace {

// About a millisecond of the GPU's time, which the host launches in a twentieth of that.
void LaunchOneMs(const Machine& machine) {
  for (int i = 0; i < 10; ++i) machine.Work(100);
}

Step HostWork(Machine* m) {
  const double us = m->Draw("host_us", 300, 600);
  return [=](int64_t) {
    m->Work(0.2);
    Spin(us);
  };
}

// What a framework does for each launch.
Step BetweenLaunches(Machine* m) {
  const double us = m->Draw("host_us", 90, 140), kernel_us = m->Draw("kernel_us", 15, 25);
  return [=](int64_t) {
    Spin(us);
    m->Work(kernel_us);
  };
}

// The queue is longer than what the other thread does meanwhile.
Step BesideTheGpu(Machine* m) {
  const double us = m->Draw("host_us", 400, 600);
  return [=](int64_t) {
    LaunchOneMs(*m);
    std::thread(Spin, us).join();
  };
}

// As checkpoints do.
Step Pauses(Machine* m) {
  const double us = m->Draw("host_us", 30'000, 45'000);
  return [=](int64_t number) {
    LaunchOneMs(*m);
    if (number % 80 == 79) Spin(us);
  };
}

Step SlowStart(Machine* m) {
  const double us = m->Draw("host_us", 8'000, 12'000);
  return [=](int64_t number) {
    constexpr int64_t kSlowSteps = 12;
    if (number < kSlowSteps) Spin(us);
    LaunchOneMs(*m);
  };
}

}  // namespace

Timelines HostTimelines() {
  return {{"host-work", HostWork},
          {"framework", BetweenLaunches},
          {"host-thread", BesideTheGpu},
          {"pauses", Pauses, 1.6},
          {"start", SlowStart, 1.6}};
}
