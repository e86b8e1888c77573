// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/pm_sampler.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#include "test/cupti_backend/pm/fake_pm.h"
#include "test/support/catch.h"

namespace prof::cupti::test::pm_sampler_test {
namespace {

SessionOptions Options() {
  SessionOptions options;
  options.continuous = true;
  options.continuous_interval_us = 1000;
  options.continuous_core_percent = 100;  // the fake costs less: all units, without an end
  return options;
}

// A collector that takes what comes.
struct Collected {
  explicit Collected(FakePm* pm, const SessionOptions& options = Options())
      : sampler(&pm->api, &pm->driver, &hosts, options) {}

  void Take() {
    PmEvents events = sampler.TakeEvents();
    for (auto& s : events.series) series.push_back(std::move(s));
    for (const auto& batch : events.batches) {
      REQUIRE(batch.begin_ns.size() == batch.end_ns.size());
      for (size_t i = 0; i < batch.begin_ns.size(); ++i) {
        begin_ns.push_back(batch.begin_ns[i]);
        end_ns.push_back(batch.end_ns[i]);
      }
      values += batch.values.size();
    }
  }
  bool TakeUntil(const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      Take();
    }
    return done();
  }
  size_t holes() const {
    size_t count = 0;
    for (size_t i = 1; i < begin_ns.size(); ++i) count += begin_ns[i] != end_ns[i - 1] ? 1 : 0;
    return count;
  }

  PmHosts hosts;
  PmSampler sampler;
  std::vector<capture::PmSeriesEvent> series;
  std::vector<int64_t> begin_ns, end_ns;
  size_t values = 0;
};

TEST_CASE("Every sample comes once, in order, whether CUPTI appends to the image or begins again") {
  for (const bool appends : {true, false}) {
    FakePm pm;
    pm.appends = appends;
    Collected got(&pm);
    got.sampler.Start(0);
    REQUIRE(got.TakeUntil([&] { return got.begin_ns.size() > 400; }));
    got.sampler.Stop();
    got.Take();
    CHECK(got.holes() == 0);
    CHECK(got.values == 4 * got.begin_ns.size());
    CHECK(got.sampler.samples_lost() == 0);
    CHECK(got.sampler.restarts() == 0);
    CHECK(got.sampler.status().state == State::kWorking);
    REQUIRE(got.series.size() == 1);
    CHECK(got.series[0].interval_ns == 1'000'000);
    REQUIRE(got.series[0].metrics.size() == 4);
    CHECK(got.series[0].metrics[0].name == "dram__throughput.avg.pct_of_peak_sustained_elapsed");
    CHECK(pm.opened == pm.closed);
  }
}

TEST_CASE(
    "A hardware buffer that overflowed is opened again with twice the interval, and counted") {
  FakePm pm;
  Collected got(&pm);
  got.sampler.Start(0);
  REQUIRE(got.TakeUntil([&] { return got.begin_ns.size() > 50; }));
  pm.overflows = true;
  REQUIRE(got.TakeUntil([&] { return got.series.size() == 2; }));
  const size_t before = got.begin_ns.size();
  REQUIRE(got.TakeUntil([&] { return got.begin_ns.size() > before + 20; }));
  got.sampler.Stop();
  CHECK(got.series[1].interval_ns == 2'000'000);
  CHECK(got.sampler.restarts() == 1);
  CHECK(got.sampler.samples_lost() > 0);
}

TEST_CASE("Nothing that PM sampling does spoils the stream capture of another thread") {
  FakePm pm;
  Collected got(&pm);
  got.sampler.Start(0);
  REQUIRE(got.TakeUntil([&] { return got.begin_ns.size() > 50; }));
  pm.overflows = true;
  REQUIRE(got.TakeUntil([&] { return got.series.size() == 2; }));
  got.sampler.Stop();
  CHECK(pm.closed == 2);
  CHECK(pm.captures.calls() > 8);
  CHECK(pm.captures.spoiling() == 0);
}

TEST_CASE("Counters that another program holds are waited for") {
  FakePm pm;
  pm.busy = 1;
  Collected got(&pm);
  got.sampler.Start(0);
  REQUIRE(got.TakeUntil([&] { return got.sampler.status().state == State::kUnavailable; }));
  CHECK(got.sampler.status().code == CUPTI_ERROR_HARDWARE_BUSY);
  REQUIRE(got.TakeUntil([&] { return got.begin_ns.size() > 10; }));
  CHECK(got.sampler.status().state == State::kWorking);
  CHECK(pm.opened == 2);
}

TEST_CASE("A chip without such metrics is said once, and nothing is tried again") {
  FakePm pm;
  pm.metrics = {"other"};
  Collected got(&pm);
  got.sampler.Start(0);
  REQUIRE(got.TakeUntil([&] { return got.sampler.status().state == State::kUnavailable; }));
  CHECK(got.sampler.status().what.find("FK100") != std::string::npos);
  got.sampler.Stop();
  CHECK(pm.opened == 0);
  CHECK(got.series.empty());
}

TEST_CASE("A chip that lacks a unit is sampled for the others") {
  FakePm pm;
  pm.metrics = {"dram__throughput", "lts__t_sectors"};
  Collected got(&pm);
  got.sampler.Start(0);
  REQUIRE(got.TakeUntil([&] { return got.begin_ns.size() > 10; }));
  CHECK(got.sampler.status().state == State::kDegraded);
  CHECK(got.sampler.status().what.find("SM issue (sm__inst_issued.") != std::string::npos);
}

TEST_CASE("When samples cannot be read any more the sampler lets go and says so") {
  FakePm pm;
  Collected got(&pm);
  got.sampler.Start(0);
  REQUIRE(got.TakeUntil([&] { return got.begin_ns.size() > 10; }));
  pm.breaks = true;
  REQUIRE(got.TakeUntil([&] { return got.sampler.status().state == State::kUnavailable; }));
  CHECK(pm.opened == pm.closed);
}

TEST_CASE("What costs more than its share of a core is done more seldom") {
  FakePm pm;
  SessionOptions options = Options();
  options.continuous_core_percent = 1e-4;  // nothing is as cheap
  Collected got(&pm, options);
  got.sampler.Start(0);
  REQUIRE(got.TakeUntil([&] { return got.series.size() == 2; }));
  got.sampler.Stop();
  CHECK(got.series[0].metrics.size() == 4);
  CHECK(got.series[1].metrics.size() == 1);  // DRAM
  CHECK(got.series[1].interval_ns > got.series[0].interval_ns);
  CHECK(got.sampler.samples_lost() == 0);  // a change of plan is no loss
}

TEST_CASE("An interval that is still too short is longer half a second later") {
  FakePm pm;
  pm.decode_ns = 50'000;  // DRAM alone costs as much as all units, which is not expected
  SessionOptions options = Options();
  options.continuous_core_percent = 1;
  Collected got(&pm, options);
  got.sampler.Start(0);
  REQUIRE(got.TakeUntil([&] { return got.series.size() == 3; }));
  got.sampler.Stop();
  for (size_t i : {1, 2}) {
    CHECK(got.series[i].metrics.size() == 1);
    CHECK(got.series[i].interval_ns > got.series[i - 1].interval_ns);
  }
  CHECK(got.sampler.samples_lost() == 0);
}

}  // namespace
}  // namespace prof::cupti::test::pm_sampler_test
