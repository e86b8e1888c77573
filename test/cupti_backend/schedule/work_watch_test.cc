// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/work_watch.h"

#include <memory>

#include "test/support/catch.h"

namespace prof::cupti::test::work_watch_test {
namespace {

TEST_CASE("The GPU time of a launch that was asked about counts to its signature") {
  const auto watch = std::make_unique<WorkWatch>();
  SampleSchedule::Entry one, other;
  watch->Request(1, 10, &one, 5);
  watch->Request(1, 11, &other, 5);
  watch->Add(1, 10, 8, 508);
  watch->Add(1, 11, 8, 78);
  watch->Add(1, 12, 8, 9008);  // nobody asked
  watch->Add(2, 10, 8, 9008);  // another context's launch
  CHECK(one.timed_ns == 500);
  CHECK(one.timed_launches == 1);
  CHECK(other.timed_ns == 70);
  CHECK(one.delay_ns == 3);
  watch->Request(1, 13, &one, 20);
  watch->Add(1, 13, 19, 30);  // the clocks differ a little
  CHECK(one.delay_ns == 0);
}

TEST_CASE("The nodes of a graph launch are one launch, the next launch is another") {
  const auto watch = std::make_unique<WorkWatch>();
  SampleSchedule::Entry graph;
  watch->Request(1, 10, &graph, 5);
  for (int node = 0; node < 5; ++node) watch->Add(1, 10, 8, 108);
  watch->Request(1, 20, &graph, 5);
  for (int node = 0; node < 5; ++node) watch->Add(1, 20, 8, 108);
  CHECK(graph.timed_launches == 2);
  CHECK(graph.timed_ns == 1000);
}

TEST_CASE("A record without a context and a correlation is of no launch") {
  const auto watch = std::make_unique<WorkWatch>();
  watch->Add(0, 0, 8, 508);
  SampleSchedule::Entry entry;
  watch->Request(1, 10, &entry, 5);
  watch->Add(0, 0, 8, 508);
  CHECK(entry.timed_ns == 0);
}

TEST_CASE("A launch without a record, or without a time, counts nothing") {
  const auto watch = std::make_unique<WorkWatch>();
  SampleSchedule::Entry entry;
  watch->Request(1, 10, &entry, 5);
  watch->Add(1, 10, 8, 8);
  CHECK(entry.timed_launches == 0);
  CHECK(entry.timed_ns == 0);
}

}  // namespace
}  // namespace prof::cupti::test::work_watch_test
