// SPDX-License-Identifier: Apache-2.0
//
// Findings about idle time, on runs whose trouble is known.
#include <algorithm>
#include <string>

#include "test/analyzer/rules/finding_run.h"
#include "test/support/catch.h"

namespace prof::test::idle_finding_test {
namespace {

TEST_CASE("Small kernels with launch gaps are launch-bound, and a graph would close the gaps") {
  Run run = LaunchBoundRun();
  const auto findings = run.Find();
  const Finding* bound = Get(findings, "launch-bound");
  REQUIRE(bound != nullptr);
  CHECK(bound->gain_at_most_ns == Approx(999 * 3 * kUs));
  CHECK(bound->confidence == Confidence::kHigh);
  CHECK(Says(*bound, "100.0 % of 1,000 kernels run shorter than their launch call"));
  CHECK(Says(*bound, "cudaLaunchKernel"));
  const Finding* graph = Get(findings, "cuda-graph");
  REQUIRE(graph != nullptr);
  CHECK(graph->gain_at_most_ns == Approx(999 * 3 * kUs));  // a graph closes all of them at most
  CHECK(Get(findings, "small-kernels") != nullptr);
  CHECK(Get(findings, "sync-bound") == nullptr);
}

// 800 launches while counters are sampled, 200 after it.
Run SampledRun(int64_t call_ns) {
  Run run;
  const int64_t begin_ns = run.end_ns();
  for (int i = 0; i < 800; ++i) run.Add(OpKind::kKernel, 3 * kUs, GapCause::kLaunch, kUs, call_ns);
  run.model().profiler_intervals = {{model::ProfilerWork::kSetup, 2, begin_ns, begin_ns},
                                    {model::ProfilerWork::kSample, 1, run.end_ns(), run.end_ns()}};
  for (int i = 0; i < 200; ++i) run.Kernel(3 * kUs, GapCause::kLaunch, kUs);
  return run;
}

TEST_CASE("Launches that sampling slows down make a finding of low confidence, with the reason") {
  const auto findings = SampledRun(6 * kUs).Find();
  const Finding* bound = Get(findings, "launch-bound");
  REQUIRE(bound != nullptr);
  CHECK(bound->confidence == Confidence::kLow);
  CHECK(Says(*bound,
             "2.40 ms of the launch gaps while counters were sampled, when a launch took the host "
             "6.00 us instead of 4.00 us"));
}

TEST_CASE("Launches that sampling slows down a little are still the finding, with both times") {
  const auto findings = SampledRun(4'500).Find();  // 0.5 us of the 3 us that each gap has
  const Finding* bound = Get(findings, "launch-bound");
  REQUIRE(bound != nullptr);
  CHECK(bound->confidence == Confidence::kHigh);
  CHECK(Says(*bound, "4.50 us instead of 4.00 us"));
}

TEST_CASE("Launches that are as fast without sampling make a finding of high confidence") {
  const auto findings = SampledRun(4 * kUs).Find();
  const Finding* bound = Get(findings, "launch-bound");
  REQUIRE(bound != nullptr);
  CHECK(bound->confidence == Confidence::kHigh);
  CHECK_FALSE(Says(*bound, "sampled"));
}

TEST_CASE("A run that was sampled to its end does not show how fast its launches are") {
  Run run = SampledRun(4 * kUs);
  run.model().profiler_intervals.back().end_ns = run.end_ns();
  const auto findings = run.Find();
  const Finding* bound = Get(findings, "launch-bound");
  REQUIRE(bound != nullptr);
  CHECK(bound->confidence == Confidence::kLow);
  CHECK(Says(*bound, "when a launch costs the host more: a recording with --counters none"));
}

TEST_CASE(
    "What prof prepares holds up no launch, so a recording without counters is sure of them") {
  Run run = LaunchBoundRun();
  run.model().profiler_intervals = {
      {model::ProfilerWork::kSetup, 1, 0, 10 * kUs},
      {model::ProfilerWork::kSetup, 1, run.end_ns() - 10 * kUs, run.end_ns()}};
  const auto findings = run.Find();
  const Finding* bound = Get(findings, "launch-bound");
  REQUIRE(bound != nullptr);
  CHECK(bound->confidence == Confidence::kHigh);
  CHECK_FALSE(Says(*bound, "sampled"));
}

TEST_CASE("The same small kernels inside a CUDA graph idle by dependency, not by launches") {
  Run run;
  for (int i = 0; i < 1000; ++i) {
    model::Op& op = run.Kernel(kUs, GapCause::kDependency, 2 * kUs);
    op.graph = 7;
    op.correlation = 1;
  }
  const auto findings = run.Find();
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].id == "dependency-idle");
  CHECK(findings[0].gain_at_most_ns == Approx(999 * kUs));
  CHECK(findings[0].kind == GainKind::kIdleTime);
  CHECK(Says(findings[0], "between nodes of a CUDA graph: 999 gaps"));
  CHECK(findings[1].id == "small-kernels");  // a remedy comes behind its cause
  CHECK(findings[1].gain_at_most_ns > findings[0].gain_at_most_ns);
}

TEST_CASE("Idle time in a graph just below the threshold is no finding") {
  Run run;
  for (int i = 0; i < 1000; ++i) run.Kernel(kUs, GapCause::kDependency, 20 * kUs).graph = 7;
  CHECK(run.Find().empty());
}

TEST_CASE("The share of the place with most of a time is printed, however small it is") {
  Run run;
  for (int i = 0; i < 12; ++i) {
    run.Kernel(500 * kUs, GapCause::kHostWork, 1000 * kUs);
    if (i == 1) run.ChangeLastGap([](Gap* gap) { gap->path = 2; });
  }
  const auto findings = run.Find();
  REQUIRE(findings.size() == 1);
  CHECK(Says(findings[0], "5.00 ms of 5.50 ms (90.9 %) in no range"));
}

TEST_CASE(
    "Host work in many short gaps is answered by fewer launches, in a few long ones it is not") {
  for (const int longs : {0, 5, 20}) {
    Run run;
    run.Kernel(0, GapCause::kHostWork, 10 * kUs);
    for (int i = 0; i < 200; ++i) run.Kernel(50 * kUs, GapCause::kHostWork, 10 * kUs);
    for (int i = 0; i < longs; ++i) run.Kernel(1000 * kUs, GapCause::kHostWork, 10 * kUs);
    const auto findings = run.Find();
    const Finding* const host = Get(findings, "host-work");
    REQUIRE(host != nullptr);
    const bool is_dispatch = longs <= 5;  // 10 ms in short gaps
    CHECK((host->action.find("Launch less often") == 0) == is_dispatch);
    CHECK((host->action.find("Do that work on another thread") == 0) == !is_dispatch);
    CHECK(Says(*host, "200 gaps shorter than 500 us") == is_dispatch);
    CHECK(host->gain_at_most_ns == Approx((200 * 50 + longs * 1000) * kUs));
  }
}

TEST_CASE("Where few gaps make half of the host's time they are named with their beginnings") {
  Run run;
  run.Kernel(0, GapCause::kHostWork, 10 * kUs);
  run.Kernel(9'000 * kUs, GapCause::kHostWork, 10 * kUs);
  for (int i = 0; i < 20; ++i) run.Kernel(500 * kUs, GapCause::kHostWork, 10 * kUs);
  run.Kernel(4'000 * kUs, GapCause::kHostWork, 10 * kUs);
  auto findings = run.Find();
  const Finding* host = Get(findings, "host-work");
  REQUIRE(host != nullptr);
  CHECK(host->title.find("half of it or more in 2 gaps.") != std::string::npos);
  CHECK(host->action.find("Find out what the host does there") == 0);
  CHECK(Says(*host, "2 gaps take 13.0 ms (56.5 % of it): 9.00 ms at "));
  CHECK(host->gain_at_most_ns == Approx((9'000 + 20 * 500 + 4'000) * kUs));
  // With more of the others these two are not half of it.
  for (int i = 0; i < 20; ++i) run.Kernel(500 * kUs, GapCause::kHostWork, 10 * kUs);
  findings = run.Find();
  CHECK(Get(findings, "host-work")->action.find("Do that work on another thread") == 0);
}

TEST_CASE("A long start does not hide what a loop costs between launches") {
  Run run;
  run.Kernel(0, GapCause::kHostWork, 10 * kUs);
  run.Kernel(9'000 * kUs, GapCause::kHostWork, 10 * kUs);
  for (int i = 0; i < 40; ++i) run.Kernel(100 * kUs, GapCause::kHostWork, 10 * kUs);
  const auto findings = run.Find();
  const Finding* host = Get(findings, "host-work");
  REQUIRE(host != nullptr);
  CHECK(host->title.find("while the host works from launch to launch") != std::string::npos);
  CHECK(host->action.find("Launch less often") == 0);
  CHECK(host->gain_at_most_ns == Approx(40 * 100 * kUs));
  CHECK(Says(*host, "1 gap takes 9.00 ms (69.2 % of it): 9.00 ms at "));
  CHECK(Says(*host, "40 gaps shorter than 500 us make 100.0 % of it"));
}

TEST_CASE("One long gap that is nearly all of few is a start") {
  for (const int64_t length_ns : {105'000 * kUs, 20'000 * kUs}) {
    Run run;
    run.Kernel(0, GapCause::kHostWork, 10 * kUs);
    run.Kernel(length_ns, GapCause::kHostWork, 10 * kUs);
    for (int i = 0; i < 2; ++i) run.Kernel(900 * kUs, GapCause::kHostWork, 10 * kUs);
    const auto findings = run.Find();
    const Finding* host = Get(findings, "host-work");
    REQUIRE(host != nullptr);
    const bool is_start = host->action.find("Find out what the host does there") == 0;
    CHECK(is_start == (length_ns > 50'000 * kUs));
  }
}

TEST_CASE("A start of many long gaps is a finding of its own, and no part of the loop's") {
  struct Case {
    int64_t long_ns;
    int loop;  // launches behind it
    bool is_start;
  };
  // The second is no longer than any start, the third most of the run.
  for (const Case& one : {Case{5'000 * kUs, 2000, true}, Case{600 * kUs, 2000, false},
                          Case{5'000 * kUs, 100, false}}) {
    INFO(one.long_ns << ' ' << one.loop);
    Run run;
    run.Kernel(0, GapCause::kHostWork, 10 * kUs);
    for (int i = 0; i < 60; ++i) run.Kernel(one.long_ns, GapCause::kHostWork, 10 * kUs);
    for (int i = 0; i < one.loop; ++i) run.Kernel(50 * kUs, GapCause::kHostWork, 50 * kUs);
    const auto findings = run.Find();
    const Finding* const host = Get(findings, "host-work");
    const Finding* const start = Get(findings, "start");
    REQUIRE(host != nullptr);
    REQUIRE((start != nullptr) == one.is_start);
    if (!one.is_start) continue;
    CHECK(start->gain_at_most_ns == Approx(60 * one.long_ns));
    CHECK(Says(*start, "60 gaps, 300 ms in all"));
    CHECK(host->gain_at_most_ns == Approx(2000 * 50 * kUs));
    CHECK(host->action.find("Launch less often") == 0);
  }
}

TEST_CASE("What prof disturbed makes a start no longer") {
  Run run;
  run.Kernel(0, GapCause::kHostWork, 10 * kUs);
  run.Kernel(2'000'000 * kUs, GapCause::kProfiler, 10 * kUs);
  run.ChangeLastGap([](Gap* gap) { gap->disturbed_ns = gap->end_ns - gap->start_ns; });
  for (int i = 0; i < 60; ++i) run.Kernel(5'000 * kUs, GapCause::kHostWork, 10 * kUs);
  for (int i = 0; i < 5'000; ++i) run.Kernel(50 * kUs, GapCause::kHostWork, 500 * kUs);
  const auto findings = run.Find();
  REQUIRE(Get(findings, "start") != nullptr);
  CHECK(Get(findings, "start")->gain_at_most_ns == Approx(60 * 5'000 * kUs));
}

TEST_CASE("A wait that makes its thread late in all gaps behind it costs no more than it took") {
  Run run;
  run.Kernel(0, GapCause::kHostWork, 20 * kUs);
  const auto call = static_cast<int32_t>(run.model().api_calls.size());
  run.AddCall(ApiClass::kSync, 2, run.end_ns() - 33 * kUs, 33 * kUs);
  run.Kernel(10 * kUs, GapCause::kSync, 20 * kUs);
  run.ChangeLastGap([call](Gap* gap) {
    gap->api = gap->wait = call;
    gap->without_waits_ns = gap->after_wait_ns = 10 * kUs;
  });
  for (int i = 0; i < 100; ++i) {
    run.Kernel(90 * kUs, GapCause::kHostWork, 20 * kUs);
    run.ChangeLastGap([&](Gap* gap) {
      gap->wait = call;
      gap->after_wait_ns = 33 * kUs;
      gap->without_waits_ns = i == 0 ? 23 * kUs : 0;
    });
  }
  CHECK(Get(run.Find(), "sync-bound") == nullptr);
}

TEST_CASE("A program whose kernels are in graphs is not told to use them") {
  for (const uint32_t graph : {0, 3}) {
    Run run;
    for (int i = 0; i < 100; ++i) {
      run.Kernel(60 * kUs, GapCause::kHostWork, 10 * kUs).graph = graph;
      run.Kernel(0, GapCause::kDependency, 10 * kUs).graph = graph;
    }
    const auto findings = run.Find();
    const Finding* const host = Get(findings, "host-work");
    REQUIRE(host != nullptr);
    CHECK(host->action.find("Launch less often") == 0);
    CHECK((host->action.find("torch.compile") == std::string::npos) == (graph != 0));
  }
}

TEST_CASE("Host work before code that is loaded in each step asks for the same shapes") {
  for (const bool goes_on : {true, false}) {
    Run run;
    run.Kernel(0, GapCause::kHostWork, 10 * kUs);
    for (int i = 0; i < 20; ++i) {
      run.Kernel(900 * kUs, GapCause::kHostWork, 10 * kUs);
      if (goes_on || i < 10) run.ChangeLastGap([](Gap* gap) { gap->beside_ns = 300 * kUs; });
      // What is loaded at the end, such as for a last shape, goes on no more than the start does.
      if (!goes_on && i == 19) run.ChangeLastGap([](Gap* gap) { gap->beside_ns = 300 * kUs; });
    }
    const auto findings = run.Find();
    const Finding* const host = Get(findings, "host-work");
    const Finding* const loading = Get(findings, "code-loading");
    REQUIRE(host != nullptr);
    REQUIRE(loading != nullptr);
    const int loads = goes_on ? 20 : 11;
    CHECK(host->gain_at_most_ns == Approx((20 * 900 - loads * 300) * kUs));
    CHECK(loading->gain_at_most_ns == Approx(loads * 300 * kUs));
    CHECK((host->action.find("Keep the shapes the same") != std::string::npos) == goes_on);
    CHECK((loading->action.find("Keep the shapes the same") != std::string::npos) == goes_on);
  }
}

TEST_CASE("Gaps that are as long as the others are not the few that make half of it") {
  for (const int gaps : {1, 2, 4, 6}) {
    Run run;
    run.Kernel(0, GapCause::kHostWork, 10 * kUs);
    for (int i = 0; i < gaps; ++i) run.Kernel(500 * kUs, GapCause::kHostWork, 10 * kUs);
    const auto findings = run.Find();
    const Finding* const host = Get(findings, "host-work");
    REQUIRE(host != nullptr);
    CHECK(host->action.find("Do that work on another thread") == 0);
  }
}

TEST_CASE("The range with half or more of the idle time is the place of the finding") {
  for (const auto& [in_prep, in_step] : {std::pair(6, 4), std::pair(4, 4)}) {
    Run run;
    run.Kernel(0, GapCause::kHostWork, 1000 * kUs);
    for (int i = 0; i < 10; ++i) {
      run.Kernel(500 * kUs, GapCause::kHostWork, 1000 * kUs);
      const uint32_t path = i < in_prep ? 2 : i < in_prep + in_step ? 1 : 0;
      run.ChangeLastGap([&](Gap* gap) { gap->path = path; });
    }
    const auto findings = run.Find();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].place == (in_prep == 6 ? "prep" : ""));
    CHECK(findings[0].place_share == Approx(in_prep == 6 ? 0.6 : 0));
  }
}

TEST_CASE("A first launch that lasts is not the pace of launches, and a graph does not close it") {
  Run run;
  run.Kernel(13'000 * kUs, GapCause::kLaunch, 100 * kUs);
  for (int i = 0; i < 2'000; ++i) run.Kernel(2 * kUs, GapCause::kLaunch, 100 * kUs);
  auto findings = run.Find();  // 13 ms of 217 ms, and 4 ms at the pace of launches
  CHECK(Get(findings, "launch-bound") == nullptr);
  CHECK(Get(findings, "cuda-graph") == nullptr);
  run.Kernel(30'000 * kUs, GapCause::kLaunch, 100 * kUs);
  findings = run.Find();
  const Finding* stalls = Get(findings, "launch-bound");
  REQUIRE(stalls != nullptr);
  CHECK(stalls->title.find("half of it or more in 1 gap.") != std::string::npos);
  CHECK(stalls->action.find("Find out what the host does there") == 0);
  CHECK(Get(findings, "cuda-graph") == nullptr);
  for (int i = 0; i < 2'000; ++i) run.Kernel(8 * kUs, GapCause::kLaunch, 20 * kUs);
  findings = run.Find();
  const Finding* pace = Get(findings, "launch-bound");
  REQUIRE(pace != nullptr);
  CHECK(pace->gain_at_most_ns == Approx((2'000 * 2 + 2'000 * 8) * kUs));
  CHECK(Says(*pace, "does not count here"));
  const Finding* graph = Get(findings, "cuda-graph");
  REQUIRE(graph != nullptr);
  CHECK(graph->gain_at_most_ns == Approx(pace->gain_at_most_ns));
}

TEST_CASE("A launch call of 50 ms is a finding, however long the run is") {
  Run run;
  for (int i = 0; i < 10'000; ++i) run.Kernel(2 * kUs, GapCause::kLaunch, 100 * kUs);
  run.Kernel(60'000 * kUs, GapCause::kLaunch, 100 * kUs);
  const auto findings = run.Find();
  const Finding* stall = Get(findings, "launch-bound");
  REQUIRE(stall != nullptr);
  CHECK(stall->title.find("half of it or more in 1 gap.") != std::string::npos);
}

TEST_CASE("Small kernels without gaps between them are no finding") {
  Run run;
  for (int i = 0; i < 1000; ++i) run.Kernel(0, GapCause::kLaunch, 5 * kUs);
  CHECK(run.Find().empty());
}

TEST_CASE("A launch sequence that repeats in a range is named with the range and its blockers") {
  Run run;
  for (int step = 0; step < 10; ++step) {
    const int64_t start_ns = run.end_ns();
    for (uint32_t shape = 1; shape <= 4; ++shape) {
      run.Kernel(20 * kUs, GapCause::kLaunch, 30 * kUs).shape = shape;
    }
    run.AddRange(1, start_ns, run.end_ns());
  }
  auto findings = run.Find();
  const Finding* graph = Get(findings, "cuda-graph");
  REQUIRE(graph != nullptr);
  CHECK(graph->title.find("4 launches repeat 10 times in range step") != std::string::npos);
  CHECK(graph->gain_at_most_ns == Approx(39 * 20 * kUs));
  CHECK(graph->confidence == Confidence::kMedium);

  run.AddCall(ApiClass::kSync, 2, run.end_ns() - 5 * kUs, kUs);
  findings = run.Find();
  graph = Get(findings, "cuda-graph");
  REQUIRE(graph != nullptr);
  CHECK(graph->confidence == Confidence::kLow);
  CHECK(Says(*graph, "1 call in it that cannot be captured"));
}

TEST_CASE("A graph is not credited with the idle time in which its code is loaded") {
  Run run;
  for (int i = 0; i < 100; ++i) {
    run.Kernel(3 * kUs, i < 5 ? GapCause::kLoading : GapCause::kLaunch, 2 * kUs);
  }
  const auto findings = run.Find();
  const Finding* graph = Get(findings, "cuda-graph");
  REQUIRE(graph != nullptr);
  CHECK(graph->gain_at_most_ns == Approx(95 * 3 * kUs));
}

TEST_CASE("A graph is not credited with what the start costs before its loop") {
  Run run;
  run.Kernel(0, GapCause::kHostWork, 2 * kUs);
  for (int i = 0; i < 20; ++i) run.Kernel(5'000 * kUs, GapCause::kHostWork, 2 * kUs);
  for (int i = 0; i < 10'000; ++i) run.Kernel(3 * kUs, GapCause::kLaunch, 2 * kUs);
  const auto findings = run.Find();
  CHECK(Get(findings, "start")->gain_at_most_ns == Approx(20 * 5'000 * kUs));
  const Finding* graph = Get(findings, "cuda-graph");
  REQUIRE(graph != nullptr);
  CHECK(graph->gain_at_most_ns == Approx(10'000 * 3 * kUs));
}

TEST_CASE("Launches that never repeat are no graph opportunity") {
  Run run;
  uint32_t state = 1;
  for (int i = 0; i < 300; ++i) {
    state = state * 1664525U + 1013904223U;
    run.Kernel(20 * kUs, GapCause::kLaunch, 30 * kUs).shape = 1 + (state >> 16) % 8;
  }
  const auto findings = run.Find();
  CHECK(Get(findings, "launch-bound") != nullptr);
  CHECK(Get(findings, "cuda-graph") == nullptr);
}

TEST_CASE("A wait after every kernel is sync-bound, with the call that waits") {
  Run run;
  for (int i = 0; i < 100; ++i) {
    run.Kernel(15 * kUs, GapCause::kSync, 50 * kUs);
    if (i == 0) continue;
    const auto call = static_cast<int32_t>(run.model().api_calls.size());
    run.ChangeLastGap([call](Gap* gap) { gap->api = call; });
    run.AddCall(ApiClass::kSync, 2, run.end_ns() - 60 * kUs, 50 * kUs);
  }
  const auto findings = run.Find();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "sync-bound");
  CHECK(findings[0].gain_at_most_ns == Approx(99 * 15 * kUs));
  CHECK(Says(findings[0], "cudaStreamSynchronize"));
}

TEST_CASE("Host work between kernels is named by its range") {
  Run run;
  for (int i = 0; i < 10; ++i) {
    run.Kernel(500 * kUs, GapCause::kHostWork, 1000 * kUs);
    if (i > 0) run.ChangeLastGap([](Gap* gap) { gap->path = 2; });
  }
  const auto findings = run.Find();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "host-work");
  CHECK(Says(findings[0], "range prep"));
}

TEST_CASE("Code that is loaded while the GPU waits is a finding of its own") {
  Run run;
  for (int i = 0; i < 10; ++i) run.Kernel(500 * kUs, GapCause::kLoading, 1000 * kUs);
  const auto findings = run.Find();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "code-loading");
  CHECK(findings[0].gain_at_most_ns == Approx(9 * 500 * kUs));
  CHECK(findings[0].action.find("CUDA_MODULE_LOADING=EAGER") != std::string::npos);
}

TEST_CASE("Idle time without a cause asks for the records that would show it") {
  Run run;
  for (int i = 0; i < 10; ++i) {
    run.Kernel(500 * kUs, GapCause::kUnknown, 1000 * kUs);
    if (i > 0) run.ChangeLastGap([](Gap* gap) { gap->api = model::kNoIndex; });
  }
  const auto findings = run.Find();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "unexplained-idle");
  CHECK(findings[0].confidence == Confidence::kLow);
}

TEST_CASE("Idle time that the profiler caused is no finding") {
  Run run;
  for (int i = 0; i < 10; ++i) run.Kernel(900 * kUs, GapCause::kProfiler, 1000 * kUs);
  CHECK(run.Find().empty());
}

}  // namespace
}  // namespace prof::test::idle_finding_test
