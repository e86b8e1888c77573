// SPDX-License-Identifier: Apache-2.0
//
// The walker on an interpreter that is made of bytes, so that all of it can be wrong.
#include "python_bridge/stack_walker.h"

#include <cstring>
#include <string>

#include "python_bridge/stack_maker.h"
#include "test/python_bridge/made_interpreter.h"
#include "test/support/catch.h"

namespace prof::python::test::stack_walker_test {
namespace {

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
}  // namespace prof::python::test::stack_walker_test
