// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/lines.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "lib/analyzer/base/own_frames.h"
#include "lib/report/json.h"
#include "lib/report/text/details/lines_detail.h"
#include "lib/report/text/details/source_detail.h"
#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/python_stacks.h"
#include "test/support/snapshot_builder.h"

namespace prof::lines_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::PythonStacks;
using test::SnapshotBuilder;

constexpr char kLibrary[] = "/venv/lib/python3.12/site-packages/torch/functional.py";

// A program that calls a library from two lines; a kernel without a stack; a graph's node.
struct Program {
  Program() {
    const uint32_t module = python.Stack(0, "<module>", "/app/train.py", 3);
    const uint32_t one = python.Stack(module, "step", "/app/train.py", 20);
    const uint32_t two = python.Stack(module, "step", "/app/train.py", 21);
    const uint32_t captured = python.Stack(module, "capture", "/app/graph.py", 5);
    python.of_call[b.Kernel(gemm, "", 10'000, 20'000)] = Linear(one);
    python.of_call[b.Kernel(gemm, "", 30'000, 70'000)] = Linear(two);
    python.of_call[b.Kernel(add, "", 70'000, 75'000)] = Linear(two);
    b.Kernel(add, "", 80'000, 90'000);
    b.GraphNode(5, "");
    python.of_node[5] = captured;
    Launch how;
    how.graph = 7;
    how.graph_node = 5;
    python.of_call[b.Kernel(add, "", 90'000, 92'000, how)] = module;
    how.graph_node = 6;  // nobody saw it being captured
    python.of_call[b.Kernel(add, "", 92'000, 93'000, how)] = module;
    b.edit = [this](wire::Block& block) { python.AddTo(&block); };
  }
  uint32_t Linear(uint32_t caller) { return python.Stack(caller, "linear", kLibrary, 77); }

  SnapshotBuilder b;
  PythonStacks python;
  uint32_t gemm = b.Shape("gemm", {132}, {256}), add = b.Shape("add", {132}, {256});
};

TEST_CASE("A line has the time of its launches, and the idle time before those that came late") {
  Program program;
  const Report report = Analyze(program.b.Snapshot());
  REQUIRE(report.error.empty());
  const std::vector<LineReport>& own = report.lines.own;
  REQUIRE(own.size() == 4);
  CHECK(own[0].file == "/app/train.py");
  CHECK(own[0].function == "step");
  CHECK(own[0].line == 21);
  CHECK(own[0].operations == 2);
  CHECK(own[0].kernels == 2);
  CHECK(own[0].time_ns == 45'000);
  CHECK(own[0].idle_ns == 10'000);
  CHECK(own[0].dominant == "gemm");
  CHECK(own[1].line == 20);
  CHECK(own[1].time_ns == 10'000);
  CHECK(own[1].idle_ns == 0);
  CHECK(report.lines.without_stack_ns == 10'000);
}

TEST_CASE("Without ranges the lines are in the order of launches that repeat") {
  constexpr int64_t kSteps = 25;
  SnapshotBuilder b;
  PythonStacks python;
  const uint32_t gemm = b.Shape("gemm", {132}, {256}), add = b.Shape("add", {132}, {256});
  const uint32_t slow = python.Stack(0, "step", "/app/train.py", 20);
  const uint32_t quick = python.Stack(0, "step", "/app/train.py", 21);
  for (int64_t i = 0; i < kSteps; ++i) {
    const int64_t at_ns = 1'000'000 + i * 50'000;
    python.of_call[b.Kernel(gemm, "", at_ns + 11'000, at_ns + 31'000)] = slow;
    python.of_call[b.Kernel(add, "", at_ns + 31'000, at_ns + 41'000)] = quick;
  }
  b.edit = [&](wire::Block& block) { python.AddTo(&block); };
  const LinesReport lines = Analyze(b.Snapshot()).lines;
  CHECK(lines.steps.by_launches);
  CHECK(lines.steps.range == "2 launches that repeat");
  CHECK(lines.steps.count == kSteps - 2);
  REQUIRE(lines.own.size() == 2);
  CHECK(lines.own[0].line == 20);
  CHECK(lines.own[0].steps_ns > lines.own[1].steps_ns);
}

// 25 steps of 10 us, each with two kernels of two lines, after a start that is slow.
TEST_CASE("Where the run has steps the lines stand in the order of their time in them") {
  constexpr int64_t kSteps = 25;
  SnapshotBuilder b;
  PythonStacks python;
  const uint32_t gemm = b.Shape("gemm", {132}, {256});
  const uint32_t start = python.Stack(0, "load", "/app/train.py", 5);
  const uint32_t slow = python.Stack(0, "step", "/app/train.py", 20);
  const uint32_t quick = python.Stack(0, "step", "/app/train.py", 21);
  python.of_call[b.Kernel(gemm, "", 10'000, 900'000)] = start;
  for (int64_t i = 0; i < kSteps; ++i) {
    const int64_t at_ns = 1'000'000 + i * 10'000;
    b.Range("step", at_ns, at_ns + 10'000);
    python.of_call[b.Kernel(gemm, "step", at_ns + 1'000, at_ns + 7'000)] = slow;
    python.of_call[b.Kernel(gemm, "step", at_ns + 7'000, at_ns + 9'000)] = quick;
  }
  b.edit = [&](wire::Block& block) { python.AddTo(&block); };
  const Report report = Analyze(b.Snapshot());
  const LinesReport& lines = report.lines;
  CHECK(lines.steps.range == "step");
  CHECK_FALSE(lines.steps.by_launches);
  CHECK(lines.steps.count == kSteps - 2);
  CHECK(lines.steps.time_ns == 230'000);
  REQUIRE(lines.own.size() == 3);
  CHECK(lines.own[0].line == 20);
  CHECK(lines.own[0].steps_ns == 23 * 6'000 + 22 * 2'000);  // with the idle time before it
  CHECK(lines.own[1].line == 21);
  CHECK(lines.own[1].steps_ns == 23 * 2'000);
  CHECK(lines.own[2].line == 5);
  CHECK(lines.own[2].steps_ns == 0);
  CHECK(lines.own[2].time_ns > lines.own[0].time_ns);
  std::ostringstream text, json;
  REQUIRE(WriteLinesDetail(text, report, {}));
  CHECK_THAT(text.str(), Contains("In steps: the line's busy and idle time"));
  CHECK_THAT(text.str(), Contains("last 23 steps (step)"));
  WriteJson(json, report);
  CHECK_THAT(json.str(), Contains("\"steps_ns\": 46000.0"));
}

TEST_CASE("The idle time behind a wait is that of the line that waited") {
  Program program;
  const uint32_t waits = program.python.Stack(0, "step", "/app/train.py", 30);
  const uint32_t next = program.python.Stack(0, "step", "/app/train.py", 31);
  program.python.of_call[program.b.Api("cudaStreamSynchronize", 94'000, 109'000)] = waits;
  program.python.of_call[program.b.Kernel(program.gemm, "", 100'000, 108'000)] = next;
  Launch late;
  late.api_start_ns = 110'000;
  late.api_end_ns = 113'000;
  program.python.of_call[program.b.Kernel(program.gemm, "", 115'000, 120'000, late)] = next;
  const std::vector<LineReport> own = Analyze(program.b.Snapshot()).lines.own;
  const auto at = [&](uint32_t number) {
    return *std::find_if(own.begin(), own.end(),
                         [&](const LineReport& line) { return line.line == number; });
  };
  CHECK(at(30).idle_ns == 7'000);
  CHECK(at(30).operations == 0);
  CHECK(at(31).idle_ns == 7'000);  // before the first one, which came late
}

TEST_CASE("Work of a graph is that of the line that was captured, else of the launch") {
  Program program;
  const std::vector<LineReport> own = Analyze(program.b.Snapshot()).lines.own;
  REQUIRE(own.size() == 4);
  CHECK(own[2].file == "/app/graph.py");
  CHECK(own[2].time_ns == 2'000);
  CHECK(own[3].function == "<module>");
  CHECK(own[3].time_ns == 1'000);
}

TEST_CASE("A kernel has the program's lines that launched it, most time first") {
  Program program;
  const Report report = Analyze(program.b.Snapshot());
  const auto named = [&](const char* name) {
    return *std::find_if(report.kernels.begin(), report.kernels.end(),
                         [&](const KernelReport& kernel) { return kernel.name == name; });
  };
  const std::vector<KernelSource> gemm = named("gemm").lines;
  REQUIRE(gemm.size() == 2);
  CHECK(gemm[0].file == "/app/train.py");
  CHECK(gemm[0].function == "step");
  CHECK(gemm[0].line == 21);
  CHECK(gemm[0].time_ns == 40'000);
  CHECK(gemm[0].launches == 1);
  CHECK_FALSE(gemm[0].backward);
  CHECK(gemm[1].line == 20);
  const std::vector<KernelSource> add = named("add").lines;  // one launch has no stack
  REQUIRE(add.size() == 3);
  CHECK(add[0].line == 21);
  CHECK(add[1].file == "/app/graph.py");
  CHECK(add[1].time_ns == 2'000);
  CHECK(add[2].function == "<module>");
}

TEST_CASE("The innermost lines are those of libraries, too, and sum to the same") {
  Program program;
  const LinesReport lines = Analyze(program.b.Snapshot()).lines;
  double own_ns = 0, all_ns = 0;
  for (const LineReport& line : lines.own) own_ns += line.time_ns;
  for (const LineReport& line : lines.all) all_ns += line.time_ns;
  CHECK(own_ns == all_ns);
  CHECK(own_ns + lines.without_stack_ns == 68'000);
  CHECK(lines.all.at(0).file == kLibrary);
}

const SourceLine* WithinAt(const LinesReport& lines, const std::string& file, uint32_t number) {
  const auto at = std::find_if(lines.within.begin(), lines.within.end(), [&](const auto& line) {
    return line.file == file && line.line == number;
  });
  return at == lines.within.end() ? nullptr : &*at;
}

TEST_CASE("A line has the time of all that it called, once where it is in a stack twice") {
  Program program;
  const uint32_t again = program.python.Stack(program.python.Stack(0, "visit", "/app/tree.py", 8),
                                              "visit", "/app/tree.py", 8);
  program.python.of_call[program.b.Kernel(program.add, "", 100'000, 103'000)] = again;
  const LinesReport lines = Analyze(program.b.Snapshot()).lines;
  const SourceLine* const module = WithinAt(lines, "/app/train.py", 3);
  REQUIRE(module != nullptr);
  CHECK(module->function == "<module>");
  CHECK(module->time_ns == 58'000);  // both steps, and both nodes of the graph
  CHECK(module->operations == 5);
  REQUIRE(WithinAt(lines, "/app/train.py", 21) != nullptr);
  CHECK(WithinAt(lines, "/app/train.py", 21)->time_ns == 45'000);
  REQUIRE(WithinAt(lines, kLibrary, 77) != nullptr);
  CHECK(WithinAt(lines, kLibrary, 77)->time_ns == 55'000);
  REQUIRE(WithinAt(lines, "/app/tree.py", 8) != nullptr);
  CHECK(WithinAt(lines, "/app/tree.py", 8)->time_ns == 3'000);
}

TEST_CASE("A file is found by the end of its path, and else by its name") {
  Program program;
  const Report report = Analyze(program.b.Snapshot());
  std::string problem;
  CHECK(FindSource(report, "train.py", &problem) == "/app/train.py");
  CHECK(FindSource(report, "./app/train.py", &problem) == "/app/train.py");
  CHECK(FindSource(report, "/home/me/train.py", &problem) == "/app/train.py");
  CHECK(problem.empty());
  CHECK(FindSource(report, "rain.py", &problem).empty());
  CHECK_THAT(problem, Contains("no stack has a line of 'rain.py'") && Contains("/app/train.py"));
  program.python.of_call[program.b.Kernel(program.add, "", 100'000, 103'000)] =
      program.python.Stack(0, "run", "/other/train.py", 8);
  CHECK(FindSource(Analyze(program.b.Snapshot()), "train.py", &problem).empty());
  CHECK_THAT(problem, Contains("several files: /app/train.py, /other/train.py"));
}

TEST_CASE("The source has the times beside its lines, and leaves out what is far from them") {
  Program program;
  const Report report = Analyze(program.b.Snapshot());
  std::vector<std::string> source;
  for (int i = 1; i <= 20; ++i) source.push_back("line_" + std::to_string(i) + "()");
  std::ostringstream out;
  WriteSourceDetail(out, report, "/app/train.py", source, {});
  const std::string text = out.str();
  CHECK_THAT(text, Contains("/app/train.py"));
  CHECK_THAT(text, Contains("line_1()") && Contains("line_5()") && Contains("...") &&
                       Contains("line_18()"));
  CHECK_THAT(text, !Contains("line_6()") && !Contains("line_17()"));
  CHECK_THAT(text, Contains("(the file has no such line)"));  // 21
  const size_t row = text.find("line_3()");
  const std::string of_row = text.substr(text.rfind('\n', row) + 1, row - text.rfind('\n', row));
  CHECK_THAT(of_row, Contains("58.0 us") && Contains("85.3"));  // of 68 us
}

TEST_CASE("The backward pass of an op is that of the line that launched the op") {
  using model::TorchScope;
  SnapshotBuilder b;
  PythonStacks python;
  const uint32_t mul = b.TorchOp(0, "aten::mul");
  const uint32_t next = b.TorchOp(0, "aten::add");
  const uint32_t node = b.TorchOp(0, "MulBackward0", TorchScope::kBackward);
  const uint32_t gemm = b.Shape("gemm", {132}, {256});
  Launch engine;
  engine.tid = 2000;
  b.TorchStep(1'000, mul);
  b.TorchSequence(1'000, mul, 7);
  python.of_call[b.Kernel(gemm, "", 12'000, 13'000)] =
      python.Stack(0, "forward", "/app/model.py", 7);
  b.TorchStep(4'000, 0);
  b.TorchStep(5'000, next);
  b.TorchSequence(5'000, next, 8);
  b.TorchStep(6'000, 0);
  b.TorchStep(40'000, node, engine.tid);
  b.TorchSequence(40'000, node, 7, engine.tid);
  b.Kernel(gemm, "", 51'000, 54'000, engine);
  b.TorchStep(49'000, 0, engine.tid);
  b.Kernel(gemm, "", 70'000, 71'000, engine);  // in no op
  b.edit = [&](wire::Block& block) { python.AddTo(&block); };
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.lines.own.size() == 1);
  const LineReport& line = report.lines.own[0];
  CHECK(line.line == 7);
  CHECK(line.time_ns == 1'000);
  CHECK(line.backward_ns == 3'000);
  CHECK(line.operations == 1);
  CHECK(report.lines.without_stack_ns == 1'000);
  REQUIRE(report.kernels.at(0).lines.size() == 2);
  CHECK(report.kernels[0].lines[0].backward);
  CHECK(report.kernels[0].lines[0].line == 7);
  CHECK(report.kernels[0].lines[0].time_ns == 3'000);
  CHECK_FALSE(report.kernels[0].lines[1].backward);
  std::ostringstream text;
  REQUIRE(WriteLinesDetail(text, report, {}));
  CHECK_THAT(text.str(), Contains("its backward"));
  CHECK_THAT(text.str(), Contains("80.0"));  // 4 of 5 us
}

TEST_CASE("Installed packages, Python's library and code without a file are not the program's") {
  using analyzer::IsOwnFile;
  CHECK(IsOwnFile("/app/train.py"));
  CHECK(IsOwnFile("train.py"));
  CHECK(IsOwnFile("/home/me/lib/python3/tools/train.py"));
  CHECK(IsOwnFile("<ipython-input-3-0123>"));
  CHECK_FALSE(IsOwnFile(kLibrary));
  CHECK_FALSE(IsOwnFile("/usr/lib/python3/dist-packages/numpy/core.py"));
  CHECK_FALSE(IsOwnFile("/usr/lib/python3.11/runpy.py"));
  CHECK_FALSE(IsOwnFile("/opt/lib/python3.13t/asyncio/base_events.py"));
  CHECK_FALSE(IsOwnFile("<frozen runpy>"));
  CHECK_FALSE(IsOwnFile("<string>"));
  CHECK_FALSE(IsOwnFile(""));
}

TEST_CASE("The report by line has both tables, and says how much has no stack") {
  Program program;
  const Report report = Analyze(program.b.Snapshot());
  std::ostringstream text;
  REQUIRE(WriteLinesDetail(text, report, {}));
  CHECK_THAT(text.str(), Contains("\ntrain.py:21 step"));
  CHECK_THAT(text.str(), Contains("66.2"));  // 45 of 68 us
  CHECK_THAT(text.str(), Contains("has no stack"));
  std::ostringstream json;
  WriteJson(json, report);
  CHECK_THAT(json.str(), Contains("\"without_stack_ns\": 10000.0"));
}

TEST_CASE("Files of one name are told apart by the folder") {
  SnapshotBuilder b;
  PythonStacks python;
  const uint32_t gemm = b.Shape("gemm", {132}, {256});
  int64_t at_ns = 10'000;
  for (const char* file : {"/app/a/layer.py", "/app/b/layer.py", "/app/train.py", "train.py"}) {
    python.of_call[b.Kernel(gemm, "", at_ns, at_ns + 5'000)] = python.Stack(0, "run", file, 3);
    at_ns += 10'000;
  }
  b.edit = [&](wire::Block& block) { python.AddTo(&block); };
  std::ostringstream text;
  REQUIRE(WriteLinesDetail(text, Analyze(b.Snapshot()), {}));
  for (const char* line :
       {"\na/layer.py:3 run", "\nb/layer.py:3 run", "\n/app/train.py:3 run", "\ntrain.py:3 run"}) {
    CHECK_THAT(text.str(), Contains(line));
  }
}

TEST_CASE("Without Python stacks there is no report by line") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("gemm", {132}, {256}), "", 10'000, 20'000);
  const Report report = Analyze(b.Snapshot());
  CHECK(report.lines.own.empty());
  CHECK(report.lines.all.empty());
  std::ostringstream text, json;
  CHECK_FALSE(WriteLinesDetail(text, report, {}));
  CHECK(text.str().empty());
  WriteJson(json, report);
  CHECK_THAT(json.str(), !Contains("without_stack_ns"));
}

TEST_CASE("A damaged table of stacks ends the recording there") {
  for (const int what : {0, 1, 2, 3, 4}) {
    Program program;
    program.b.edit = [&](wire::Block& block) {
      program.python.AddTo(&block);
      if (what == 0) block.mutable_host_stacks(1)->set_parent(9);
      if (what == 1) block.mutable_host_stacks(1)->set_frame(99);
      if (what == 2) block.mutable_host_frames(1)->set_file(9999);
      if (what == 3) block.mutable_api_calls()->set_stack_guess(1, 99);
      if (what == 4) block.mutable_graph_nodes(0)->set_stack_delta(0, 99);
    };
    const Report report = Analyze(program.b.Snapshot());
    INFO(what);
    CHECK((report.error + report.incomplete) != "");
    CHECK(report.lines.all.empty());
  }
}

// What a C++ program calls CUDA through.
struct NativeProgram {
  NativeProgram() {
    const uint32_t main = stacks.Native(0, "main", "/app/solver", "/src/main.cc", 10);
    const uint32_t lined = stacks.Native(main, "solve", "/app/solver", "/src/solve.cc", 42);
    const uint32_t stub = stacks.Native(lined, "__device_stub_gemm", "/app/solver",
                                        "/tmp/tmpxft_1.cudafe1.stub.c", 9);
    stacks.of_call[b.Kernel(gemm, "", 10'000, 20'000)] = stacks.Native(
        stub, "cudaLaunchKernel", "/app/solver", "/usr/local/cuda/include/cuda_runtime.h", 200);
    // Without debug information.
    const uint32_t start = stacks.Native(0, "_start", "/app/other");
    uint32_t other = stacks.Native(start, "step(double*)", "/app/other");
    other = stacks.Native(other, "at::addmm", "/venv/site-packages/torch/lib/libtorch_cpu.so");
    other = stacks.Native(other, "at::native::addmm_cuda", "/opt/libtorch/lib/libtorch_cuda.so");
    stacks.of_call[b.Kernel(add, "", 21'000, 22'000)] =
        stacks.Native(other, "cublasSgemm", "/usr/local/lib/libcublas.so.13");
    b.edit = [this](wire::Block& block) { stacks.AddTo(&block); };
  }
  SnapshotBuilder b;
  PythonStacks stacks;
  uint32_t gemm = b.Shape("gemm", {132}, {256}), add = b.Shape("add", {132}, {256});
};

TEST_CASE("The line of native work is the program's own, and without one its function") {
  NativeProgram program;
  const Report report = Analyze(program.b.Snapshot());
  REQUIRE(report.error.empty());
  const std::vector<LineReport>& own = report.lines.own;
  REQUIRE(own.size() == 2);
  CHECK(own[0].file == "/src/solve.cc");
  CHECK(own[0].line == 42);
  CHECK(own[0].function == "solve");
  CHECK(own[0].module == "/app/solver");
  CHECK(own[1].file.empty());
  CHECK(own[1].line == 0);
  CHECK(own[1].function == "step(double*)");
  CHECK(own[1].module == "/app/other");
  CHECK(report.lines.all[0].function == "cudaLaunchKernel");
  std::ostringstream text;
  REQUIRE(WriteLinesDetail(text, report, {}));
  CHECK_THAT(text.str(), Contains("solve.cc:42 solve"));
  CHECK_THAT(text.str(), Contains("other step(double*)"));
  std::ostringstream json;
  WriteJson(json, report);
  CHECK_THAT(json.str(), Contains("\"module\": \"/app/other\""));
}

TEST_CASE("A source file of the system, of CUDA or of nvcc is not the program's own") {
  using analyzer::IsOwnSource;
  CHECK(IsOwnSource("/home/me/solver/src/solve.cc"));
  CHECK(IsOwnSource("solve.cu"));
  CHECK_FALSE(IsOwnSource("/usr/include/c++/12/bits/stl_vector.h"));
  CHECK_FALSE(IsOwnSource("/opt/gcc/include/c++/13/functional"));
  CHECK_FALSE(IsOwnSource("/usr/local/cuda-13.0/targets/x86_64-linux/include/cuda_runtime.h"));
  CHECK_FALSE(IsOwnSource("/tmp/tmpxft_00001234_00000000-6_solve.cudafe1.stub.c"));
  CHECK_FALSE(IsOwnSource("../sysdeps/nptl/libc_start_call_main.h"));
  CHECK_FALSE(IsOwnSource(""));
}

}  // namespace
}  // namespace prof::lines_test
