// SPDX-License-Identifier: Apache-2.0
//
// The kept samples are the counter samples of a recording that keeps its last seconds. They stay
// when the block with their launch is dropped: a kernel is sampled in its first seconds, and the
// recording is looked at hours later. So each one gets what it needs of its launch.
#ifndef PROF_LIB_CAPTURE_WIRE_KEPT_SAMPLES_H_
#define PROF_LIB_CAPTURE_WIRE_KEPT_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lib/capture/events/events.h"

namespace prof::capture {

// What a sample needs of its launch.
struct SampledKernel {
  uint32_t shape = 0, lane = 0;  // ids
  uint32_t duration_ns = 0;      // 0: not known; UINT32_MAX: so long or longer
};

class KeptSamples {
 public:
  // A sample takes some hundred bytes. Those beyond this memory go with their launches.
  static constexpr size_t kMostBytes = size_t{16} << 20;
  // Launches that are remembered, as their correlation ids have room: a sample is read up to some
  // seconds after its launch. 8 MiB.
  static constexpr size_t kLaunches = size_t{1} << 19;
  // The record of a launch may come after its sample, so a sample waits so long.
  static constexpr int64_t kWaitNs = 5'000'000'000;

  KeptSamples() : launches_(kLaunches) {}

  void AddLaunch(uint32_t correlation, const SampledKernel& kernel) {
    launches_[correlation % kLaunches] = {correlation, kernel};
  }
  void Add(const CounterSampleEvent& sample, int64_t now_ns) {
    waiting_.push_back({sample, now_ns});
  }

  // Before a block ends: the samples whose launches are known go to `tables`, which stay; those
  // whose launches are not known by now, and those for which there is no room, to `events`. `all`:
  // nothing waits any longer.
  void WriteTo(std::string* tables, std::string* events, int64_t now_ns, bool all);

  [[nodiscard]] bool empty() const { return waiting_.empty(); }

 private:
  struct Launch {
    uint32_t correlation = 0;  // 0: none
    SampledKernel kernel;
  };
  struct Waiting {
    CounterSampleEvent sample;
    int64_t since_ns = 0;
  };

  std::vector<Launch> launches_;  // by correlation
  std::deque<Waiting> waiting_;
  size_t bytes_ = 0;  // in tables
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_KEPT_SAMPLES_H_
