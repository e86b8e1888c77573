// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/buffer_watch.h"

#include <cstdint>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::buffer_watch_test {
namespace {

using Act = BufferWatch::Act;
using Acts = std::vector<Act>;

constexpr int64_t kLookEveryNs = 200'000'000;

// A program under the watch, in steps of one look each.
class Program {
 public:
  // Looks until something is to be done, at most for `seconds`.
  Act LookFor(double seconds) {
    for (int i = 0; i < static_cast<int>(seconds * 5); ++i) {
      const Act act = LookOnce();
      if (act != Act::kNothing) return act;
    }
    return Act::kNothing;
  }
  Act LookOnce() {
    sight.now_ns += kLookEveryNs;
    if (launches_) sight.launches += 100;
    if (launches_ && buffers_come) ++sight.buffers;
    if (probed_ && (buffers_come || long_kernel)) {
      ++sight.buffers;
      ++sight.answers;
    }
    const Act act = watch.Check(sight);
    probed_ = act == Act::kProbe;
    return act;
  }
  // From the start to the point where the watch knows that probes are answered.
  void RunWell() {
    REQUIRE(LookOnce() == Act::kProbe);  // at once: somebody may take the buffers any time
    REQUIRE(LookFor(10) == Act::kNothing);
  }
  void StopLaunching() { launches_ = false; }
  void Launch() { launches_ = true; }

  BufferWatch watch;
  BufferWatch::Observation sight;
  bool buffers_come = true;
  bool long_kernel = false;  // buffers of launches do not come, those of probes do

 private:
  bool launches_ = true, probed_ = false;
};

TEST_CASE("Records that come are not doubted") {
  Program program;
  program.RunWell();
  CHECK_FALSE(program.watch.taken());
  CHECK(program.watch.launches_missed() == 0);
}

TEST_CASE("Buffers that were taken are noticed within a second, and the launches are counted") {
  Program program;
  program.RunWell();
  const int64_t taken_at_ns = program.sight.now_ns;
  const uint64_t launches = program.sight.launches;
  program.buffers_come = false;
  CHECK(program.LookFor(2) == Act::kProbe);
  CHECK(program.LookFor(2) == Act::kReportTaken);
  CHECK(program.sight.now_ns - taken_at_ns <= 1'000'000'000);
  CHECK(program.watch.taken());
  CHECK(program.LookFor(5) == Act::kNothing);  // said once
  // Those of the look before may be lost or not.
  CHECK(program.watch.launches_missed() >= program.sight.launches - launches);
  CHECK(program.watch.launches_missed() <= program.sight.launches - launches + 100);
}

TEST_CASE("Buffers that were taken before the first launch are noticed") {
  Program program;
  program.buffers_come = false;  // CUPTI never asks us for one
  Act act = Act::kProbe;
  for (int i = 0; i < 5 && act == Act::kProbe; ++i) act = program.LookOnce();
  CHECK(act == Act::kReportTaken);
  CHECK(program.watch.launches_missed() == program.sight.launches);
}

TEST_CASE("Buffers that were taken just before the end are noticed by the last probe") {
  Program program;
  program.RunWell();
  const uint64_t answers = program.sight.answers;
  program.sight.launches += 1000;
  BufferWatch answered = program.watch, lost = program.watch;
  BufferWatch::Observation sight = program.sight;
  CHECK(lost.End(sight, answers));
  CHECK(lost.launches_missed() >= 1000);
  ++sight.answers;
  CHECK_FALSE(answered.End(sight, answers));
  CHECK(answered.launches_missed() == 0);
}

TEST_CASE("Where each launch has its record nothing was taken, whatever is answered") {
  Program program;
  program.RunWell();
  program.sight.launches += 1000;
  program.sight.recorded = program.sight.launches;
  BufferWatch at_end = program.watch;
  CHECK_FALSE(at_end.End(program.sight, program.sight.answers));
  for (int i = 0; i < 20; ++i) {  // nothing is launched, and no buffer comes
    program.sight.now_ns += kLookEveryNs;
    CHECK(program.watch.Check(program.sight) == Act::kNothing);
  }
  --program.sight.recorded;
  CHECK(program.watch.End(program.sight, program.sight.answers));
}

TEST_CASE("A probe that could not be made proves nothing") {
  Program program;
  program.RunWell();
  program.buffers_come = false;
  for (int i = 0; i < 20; ++i) {
    const Act act = program.LookOnce();
    REQUIRE((act == Act::kNothing || act == Act::kProbe));
    if (act == Act::kProbe) program.watch.ForgetProbe();
  }
  CHECK_FALSE(program.watch.taken());
}

TEST_CASE("A recording in which nothing was launched since lost nothing at its end") {
  Program program;
  program.RunWell();
  program.StopLaunching();
  program.sight.buffers += 1;
  REQUIRE(program.LookOnce() == Act::kNothing);
  program.sight.buffers += 1;
  REQUIRE(program.LookOnce() == Act::kNothing);
  CHECK_FALSE(program.watch.End(program.sight, program.sight.answers));
}

TEST_CASE("A kernel that runs for a minute takes nobody's buffers") {
  Program program;
  program.RunWell();
  program.buffers_come = false;
  program.long_kernel = true;
  for (int i = 0; i < 300; ++i) {
    const Act act = program.LookOnce();
    CHECK((act == Act::kNothing || act == Act::kProbe));
  }
  CHECK_FALSE(program.watch.taken());
}

TEST_CASE("A program that launches nothing is not asked about") {
  Program program;
  program.RunWell();
  program.StopLaunching();
  program.buffers_come = false;
  CHECK(program.LookFor(60) == Act::kNothing);
  // Its first launch after an hour has the same time as any other to come back.
  program.Launch();
  program.buffers_come = true;
  CHECK(program.LookFor(10) == Act::kNothing);
}

TEST_CASE("Where probes are never answered nothing is concluded, and they end") {
  Program program;
  int probes = 0;
  for (int i = 0; i < 300; ++i) {
    ++program.sight.launches;
    if (i % 2 == 0) ++program.sight.buffers;  // other records come; no answer does
    program.sight.now_ns += kLookEveryNs;
    if (program.watch.Check(program.sight) == Act::kProbe) ++probes;
  }
  CHECK(probes > 0);
  CHECK(probes <= 6);
  for (int i = 0; i < 300; ++i) {
    ++program.sight.launches;
    program.sight.now_ns += kLookEveryNs;
    CHECK(program.watch.Check(program.sight) == Act::kNothing);
  }
  CHECK_FALSE(program.watch.taken());
  CHECK_FALSE(program.watch.End(program.sight, 0));
}

TEST_CASE("When torch.profiler has ended the records are taken up again, and the hole is counted") {
  Program program;
  program.RunWell();
  const uint64_t before = program.sight.launches;
  program.buffers_come = false;
  program.sight.torch_on = true;
  REQUIRE(program.LookFor(2) == Act::kProbe);
  REQUIRE(program.LookFor(2) == Act::kReportTaken);
  CHECK(program.LookFor(30) == Act::kNothing);  // as long as it is at work
  program.sight.torch_on = false;
  program.sight.torch_off = true;
  const int64_t ended_ns = program.sight.now_ns;
  REQUIRE(program.LookFor(15) == Act::kRegisterAgain);
  CHECK(program.sight.now_ns - ended_ns <= 11'000'000'000);
  const uint64_t missed = program.watch.launches_missed();
  CHECK(missed >= program.sight.launches - before);
  CHECK(missed <= program.sight.launches - before + 100);
  program.buffers_come = true;
  CHECK(program.LookFor(1) == Act::kReportBack);
  CHECK_FALSE(program.watch.taken());
  CHECK(program.watch.launches_missed() == missed);
  CHECK(program.LookFor(10) == Act::kNothing);
  CHECK(program.watch.launches_missed() == missed);
}

TEST_CASE("A profiler that may be warming up keeps the buffers for ten seconds") {
  Program program;
  program.RunWell();
  program.buffers_come = false;
  program.sight.torch_off = true;  // its warm-up does not say that it is at work
  REQUIRE(program.LookFor(2) == Act::kProbe);
  REQUIRE(program.LookFor(2) == Act::kReportTaken);
  CHECK(program.LookFor(9) == Act::kNothing);
  program.sight.torch_off = false;
  program.sight.torch_on = true;
  CHECK(program.LookFor(9) == Act::kNothing);
  // The warm-up of its next round.
  program.sight.torch_on = false;
  program.sight.torch_off = true;
  CHECK(program.LookFor(9) == Act::kNothing);
}

TEST_CASE("Buffers that come back by themselves end the hole") {
  Program program;
  program.RunWell();
  program.buffers_come = false;
  REQUIRE(program.LookFor(2) == Act::kProbe);
  REQUIRE(program.LookFor(2) == Act::kReportTaken);
  REQUIRE(program.LookFor(2) == Act::kNothing);
  const uint64_t missed = program.watch.launches_missed();
  program.buffers_come = true;
  CHECK(program.LookOnce() == Act::kReportBack);
  CHECK(program.watch.launches_missed() == missed);
  program.buffers_come = false;  // a long kernel: it has the same time as any other
  CHECK(program.LookOnce() == Act::kNothing);
}

TEST_CASE("Buffers of a tool that nobody can ask are left to it") {
  Program program;
  program.RunWell();
  program.buffers_come = false;
  REQUIRE(program.LookFor(2) == Act::kProbe);
  REQUIRE(program.LookFor(2) == Act::kReportTaken);
  CHECK(program.LookFor(600) == Act::kNothing);
}

}  // namespace
}  // namespace prof::cupti::buffer_watch_test
