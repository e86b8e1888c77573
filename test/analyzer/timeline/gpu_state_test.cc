// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "prof/analyzer.h"
#include "prof/report.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::gpu_state_test {
namespace {

using test::SnapshotBuilder;

constexpr int64_t kMs = 1'000'000;

void Clocks(SnapshotBuilder* b, int64_t time_ns, uint32_t mhz, uint32_t reasons,
            uint32_t device = 0) {
  b->State({model::GpuStateKind::kClocks, device, mhz, 2'619, reasons, time_ns});
}

// Kernels of a millisecond without gaps, from `begin_ns` on.
void Work(SnapshotBuilder* b, int64_t begin_ns, int count) {
  const uint32_t shape = b->Shape("gemm", {1056}, {256});
  for (int i = 0; i < count; ++i) {
    b->Kernel(shape, "", begin_ns + i * kMs, begin_ns + (i + 1) * kMs);
  }
}

GpuStateReport StateOf(SnapshotBuilder& b) {
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.error.empty());
  return report.devices.at(0).state;
}

TEST_CASE("Clocks, power and temperature are those while the GPU worked") {
  SnapshotBuilder b;
  Work(&b, 10 * kMs, 100);
  Clocks(&b, 5 * kMs, 345, 0x1);  // before the first kernel: idle
  Clocks(&b, 20 * kMs, 1'335, 0x4);
  Clocks(&b, 70 * kMs, 1'395, 0x4 | 0x40);
  Clocks(&b, 90 * kMs, 1'980, 0);
  Clocks(&b, 95 * kMs, 1'000, 0x4, 1);  // of another device
  Clocks(&b, 120 * kMs, 345, 0x1);      // behind the last kernel
  b.State({model::GpuStateKind::kPower, 0, 650'000, 700'000, 0, 20 * kMs});
  b.State({model::GpuStateKind::kPower, 0, 699'000, 700'000, 0, 70 * kMs});
  b.State({model::GpuStateKind::kTemperature, 0, 61, 0, 0, 20 * kMs});
  b.State({model::GpuStateKind::kTemperature, 0, 66, 0, 0, 70 * kMs});
  const GpuStateReport state = StateOf(b);
  CHECK(state.sm_clock_hz.n == 3);
  CHECK(state.sm_clock_hz.min == Approx(1.335e9));
  CHECK(state.sm_clock_hz.max == Approx(1.98e9));
  CHECK(state.memory_clock_hz.median == Approx(2.619e9));
  CHECK(state.watts.max == Approx(699));
  CHECK(state.power_limit_w == Approx(700));
  CHECK(state.celsius.max == Approx(66));
  CHECK(state.with_reasons == 3);
  REQUIRE(state.holds.size() == 2);
  CHECK(state.holds[0].what == "the power limit");
  CHECK(state.holds[0].kind == ClockHold::Kind::kPower);
  CHECK(state.holds[0].readings == 2);
  CHECK(state.holds[1].kind == ClockHold::Kind::kThermal);
}

TEST_CASE("A reading in a long gap is of an idle GPU, one in a short gap is not") {
  SnapshotBuilder b;
  Work(&b, 10 * kMs, 10);  // to 20
  Work(&b, 22 * kMs, 8);   // to 30, behind a gap of 2 ms
  Work(&b, 60 * kMs, 10);  // behind one of 30 ms
  Clocks(&b, 21 * kMs, 1'980, 0);
  Clocks(&b, 45 * kMs, 345, 0x1);
  const GpuStateReport state = StateOf(b);
  CHECK(state.sm_clock_hz.n == 1);
  CHECK(state.sm_clock_hz.median == Approx(1.98e9));
  CHECK(state.holds.empty());
}

TEST_CASE("Where the driver gives no reasons none is counted, and the clocks are") {
  SnapshotBuilder b;
  Work(&b, 10 * kMs, 20);
  Clocks(&b, 15 * kMs, 1'500, 0x4000'0000);
  const GpuStateReport state = StateOf(b);
  CHECK(state.sm_clock_hz.n == 1);
  CHECK(state.with_reasons == 0);
  CHECK(state.holds.empty());
}

TEST_CASE("Without readings the state of a GPU is empty") {
  SnapshotBuilder b;
  Work(&b, 10 * kMs, 20);
  CHECK(StateOf(b).empty());
}

}  // namespace
}  // namespace prof::gpu_state_test
