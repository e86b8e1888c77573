// SPDX-License-Identifier: Apache-2.0
//
// A library of the name and with the functions of PyTorch's (fake_torch.cc) stands in for it.
#include "torch_bridge/bridge.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/torch_ops.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"
#include "test/torch_bridge/fake_torch.h"
#include "test/torch_bridge/loaded_torch.h"
#include "torch_bridge/input_test.h"
#include "torch_bridge/modules.h"
#include "torch_bridge/self_test.h"
#include "torch_bridge/torch_library.h"

namespace prof::torch::bridge_test {
namespace {

using Paths = std::vector<std::string>;
using test::FakeTorch;
using test::Fault;
using test::LookUntilDecided;

constexpr int kFunction = 0, kBackward = 1, kUser = 7;

std::string WhyNot(const char* version, Fault fault) {
  const FakeTorch torch(version);
  torch.set_fault(fault);
  Begin({});
  std::string why = LookUntilDecided();
  End();
  CHECK_FALSE(Listening());
  if (fault != Fault::kKeepsCallbacks) CHECK(torch.callbacks() == 0);
  return why;
}

TEST_CASE("Without PyTorch nobody listens, and nothing is said") {
  Begin({});
  for (int i = 0; i < 10; ++i) CHECK_FALSE(Look());
  CHECK_FALSE(Listening());
  End();
}

TEST_CASE("A PyTorch of an unknown version is left alone, with a notice") {
  CHECK(WhyNot("2.99.0", Fault::kNone) ==
        "the ops of PyTorch are not recorded: it is 2.99.0, and prof knows 2.5 to 2.13");
  CHECK(WhyNot("none", Fault::kNone) ==
        "the ops of PyTorch are not recorded: its version is not known, and prof knows 2.5 to "
        "2.13");
}

TEST_CASE("A PyTorch that does not do what its version does is left alone, with a notice") {
  const std::string begin =
      "the ops of PyTorch are not recorded: 2.13.0 does not pass prof's test: ";
  CHECK(WhyNot("2.13.0", Fault::kNoHandle) == begin + "it took no callback");
  const std::string calls =
      begin + "its callback did not run once at the begin and once at the end of an event";
  CHECK(WhyNot("2.13.0", Fault::kSilent) == calls);
  CHECK(WhyNot("2.13.0", Fault::kNeverEnds) == calls);
  CHECK(WhyNot("2.13.0", Fault::kWrongName) ==
        begin + "an event did not have the name, the kind or the context that it was given");
}

// A PyTorch of its own for each: the inputs of a PyTorch that prof holds are tested once.
TEST_CASE("Ops are recorded without shapes where the inputs are not as expected, with a notice") {
  const FakeTorch torch("2.13.0");
  const TorchLibrary library = Hold(torch.path());
  const SelfTest self = RunSelfTest(library.functions);
  REQUIRE(self.problem.empty());
  const auto problem = [&](Fault fault) {
    torch.set_fault(fault);
    return RunInputTest(library.functions, library.input_functions, self.sequence_offset).problem;
  };
  CHECK(problem(Fault::kNone).empty());
  CHECK(problem(Fault::kOtherFlags) == "its tensors keep their sizes in another way");
  const std::string differ = "prof and PyTorch do not read the same inputs of an event";
  CHECK(problem(Fault::kInputsElsewhere) == differ);
  CHECK(problem(Fault::kOtherSizes) == differ);
  CHECK(problem(Fault::kThrows) == "it threw an exception");
  CHECK(problem(Fault::kNone).empty());
  CHECK(RunInputTest(library.functions, library.input_functions, std::nullopt).problem ==
        "its events keep their inputs at an unknown place");
  InputFunctions lacking = library.input_functions;
  lacking.input_sizes = nullptr;
  CHECK(RunInputTest(library.functions, lacking, self.sequence_offset).problem ==
        "it lacks a function that prof needs");
  Release(library);
}

// From here on the library stays: prof holds it.
const FakeTorch& Torch() {
  static const auto* const kTorch = new FakeTorch("2.13.0");
  return *kTorch;
}

// Listens while it lives.
class Listener {
 public:
  explicit Listener(const capture::TorchWish& wish = {}) {
    (void)Torch();
    Begin(wish);
    CHECK(LookUntilDecided() == "");
    REQUIRE(Listening());
  }
  ~Listener() { End(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
};

// Without the domain of ops.
std::string Plain(std::string path) {
  for (size_t at = 0; (at = path.find("torch:")) != std::string::npos;) path.erase(at, 6);
  return path;
}

Paths Plain(Paths paths) {
  for (std::string& path : paths) path = Plain(path);
  return paths;
}

TEST_CASE("Ops nest in a tree of their own, beside the program's ranges") {
  const Listener listener;
  const FakeTorch& torch = Torch();
  capture::Recording recording;
  capture::PushRange({"step", {}});
  void* const linear = torch.begin(kFunction, "aten::linear", -1);
  CHECK(capture::CurrentTorchOp() != 0);
  void* const addmm = torch.begin(kFunction, "aten::addmm", -1);
  capture::PushRange({"inside", {}});
  torch.end(addmm);
  capture::PopRange({});
  torch.end(linear);
  CHECK(capture::CurrentTorchOp() == 0);
  capture::PopRange({});
  CHECK(Plain(recording.MyPaths()) == Paths{"step", "/aten::linear", "/aten::linear/aten::addmm",
                                            "step/inside", "/aten::linear", "step", "", ""});
  CHECK(recording.order_errors == 0);
  CHECK(recording.reader.unbalanced_pops() == 0);
}

TEST_CASE("Each scope is known, and asynchronous events are left out") {
  const Listener listener;
  const FakeTorch& torch = Torch();
  capture::Recording recording;
  torch.Run(kFunction, "aten::relu");
  torch.Run(kBackward, "ReluBackward0", 5);
  torch.Run(kUser, "my part");
  torch.Run(2, "a TorchScript function");
  torch.end(torch.begin_async(kUser, "nccl:all_reduce"));
  (void)recording.MyPaths();
  Paths scopes;
  for (const capture::RangePathInfo& info : recording.infos) {
    if (info.torch == capture::TorchScope::kFunction)
      scopes.push_back("f " + std::string(info.name));
    if (info.torch == capture::TorchScope::kBackward)
      scopes.push_back("b " + std::string(info.name));
    if (info.torch == capture::TorchScope::kUser) scopes.push_back("u " + std::string(info.name));
  }
  for (const char* wanted : {"f aten::relu", "b ReluBackward0", "u my part"}) {
    INFO(wanted);
    CHECK(std::count(scopes.begin(), scopes.end(), wanted) == 1);
  }
  for (const std::string& path : recording.texts) {
    CHECK(path.find("TorchScript") == std::string::npos);
    CHECK(path.find("nccl") == std::string::npos);
  }
}

TEST_CASE("A node's number comes with it, and that of the next node where it has changed") {
  const Listener listener;
  const FakeTorch& torch = Torch();
  std::vector<capture::Recording::PayloadText> payloads;
  std::thread([&] {  // counts nodes from 0
    capture::Recording recording;
    torch.Run(kFunction, "aten::mul");
    for (int i = 0; i < 3; ++i) (void)torch.make_node();
    torch.Run(kFunction, "aten::add");
    torch.Run(kFunction, "aten::sum");
    torch.Run(kBackward, "SumBackward0", 2);
    torch.Run(kBackward, "AccumulateGrad", -1);
    recording.Drain();
    payloads = recording.payloads;
  })
      .join();
  REQUIRE(payloads.size() == 2);
  CHECK(Plain(payloads[0].path) == "/aten::add");
  CHECK(payloads[0].event.payload.bits == 3);
  CHECK(Plain(payloads[1].path) == "/SumBackward0");
  CHECK(payloads[1].event.payload.bits == 2);
}

TEST_CASE("What began before prof listened, and what ends after, unbalances nothing") {
  const FakeTorch& torch = Torch();
  capture::Recording recording;
  void* const early = torch.begin(kFunction, "early", -1);
  void* late = nullptr;
  {
    const Listener listener;
    capture::PushRange({"range", {}});
    torch.end(early);
    late = torch.begin(kFunction, "late", -1);
  }
  CHECK(torch.callbacks() == 0);
  torch.Run(kFunction, "unheard");
  torch.end(late);
  CHECK(capture::CurrentTorchOp() == 0);
  CHECK(capture::PopRange({}) == 0);
  for (const std::string& path : Plain(recording.MyPaths())) {
    CHECK(path != "/early");
    CHECK(path != "/unheard");
  }
  CHECK(recording.reader.unbalanced_pops() == 0);
}

TEST_CASE("An op that another thread ends stays no longer than the op around it") {
  const Listener listener;
  const FakeTorch& torch = Torch();
  capture::Recording recording;
  void* const outer = torch.begin(kFunction, "outer", -1);
  void* const moved = torch.begin(kFunction, "moved", -1);
  std::thread([&] { torch.end(moved); }).join();
  torch.end(outer);
  CHECK(capture::CurrentTorchOp() == 0);
}

TEST_CASE("A user's scope outlives the op in which it began") {
  const Listener listener;
  const FakeTorch& torch = Torch();
  capture::Recording recording;
  void* const op = torch.begin(kFunction, "enter", -1);
  void* const scope = torch.begin(kUser, "part", -1);
  torch.end(op);
  CHECK(capture::CurrentTorchOp() != 0);
  torch.end(scope);
  CHECK(capture::CurrentTorchOp() == 0);
}

TEST_CASE("Ops deeper than the stack are counted, and the stack is right after them") {
  const Listener listener;
  const FakeTorch& torch = Torch();
  capture::Recording recording;
  std::vector<void*> events;
  for (int i = 0; i < 200; ++i) events.push_back(torch.begin(kFunction, "aten::deep", -1));
  for (; !events.empty(); events.pop_back()) torch.end(events.back());
  CHECK(capture::CurrentTorchOp() == 0);
  CHECK(recording.reader.events_dropped() == 200 - 128);
  torch.Run(kFunction, "aten::after");
  CHECK(Plain(recording.MyPaths()).back() == "");
}

TEST_CASE("Threads run ops while prof begins to listen and ends, again and again") {
  const FakeTorch& torch = Torch();
  capture::Recording recording;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop.load()) {
        void* const outer = torch.begin(kFunction, "aten::outer", -1);
        torch.Run(kBackward, "InnerBackward0", 1);
        torch.end(outer);
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    const Listener listener;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    recording.Drain();
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  CHECK(torch.callbacks() == 0);
  recording.Drain();
  CHECK(recording.order_errors == 0);
  CHECK(recording.reader.unbalanced_pops() == 0);
}

// An event with these inputs begins and ends.
void RunWith(const char* name, const std::vector<void*>& tensors) {
  const FakeTorch& torch = Torch();
  torch.end(torch.begin_with_inputs(kFunction, name, tensors.data(), tensors.size()));
}

void* TensorOf(const std::vector<int64_t>& sizes,
               test::TensorKind kind = test::TensorKind::kPlain) {
  return Torch().make_tensor(kind, sizes.data(), sizes.size());
}

// The shapes of each op of that name, as the collector gets them.
Paths ShapesOf(capture::Recording* recording, const std::string& name) {
  recording->Drain();
  Paths shapes;
  for (const capture::Recording::Step& step : recording->steps) {
    const std::string path = Plain(step.path);
    if (path == "/" + name) shapes.push_back(step.shapes);
  }
  return shapes;
}

constexpr capture::TorchWish kWithShapes{false, true};

TEST_CASE("An op has the sizes of its tensors, and [] for an input that is none") {
  const Listener listener(kWithShapes);
  CHECK(Torch().wants_inputs());
  capture::Recording recording;
  RunWith("aten::addmm", {TensorOf({4096}), TensorOf({8, 1024}), nullptr, TensorOf({1024, 4096})});
  RunWith("aten::addmm", {TensorOf({}), TensorOf({2, 1, 3, 1, 2, 1, 1013}), TensorOf({0})});
  RunWith("aten::addmm", {});
  CHECK(ShapesOf(&recording, "aten::addmm") == Paths{"[[4096], [8, 1024], [], [1024, 4096]]",
                                                     "[[], [2, 1, 3, 1, 2, 1, 1013], [0]]", "[]"});
  CHECK(recording.reader.torch_shapes_dropped() == 0);
}

TEST_CASE("Tensors without simple sizes have none, and nobody asks PyTorch for them") {
  const Listener listener(kWithShapes);
  capture::Recording recording;
  RunWith("aten::add", {TensorOf({8, 16}, test::TensorKind::kSymbolic),
                        TensorOf({}, test::TensorKind::kUndefined),
                        TensorOf({2, 3}, test::TensorKind::kStrided)});
  CHECK(ShapesOf(&recording, "aten::add") == Paths{"[[], [], [2, 3]]"});
}

TEST_CASE("Inputs beyond the longest list of shapes are cut") {
  const Listener listener(kWithShapes);
  capture::Recording recording;
  std::string expected = "[";
  for (int i = 0; i < 42; ++i) expected += "[7, 8], ";
  RunWith("aten::many", std::vector<void*>(200, TensorOf({7, 8})));
  RunWith("aten::many", {TensorOf(std::vector<int64_t>(1'000, 1)), TensorOf({7})});
  CHECK(ShapesOf(&recording, "aten::many") == Paths{expected + "...]", "[...]"});
}

TEST_CASE("An op that did not ask for shapes has none, and PyTorch gives no inputs") {
  const Listener listener;
  CHECK_FALSE(Torch().wants_inputs());
  capture::Recording recording;
  RunWith("aten::quiet", {TensorOf({8, 16})});
  CHECK(ShapesOf(&recording, "aten::quiet") == Paths{""});
}

TEST_CASE("Threads record the same shapes and new ones at the same time") {
  const Listener listener(kWithShapes);
  capture::Recording recording;
  constexpr int kThreads = 3, kOps = 400;
  std::vector<void*> tensors;
  for (int i = 0; i < kOps; ++i) tensors.push_back(TensorOf({77, i}));
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (void* tensor : tensors) RunWith("aten::same", {tensor});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::map<std::string, int> count;
  for (const std::string& shapes : ShapesOf(&recording, "aten::same")) ++count[shapes];
  CHECK(count.size() == kOps);
  for (const auto& [shapes, times] : count) CHECK(times == kThreads);
  CHECK(count.count("[[77, 399]]") == 1);
}

// As Python calls them: with the same object at the begin and the end.
struct Name {
  std::string text;
  int references = 0;
};
const char* TextOf(void* name) { return static_cast<Name*>(name)->text.c_str(); }
void AddReference(void* name) { ++static_cast<Name*>(name)->references; }

struct ModuleFunctions {
  using Function = void* (*)(void* module, void* name);
  Function enter = nullptr, leave = nullptr;
};

ModuleFunctions Modules() {
  void* functions[2] = {};
  CHECK(prof_torch_modules(PROF_TORCH_MODULES_VERSION, reinterpret_cast<void*>(&TextOf),
                           reinterpret_cast<void*>(&AddReference), functions) == 1);
  return {reinterpret_cast<ModuleFunctions::Function>(functions[0]),
          reinterpret_cast<ModuleFunctions::Function>(functions[1])};
}

// Before any test that tells prof of modules.
TEST_CASE("Where no interpreter tells of its modules, there is a notice at the end") {
  void* functions[2] = {};
  CHECK(prof_torch_modules(PROF_TORCH_MODULES_VERSION + 1, nullptr, nullptr, functions) == 0);
  CHECK_FALSE(KnowsModules());
  (void)Torch();
  Begin({true, false});
  REQUIRE(LookUntilDecided() == "");
  const auto notice = End();
  REQUIRE(notice);
  CHECK(notice->what ==
        "the modules of PyTorch are not recorded: no Python interpreter has reported them");
  Begin({});
  REQUIRE(LookUntilDecided() == "");
  CHECK_FALSE(End());
}

TEST_CASE("Modules are scopes among the ops, and end with what is in them") {
  const ModuleFunctions modules = Modules();
  CHECK(KnowsModules());
  const Listener listener;
  const FakeTorch& torch = Torch();
  capture::Recording recording;
  Name net{"Net"}, layer{"Net.layers.3"}, shell{""};
  CHECK(modules.enter(nullptr, &net) == &net);
  (void)modules.enter(nullptr, &shell);
  (void)modules.enter(nullptr, &layer);
  void* const op = torch.begin(kFunction, "aten::relu", -1);
  (void)modules.enter(nullptr, &layer);  // it calls itself
  (void)modules.leave(nullptr, &layer);
  torch.end(op);
  void* const lost = torch.begin(kFunction, "lost", -1);
  CHECK(modules.leave(nullptr, &layer) == &layer);
  (void)modules.leave(nullptr, &shell);
  (void)modules.leave(nullptr, &net);
  CHECK(capture::CurrentTorchOp() == 0);
  torch.end(lost);
  CHECK(net.references == 2);
  Paths paths = Plain(recording.MyPaths());
  paths.erase(std::remove(paths.begin(), paths.end(), ""), paths.end());
  CHECK(paths == Paths{"/Net", "/Net/Net.layers.3", "/Net/Net.layers.3/aten::relu",
                       "/Net/Net.layers.3/aten::relu/Net.layers.3", "/Net/Net.layers.3/aten::relu",
                       "/Net/Net.layers.3", "/Net/Net.layers.3/lost", "/Net"});
  for (const capture::RangePathInfo& info : recording.infos) {
    if (info.name == "Net.layers.3") CHECK(info.torch == capture::TorchScope::kModule);
  }
}

TEST_CASE("A module that began before prof listened, or ends after, unbalances nothing") {
  const ModuleFunctions modules = Modules();
  capture::Recording recording;
  Name early{"Early"}, late{"Late"};
  (void)modules.enter(nullptr, &early);
  {
    const Listener listener;
    (void)modules.leave(nullptr, &early);
    (void)modules.enter(nullptr, &late);
    CHECK(capture::CurrentTorchOp() != 0);
  }
  (void)modules.leave(nullptr, &late);
  CHECK(capture::CurrentTorchOp() == 0);
  CHECK(recording.reader.unbalanced_pops() == 0);
}

TEST_CASE("Three hundred numbered modules in one become one, with their numbers") {
  const ModuleFunctions modules = Modules();
  const Listener listener;
  capture::Recording recording;
  Name net{"Many"};
  (void)modules.enter(nullptr, &net);
  for (int i = 0; i < 300; ++i) {
    Name expert{"Many.experts." + std::to_string(i)};
    (void)modules.enter(nullptr, &expert);
    (void)modules.leave(nullptr, &expert);
  }
  (void)modules.leave(nullptr, &net);
  recording.Drain();
  const auto named = std::count_if(
      recording.infos.begin(), recording.infos.end(),
      [](const capture::RangePathInfo& info) { return info.name.rfind("Many.experts.", 0) == 0; });
  CHECK(named == 128 + 1);
  CHECK(recording.reader.events_dropped() == 0);
}

}  // namespace
}  // namespace prof::torch::bridge_test
