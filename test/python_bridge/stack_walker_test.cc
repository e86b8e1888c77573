// SPDX-License-Identifier: Apache-2.0
//
// The walker on an interpreter that is made of bytes, so that all of it can be wrong.
#include "python_bridge/stack_walker.h"

#include <cstring>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::python::test {
namespace {

char state[64];  // of the only thread
void* ThreadState() { return state; }

int code_type, text_type, bytes_type;

template <typename Value>
void Put(char* object, uint32_t offset, const Value& value) {
  std::memcpy(object + offset, &value, sizeof(value));
}

struct Text {
  explicit Text(const std::string& text) {
    Put(bytes, kObjectType, &text_type);
    Put(bytes, kTextLength, static_cast<int64_t>(text.size()));
    Put(bytes, kTextState, uint32_t{1 << 2 | 1 << 5 | 1 << 6});
    std::memcpy(bytes + 48, text.data(), text.size());
  }
  alignas(8) char bytes[128] = {};
};

// A function of Python 3.11 whose instruction i is in line `first_line` + i.
struct Code {
  Code(const std::string& function, int32_t first_line) : name(function), file("/app.py") {
    Put(lines, kObjectType, &bytes_type);
    Put(lines, kBytesSize, int64_t{2 * kUnits});
    for (int i = 0; i < kUnits; ++i) {
      lines[kBytesData + 2 * i] = static_cast<char>(0x80 | (i == 0 ? 10 : 11) << 3);
    }
    Put(code, kObjectType, &code_type);
    Put(code, 72, first_line);
    Put(code, 112, &file);
    Put(code, 128, &name);
    Put(code, 136, &lines);
  }
  uintptr_t Instruction(int line) const {
    return reinterpret_cast<uintptr_t>(code) + 184 + static_cast<uintptr_t>(2 * line);
  }
  static constexpr int kUnits = 30;
  Text name, file;
  alignas(8) char lines[128] = {};
  alignas(8) char code[256] = {};
};

struct Frame {
  alignas(8) char bytes[80] = {};
  void Set(const Code& code, int line, const Frame* caller) {
    Put(bytes, 32, &code.code);
    Put(bytes, 48, caller != nullptr ? caller->bytes : nullptr);
    Put(bytes, 56, code.Instruction(line));
  }
};

struct Interpreter {
  Interpreter() {
    python.this_thread_state = reinterpret_cast<uintptr_t>(&ThreadState);
    python.code_type = reinterpret_cast<uintptr_t>(&code_type);
    python.text_type = reinterpret_cast<uintptr_t>(&text_type);
    python.bytes_type = reinterpret_cast<uintptr_t>(&bytes_type);
    python.major = 3;
    python.minor = 11;
    REQUIRE(LayoutOf(python, &layout).empty());
    Put(state, 56, &cframe);
    inner.Set(callee, 3, &outer);
    outer.Set(caller, 7, nullptr);
    Run(&inner);
  }
  void Run(const Frame* frame) { Put(cframe, 8, frame != nullptr ? frame->bytes : nullptr); }

  std::string Describe(capture::HostStacks* stacks, uint32_t id) const {
    std::vector<std::string> frames;
    std::vector<capture::HostStackEvent> nodes;
    capture::HostStacks::Seen seen;
    stacks->Read(
        &seen,
        [&](const capture::HostFrameEvent& frame) {
          frames.push_back(std::string(frame.function) + ":" + std::to_string(frame.line));
        },
        [&](const capture::HostStackEvent& stack) { nodes.push_back(stack); });
    std::string text;
    for (; id != 0; id = nodes[id - 1].parent) text += frames[nodes[id - 1].frame - 1] + " ";
    return text;
  }

  PythonSymbols python;
  PythonLayout layout;
  alignas(8) char cframe[16] = {};
  Code caller{"main", 10}, callee{"step", 100};
  Frame inner, outer;
};

TEST_CASE("A stack has the function and the line of each frame") {
  Interpreter interpreter;
  capture::HostStacks stacks;
  StackMaker maker(interpreter.python, interpreter.layout, &stacks);
  StackWalker walker(interpreter.python, interpreter.layout, &maker);
  capture::StackCache cache;
  const uint32_t first = walker.Walk(&cache);
  CHECK(interpreter.Describe(&stacks, first) == "step:103 main:17 ");
  CHECK(walker.Walk(&cache) == first);
  CHECK(walker.Walk(nullptr) == first);
  interpreter.outer.Set(interpreter.caller, 8, nullptr);
  const uint32_t second = walker.Walk(&cache);
  CHECK(interpreter.Describe(&stacks, second) == "step:103 main:18 ");
  interpreter.Run(&interpreter.outer);
  CHECK(interpreter.Describe(&stacks, walker.Walk(&cache)) == "main:18 ");
  interpreter.Run(nullptr);
  CHECK(walker.Walk(&cache) == capture::kNoStack);
  CHECK(walker.problem().empty());
  CHECK(walker.dropped() == 0);
}

TEST_CASE("Other code at the address of a code object is told apart by its content") {
  Interpreter interpreter;
  capture::HostStacks stacks;
  StackMaker maker(interpreter.python, interpreter.layout, &stacks);
  StackWalker walker(interpreter.python, interpreter.layout, &maker);
  capture::StackCache cache;
  interpreter.Run(&interpreter.outer);
  CHECK(interpreter.Describe(&stacks, walker.Walk(&cache)) == "main:17 ");
  // Everything stays where it was; Python keeps a hash in each name.
  std::memcpy(interpreter.caller.name.bytes + 48, "task", 4);
  Put(interpreter.caller.name.bytes, kTextHash, uint64_t{99});
  CHECK(interpreter.Describe(&stacks, walker.Walk(&cache)) == "task:17 ");
  interpreter.caller.lines[kBytesData + 4] = static_cast<char>(0x80 | 12 << 3);  // one line more
  CHECK(interpreter.Describe(&stacks, walker.Walk(&cache)) == "task:18 ");
}

TEST_CASE("Where the frames are not those of the version, nothing is read any more") {
  Interpreter interpreter;
  capture::HostStacks stacks;
  capture::StackCache cache;
  SECTION("what should be code is none") { Put(interpreter.caller.code, kObjectType, &text_type); }
  SECTION("a frame points nowhere") { Put(interpreter.outer.bytes, 32, uintptr_t{0x10}); }
  SECTION("the chain of frames points nowhere") {
    Put(interpreter.outer.bytes, 48, uintptr_t{0x1234567});
  }
  SECTION("the instruction is not in the code") {
    Put(interpreter.outer.bytes, 56, uintptr_t{0x1234567});
  }
  SECTION("the name is no text") { Put(interpreter.caller.name.bytes, kObjectType, &code_type); }
  StackMaker maker(interpreter.python, interpreter.layout, &stacks);
  StackWalker walker(interpreter.python, interpreter.layout, &maker);
  CHECK(walker.Walk(&cache) == capture::kNoStack);
  CHECK(walker.problem().find("not laid out as in CPython 3.11") != std::string::npos);
  CHECK(walker.Walk(&cache) == capture::kNoStack);
}

TEST_CASE("A stack without room in the table is counted at each call") {
  Interpreter interpreter;
  capture::HostStacks stacks(8, 1);
  StackMaker maker(interpreter.python, interpreter.layout, &stacks);
  StackWalker walker(interpreter.python, interpreter.layout, &maker);
  capture::StackCache cache;
  CHECK(walker.Walk(&cache) == capture::kNoStack);
  CHECK(walker.Walk(&cache) == capture::kNoStack);
  CHECK(walker.dropped() == 2);
  interpreter.Run(&interpreter.outer);
  CHECK(walker.Walk(&cache) != capture::kNoStack);
  CHECK(walker.dropped() == 2);
}

}  // namespace
}  // namespace prof::python::test
