// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/idle_meter.h"

#include "lib/capture/collector/memory_output.h"
#include "lib/capture/wire/encoder.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"

namespace prof::capture::test::idle_meter_test {
namespace {

struct Meter {
  MemoryOutput memory;
  Encoder encoder{&memory};
  IdleMeter meter{&encoder};

  void Kernel(uint32_t device, int64_t start_ns, int64_t end_ns) {
    KernelEvent kernel = AKernel();
    kernel.device = device;
    kernel.start_ns = start_ns;
    kernel.end_ns = end_ns;
    EventSink& sink = meter;
    sink.Add(kernel);
  }
};

TEST_CASE("A GPU that has run nothing before is not idle") {
  Meter m;
  CHECK_FALSE(m.meter.IdlePercent(0, 1000));
  m.Kernel(0, 100, 200);
  CHECK_FALSE(m.meter.IdlePercent(0, 1000));
  CHECK(m.encoder.pending_rows() == 1);
}

TEST_CASE("Operations that overlap are busy once, and the busiest GPU decides") {
  Meter m;
  m.Kernel(0, 900, 1100);
  m.Kernel(0, 1400, 1600);
  m.Kernel(0, 1000, 1500);
  CHECK(*m.meter.IdlePercent(1000, 2000) == Approx(40));
  m.Kernel(1, 1900, 2100);
  m.Kernel(1, 2000, 2900);
  CHECK(*m.meter.IdlePercent(2000, 3000) == Approx(10));
  CHECK(*m.meter.IdlePercent(3000, 4000) == Approx(100));
}

TEST_CASE("A launch that is known by its number counts for its device") {
  Meter m;
  EventSink& sink = m.meter;
  KernelEvent kernel = AKernel();
  kernel.device = 3;
  const LaunchId id = sink.IdOf(kernel);
  KnownKernelEvent known;
  known.shape = id.shape;
  known.lane = id.lane;
  known.start_ns = 500;
  known.end_ns = 1500;
  sink.Add(known);
  CHECK(*m.meter.IdlePercent(1000, 2000) == Approx(50));
}

TEST_CASE("Any number of short operations takes a bounded room, and counts as busy") {
  Meter m;
  for (int64_t i = 0; i < 300'000; ++i) m.Kernel(0, i * 100, i * 100 + 90);
  CHECK(*m.meter.IdlePercent(10'000'000, 20'000'000) <= 10.1);
}

TEST_CASE("While a recording warms up nothing of what happened is kept") {
  MemoryOutput memory;
  Encoder encoder(&memory);
  WarmUpSink warm_up(&encoder);
  EventSink& sink = warm_up;
  sink.Add(AKernel());
  sink.Add(CopyEvent{});
  sink.Add(ApiEvent{});
  CHECK(encoder.pending_rows() == 0);
  CHECK(sink.IdOf(AKernel()).shape == encoder.IdOf(AKernel()).shape);
}

}  // namespace
}  // namespace prof::capture::test::idle_meter_test
