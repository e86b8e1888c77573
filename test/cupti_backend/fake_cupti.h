// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's profiler and the driver as far as sampling needs them: every metric of the chip needs a
// pass of its own, and what was done is written down.
#ifndef PROF_TEST_CUPTI_BACKEND_FAKE_CUPTI_H_
#define PROF_TEST_CUPTI_BACKEND_FAKE_CUPTI_H_

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"

namespace prof::cupti::test {

// One at a time; the tables below lead to the one that lives.
class FakeCupti {
 public:
  FakeCupti();
  ~FakeCupti();
  FakeCupti(const FakeCupti&) = delete;
  FakeCupti& operator=(const FakeCupti&) = delete;

  CuptiApi api;
  DriverApi driver;

  // Results by name of the table's field ("range_start"); success unless given here.
  void Fail(const std::string& function, CUptiResult result);
  CUptiResult ResultOf(const std::string& function);

  // What was done, oldest first: "enable", "config", "start", "push 0", "pop", "stop", "decode",
  // "disable", and what a test adds.
  void Log(const std::string& what);
  std::vector<std::string> log();

  void SetCapturing(bool capturing);

  // Under mutex_ in the functions; for a test once nothing runs.
  struct Configured {
    const void* config_image;
    const void* counter_data;
    std::vector<uint8_t> config;
  };
  std::vector<Configured> configured;
  std::vector<std::thread::id> config_threads;
  // One for each context under the range profiler.
  struct Profiler {
    const void* counter_data = nullptr;
    bool replays = false;              // a launch between start and stop is a range
    size_t replayed = 0;               // names are numbers that no new configuration sets back
    std::vector<std::string> open;     // ranges since the last start
    std::vector<std::string> decoded;  // of the last decode, newest first
    // CUPTI 13.0 initializes counter data for the metrics that its size was asked for last; others
    // have no values in it.
    std::vector<std::string> asked, initialized;
  };
  std::list<Profiler> profilers;
  bool loses_a_range = false;  // the first one pushed is not in the decoded data
  bool capturing = false;
  bool context_is_dead = false;
  std::mutex mutex_;

 private:
  std::map<std::string, CUptiResult> results_;
  std::vector<std::string> log_;
};

// The value of metric `index` of its group (0: the window) in the range that was pushed as `name`.
double ValueOf(const std::string& name, size_t index);

CUcontext Context(uintptr_t number);

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_BACKEND_FAKE_CUPTI_H_
