// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/kept_samples.h"

#include <utility>

#include "lib/capture/wire/block_entries.h"

namespace prof::capture {

void KeptSamples::WriteTo(std::string* tables, std::string* events, int64_t now_ns, bool all) {
  std::deque<Waiting> left;
  for (Waiting& waiting : waiting_) {
    const CounterSampleEvent& sample = waiting.sample;
    const Launch& launch = launches_[sample.correlation % kLaunches];
    const bool known = sample.unit == SampleUnit::kKernel && sample.correlation != 0 &&
                       launch.correlation == sample.correlation;
    if (known && bytes_ < kMostBytes) {
      const size_t before = tables->size();
      AppendEntry(sample, &launch.kernel, tables);
      bytes_ += tables->size() - before;
    } else if (known || all || sample.unit != SampleUnit::kKernel ||
               now_ns - waiting.since_ns >= kWaitNs) {
      AppendEntry(sample, nullptr, events);
    } else {
      left.push_back(std::move(waiting));
    }
  }
  waiting_ = std::move(left);
}

}  // namespace prof::capture
