// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/triage_sampler.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cupti_backend/api/device_info.h"
#include "cupti_backend/pm/device_turn.h"
#include "lib/capture/environment.h"
#include "lib/capture/process/clock.h"
#include "test/cupti_backend/pm/fake_pm.h"
#include "test/support/catch.h"

namespace prof::cupti::test::triage_sampler_test {
namespace {

// A program that launches all the time, and a collector that takes what comes.
struct Recorded {
  explicit Recorded(FakePm* pm)
      : sampler({&pm->api, &driver, &hosts, &watch, &turns, &policy, &launches}, options) {}

  bool RunUntil(const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      launches.fetch_add(1);
      PmEvents events = sampler.TakeEvents();
      for (auto& event : events.series) series.push_back(std::move(event));
      for (auto& event : events.batches) batches.push_back(std::move(event));
      intervals += events.intervals.size();
    }
    return done();
  }

  // Bursts whose records leave nothing open.
  void CoverAll(int device = 0) {
    TriageCoverage& coverage = *watch.Of(device);
    for (int64_t begin_ns = 1'000'000; begin_ns <= 3'000'000; begin_ns += 1'000'000) {
      coverage.ExpectBurst(begin_ns);
      coverage.AddRecord(7, begin_ns + 10'000, begin_ns + 490'000);
      TriageCoverage::Burst burst;
      for (int64_t i = 0; i < 100; ++i) {
        burst.begin_ns.push_back(begin_ns + i * 5'000);
        burst.end_ns.push_back(begin_ns + (i + 1) * 5'000);
        burst.use.push_back({});
      }
      coverage.AddBurst(std::move(burst), 0);
      coverage.AddRecord(7, begin_ns + 910'000, begin_ns + 920'000);  // all before it have come
      coverage.Resolve(TriageCoverage::kSettleNs + 1);
    }
    REQUIRE(coverage.lacking() < 0.01);
  }

  SessionOptions options;
  DriverApi driver;  // without functions: streams are captured nowhere
  PmHosts hosts;
  TriageWatch watch;
  WorkSignal ranges;
  HardwareTurns turns{HardwareTurns::Owner::kTriage, &ranges};
  SamplingPolicy policy{options};
  std::atomic<uint64_t> launches{0};
  TriageSampler sampler;
  std::vector<capture::PmSeriesEvent> series;
  std::vector<capture::PmBatchEvent> batches;
  size_t intervals = 0;
};

TEST_CASE("A device is open when its first context is there, and bursts come with launches") {
  FakePm pm;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  got.sampler.AwaitPrepared(0);  // the first launch
  CHECK(pm.opened == 1);
  CHECK(!got.sampler.preparing());
  // The fake has four units of all.
  CHECK(got.sampler.status().state == State::kDegraded);
  const std::string what = got.sampler.status().what;
  INFO(what);
  for (const char* left_out :
       {"leaves out: L1 (l1tex__data_pipe_lsu_wavefronts.",
        ", shared memory (l1tex__data_pipe_lsu_", ", FP64 (sm__inst_executed_pipe_fp64.",
        ", DRAM writes (dramc__write_throughput."}) {
    CHECK(what.find(left_out) != std::string::npos);
  }
  for (const char* read : {"DRAM (", "L2 (", "SM issue (", "tensor ("}) {
    CHECK(what.find(read) == std::string::npos);
  }
  REQUIRE(got.RunUntil([&] { return got.batches.size() >= 3; }));
  got.sampler.Stop();
  CHECK(pm.opened == pm.closed);
  CHECK(got.intervals == 1);  // the launch has waited, which the report states
  REQUIRE(got.series.size() == 1);
  CHECK(got.series[0].interval_ns == TriageSchedule::kShortestIntervalNs);
  CHECK(got.series[0].metrics.size() == 4);
  for (const auto& batch : got.batches) {
    REQUIRE(batch.series == 1);
    CHECK(batch.begin_ns.size() == batch.end_ns.size());
    CHECK(batch.values.size() == 4 * batch.begin_ns.size());
    CHECK(batch.begin_ns.size() >= 4);
  }
}

TEST_CASE("A second context of a device prepares nothing") {
  FakePm pm;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  got.sampler.AwaitPrepared(0);
  got.sampler.Prepare(0);
  CHECK(!got.sampler.preparing());
  REQUIRE(got.RunUntil([&] { return got.batches.size() >= 2; }));
  CHECK(pm.opened == 1);
}

// The bursts of each device so far.
std::array<size_t, 2> BurstsOfDevices(const Recorded& got) {
  std::array<size_t, 2> bursts{};
  for (const auto& batch : got.batches) ++bursts.at(got.series.at(batch.series - 1).device);
  return bursts;
}

TEST_CASE("Two devices take bursts in turns, each in a session of its own") {
  FakePm pm;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  got.sampler.AwaitPrepared(0);
  got.sampler.Prepare(1);
  got.sampler.AwaitPrepared(1);
  CHECK(pm.opened == 2);
  CHECK(got.RunUntil([&] {
    const auto bursts = BurstsOfDevices(got);
    return bursts[0] >= 4 && bursts[1] >= 4;
  }));
  CHECK(got.series.size() == 2);
  got.sampler.Stop();
  CHECK(pm.closed == pm.opened);
}

TEST_CASE("A device whose samples cannot be read leaves the other one its bursts") {
  const int broken = GENERATE(0, 1);
  const auto whole = static_cast<size_t>(1 - broken);
  FakePm pm;
  pm.breaks_on = broken;
  Recorded got(&pm);
  got.sampler.Prepare(0);
  got.sampler.Prepare(1);
  got.sampler.Start();  // with the first one alone ranges would have the next turn
  REQUIRE(got.RunUntil([&] {
    return BurstsOfDevices(got)[whole] >= 3 && got.sampler.status().state == State::kUnavailable;
  }));
  CHECK(BurstsOfDevices(got)[1 - whole] == 0);
  CHECK(got.turns.IsOf(HardwareTurns::Owner::kTriage));  // it goes on
  got.sampler.Stop();
  CHECK(pm.closed == pm.opened);
}

TEST_CASE("Counter ranges get the hardware of two devices when both have let go of it") {
  FakePm pm;
  Recorded got(&pm);
  got.CoverAll(0);
  got.CoverAll(1);
  got.sampler.Start();
  got.sampler.Prepare(0);
  got.sampler.Prepare(1);
  REQUIRE(
      got.RunUntil([&] { return BurstsOfDevices(got)[0] >= 1 && BurstsOfDevices(got)[1] >= 1; }));
  got.turns.SetWanted(HardwareTurns::Owner::kRanges, true);
  REQUIRE(got.RunUntil([&] { return got.turns.IsOf(HardwareTurns::Owner::kRanges); }));
  CHECK(pm.closed == pm.opened);
}

TEST_CASE("A launch waits a limited time for triage, and only once") {
  FakePm pm;
  Recorded got(&pm);  // its thread does not run
  got.sampler.Prepare(0);
  got.sampler.AwaitPrepared(1);  // another device
  CHECK(got.sampler.preparing());
  const int64_t begin_ns = capture::MonotonicNs();
  got.sampler.AwaitPrepared(0);
  CHECK(capture::MonotonicNs() - begin_ns >= TriageSampler::kLongestPreparationNs - 5'000'000);
  CHECK(!got.sampler.preparing());
  CHECK(got.sampler.TakeEvents().intervals.size() == 1);
}

TEST_CASE("A context that is older than the recording is prepared on the sampler's thread") {
  FakePm pm;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.PrepareLater(0);
  CHECK(!got.sampler.preparing());
  REQUIRE(got.RunUntil([&] { return !got.batches.empty(); }));
}

TEST_CASE("While paused triage takes no bursts and lets go of the hardware, then it goes on") {
  FakePm pm;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  REQUIRE(got.RunUntil([&] { return !got.batches.empty(); }));
  got.sampler.SetPaused(true);
  REQUIRE(got.RunUntil([&] { return pm.opened == pm.closed; }));
  const size_t batches = got.batches.size() + got.sampler.TakeEvents().batches.size();
  const int opened = pm.opened;
  for (int i = 0; i < 50; ++i) {
    got.launches.fetch_add(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(pm.opened == opened);
  CHECK(got.sampler.TakeEvents().batches.empty());
  got.sampler.SetPaused(false);
  CHECK(got.RunUntil([&] { return got.batches.size() > batches; }));
}

TEST_CASE("Triage keeps the hardware while much of the time lacks samples") {
  FakePm pm;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  got.turns.SetWanted(HardwareTurns::Owner::kRanges, true);
  REQUIRE(got.RunUntil([&] { return got.batches.size() >= 5; }));
  CHECK(got.turns.IsOf(HardwareTurns::Owner::kTriage));
}

TEST_CASE("Triage lets go of the hardware before counter ranges have their turn") {
  FakePm pm;
  Recorded got(&pm);
  got.CoverAll();
  got.sampler.Start();
  got.sampler.Prepare(0);
  REQUIRE(got.RunUntil([&] { return !got.batches.empty(); }));
  got.turns.SetWanted(HardwareTurns::Owner::kRanges, true);
  REQUIRE(got.RunUntil([&] { return got.turns.IsOf(HardwareTurns::Owner::kRanges); }));
  CHECK(pm.opened == pm.closed);
  const int bursts = pm.bursts;
  got.RunUntil([&, count = 0]() mutable { return ++count > 50; });
  CHECK(pm.bursts == bursts);
  got.turns.SetWanted(HardwareTurns::Owner::kRanges, false);
  got.turns.PassTo(HardwareTurns::Owner::kTriage);
  REQUIRE(got.RunUntil([&] { return pm.bursts > bursts; }));
  CHECK(pm.opened >= 2);  // again for another interval
}

TEST_CASE(
    "Where PM sampling does not work, counter ranges have every turn, and the reason is said") {
  FakePm pm;
  pm.metrics = {"other"};
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  REQUIRE(got.RunUntil([&] { return got.turns.IsOf(HardwareTurns::Owner::kRanges); }));
  CHECK(got.sampler.status().state == State::kUnavailable);
  CHECK(got.sampler.status().what.find("FK100") != std::string::npos);
  CHECK(pm.opened == 0);
}

TEST_CASE("Counters that another program holds are taken when they are free") {
  FakePm pm;
  pm.busy = 1;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  got.sampler.AwaitPrepared(0);
  CHECK(got.sampler.status().state == State::kUnavailable);
  REQUIRE(got.RunUntil([&] { return !got.batches.empty(); }));
  CHECK(got.sampler.status().state == State::kDegraded);  // the fake has four units of all
}

TEST_CASE("While another recording of prof has the GPU's counters triage waits for its turn") {
  FakePm pm;
  Recorded got(&pm);
  got.driver.device_get_uuid = [](CUuuid* uuid, CUdevice) {
    std::snprintf(uuid->bytes, sizeof(uuid->bytes), "t%d", static_cast<int>(getpid()));
    return CUDA_SUCCESS;
  };
  DeviceTurn other;
  other.Open(capture::SharedFolderFromEnvironment(), UuidOf(got.driver, 0));
  REQUIRE(other.Take(capture::MonotonicNs()));
  got.sampler.Start();
  got.sampler.Prepare(0);
  got.sampler.AwaitPrepared(0);
  CHECK(pm.opened == 0);
  CHECK(got.sampler.status().what.find("another recording of prof") != std::string::npos);
  got.RunUntil([count = 0]() mutable { return ++count > 30; });
  CHECK(pm.opened == 0);
  other.Give(capture::MonotonicNs());
  REQUIRE(got.RunUntil([&] { return !got.batches.empty(); }));
  // The other one waits again, and gets the counters after a second.
  REQUIRE(got.RunUntil([&] { return other.Take(capture::MonotonicNs()); }));
  CHECK(pm.opened == pm.closed);
}

TEST_CASE("A hardware buffer that overflowed is opened again, and a notice counts the bursts") {
  FakePm pm;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  REQUIRE(got.RunUntil([&] { return !got.batches.empty(); }));
  CHECK(got.sampler.Notices().empty());
  pm.overflows = true;
  REQUIRE(got.RunUntil([&] { return !got.sampler.Notices().empty(); }));
  CHECK_THAT(got.sampler.Notices().at(0).what,
             Catch::Contains("1 burst of PM sampling brought nothing"));
  CHECK(got.sampler.samples_lost() == 0);
  const size_t before = got.batches.size();
  REQUIRE(got.RunUntil([&] { return got.batches.size() > before; }));
}

TEST_CASE("Samples that come with a later burst stay") {
  FakePm pm;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  const int64_t begin_ns = capture::MonotonicNs();
  REQUIRE(got.RunUntil([&] { return capture::MonotonicNs() > begin_ns + 1'500'000'000; }));
  pm.late_ns = -1'000'000'000;
  const size_t before = got.batches.size();
  // One that was under way when the clock changed may come first.
  const auto came_late = [&] {
    return got.batches.size() > before &&
           got.batches.back().end_ns.back() < capture::RealtimeNs() - 900'000'000;
  };
  REQUIRE(got.RunUntil(came_late));
  CHECK(got.sampler.Notices().empty());
  CHECK(got.sampler.samples_lost() == 0);
}

TEST_CASE("A sample of the time before its burst is left out, wherever it comes") {
  FakePm pm;
  pm.covers_ns = 70'000'000;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  REQUIRE(got.RunUntil([&] { return got.batches.size() > 1; }));
  size_t samples = 0;
  for (const capture::PmBatchEvent& batch : got.batches) {
    samples += batch.begin_ns.size();
    for (size_t i = 0; i < batch.begin_ns.size(); ++i) {
      CHECK(batch.end_ns[i] - batch.begin_ns[i] < 1'000'000);
    }
  }
  CHECK(samples > 20);
  CHECK(got.sampler.samples_lost() == 0);
}

TEST_CASE("Single samples of another time cost the others of their burst nothing") {
  FakePm pm;
  pm.stale_ns = 3'000'000'000;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  REQUIRE(got.RunUntil([&] { return got.batches.size() > 2; }));
  for (const capture::PmBatchEvent& batch : got.batches) {
    for (size_t i = 0; i < batch.begin_ns.size(); ++i) CHECK(batch.end_ns[i] > batch.begin_ns[i]);
    CHECK(batch.begin_ns.front() > capture::RealtimeNs() - 2'000'000'000);
  }
  CHECK(pm.opened == 1);
  CHECK(got.sampler.Notices().empty());
  CHECK(got.sampler.samples_lost() == 0);
}

TEST_CASE("Where all samples are of another time triage gives up") {
  FakePm pm;
  pm.late_ns = 2'000'000'000;
  Recorded got(&pm);
  got.sampler.Start();
  got.sampler.Prepare(0);
  REQUIRE(got.RunUntil([&] { return got.sampler.status().state == State::kUnavailable; }));
  CHECK_THAT(got.sampler.status().what, Catch::Contains("cannot be right"));
  CHECK(got.batches.empty());
}

TEST_CASE("Samples of another time are left out, and the session is opened again") {
  for (const int64_t late_ns : {int64_t{-2'000'000'000}, int64_t{2'000'000'000}}) {
    FakePm pm;
    pm.late_ns = late_ns;
    pm.late_sessions = 1;
    Recorded got(&pm);
    got.sampler.Start();
    got.sampler.Prepare(0);
    REQUIRE(got.RunUntil([&] { return !got.sampler.Notices().empty(); }));
    CHECK_THAT(got.sampler.Notices().at(0).what,
               Catch::Contains("before PM sampling began, or to come"));
    CHECK(got.sampler.samples_lost() > 0);
    REQUIRE(got.RunUntil([&] { return !got.batches.empty(); }));
    CHECK(pm.opened > 1);
    const int64_t begin_ns = got.batches.front().begin_ns.front();
    CHECK(std::abs(begin_ns - capture::RealtimeNs()) < 1'500'000'000);
  }
}

}  // namespace
}  // namespace prof::cupti::test::triage_sampler_test
