// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's PM sampling as far as the sampler needs it: samples come with the time that passes.
#ifndef PROF_TEST_CUPTI_BACKEND_PM_FAKE_PM_H_
#define PROF_TEST_CUPTI_BACKEND_PM_FAKE_PM_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "test/cupti_backend/capture_modes.h"

namespace prof::cupti::test {

// One at a time; the table leads to the one that lives.
class FakePm {
 public:
  FakePm();
  ~FakePm();
  FakePm(const FakePm&) = delete;
  FakePm& operator=(const FakePm&) = delete;

  CuptiApi api;
  DriverApi driver;
  CaptureModes captures;  // of the threads that call `api`

  // What the hardware does. Set before the sampler starts, or at any time where it is atomic.
  bool appends = true;  // a decode goes on in the image, or else begins it again
  std::vector<std::string> metrics = {"dram__throughput", "lts__t_sectors", "sm__issue_active",
                                      "sm__pipe_tensor_cycles_active"};
  int64_t decode_ns = 0;     // of CPU time, for each sample
  std::atomic<int> busy{0};  // so many SetConfigs are refused
  std::atomic<bool> overflows{false};
  std::atomic<bool> breaks{false};
  std::atomic<int> breaks_on{-1};  // the device on which alone it does
  // By how much its clock is ahead of the host's, in the first sessions.
  std::atomic<int64_t> late_ns{0};
  int late_sessions = 1'000'000;
  std::atomic<int64_t> covers_ns{0};  // each tenth sample covers so much time before it
  // Each tenth sample is of no length, and so old.
  std::atomic<int64_t> stale_ns{0};

  // Under mutex_:
  struct Image {
    size_t room = 0;
    std::vector<std::pair<int64_t, int64_t>> samples;
  };
  struct Device {
    Image image;
    int64_t interval_ns = 0, decoded_until_ns = 0;
    bool started = false, overflowed = false;
    int64_t stopped_ns = 0;
  };
  std::mutex mutex_;
  static constexpr size_t kDevices = 2;
  std::array<Device, kDevices> devices;
  std::vector<int64_t> intervals;  // that were configured

  // What was done with it so far. Any thread.
  std::atomic<int> opened{0}, closed{0}, bursts{0};
};

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_BACKEND_PM_FAKE_PM_H_
