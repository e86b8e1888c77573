// SPDX-License-Identifier: Apache-2.0
//
// Turns of launches that repeat, in programs whose loops are known, and in programs without one.
#include "lib/analyzer/timeline/launch_periods.h"

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::test::launch_periods_test {
namespace {

using analyzer::FindLaunchStretches;
using analyzer::LaunchStretch;
using model::ApiClass;
using model::OpKind;

constexpr int64_t kUs = 1'000;

// The calls of a program, one each 10 us; the GPU follows.
class Program {
 public:
  Program() {
    model_.strings = {"", "cudaLaunchKernel", "cudaStreamSynchronize", "cudaMemcpyAsync",
                      "cudaGraphLaunch"};
    model_.threads = {{}, {1, "main"}, {2, "helper"}};
  }

  void OnThread(uint32_t thread) { thread_ = thread; }
  // Names of kernels: "a b c". Each launch has another grid.
  void Launch(const std::string& names) {
    for (size_t at = 0; at < names.size(); at = names.find(' ', at) + 1) {
      model::Shape shape;
      shape.name = names.substr(at, names.find(' ', at) - at);
      shape.grid = {++grids_, 1, 1};
      model::Op op;
      op.shape = static_cast<uint32_t>(model_.shapes.size());
      model_.shapes.push_back(shape);
      Add(op, ApiClass::kLaunch, 1);
      if (names.find(' ', at) == std::string::npos) break;
    }
  }
  void Graph(uint32_t id) {
    model::Op op;
    op.graph = id;
    Add(op, ApiClass::kGraphLaunch, 4);
  }
  void CopyIn() {
    model::Op op;
    op.kind = OpKind::kCopy;
    op.copy = model::CopyKind::kHostToDevice;
    op.source = model::MemoryKind::kPinned;
    op.destination = model::MemoryKind::kDevice;
    Add(op, ApiClass::kCopy, 3);
  }
  void Wait() { Call(ApiClass::kSync, 2); }
  int64_t now_ns() const { return now_ns_; }

  std::vector<LaunchStretch> Find() const { return FindLaunchStretches(model_); }

 private:
  void Call(ApiClass cls, uint32_t name) {
    model::ApiCall call;
    call.cls = cls;
    call.name = name;
    call.thread = thread_;
    call.start_ns = now_ns_;
    call.end_ns = now_ns_ + 4 * kUs;
    model_.api_calls.push_back(call);
    now_ns_ += 10 * kUs;
  }
  void Add(model::Op op, ApiClass cls, uint32_t name) {
    op.api = static_cast<int32_t>(model_.api_calls.size());
    op.start_ns = now_ns_ + 6 * kUs;
    op.end_ns = now_ns_ + 9 * kUs;
    model_.ops.push_back(op);
    Call(cls, name);
  }

  model::Model model_;
  uint32_t thread_ = 1, grids_ = 0;
  int64_t now_ns_ = 1'000'000;
};

void Repeat(int times, const std::function<void(int)>& what) {
  for (int i = 0; i < times; ++i) what(i);
}

TEST_CASE("A loop that launches the same has its turns, from its first launch on") {
  Program p;
  p.Launch("init fill");
  const int64_t begin_ns = p.now_ns();
  Repeat(30, [&](int) {
    p.Launch("a b c");
    p.Wait();
  });
  const std::vector<LaunchStretch> found = p.Find();
  REQUIRE(found.size() == 1);
  CHECK(found[0].thread == 1);
  CHECK(found[0].launches == 3);
  CHECK(found[0].different == 0);
  REQUIRE(found[0].turns.size() == 30);
  CHECK(found[0].turns.front().start_ns == begin_ns);
  // The next one begins where the last call of this one has returned.
  CHECK(found[0].turns[0].end_ns == begin_ns + 34 * kUs);
  CHECK(found[0].turns[1].start_ns == begin_ns + 34 * kUs);
  CHECK(found[0].turns.back().end_ns == p.now_ns() - 6 * kUs);
}

TEST_CASE("19 turns are too few for steps, 20 are enough") {
  for (const int turns : {19, 20}) {
    Program p;
    Repeat(turns, [&](int) { p.Launch("a b"); });
    INFO(turns);
    CHECK(p.Find().size() == (turns == 20 ? 1 : 0));
  }
}

TEST_CASE("A turn that launches more now and then is one turn, and counted as different") {
  Program p;
  Repeat(60, [&](int i) {
    p.CopyIn();
    p.Launch("forward backward update");
    if (i == 17 || i == 39 || i == 47) Repeat(5, [&](int) { p.Launch("forward score"); });
  });
  const std::vector<LaunchStretch> found = p.Find();
  REQUIRE(found.size() == 1);
  CHECK(found[0].launches == 4);
  CHECK(found[0].turns.size() == 60);
  CHECK(found[0].different == 3);
  CHECK(found[0].turns[17].end_ns - found[0].turns[17].start_ns > 130 * kUs);
}

// The turns of the inner loop are the same but for one in 32.
TEST_CASE("The layers of a network are no steps: the loop around them is, or nothing") {
  for (const int steps : {8, 25}) {
    Program p;
    Repeat(steps, [&](int) {
      p.Launch("embed");
      Repeat(32, [&](int) { p.Launch("norm attention mlp"); });
      p.Launch("head");
    });
    INFO(steps);
    const std::vector<LaunchStretch> found = p.Find();
    if (steps == 8) {
      CHECK(found.empty());
    } else {
      REQUIRE(found.size() == 1);
      CHECK(found[0].launches == 98);
      CHECK(found[0].turns.size() == 25);
    }
  }
}

TEST_CASE("The layers of a network that runs once are no steps") {
  Program p;
  Repeat(40, [&](int) { p.Launch("norm attention mlp"); });
  Repeat(40, [&](int) { p.Launch("mlp_backward attention_backward norm_backward"); });
  CHECK(p.Find().empty());
}

TEST_CASE("Launches in a random order are no steps, with waits or without") {
  for (const bool waits : {false, true}) {
    Program p;
    std::mt19937 random(7);
    Repeat(2'000, [&](int) {
      p.Launch(std::string(1, static_cast<char>('a' + random() % 4)));
      if (waits) p.Wait();
    });
    INFO(waits);
    CHECK(p.Find().empty());
  }
}

TEST_CASE("A loop whose turns are of different lengths has no steps") {
  Program p;
  std::mt19937 random(7);
  Repeat(100, [&](int) {
    p.CopyIn();
    Repeat(static_cast<int>(1 + random() % 9), [&](int) { p.Launch("a b"); });
    p.Wait();
  });
  CHECK(p.Find().empty());
}

TEST_CASE("The same kernel over and over has turns only where the host waits in each") {
  for (const bool waits : {false, true}) {
    Program p;
    Repeat(200, [&](int) {
      p.Launch("k");
      if (waits) p.Wait();
    });
    INFO(waits);
    const std::vector<LaunchStretch> found = p.Find();
    REQUIRE(found.size() == (waits ? 1 : 0));
    if (waits) CHECK(found[0].launches == 1);
  }
}

TEST_CASE("A CUDA graph that is launched again and again is a step each time") {
  Program p;
  Repeat(40, [&](int) { p.Graph(3); });
  const std::vector<LaunchStretch> found = p.Find();
  REQUIRE(found.size() == 1);
  CHECK(found[0].launches == 1);
  CHECK(found[0].turns.size() == 40);
}

TEST_CASE("A program with two phases has both, the longer one first") {
  Program p;
  Repeat(100, [&](int) {
    p.Launch("a b");
    p.Wait();
  });
  Repeat(90, [&](int) {
    p.Launch("c d e f");
    p.Wait();
  });
  const std::vector<LaunchStretch> found = p.Find();
  REQUIRE(found.size() == 2);
  CHECK(found[0].launches == 4);
  CHECK(found[0].turns.size() == 90);
  CHECK(found[1].launches == 2);
  CHECK(found[1].turns.size() == 100);
  CHECK(found[1].turns.back().end_ns <= found[0].turns.front().start_ns);
}

TEST_CASE("What runs between two parts of a loop for as long as 20 turns is another phase") {
  for (const int others : {10, 30}) {
    Program p;
    const auto loop = [&] {
      Repeat(50, [&](int) {
        p.Launch("a b");
        p.Wait();
      });
    };
    loop();
    Repeat(others, [&](int i) { p.Launch("x" + std::to_string(i) + " y z"); });
    loop();
    INFO(others);
    const std::vector<LaunchStretch> found = p.Find();
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].turns.size() == (others == 10 ? 100 : 50));
  }
}

TEST_CASE("A loop that has little of the run makes no steps") {
  for (const int others : {50, 400}) {
    Program p;
    Repeat(30, [&](int) {
      p.Launch("a b");
      p.Wait();
    });
    Repeat(others, [&](int i) { p.Launch("x" + std::to_string(i)); });
    INFO(others);
    CHECK(p.Find().size() == (others == 50 ? 1 : 0));
  }
}

TEST_CASE("The thread with the copies of the input is not the one of the steps") {
  Program p;
  Repeat(40, [&](int) {
    p.OnThread(2);
    p.CopyIn();
    p.OnThread(1);
    Repeat(10, [&](int i) { p.Launch("k" + std::to_string(i)); });
    p.Wait();
  });
  const std::vector<LaunchStretch> found = p.Find();
  REQUIRE(found.size() == 1);
  CHECK(found[0].thread == 1);
  CHECK(found[0].launches == 10);
}

TEST_CASE("An empty recording has no turns") { CHECK(Program().Find().empty()); }

}  // namespace
}  // namespace prof::test::launch_periods_test
