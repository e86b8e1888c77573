// SPDX-License-Identifier: Apache-2.0
//
// The recording behind the tests of the page has what these look at.
#include "prof/analyzer.h"
#include "test/html/training_recording.h"
#include "test/support/catch.h"

namespace prof::test::training_test {
namespace {

TEST_CASE("the training recording has ops, stacks, and memory that grows, is left and ends") {
  const Report report = Analyze(Snapshot::FromBytes(TrainingRecording()));
  INFO(report.error);
  REQUIRE(report.error.empty());
  CHECK(report.integrity.empty());
  REQUIRE(report.torch.recorded);
  CHECK(report.torch.backward_ns > 0);
  CHECK(report.torch.forward_known_ns > 0.9 * report.torch.backward_ns);
  CHECK_FALSE(report.torch.ranges.empty());
  CHECK(report.lines.own.size() >= 5);
  CHECK(report.lines.without_stack_ns > 0);
  REQUIRE(report.memory.growth.size() == 1);
  CHECK(report.memory.growth[0].grows);
  REQUIRE(report.memory.failures.size() == 1);
  CHECK(report.memory.failures[0].count == 2);
  CHECK(report.memory.pools.size() == 1);
  CHECK(report.memory.devices.at(0).holders.size() >= 3);
  CHECK(report.memory.devices.at(0).lines.size() == 3);
  CHECK(report.memory.devices.at(0).ops.size() == 3);  // one for what was in no op
  CHECK(report.memory.growth[0].lines.at(0).place.function == "loss_of");
  CHECK(report.memory.failures[0].lines.size() == 2);  // the activations are freed
}

}  // namespace
}  // namespace prof::test::training_test
