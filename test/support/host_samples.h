// SPDX-License-Identifier: Apache-2.0
//
// Adds looks at threads to a snapshot of one block that a SnapshotBuilder makes. Their stacks are
// those of PythonStacks.
#ifndef PROF_TEST_SUPPORT_HOST_SAMPLES_H_
#define PROF_TEST_SUPPORT_HOST_SAMPLES_H_

#include <cstdint>
#include <vector>

#include "prof/snapshot.pb.h"

namespace prof::test {

struct PlantedSample {
  int64_t time_ns = 0;
  uint32_t stack = 0;
  wire::HostSampleKind kind = wire::HOST_SAMPLE_STACK;
  wire::HostState state = wire::HOST_STATE_RUNNING;
  uint32_t thread = 1;  // id of the table: the launching thread
};

inline void AddHostSamples(const std::vector<PlantedSample>& samples, wire::Block* block) {
  wire::HostSampleColumns* const columns = block->mutable_host_samples();
  int64_t before = 0, stack = 0;
  for (const PlantedSample& sample : samples) {
    columns->add_thread(sample.thread);
    columns->add_time_delta_ns(sample.time_ns - before);
    columns->add_stack_delta(sample.stack - stack);
    columns->add_kind(sample.kind);
    columns->add_state(sample.state);
    before = sample.time_ns;
    stack = sample.stack;
  }
}

}  // namespace prof::test

#endif  // PROF_TEST_SUPPORT_HOST_SAMPLES_H_
