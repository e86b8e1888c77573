// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/torch_watch.h"

#include "test/support/catch.h"

namespace prof::cupti::torch_watch_test {
namespace {

using Act = BufferWatch::Act;

// A program that launches 100 kernels between two checks, 0.2 s apart.
struct Program {
  Act Check(bool on, bool off) {
    seen.now_ns += 200'000'000;
    seen.launches += 100;
    seen.torch_on = on;
    seen.torch_off = off;
    return watch.Check(seen);
  }
  TorchWatch watch;
  BufferWatch::Observation seen;
};

TEST_CASE("Without torch.profiler nothing is concluded, however long no record comes") {
  Program program;
  for (int i = 0; i < 1000; ++i) CHECK(program.Check(false, true) == Act::kNothing);
  CHECK(program.watch.launches_missed() == 0);
}

TEST_CASE("With CUPTI 12 torch.profiler's launches are missed until ten seconds after its end") {
  Program program;
  program.Check(false, true);
  CHECK(program.Check(true, false) == Act::kReportTaken);
  for (int i = 0; i < 9; ++i) CHECK(program.Check(true, true) == Act::kNothing);
  CHECK(program.watch.launches_missed() == 1000);
  for (int i = 0; i < 50; ++i) CHECK(program.Check(false, true) == Act::kNothing);
  CHECK(program.Check(false, true) == Act::kRegisterAgain);
  CHECK_FALSE(program.watch.taken());
  CHECK(program.watch.launches_missed() == 6100);
  CHECK(program.Check(false, true) == Act::kNothing);
  CHECK(program.watch.launches_missed() == 6100);
  CHECK(program.Check(true, false) == Act::kReportTaken);  // its next round
  CHECK(program.watch.launches_missed() == 6200);
}

TEST_CASE("A program that launches nothing is not taken for one whose profiler has ended") {
  Program program;
  program.Check(true, false);
  for (int i = 0; i < 200; ++i) CHECK(program.Check(false, false) == Act::kNothing);
  CHECK(program.watch.taken());
}

}  // namespace
}  // namespace prof::cupti::torch_watch_test
