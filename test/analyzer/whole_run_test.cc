// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/whole_run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "test/support/catch.h"

namespace prof::analyzer::whole_run_test {
namespace {

using model::Model;

constexpr int64_t kMs = 1'000'000;

// A recording of a program of which windows were traced.
struct Recorded {
  Model model;

  uint32_t Shape(const std::string& name, uint32_t blocks = 1) {
    model::Shape shape;
    shape.name = name;
    shape.grid = {blocks, 1, 1};
    shape.block = {32, 1, 1};
    shape.registers_per_thread = 16;
    model.shapes.push_back(shape);
    return static_cast<uint32_t>(model.shapes.size() - 1);
  }
  model::Op Kernel(uint32_t shape, int64_t start_ns, int64_t end_ns) {
    model::Op op;
    op.kind = model::OpKind::kKernel;
    op.shape = shape;
    op.start_ns = start_ns;
    op.end_ns = end_ns;
    op.correlation = ++launches;
    return op;
  }
  WholeRun Estimate() {
    std::sort(ops.begin(), ops.end(),
              [](const model::Op& a, const model::Op& b) { return a.start_ns < b.start_ns; });
    for (const model::Op& op : ops) model.ops.push_back(op);
    const std::optional<WholeRun> run = EstimateWholeRun(model);
    REQUIRE(run);
    return *run;
  }

  std::vector<model::Op> ops;
  uint32_t launches = 0;
};

TEST_CASE("A recording that counted no launches has no estimate of the whole run") {
  Recorded recorded;
  recorded.model.ops.push_back(recorded.Kernel(recorded.Shape("a"), 1, 2));
  CHECK_FALSE(EstimateWholeRun(recorded.model));
}

TEST_CASE("A kernel's time is that of its traced launches, scaled by all of them") {
  Recorded recorded;
  const uint32_t a = recorded.Shape("a"), b = recorded.Shape("b");
  recorded.model.process.start_ns = 0;
  recorded.model.end_ns = 1000 * kMs;
  for (int64_t window = 0; window < 4; ++window) {
    const int64_t begin_ns = (200 * window + 100) * kMs;
    recorded.model.pauses.push_back({begin_ns - 100 * kMs, begin_ns});
    for (int64_t i = 0; i < 5; ++i) {
      recorded.ops.push_back(
          recorded.Kernel(a, begin_ns + i * kMs, begin_ns + i * kMs + 1000 + 10 * window));
    }
    recorded.ops.push_back(recorded.Kernel(b, begin_ns + 50 * kMs, begin_ns + 51 * kMs));
  }
  recorded.model.pauses.push_back({800 * kMs, 1000 * kMs});
  model::Op sampled = recorded.Kernel(a, 150 * kMs, 151 * kMs);  // not as the program runs it
  sampled.sampled = true;
  recorded.ops.push_back(sampled);
  recorded.model.launch_counts = {{0, a, 0, 60}, {0, b, 0, 40}, {0, a, 0, 40}};
  const WholeRun run = recorded.Estimate();
  CHECK(run.windows == 4);
  CHECK(run.span_ns == Approx(1000.0 * kMs));
  CHECK(run.traced_ns == Approx(400.0 * kMs));
  CHECK(run.launches == 140);
  CHECK(run.launches_without == 0);
  REQUIRE(run.kernels.size() == 2);
  CHECK(run.kernels[0].name == "b");
  CHECK(run.kernels[0].launches == 40);
  CHECK(run.kernels[0].traced == 4);
  CHECK(run.kernels[0].time->ns == Approx(40.0 * kMs));
  CHECK(run.kernels[0].time->error_ns == Approx(0).margin(1e-3));
  CHECK(run.kernels[1].launches == 100);
  CHECK(run.kernels[1].traced == 20);
  CHECK(run.kernels[1].time->ns == Approx(100 * 1015.0));
  // Residuals of +-75 and +-25 ns; 100 / 20 launches, of which a fifth were seen; t(3) = 3.18.
  const double squares = 2 * (75.0 * 75 + 25 * 25) * 4 / 3;
  CHECK(*run.kernels[1].time->error_ns ==
        Approx(3.18 * 5 * std::sqrt(0.8) * std::sqrt(squares)).epsilon(0.001));
  CHECK(run.kernels_time.ns == Approx(40.0 * kMs + 101'500));
}

TEST_CASE("A kernel of a graph is scaled by the launches of the graph, and adds to those outside") {
  Recorded recorded;
  const uint32_t a = recorded.Shape("a");
  for (int64_t window = 0; window < 3; ++window) {
    const int64_t begin_ns = (100 * window + 50) * kMs;
    recorded.model.pauses.push_back({begin_ns - 50 * kMs, begin_ns});
    for (int64_t replay = 0; replay < 2; ++replay) {
      model::Op node = recorded.Kernel(a, begin_ns + replay * kMs, begin_ns + replay * kMs + 100);
      node.graph = 7;
      recorded.ops.push_back(node);  // two nodes of one launch
      node.start_ns += 200;
      node.end_ns += 200;
      recorded.ops.push_back(node);
    }
    recorded.ops.push_back(recorded.Kernel(a, begin_ns + 9 * kMs, begin_ns + 9 * kMs + 500));
  }
  recorded.model.launch_counts = {{0, 0, 7, 600}, {0, a, 0, 30}};
  const WholeRun run = recorded.Estimate();
  REQUIRE(run.kernels.size() == 1);
  CHECK(run.kernels[0].launches == 2 * 600 + 30);
  CHECK(run.kernels[0].traced == 15);
  CHECK(run.kernels[0].time->ns == Approx(600 * 200.0 + 30 * 500.0));
  CHECK(run.launches == 630);
}

TEST_CASE("What no window had is listed without a time, and few windows bound nothing") {
  Recorded recorded;
  const uint32_t seen = recorded.Shape("seen"), unseen = recorded.Shape("unseen");
  recorded.model.pauses = {{0, 10 * kMs}, {20 * kMs, 30 * kMs}};
  recorded.ops = {recorded.Kernel(seen, 11 * kMs, 12 * kMs),
                  recorded.Kernel(seen, 31 * kMs, 32 * kMs)};
  recorded.model.launch_counts = {{0, seen, 0, 10}, {0, unseen, 0, 99}, {0, 0, 4, 5}, {0, 0, 0, 6}};
  const WholeRun run = recorded.Estimate();
  REQUIRE(run.kernels.size() == 2);
  CHECK(run.kernels[0].time->ns == Approx(10.0 * kMs));
  CHECK_FALSE(run.kernels[0].time->error_ns);
  CHECK_FALSE(run.kernels_time.error_ns);
  CHECK(run.kernels[1].name == "unseen");
  CHECK(run.kernels[1].launches == 99);
  CHECK_FALSE(run.kernels[1].time);
  CHECK(run.launches == 120);
  CHECK(run.launches_without == 110);
}

TEST_CASE("A shape that only the launch call described is that of the kernel's records") {
  Recorded recorded;
  const uint32_t traced = recorded.Shape("a");
  model::Shape called = recorded.model.shapes[traced];
  called.registers_per_thread = 0;
  recorded.model.shapes.push_back(called);
  recorded.ops = {recorded.Kernel(traced, 1, 2)};
  recorded.model.launch_counts = {{0, traced + 1, 0, 10}};
  const WholeRun run = recorded.Estimate();
  REQUIRE(run.kernels.size() == 1);
  CHECK(run.kernels[0].launches == 10);
}

TEST_CASE("Any counts of a damaged file give an estimate") {
  Recorded recorded;
  const uint32_t a = recorded.Shape("a");
  recorded.ops = {recorded.Kernel(a, 1, 2), recorded.Kernel(a, 5, 6)};
  recorded.model.launch_counts = {{0, a, 0, UINT64_MAX}, {0, a, 0, UINT64_MAX}, {9, a, 9, 1}};
  const WholeRun run = recorded.Estimate();
  CHECK(run.kernels[0].launches > 0);
  recorded.model.process.start_ns = INT64_MIN;
  recorded.model.pauses = {{INT64_MIN, INT64_MIN}, {3, 3}, {4, INT64_MAX}};
  CHECK(EstimateWholeRun(recorded.model)->span_ns >= 0);
}

TEST_CASE(
    "A kernel of which more was traced than counted has no estimate, and the sum leaves it out") {
  Recorded recorded;
  const uint32_t a = recorded.Shape("a"), late = recorded.Shape("late");
  for (int64_t window = 0; window < 4; ++window) {
    const int64_t begin_ns = (100 * window + 50) * kMs;
    recorded.model.pauses.push_back({begin_ns - 50 * kMs, begin_ns});
    recorded.ops.push_back(recorded.Kernel(a, begin_ns, begin_ns + 1000));
    recorded.ops.push_back(recorded.Kernel(late, begin_ns + kMs, begin_ns + kMs + 1000));
  }
  // The table was full when "late" came: its launches are among the others.
  recorded.model.launch_counts = {{0, a, 0, 100}, {0, 0, 0, 90}};
  const WholeRun run = recorded.Estimate();
  REQUIRE(run.kernels.size() == 2);
  CHECK(run.kernels[0].name == "a");
  CHECK(run.kernels[1].name == "late");
  CHECK(run.kernels[1].traced == 4);
  CHECK_FALSE(run.kernels[1].time);
  CHECK(run.kernels_time.ns == Approx(100'000));
  CHECK(run.launches == 190);
  CHECK(run.launches_without == 90);
}

TEST_CASE(
    "What ran before the first pause is of no window, and what a pause delays is of its own") {
  Recorded recorded;
  const uint32_t a = recorded.Shape("a");
  recorded.model.pauses = {{10 * kMs, 20 * kMs}, {30 * kMs, 40 * kMs}, {50 * kMs, 60 * kMs}};
  recorded.ops = {recorded.Kernel(a, 1 * kMs, 9 * kMs),     // cold
                  recorded.Kernel(a, 22 * kMs, 23 * kMs),   // first window
                  recorded.Kernel(a, 31 * kMs, 32 * kMs),   // launched in it, and late
                  recorded.Kernel(a, 45 * kMs, 46 * kMs),   // second
                  recorded.Kernel(a, 65 * kMs, 66 * kMs)};  // third
  recorded.model.launch_counts = {{0, a, 0, 50}, {0, 0, 0, 0, 70 * kMs}};
  const WholeRun run = recorded.Estimate();
  CHECK(run.windows == 3);
  CHECK(run.span_ns == Approx(70.0 * kMs));
  CHECK(run.kernels[0].traced == 4);
  CHECK(run.kernels[0].time->ns == Approx(50.0 * kMs));
}

TEST_CASE("A graph that is cut by a pause is of the window that launched it") {
  Recorded recorded;
  const uint32_t a = recorded.Shape("a");
  recorded.model.pauses = {{0, 10 * kMs}, {20 * kMs, 30 * kMs}};
  model::Op first = recorded.Kernel(a, 19 * kMs, 20 * kMs);
  first.graph = 4;
  model::Op second = first;  // of the same launch
  second.start_ns = 31 * kMs;
  second.end_ns = 32 * kMs;
  recorded.ops = {first, second};
  recorded.model.launch_counts = {{0, 0, 4, 10}};
  const WholeRun run = recorded.Estimate();
  CHECK(run.windows == 1);
  CHECK(run.kernels[0].launches == 20);
  CHECK(run.kernels[0].time->ns == Approx(20.0 * kMs));
}

// A program whose kernels drift, jump and come in bursts; what the windows see of it.
struct Drawn {
  double truth_ns = 0;
  WholeRun run;
};

Drawn Draw(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Recorded recorded;
  const uint32_t a = recorded.Shape("a");
  const double step_ms = uniform(1, 60), drift = uniform(-0.3, 0.3), spread = uniform(0, 0.4);
  const double slow_share = uniform(0, 0.2), mean_ns = uniform(2'000, 200'000);
  const int64_t run_ns = 40'000 * kMs;
  recorded.model.end_ns = run_ns;
  int64_t begin_ns = 0;
  std::vector<std::pair<int64_t, int64_t>> windows;
  while (begin_ns < run_ns) {
    const auto rest_ns = static_cast<int64_t>(uniform(0, 1800) * kMs);
    recorded.model.pauses.push_back({begin_ns, std::min(run_ns, begin_ns + rest_ns)});
    begin_ns += rest_ns;
    windows.emplace_back(begin_ns, begin_ns + 100 * kMs);
    begin_ns += 100 * kMs;
  }
  Drawn drawn;
  uint64_t launches = 0;
  size_t window = 0;
  for (double at_ms = 0; at_ms * kMs < static_cast<double>(run_ns); at_ms += step_ms) {
    const bool slow = uniform(0, 1) < slow_share;
    for (int i = 0; i < 4; ++i) {
      const auto start_ns = static_cast<int64_t>(at_ms * kMs) + i * kMs / 5;
      double ns = mean_ns * (1 + drift * at_ms / 40'000) * (1 + spread * uniform(-1, 1));
      if (slow) ns *= 3;
      const auto duration_ns = static_cast<int64_t>(ns);
      ++launches;
      drawn.truth_ns += static_cast<double>(duration_ns);
      while (window < windows.size() && windows[window].second <= start_ns) ++window;
      if (window == windows.size() || start_ns < windows[window].first) continue;
      recorded.ops.push_back(recorded.Kernel(a, start_ns, start_ns + duration_ns));
    }
  }
  recorded.model.launch_counts = {{0, a, 0, launches}};
  drawn.run = recorded.Estimate();
  return drawn;
}

TEST_CASE("The bounds of the whole run hold in about 95 % of programs drawn at random", "[long]") {
  int held = 0, bounded = 0;
  constexpr int kPrograms = 300;
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const Drawn drawn = Draw(seed);
    const EstimatedTime& time = *drawn.run.kernels.at(0).time;
    if (!time.error_ns) continue;
    ++bounded;
    if (std::abs(time.ns - drawn.truth_ns) <= *time.error_ns) ++held;
  }
  CAPTURE(held, bounded);
  CHECK(bounded >= kPrograms * 9 / 10);
  CHECK(held >= bounded * 92 / 100);
}

}  // namespace
}  // namespace prof::analyzer::whole_run_test
