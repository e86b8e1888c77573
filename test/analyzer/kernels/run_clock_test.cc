// SPDX-License-Identifier: Apache-2.0
//
// The SM clock in the run: estimated from cycles, compared, and reported where it costs time.
#include <algorithm>
#include <map>
#include <string>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::run_clock_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

using Values = std::map<std::string, double>;

constexpr char kDram[] = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr char kTensor[] = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr char kClock[] = "gpc__cycles_elapsed.avg.per_second";
constexpr char kWindow[] = "gpu__time_duration.sum";

// Kernels that take 250 us at 1.56 GHz when they are counted.
struct Run {
  SnapshotBuilder b;
  int64_t now_ns = 1'000'000;

  uint32_t Launch(const std::string& name, int64_t duration_ns, const test::Launch& how = {}) {
    const uint32_t shape = b.Shape(name, {1056}, {256});
    const uint32_t launch = b.Kernel(shape, "", now_ns, now_ns + duration_ns, how);
    now_ns += duration_ns + 1000;
    return launch;
  }
  void Counted(const std::string& name, const Values& values, int64_t duration_ns = 250'000) {
    for (int i = 0; i < 3; ++i) b.Sample(Launch(name, duration_ns), values);
  }
  void InTheRun(const std::string& name, int64_t duration_ns) {
    for (int i = 0; i < 9; ++i) Launch(name, duration_ns);
  }
  Report Analyzed() {
    Report report = Analyze(b.Snapshot());
    INFO(report.error);
    REQUIRE(report.error.empty());
    return report;
  }
};

const Values kGemm = {{kTensor, 90}, {kDram, 20}, {kClock, 1.56e9}};

bool IsUnstable(const KernelReport& kernel) {
  for (const std::string& note : kernel.verdict.notes) {
    if (note.find("unstable") != std::string::npos) return true;
  }
  return false;
}

const Finding* ClockFinding(const Report& report) {
  for (const Finding& finding : report.findings) {
    if (finding.id == "clock") return &finding;
  }
  return nullptr;
}

TEST_CASE("Cycles of the counted launches over the time in the run are the clock of the run") {
  Run run;
  for (const char* name : {"gate", "up"}) {
    run.Counted(name, kGemm);
    run.InTheRun(name, 300'000);
  }
  const Report report = run.Analyzed();
  const KernelReport& gate = report.kernel("gate");
  CHECK(gate.clock.sampled_ns.n == 3);
  CHECK(gate.clock.sampled_ns.median == 250'000);
  CHECK(gate.clock.sampled_cycles.median == Approx(390'000));
  CHECK(gate.clock.run_hz.n == 9);
  CHECK(gate.clock.run_hz.median == Approx(1.3e9));
  CHECK(gate.clock.run_hz_bound == Approx(1.56e9 * 0.9 / (1.2 - 0.1)));
  CHECK(gate.clock.run_missing.empty());
  CHECK(gate.clock.agreeing == 2);

  SECTION("which explains the difference between both times: nothing is unstable") {
    CHECK(gate.clock.explains);
    CHECK_FALSE(IsUnstable(gate));
  }
  SECTION("which the device has, too, and the time that it costs") {
    const RunClock& clock = report.devices.at(0).run_clock;
    CHECK(clock.hz.n == 2);
    CHECK(clock.hz.median == Approx(1.3e9));
    CHECK(clock.sampled_hz.median == Approx(1.56e9));
    CHECK(clock.highest_hz == 1.98e9);
    CHECK(clock.lost_ns == Approx(clock.time_ns * (1 - 1.3 / 1.56)));
    CHECK(clock.lost_to_highest_ns == Approx(clock.time_ns * (1 - 1.3 / 1.98)));
  }
  SECTION("which is a finding, whose gain is bounded by the highest clock") {
    const Finding* const finding = ClockFinding(report);
    REQUIRE(finding != nullptr);
    CHECK_THAT(finding->title, Contains("1.30 GHz in the run") && Contains("1.56 GHz"));
    const DeviceReport& device = report.devices[0];
    const RunClock& clock = device.run_clock;
    const double others_ns = std::max(0.0, device.busy_ns - clock.time_ns);
    CHECK(finding->gain_at_most_ns ==
          Approx(clock.lost_to_highest_ns + others_ns * (1 - clock.hz.min / 1.98e9)));
    CHECK(finding->kind == GainKind::kSameWork);  // no idle time: the gaps have none of it
    CHECK(finding->confidence == Confidence::kMedium);
  }
}

TEST_CASE("Work that shows no clock may be slower for a low clock, too") {
  Run run;
  for (const char* name : {"gate", "up"}) run.Counted(name, kGemm);
  for (const char* name : {"gate", "up"}) run.InTheRun(name, 300'000);
  const double before = ClockFinding(run.Analyzed())->gain_at_most_ns;
  run.InTheRun("norm", 500'000);  // never counted
  const Report report = run.Analyzed();
  REQUIRE(ClockFinding(report) != nullptr);
  CHECK(ClockFinding(report)->gain_at_most_ns ==
        Approx(before + 9 * 500'000 * (1 - 1.3 / 1.98)).epsilon(0.001));
}

TEST_CASE("A clock that only one kernel shows explains nothing, and is no finding") {
  Run run;
  run.Counted("gate", kGemm);
  run.InTheRun("gate", 300'000);
  const Report report = run.Analyzed();
  const KernelReport& gate = report.kernel("gate");
  CHECK(gate.clock.run_hz.median == Approx(1.3e9));
  CHECK_FALSE(gate.clock.explains);
  CHECK(IsUnstable(gate));
  CHECK(report.devices.at(0).run_clock.hz.n == 0);
  CHECK(ClockFinding(report) == nullptr);
}

TEST_CASE("The clock of others explains up to what it makes of all of a kernel's time") {
  Run run;
  for (const char* name : {"gate", "up"}) {
    run.Counted(name, kGemm);
    run.InTheRun(name, 300'000);
  }
  const Values waits = {{kTensor, 5}, {kDram, 40}, {kClock, 1.56e9}};
  run.Counted("norm", waits);
  run.InTheRun("norm", 290'000);  // between 250 and 300 us
  run.Counted("other", waits);
  run.InTheRun("other", 400'000);
  const Report report = run.Analyzed();
  CHECK(report.kernel("norm").clock.explains);
  CHECK_FALSE(IsUnstable(report.kernel("norm")));
  CHECK_FALSE(report.kernel("other").clock.explains);
  CHECK(IsUnstable(report.kernel("other")));
}

TEST_CASE("Where there is no estimate of the clock, the reason is given") {
  Run run;
  std::string reason;
  SECTION("the time need not depend on it") {
    run.Counted("copy", {{kTensor, 1}, {kDram, 90}, {kClock, 1.9e9}});
    reason = "need not depend on the SM clock";
  }
  SECTION("the counters did not have it") {
    run.Counted("copy", {{kTensor, 90}, {kDram, 20}});
    reason = "no SM clock was read";
  }
  SECTION("no counted launch was traced") {
    Launch untraced;
    untraced.untraced = true;
    run.b.Sample(run.Launch("copy", 250'000, untraced), kGemm);
    reason = "no counted launch of it has a time on the timeline";
  }
  SECTION("no counters at all") { reason = "no launch of it was counted"; }
  SECTION("it would be above what the device can have") {
    run.Counted("copy", kGemm, 500'000);
    reason = "above the device's highest SM clock";
  }
  run.InTheRun("copy", 300'000);
  const Report report = run.Analyzed();
  const KernelClock& clock = report.kernel("copy").clock;
  CHECK(clock.run_hz.n == 0);
  CHECK_THAT(clock.run_missing, Contains(reason));
  CHECK(ClockFinding(report) == nullptr);
}

TEST_CASE("Kernels that slow each other down do not show the clock") {
  Run run;
  for (const char* name : {"left", "right"}) run.Counted(name, kGemm);
  Launch other;
  other.stream = 9;
  for (int i = 0; i < 5; ++i) {
    const int64_t start_ns = run.now_ns;
    run.Launch("left", 400'000);
    run.now_ns = start_ns + 1000;
    run.Launch("right", 400'000, other);
  }
  const Report report = run.Analyzed();
  for (const char* name : {"left", "right"}) {
    const KernelReport& kernel = report.kernel(name);
    CHECK(kernel.clock.run_hz.n == 0);
    CHECK_THAT(kernel.clock.run_missing, Contains("other work ran beside 100"));
    CHECK_FALSE(kernel.clock.explains);
  }
  CHECK(ClockFinding(report) == nullptr);
}

TEST_CASE("A run at the clock of the samples, near the highest one, is no finding") {
  Run run;
  for (const char* name : {"gate", "up"}) {
    run.Counted(name, {{kTensor, 90}, {kDram, 20}, {kClock, 1.9e9}});
    run.InTheRun(name, 250'000);
  }
  const Report report = run.Analyzed();
  CHECK(report.devices.at(0).run_clock.hz.median == Approx(1.9e9));
  CHECK(report.devices.at(0).run_clock.lost_ns == Approx(0).margin(1));
  CHECK(ClockFinding(report) == nullptr);
}

TEST_CASE("The windows of launches that are not on the timeline are not compared with it") {
  Run run;
  const Values steady = {{kDram, 85}, {kWindow, 262'000}, {kClock, 1.9e9}};
  run.Counted("copy", steady);
  Launch untraced;
  untraced.untraced = true;
  for (int i = 0; i < 4; ++i) {
    run.b.Sample(run.Launch("copy", 250'000, untraced), {{kWindow, 400'000}});
  }
  run.InTheRun("copy", 250'000);
  const Report report = run.Analyzed();
  const KernelReport& copy = report.kernel("copy");
  CHECK(copy.samples_used == 7);
  CHECK(copy.metrics.at(kWindow).n == 3);
  CHECK(copy.metrics.at(kWindow).median == Approx(250'000));
  CHECK_FALSE(IsUnstable(copy));
}

TEST_CASE("Pass groups that took different cycles are named") {
  Run run;
  run.Counted("copy", {{kDram, 85}, {kClock, 1.9e9}});
  run.Counted("copy", {{kTensor, 5}, {kClock, 1.9e9}}, 400'000);
  run.InTheRun("copy", 300'000);
  const Report report = run.Analyzed();
  const KernelClock& clock = report.kernel("copy").clock;
  REQUIRE(clock.groups_differ.size() == 1);
  CHECK_THAT(clock.groups_differ[0], Contains("760,000 cycles") && Contains("475,000 cycles"));
  CHECK(IsUnstable(report.kernel("copy")));
}

TEST_CASE("Times that differ with the clock are one machine when the cycles agree") {
  Run run;
  run.b.Sample(run.Launch("gate", 250'000), {{kTensor, 90}, {kDram, 20}, {kClock, 1.60e9}});
  run.b.Sample(run.Launch("gate", 262'000), {{kTensor, 90}, {kDram, 20}, {kClock, 1.553e9}});
  run.b.Sample(run.Launch("gate", 280'000), {{kTensor, 90}, {kDram, 20}, {kClock, 1.51e9}});
  run.InTheRun("gate", 262'000);
  const KernelReport gate = run.Analyzed().kernel("gate");
  CHECK(gate.clock.groups_differ.empty());
  CHECK(gate.samples_used >= 2);
  CHECK_FALSE(IsUnstable(gate));
}

TEST_CASE("The clock of a device counts each kernel with its time") {
  Run run;
  run.Counted("short", {{kDram, 50}, {kClock, 1.98e9}}, 2000);
  run.InTheRun("short", 2000);
  run.Counted("tiny", {{kDram, 50}, {kClock, 1.97e9}}, 1000);
  run.InTheRun("tiny", 1000);
  run.Counted("long", {{kDram, 50}, {kClock, 1.5e9}}, 500'000);
  run.InTheRun("long", 500'000);
  const Report report = run.Analyzed();
  CHECK(report.devices.at(0).sm_clock_hz.n == 3);
  CHECK(report.devices.at(0).sm_clock_hz.median == 1.5e9);
}

// PM samples of [begin_ns, end_ns) at an SM clock of `hz`.
model::PmSeries ClockSamples(int64_t begin_ns, int64_t end_ns, double hz) {
  model::PmSeries series;
  series.interval_ns = 50'000;
  series.metrics = {"gpc__cycles_elapsed.avg.per_second"};
  series.scales = {15e6};
  for (int64_t t = begin_ns; t < end_ns; t += series.interval_ns) {
    series.begin_ns.push_back(t);
    series.end_ns.push_back(t + series.interval_ns);
    series.samples.push_back(1);
    series.values.push_back(static_cast<float>(hz));
  }
  return series;
}

TEST_CASE("PM samples give the clock of the run, also where no launch was counted") {
  Run run;
  const int64_t begin_ns = run.now_ns;
  run.InTheRun("gate", 300'000);
  run.b.Pm(ClockSamples(begin_ns, run.now_ns, 1.32e9));
  run.now_ns += 1'000'000;
  run.InTheRun("later", 300'000);  // no sample met it
  const Report report = run.Analyzed();
  const KernelClock& clock = report.kernels[0].clock;
  CHECK(clock.run_is_read);
  CHECK(clock.run_hz.n > 50);
  CHECK(clock.run_hz.median == Approx(1.32e9));
  CHECK(clock.run_hz_bound == Approx(1.32e9));
  CHECK(clock.sampled_hz.n == 0);
  CHECK_FALSE(report.kernels[1].clock.run_is_read);
  CHECK_FALSE(report.kernels[1].clock.run_missing.empty());
  CHECK(report.devices[0].run_clock.hz.median == Approx(1.32e9));
  CHECK(report.devices[0].run_clock.read == 1);
  CHECK(report.devices[0].run_clock.sampled_hz.n == 0);
}

TEST_CASE("A clock that was read is never above the device's highest one") {
  for (const double over : {1.04, 1.10}) {
    INFO(over);
    Run run;
    const int64_t begin_ns = run.now_ns;
    run.InTheRun("gate", 300'000);
    const double highest_hz = 1.98e9;
    run.b.Pm(ClockSamples(begin_ns, run.now_ns, over * highest_hz));
    const Report report = run.Analyzed();
    const KernelClock& clock = report.kernels[0].clock;
    const bool within_error = over < 1.05;
    CHECK(clock.run_is_read == within_error);
    if (within_error) CHECK(clock.run_hz.median == Approx(highest_hz));
    if (!within_error)
      CHECK(clock.run_missing.find("above the device's highest") != std::string::npos);
  }
}

TEST_CASE("A clock that was read and is far below the highest is a finding") {
  Run run;
  const int64_t begin_ns = run.now_ns;
  run.InTheRun("gate", 300'000);
  run.b.Pm(ClockSamples(begin_ns, run.now_ns, 0.99e9));
  const Report report = run.Analyzed();
  const Finding* const finding = ClockFinding(report);
  REQUIRE(finding != nullptr);
  CHECK(finding->title.find("990 MHz in the run") != std::string::npos);
  CHECK(finding->evidence[0].find("PM samples of its launches") != std::string::npos);
}

// A low clock with a reading in the middle of each kernel that has these reasons.
Report LowClock(uint32_t reasons) {
  Run run;
  const int64_t begin_ns = run.now_ns;
  run.InTheRun("gate", 300'000);
  run.b.Pm(ClockSamples(begin_ns, run.now_ns, 0.99e9));
  for (int64_t t = begin_ns + 150'000; t < run.now_ns; t += 301'000) {
    run.b.State({model::GpuStateKind::kClocks, 0, 990, 2'619, reasons, t});
    run.b.State({model::GpuStateKind::kPower, 0, 699'000, 700'000, 0, t});
  }
  return run.Analyzed();
}

TEST_CASE("A low clock has the driver's reason, and the action that fits it") {
  const Report power = LowClock(0x4);
  REQUIRE(ClockFinding(power) != nullptr);
  CHECK_THAT(ClockFinding(power)->title, Contains("held down by the power limit"));
  CHECK_THAT(ClockFinding(power)->action, Contains("nvidia-smi -pl"));
  const std::vector<std::string>& evidence = ClockFinding(power)->evidence;
  CHECK(std::any_of(evidence.begin(), evidence.end(), [](const std::string& line) {
    return line.find("power 699 W, at most 699 W, of a limit of 700 W") != std::string::npos;
  }));
  CHECK_THAT(ClockFinding(LowClock(0x20))->action, Contains("Cool the GPU"));
  CHECK_THAT(ClockFinding(LowClock(0x2))->action, Contains("nvidia-smi -rgc, as root"));
}

TEST_CASE("Where nothing held the clock down, or nothing is known, no reason is named") {
  for (const uint32_t reasons : {0U, 0x4000'0000U}) {
    const Report report = LowClock(reasons);
    const Finding* const finding = ClockFinding(report);
    REQUIRE(finding != nullptr);
    CHECK_THAT(finding->title, !Contains("held down"));
    CHECK_THAT(finding->action, Contains("Read the reason"));
  }
}

TEST_CASE("A clock that was read is preferred to an estimate") {
  Run run;
  run.Counted("gate", kGemm);
  const int64_t begin_ns = run.now_ns;
  run.InTheRun("gate", 300'000);
  run.b.Pm(ClockSamples(begin_ns, run.now_ns, 1.35e9));
  const Report report = run.Analyzed();
  CHECK(report.kernels[0].clock.run_is_read);
  CHECK(report.kernels[0].clock.run_hz.median == Approx(1.35e9));
  CHECK(report.kernels[0].clock.sampled_hz.median == Approx(1.56e9));
}

}  // namespace
}  // namespace prof::run_clock_test
