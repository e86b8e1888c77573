// SPDX-License-Identifier: Apache-2.0
//
// The walker of other threads on an interpreter that is made of bytes.
#include "python_bridge/outside_walker.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "python_bridge/stack_maker.h"
#include "python_bridge/thread_list.h"
#include "test/python_bridge/made_interpreter.h"
#include "test/support/catch.h"

namespace prof::python::test::outside_walker_test {
namespace {

using capture::HostLook;
using capture::HostSampleKind;
using capture::ThreadNumbers;

constexpr ThreadNumbers kThread = {kTid, 0};

struct Looking {
  capture::HostStacks stacks;
  Interpreter interpreter;
  StackMaker maker{interpreter.python, interpreter.layout, &stacks};
  OutsideWalker walker{interpreter.python, interpreter.layout, &maker};
};

TEST_CASE("A look from outside has the function and the line of each frame") {
  Looking at;
  const HostLook look = at.walker.LookAt(kThread);
  CHECK(look.kind == HostSampleKind::kStack);
  CHECK(look.time_ns > 0);
  CHECK(at.interpreter.Describe(&at.stacks, look.stack) == "step:103 main:17 ");
  at.interpreter.outer.Set(at.interpreter.caller, 8, nullptr);
  const HostLook later = at.walker.LookAt(kThread);
  CHECK(at.interpreter.Describe(&at.stacks, later.stack) == "step:103 main:18 ");
  CHECK(at.walker.problem().empty());
}

TEST_CASE("A thread that Python does not know, or without frames, is native") {
  Looking at;
  CHECK(at.walker.LookAt({kTid + 1, 0}).kind == HostSampleKind::kNative);
  at.interpreter.Run(nullptr);
  const HostLook look = at.walker.LookAt(kThread);
  CHECK(look.kind == HostSampleKind::kNative);
  CHECK(look.stack == capture::kNoStack);
}

TEST_CASE("A state that was freed is not found again, and the next thread of its number is") {
  Looking at;
  Interpreter& interpreter = at.interpreter;
  CHECK(at.walker.LookAt(kThread).kind == HostSampleKind::kStack);
  // The list lost it; its bytes are still there.
  Put(interpreter.interpreter, interpreter.layout.interpreter_threads, uintptr_t{0});
  CHECK(at.walker.LookAt(kThread).kind == HostSampleKind::kNative);
  alignas(8) char second[256];
  std::memcpy(second, state, sizeof(second));
  Put(interpreter.interpreter, interpreter.layout.interpreter_threads, &second);
  CHECK(at.walker.LookAt(kThread).kind == HostSampleKind::kStack);
}

TEST_CASE("The state of a thread is found behind others, and in other interpreters") {
  Interpreter interpreter;
  alignas(8) char newer[256] = {}, other[64] = {};
  Put(newer, kStateInterpreter, &interpreter.interpreter);
  Put(newer, kStateNext, &state);
  Put(newer, interpreter.layout.state_thread, uint64_t{99});
  Put(state, kStatePrevious, &newer);
  Put(interpreter.interpreter, interpreter.layout.interpreter_threads, &newer);
  Put(interpreter.runtime, interpreter.layout.runtime_interpreters, &other);
  Put(other, interpreter.layout.interpreter_next, &interpreter.interpreter);
  ThreadList list(interpreter.python.runtime, interpreter.layout);
  CHECK(list.Find(kThread) == reinterpret_cast<uintptr_t>(state));
  CHECK(list.Find(kThread) == reinterpret_cast<uintptr_t>(state));  // the remembered one
  CHECK(list.Find({99, 0}) == reinterpret_cast<uintptr_t>(newer));
  CHECK(list.Find({98, 0}) == uintptr_t{0});
}

TEST_CASE("A list of threads that goes in a circle or points nowhere ends") {
  Interpreter interpreter;
  ThreadList list(interpreter.python.runtime, interpreter.layout);
  SECTION("a circle") { Put(state, kStateNext, &state); }
  SECTION("nowhere") { Put(state, kStateNext, uintptr_t{0x1234567}); }
  SECTION("a state of another interpreter") { Put(state, kStateInterpreter, uintptr_t{8}); }
  CHECK_FALSE(list.Find({98, 0}).has_value());
}

TEST_CASE("Frames that are none are torn, and after many of them nothing is read any more") {
  Looking at;
  Interpreter& interpreter = at.interpreter;
  SECTION("what should be code is none") { Put(interpreter.caller.code, kObjectType, &text_type); }
  SECTION("a frame points nowhere") { Put(interpreter.outer.bytes, 32, uintptr_t{0x10}); }
  SECTION("the chain of frames points nowhere") {
    Put(interpreter.outer.bytes, 48, uintptr_t{0x1234567});
  }
  SECTION("the chain of frames goes in a circle") {
    Put(interpreter.outer.bytes, 48, uintptr_t{0});
    Put(interpreter.outer.bytes, 48, &interpreter.outer.bytes);
    // It looks like recursion without an end: the innermost frames are a stack.
    const HostLook look = at.walker.LookAt(kThread);
    CHECK(look.kind == HostSampleKind::kStack);
    Put(interpreter.outer.bytes, 32, uintptr_t{0x10});
    CHECK(at.walker.LookAt(kThread).kind == HostSampleKind::kTorn);
    return;
  }
  SECTION("the name is no text") { Put(interpreter.caller.name.bytes, kObjectType, &code_type); }
  for (int i = 0; i < 200; ++i) CHECK(at.walker.LookAt(kThread).kind == HostSampleKind::kTorn);
  CHECK(at.walker.LookAt(kThread).kind == HostSampleKind::kUnread);
  CHECK(at.walker.problem().find("CPython 3.11") != std::string::npos);
}

TEST_CASE("A stack without room in the table is unread") {
  Interpreter interpreter;
  capture::HostStacks stacks(8, 1);
  StackMaker maker(interpreter.python, interpreter.layout, &stacks);
  OutsideWalker walker(interpreter.python, interpreter.layout, &maker);
  CHECK(walker.LookAt(kThread).kind == HostSampleKind::kUnread);
  interpreter.Run(&interpreter.outer);
  CHECK(walker.LookAt(kThread).kind == HostSampleKind::kStack);
}

// A stack that changes within the microsecond that the second reading takes may come out with
// frames of both moments.
TEST_CASE("Looks at a stack that changes all the time are stacks that were there, or torn") {
  Looking at;
  Interpreter& interpreter = at.interpreter;
  REQUIRE(at.walker.LookAt(kThread).kind == HostSampleKind::kStack);  // the layout is right
  std::atomic<bool> stop{false};
  // main:17 calls step:103; main:19 calls nothing.
  const auto pointer = [](char* bytes, uint32_t offset) {
    return reinterpret_cast<std::atomic<uintptr_t>*>(bytes + offset);
  };
  std::thread program([&] {
    const auto inner = reinterpret_cast<uintptr_t>(interpreter.inner.bytes);
    const auto outer = reinterpret_cast<uintptr_t>(interpreter.outer.bytes);
    const auto pause = [] {  // some microseconds, as a line of Python takes
      for (std::atomic<int> i{0}; i < 1000; ++i) continue;
    };
    while (!stop) {
      pointer(interpreter.cframe, 8)->store(outer);
      pointer(interpreter.outer.bytes, 56)->store(interpreter.caller.Instruction(9));
      pause();
      pointer(interpreter.outer.bytes, 56)->store(interpreter.caller.Instruction(7));
      pause();
      pointer(interpreter.inner.bytes, 48)->store(outer);
      pointer(interpreter.cframe, 8)->store(inner);
      pause();
    }
  });
  int whole = 0, mixed = 0;
  for (int i = 0; i < 20'000; ++i) {
    const HostLook look = at.walker.LookAt(kThread);
    if (look.kind == HostSampleKind::kTorn) continue;
    REQUIRE(look.kind == HostSampleKind::kStack);
    ++whole;
    const std::string stack = interpreter.Describe(&at.stacks, look.stack);
    INFO(stack);
    if (stack == "step:103 main:19 ") {
      ++mixed;
      continue;
    }
    REQUIRE((stack == "step:103 main:17 " || stack == "main:17 " || stack == "main:19 "));
  }
  stop = true;
  program.join();
  CHECK(whole > 0);
  CHECK(mixed * 100 <= whole);
}

TEST_CASE("Memory may go away while it is looked at") {
  Looking at;
  Interpreter& interpreter = at.interpreter;
  const size_t page = 4096;
  void* const memory =
      mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  char* const frame = static_cast<char*>(memory);
  std::memcpy(frame, interpreter.inner.bytes, sizeof(interpreter.inner.bytes));
  Put(interpreter.cframe, 8, frame);
  CHECK(at.walker.LookAt(kThread).kind == HostSampleKind::kStack);
  REQUIRE(munmap(memory, page) == 0);
  CHECK(at.walker.LookAt(kThread).kind == HostSampleKind::kTorn);
}

}  // namespace
}  // namespace prof::python::test::outside_walker_test
