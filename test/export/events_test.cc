// SPDX-License-Identifier: Apache-2.0
#include "prof/events.h"

#include <string>

#include "lib/format/enums.h"
#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::events_test {
namespace {

TEST_CASE("An operation has its call, its range and the shape of its kernel") {
  const Events events = ReadEvents(test::ExampleRecording());
  REQUIRE(events.error().empty());
  REQUIRE(events.operations().size() == 6);
  const OperationEvent kernel = events.operations()[0];
  CHECK(kernel.kind == OperationKind::kKernel);
  CHECK(kernel.end_ns - kernel.start_ns == 10'000);
  CHECK(kernel.sampled);
  const KernelShape& shape = events.shapes()[kernel.shape];
  CHECK(shape.name == "_Z5saxpyPf");
  CHECK(shape.demangled == "saxpy(float*)");
  CHECK(shape.short_name == "saxpy");
  CHECK(shape.grid == std::array<uint32_t, 3>{132, 2, 1});
  CHECK(events.paths()[kernel.path].full == "step");
  REQUIRE(kernel.call >= 0);
  CHECK(events.calls()[static_cast<size_t>(kernel.call)].name == "cudaLaunchKernel");
  const OperationEvent copy = events.operations()[3];
  CHECK(copy.kind == OperationKind::kCopy);
  CHECK(copy.bytes == 4096);
  CHECK(std::string(ToString(copy.copy)) == "host to device");
  CHECK(std::string(ToString(copy.source)) == "pageable");
}

TEST_CASE("All kinds of events can be read row by row") {
  const Events events = ReadEvents(test::ExampleRecording());
  CHECK(events.process().rank == 3);
  CHECK(events.devices().size() == 2);
  CHECK(events.calls().size() == 7);
  REQUIRE(events.ranges().size() == 1);
  CHECK(events.ranges()[0].end_ns == 200'000);
  CHECK(events.threads()[events.ranges()[0].thread].tid == test::kMainTid);
  CHECK(events.spans().size() == 2);
  REQUIRE(events.counters().size() == 2);
  const CounterEvent sample = events.counters()[1];
  CHECK(sample.operation == 1);
  CHECK(sample.metrics->size() == 1);
  CHECK(sample.values->front() == 60);
  REQUIRE(events.pm_series().size() == 1);
  REQUIRE(events.pm_samples(0).size() == 3);
  CHECK(events.pm_samples(0)[2].values[0] == 30);
  int64_t calls = 0;
  for (const CallEvent& call : events.calls()) calls += call.end_ns >= call.start_ns ? 1 : 0;
  CHECK(calls == 7);
}

TEST_CASE("Allocations are read with the range of their call") {
  test::SnapshotBuilder b;
  b.Allocate(0x1000, 64, "init", 5'000);
  b.Free(0x1000, 9'000);
  const Events events = ReadEvents(b.Snapshot());
  REQUIRE(events.allocations().size() == 2);
  CHECK(events.allocations()[0].bytes == 64);
  CHECK(events.paths()[events.allocations()[0].path].full == "init");
  CHECK_FALSE(events.allocations()[0].freed);
  CHECK(events.allocations()[1].freed);
}

TEST_CASE("A snapshot that cannot be read gives its error and no events") {
  const Events events = ReadEvents(Snapshot::FromBytes("this is no snapshot"));
  CHECK(events.error().find("not a recording of prof") != std::string::npos);
  CHECK(events.operations().empty());
  CHECK(Events().operations().empty());
}

template <typename Public, typename Recorded>
bool SameNames() {
  for (size_t i = 0; i < format::kNames<Recorded>.size(); ++i) {
    if (std::string(ToString(static_cast<Public>(i))) != format::Name(static_cast<Recorded>(i))) {
      return false;
    }
  }
  return true;
}

TEST_CASE("The public enums are those of the recording") {
  CHECK(static_cast<int>(CopyDirection::kPeerToPeer) ==
        static_cast<int>(format::CopyKind::kPeerToPeer));
  CHECK(static_cast<int>(MemoryType::kManaged) == static_cast<int>(format::MemoryKind::kManaged));
  CHECK(static_cast<int>(SyncType::kContext) == static_cast<int>(format::SyncKind::kContext));
  CHECK(static_cast<int>(CountedUnit::kGraph) == static_cast<int>(format::SampleUnit::kGraph));
  CHECK(static_cast<int>(OperationKind::kGraph) == static_cast<int>(model::OpKind::kGraph));
  CHECK(SameNames<CopyDirection, format::CopyKind>());
  CHECK(SameNames<MemoryType, format::MemoryKind>());
}

}  // namespace
}  // namespace prof::events_test
