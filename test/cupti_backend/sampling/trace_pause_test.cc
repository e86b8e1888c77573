// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/trace_pause.h"

#include <string>
#include <thread>

#include "test/support/catch.h"

namespace prof::cupti::test::trace_pause_test {
namespace {

std::string done;
CUptiResult disable_result = CUPTI_SUCCESS;

CuptiApi Api() {
  done.clear();
  disable_result = CUPTI_SUCCESS;
  CuptiApi api;
  api.activity_disable = [](CUpti_ActivityKind kind) {
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) done += "off ";
    return disable_result;
  };
  api.activity_enable = [](CUpti_ActivityKind kind) {
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) done += "on ";
    return CUPTI_SUCCESS;
  };
  return api;
}

// A pause with what it needs.
struct Pausing {
  LaunchGate gate;
  TracePause pause;
  explicit Pausing(const CuptiApi* api) : pause(api, &gate) {}
  bool OnEnter() {
    gate.Enter(nullptr);
    return pause.paused();
  }
  void OnExit() { gate.Exit(); }
  bool Begin() { return pause.Begin(); }
  CUptiResult End() { return pause.End(); }
};

template <typename Function>
void OnAnotherThread(Function function) {
  std::thread(function).join();
}

TEST_CASE("Tracing is paused for a launch that is the only one under way") {
  const CuptiApi api = Api();
  Pausing pause(&api);
  CHECK_FALSE(pause.OnEnter());
  CHECK(pause.Begin());
  CHECK(pause.End() == CUPTI_SUCCESS);
  pause.OnExit();
  CHECK(done == "off on ");
}

TEST_CASE("It is not while another launch is under way, whose record would be lost") {
  const CuptiApi api = Api();
  Pausing pause(&api);
  OnAnotherThread([&] { pause.OnEnter(); });  // its exit is yet to come
  pause.OnEnter();
  CHECK_FALSE(pause.Begin());
  pause.OnExit();
  CHECK(done.empty());
}

TEST_CASE("A launch that comes in the middle of a pause is reported, one after it is not") {
  const CuptiApi api = Api();
  Pausing pause(&api);
  pause.OnEnter();
  REQUIRE(pause.Begin());
  bool during = false, after = true;
  OnAnotherThread([&] {
    during = pause.OnEnter();
    pause.OnExit();
  });
  pause.End();
  pause.OnExit();
  OnAnotherThread([&] {
    after = pause.OnEnter();
    pause.OnExit();
  });
  CHECK(during);
  CHECK_FALSE(after);
}

TEST_CASE("When CUPTI does not want to pause, nothing is paused") {
  const CuptiApi api = Api();
  disable_result = CUPTI_ERROR_UNKNOWN;
  Pausing pause(&api);
  pause.OnEnter();
  CHECK_FALSE(pause.Begin());
  bool told = true;
  OnAnotherThread([&] {
    told = pause.OnEnter();
    pause.OnExit();
  });
  CHECK_FALSE(told);
}

TEST_CASE("A launch whose exit never came does not count in the next recording") {
  const CuptiApi api = Api();
  {
    Pausing before(&api);
    before.OnEnter();  // callbacks are switched off now
  }
  Pausing pause(&api);
  pause.OnExit();  // the exit that comes when they are on again
  pause.OnEnter();
  CHECK(pause.Begin());
  pause.End();
}

TEST_CASE("Only what needs no time of the kernel's own is read from launches without a record") {
  const auto of = [](const std::string& metric) {
    return TracingFor({"gpu__time_duration.sum", metric});
  };
  CHECK(of("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed") == Tracing::kTraced);
  CHECK(of("dram__bytes.sum.per_second") == Tracing::kTraced);
  CHECK(of("dram__bytes_read.sum") == Tracing::kTraced);
  CHECK(of("smsp__inst_executed.sum") == Tracing::kUntraced);
  CHECK(of("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio") == Tracing::kUntraced);
  CHECK(TracingFor({"smsp__sass_inst_executed_op_shared_ld.sum"}) == Tracing::kNeverTraced);
}

}  // namespace
}  // namespace prof::cupti::test::trace_pause_test
