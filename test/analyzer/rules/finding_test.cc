// SPDX-License-Identifier: Apache-2.0
//
// Findings on runs whose trouble is known, and on runs that have none.
#include <algorithm>
#include <string>

#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/findings/finding_rules.h"
#include "test/support/catch.h"

namespace prof::test::finding_test {
namespace {

using analyzer::Gap;
using model::ApiClass;
using model::CopyKind;
using model::MemoryKind;
using model::OpKind;

constexpr int64_t kUs = 1000;

// One device; operations are appended in order of time.
class Run {
 public:
  Run() {
    model_.strings = {"", "cudaLaunchKernel", "cudaStreamSynchronize", "cudaMemcpyAsync"};
    model_.paths.push_back({0, "step", "", "step"});
    model_.paths.push_back({0, "prep", "", "prep"});
    model_.threads.push_back({1, "main"});
    model_.shapes.resize(9);
    timeline_.devices.emplace_back();
  }

  // An operation that starts `idle_ns` after the last one ended, for a `cause`; the call that
  // launched it takes `api_ns` and ends 1 us before it starts.
  model::Op& Add(OpKind kind, int64_t idle_ns, GapCause cause, int64_t length_ns,
                 int64_t api_ns = 4 * kUs) {
    const int64_t start_ns = end_ns_ + idle_ns;
    const auto index = static_cast<int32_t>(ops_.size());
    model::Op op;
    op.kind = kind;
    op.start_ns = start_ns;
    op.end_ns = start_ns + length_ns;
    op.shape = 1;
    op.api = static_cast<int32_t>(model_.api_calls.size());
    AddCall(ApiClass::kLaunch, kind == OpKind::kCopy ? 3 : 1, start_ns - kUs - api_ns, api_ns);
    if (idle_ns > 0 && index > 0) {
      Gap gap;
      gap.cause = cause;
      gap.start_ns = end_ns_;
      gap.end_ns = start_ns;
      gap.previous_op = index - 1;
      gap.next_op = index;
      gap.api = op.api;
      timeline_.devices[0].gaps.push_back(gap);
    }
    busy_ns_ += length_ns;
    end_ns_ = op.end_ns;
    ops_.push_back(op);
    return ops_.back();
  }

  model::Op& Kernel(int64_t idle_ns, GapCause cause, int64_t length_ns) {
    return Add(OpKind::kKernel, idle_ns, cause, length_ns);
  }

  model::Op& Copy(int64_t idle_ns, int64_t length_ns, uint64_t bytes, MemoryKind host) {
    model::Op& op = Add(OpKind::kCopy, idle_ns, GapCause::kTransfer, length_ns);
    op.copy = CopyKind::kHostToDevice;
    op.source = host;
    op.destination = MemoryKind::kDevice;
    op.bytes = bytes;
    op.async = true;
    return op;
  }

  void AddCall(ApiClass cls, uint32_t name, int64_t start_ns, int64_t length_ns) {
    model::ApiCall call;
    call.cls = cls;
    call.name = name;
    call.thread = 1;
    call.start_ns = start_ns;
    call.end_ns = start_ns + length_ns;
    model_.api_calls.push_back(call);
  }

  void AddRange(uint32_t path, int64_t start_ns, int64_t end_ns) {
    model_.instances.push_back({path, 1, start_ns, end_ns, true});
  }

  // Calls `change` with the last gap.
  template <typename Change>
  void ChangeLastGap(Change change) {
    analyzer::GapTable& gaps = timeline_.devices[0].gaps;
    Gap gap = gaps.back();
    change(&gap);
    gaps.Set(gaps.size() - 1, gap);
  }
  model::Model& model() { return model_; }
  int64_t end_ns() const { return end_ns_; }

  std::vector<Finding> Find() {
    analyzer::DeviceTimeline& device = timeline_.devices[0];
    device.start_ns = ops_.empty() ? 0 : ops_.front().start_ns;
    model_.ops.resize(0);
    for (const model::Op& op : ops_) model_.ops.push_back(op);
    device.end_ns = end_ns_;
    device.busy_ns = busy_ns_;
    const auto span_ns = static_cast<double>(device.end_ns - device.start_ns);
    const analyzer::Iterations iterations =
        analyzer::FindRunIterations(model_, analyzer::FindAllRangeFamilies(model_));
    std::vector<Finding> findings = analyzer::FindInRun(model_, timeline_, iterations, span_ns);
    for (const Finding& finding : findings) {  // holds for every run of this file
      REQUIRE(finding.gain_at_most_ns >= 0);
      REQUIRE(finding.gain_at_most_ns <= span_ns);
      REQUIRE_FALSE(finding.title.empty());
      REQUIRE_FALSE(finding.evidence.empty());
    }
    return findings;
  }

 private:
  model::Model model_;
  std::vector<model::Op> ops_;  // of the model, while they can change
  analyzer::Timeline timeline_;
  int64_t end_ns_ = 1'000'000, busy_ns_ = 0;
};

const Finding* Get(const std::vector<Finding>& findings, const std::string& id) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

bool Says(const Finding& finding, const std::string& text) {
  return std::any_of(finding.evidence.begin(), finding.evidence.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

Run LaunchBoundRun() {
  Run run;
  for (int i = 0; i < 1000; ++i) run.Kernel(3 * kUs, GapCause::kLaunch, 2 * kUs);
  return run;
}

TEST_CASE("A clean run of long kernels back to back has no findings") {
  Run run;
  for (int i = 0; i < 50; ++i) run.Kernel(kUs, GapCause::kDependency, 800 * kUs);
  CHECK(run.Find().empty());
}

TEST_CASE("An empty run has no findings") { CHECK(Run().Find().empty()); }

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

TEST_CASE("Copies from pageable memory are named, also through the asynchronous call") {
  Run run;
  for (int i = 0; i < 10; ++i) {
    run.Kernel(0, GapCause::kUnknown, 1000 * kUs);
    run.Copy(0, 1000 * kUs, 6'300'000, MemoryKind::kPageable);
  }
  const auto findings = run.Find();
  const Finding* pageable = Get(findings, "pageable-copy");
  REQUIRE(pageable != nullptr);
  // 100 us each at 63 GB/s, and these may run under kernels, as the copies do not hold up the host.
  CHECK(pageable->gain_at_most_ns == Approx(10 * 1000 * kUs));
  CHECK(Says(*pageable, "6.3 GB/s"));
  CHECK(Get(findings, "copy-not-overlapped") == nullptr);
}

TEST_CASE("Pinned copies on the kernels' stream could overlap; their gain is no more than either") {
  Run run;
  for (int i = 0; i < 10; ++i) {
    run.Kernel(0, GapCause::kUnknown, 400 * kUs);
    run.Copy(0, 1000 * kUs, 50'000'000, MemoryKind::kPinned);
  }
  const auto findings = run.Find();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "copy-not-overlapped");
  CHECK(findings[0].gain_at_most_ns == Approx(10 * 400 * kUs));
}

TEST_CASE("Copies under kernels are no finding, pinned or not") {
  const MemoryKind host = GENERATE(MemoryKind::kPinned, MemoryKind::kPageable);
  Run run;
  for (int i = 0; i < 10; ++i) {
    const int64_t start_ns = run.Kernel(0, GapCause::kUnknown, 1000 * kUs).start_ns;
    model::Op& copy = run.Copy(0, 0, 5'000'000, host);
    copy.start_ns = start_ns + 50 * kUs;
    copy.end_ns = start_ns + 950 * kUs;
  }
  CHECK(run.Find().empty());
}

TEST_CASE("Copies that the kernels hide are the limit where the link never rests") {
  const uint64_t bytes = GENERATE(uint64_t{48'000'000}, uint64_t{20'000'000});
  Run run;
  for (int i = 0; i < 10; ++i) {
    model::Op& kernel = run.Kernel(0, GapCause::kUnknown, 900 * kUs);
    kernel.stream = static_cast<uint32_t>(i % 2);
    const int64_t start_ns = kernel.start_ns;
    model::Op& copy = run.Copy(0, 100 * kUs, bytes, MemoryKind::kPinned);
    copy.start_ns = start_ns + 20 * kUs;
    copy.stream = 7;
  }
  const auto findings = run.Find();
  const Finding* link = Get(findings, "link-bound");
  if (bytes == 20'000'000) {  // at 20 GB/s something else is the limit
    CHECK(link == nullptr);
    return;
  }
  REQUIRE(link != nullptr);
  CHECK(findings.size() == 1);
  CHECK(Says(*link, "49.0 GB/s"));
  // Each of both streams has kernels for 4.5 ms.
  CHECK(link->gain_at_most_ns == Approx(10 * 1000 * kUs - 5 * 900 * kUs));
}

TEST_CASE("Fewer bytes save nothing where the kernels of one stream take all of the time as well") {
  Run run;
  for (int i = 0; i < 10; ++i) {
    const int64_t start_ns = run.Kernel(0, GapCause::kUnknown, 1000 * kUs).start_ns;
    model::Op& copy = run.Copy(0, 0, 48'000'000, MemoryKind::kPinned);
    copy.start_ns = start_ns + 20 * kUs;
    copy.end_ns = start_ns + 970 * kUs;
    copy.stream = 7;
  }
  CHECK(run.Find().empty());
}

TEST_CASE("A thousand copies of 4 KB cost more than their bytes") {
  Run run;
  for (int i = 0; i < 1000; ++i) run.Copy(2 * kUs, 2 * kUs, 4096, MemoryKind::kPinned);
  const auto findings = run.Find();
  const Finding* small = Get(findings, "small-copies");
  REQUIRE(small != nullptr);
  CHECK(small->gain_at_most_ns == Approx(999 * 2 * kUs + 1000 * 2 * kUs));
  CHECK(Get(findings, "transfer-bound") != nullptr);
}

TEST_CASE("What the host does between copies is not theirs, but for as long as a call takes") {
  for (const int64_t host_ns : {100 * kUs, 50'000 * kUs}) {
    Run run;
    for (int i = 0; i < 40; ++i) {
      model::Op& copy = run.Add(OpKind::kCopy, host_ns, GapCause::kHostWork, 2 * kUs);
      copy.copy = CopyKind::kHostToDevice;
      copy.source = MemoryKind::kPinned;
      copy.destination = MemoryKind::kDevice;
      copy.bytes = 4096;
    }
    const auto findings = run.Find();
    const bool is_long = host_ns > 500 * kUs;
    for (const char* id : {"small-copies", "sync-copy"}) {
      INFO(id);
      const Finding* const found = Get(findings, id);
      REQUIRE((found == nullptr) == is_long);
      if (found != nullptr) CHECK(found->gain_at_most_ns <= Approx(40 * (host_ns + 2 * kUs)));
    }
  }
}

TEST_CASE("A few small copies in a long run are no finding") {
  Run run;
  for (int i = 0; i < 40; ++i) {
    run.Kernel(0, GapCause::kUnknown, 1000 * kUs);
    run.Copy(0, 2 * kUs, 4096, MemoryKind::kPinned);
  }
  CHECK(run.Find().empty());
}

TEST_CASE("Idle time after synchronous copies is theirs") {
  Run run;
  for (int i = 0; i < 20; ++i) {
    run.Kernel(200 * kUs, GapCause::kSync, 1000 * kUs);
    run.Copy(0, 10 * kUs, 600'000, MemoryKind::kPinned).async = false;
  }
  const auto findings = run.Find();
  const Finding* sync = Get(findings, "sync-copy");
  REQUIRE(sync != nullptr);
  CHECK(sync->gain_at_most_ns == Approx(19 * 200 * kUs + 20 * 10 * kUs));  // and the copies
}

// Four kernels of half of the SMs, 100 us each, one directly behind the other, in ten rows.
Run RowsOfHalves() {
  Run run;
  model::Device device;
  device.sm_count = 132;
  run.model().devices.push_back(device);
  run.model().shapes[1].grid = {66, 1, 1};
  run.model().shapes[2].grid = {1320, 1, 1};
  for (int row = 0; row < 10; ++row) {
    for (int i = 0; i < 4; ++i) run.Kernel(2 * kUs, GapCause::kDependency, 100 * kUs);
    run.Kernel(0, GapCause::kDependency, 100 * kUs).shape = 2;
  }
  return run;
}

TEST_CASE("Kernels of few SMs may share them: a row takes its longest kernel at least") {
  const auto findings = RowsOfHalves().Find();
  const Finding* serial = Get(findings, "serialization");
  REQUIRE(serial != nullptr);
  // With one block on an SM they would need half of their time; with several, a quarter. The gaps
  // in the row go, too.
  CHECK(serial->gain_at_most_ns == Approx(10 * (400 + 3 * 2 - 100) * kUs));
}

TEST_CASE("Collectives in a row have small grids, and are no kernels to run side by side") {
  Run run = RowsOfHalves();
  run.model().shapes[1].name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
  CHECK(Get(run.Find(), "serialization") == nullptr);
}

TEST_CASE(
    "Where collectives are mostly longer than the shortest, the late rank is looked for first") {
  for (const bool waits : {true, false}) {
    Run run;
    run.model().shapes[2].name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
    for (int i = 0; i < 10; ++i) {
      run.Kernel(0, GapCause::kDependency, 100 * kUs);
      run.Kernel(2 * kUs, GapCause::kDependency, (waits && i > 0 ? 100 : 30) * kUs).shape = 2;
    }
    const auto findings = run.Find();
    const Finding* const found = Get(findings, "exposed-communication");
    REQUIRE(found != nullptr);
    CHECK((found->action.find("Find the rank") == 0) == waits);
    CHECK(Says(*found, "if each took as long as the shortest of its kind: 300 us"));
    const double kernels_ns = (waits ? 930 : 300) * kUs;
    CHECK(found->kernels_at_most_ns == Approx(kernels_ns));
    CHECK(found->gain_at_most_ns > kernels_ns);
  }
}

TEST_CASE("Streams that wait for the default stream do not run beside each other, either") {
  Run run;
  for (uint32_t stream : {1, 2, 3}) {
    model::Stream record;
    record.stream = stream;
    record.flag = stream == 1 ? model::StreamFlag::kNull : model::StreamFlag::kDefault;
    run.model().streams.push_back(record);
  }
  for (int i = 0; i < 20; ++i) {
    for (uint32_t stream : {1, 2, 1, 3}) {
      run.Kernel(0, GapCause::kDependency, (stream == 1 ? 10 : 100) * kUs).stream = stream;
    }
  }
  const auto findings = run.Find();
  const Finding* waits = Get(findings, "default-stream");
  REQUIRE(waits != nullptr);
  CHECK(waits->gain_at_most_ns == Approx(20 * 120 * kUs));  // all but one of the two streams
}

TEST_CASE("Only what follows another stream's operation is behind another stream") {
  Run run;
  for (int i = 0; i < 40; ++i) {
    run.Kernel(20 * kUs, GapCause::kDependency, 100 * kUs);
    run.Kernel(30 * kUs, GapCause::kDependency, 100 * kUs).stream = 2;
    run.Kernel(5 * kUs, GapCause::kDependency, 100 * kUs).stream = 2;
  }
  const auto findings = run.Find();
  const Finding* idle = Get(findings, "dependency-idle");
  REQUIRE(idle != nullptr);
  CHECK(Says(*idle, "behind another stream: 79 gaps, 1.98 ms"));
  CHECK(Says(*idle, "between operations of a stream: 40 gaps, 200 us"));
  CHECK_FALSE(Says(*idle, "no record names"));

  Run alone;
  for (int i = 0; i < 40; ++i) alone.Kernel(20 * kUs, GapCause::kDependency, 100 * kUs);
  const auto others = alone.Find();
  idle = Get(others, "dependency-idle");
  REQUIRE(idle != nullptr);
  CHECK_FALSE(Says(*idle, "behind another stream"));
  CHECK(Says(*idle, "of 10 us or more on one stream, behind something that no record names"));
}

TEST_CASE("When records were lost a finding about idle time is withheld and claims no gain") {
  Run run = LaunchBoundRun();
  run.model().integrity.dropped_by_cupti = 12;
  for (const Finding& finding : run.Find()) {
    CAPTURE(finding.id);
    CHECK(finding.withheld);
    CHECK(finding.gain_at_most_ns == 0);
    CHECK(finding.confidence == Confidence::kNone);
    CHECK(finding.withheld_why.find("12 records dropped by CUPTI") != std::string::npos);
  }
  CHECK(Get(run.Find(), "launch-bound") != nullptr);
}

TEST_CASE("When another profiler had the records a finding about idle time is withheld") {
  Run run = LaunchBoundRun();
  run.model().integrity.launches_missed = 77;
  REQUIRE_FALSE(run.Find().empty());
  for (const Finding& finding : run.Find()) {
    CHECK(finding.withheld);
    CHECK(finding.withheld_why.find("77 launches whose records another profiler took") !=
          std::string::npos);
  }
}

TEST_CASE("Failed counter samples do not touch findings about idle time") {
  Run run = LaunchBoundRun();
  run.model().integrity.samples_failed = 3;
  const auto findings = run.Find();
  REQUIRE(Get(findings, "launch-bound") != nullptr);
  CHECK_FALSE(Get(findings, "launch-bound")->withheld);
}

TEST_CASE("Dropped range events withhold what rests on ranges, and nothing else") {
  Run run = LaunchBoundRun();
  run.model().integrity.range_events_dropped = 5;
  const auto findings = run.Find();
  REQUIRE(Get(findings, "cuda-graph") != nullptr);
  CHECK(Get(findings, "cuda-graph")->withheld);
  CHECK_FALSE(Get(findings, "launch-bound")->withheld);
}

}  // namespace
}  // namespace prof::test::finding_test
