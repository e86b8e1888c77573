// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/host_stacks.h"

#include <string>
#include <thread>
#include <vector>

#include "test/support/catch.h"

namespace prof::capture::test::host_stacks_test {
namespace {

std::string Read(HostStacks* stacks, HostStacks::Seen* seen) {
  std::string text;
  stacks->Read(
      seen,
      [&](const HostFrameEvent& frame) {
        text += std::string(frame.function) + "@" + std::string(frame.file) + ":" +
                std::to_string(frame.first_line) + ":" + std::to_string(frame.line) + " ";
      },
      [&](const HostStackEvent& stack) {
        text += std::to_string(stack.parent) + "<" + std::to_string(stack.frame) + " ";
      });
  return text;
}

TEST_CASE("A frame and a stack have one id each, and are read once") {
  HostStacks stacks;
  const uint32_t f = stacks.FrameOf({"f", "a.py", 1, 2}), g = stacks.FrameOf({"g", "a.py", 5, 6});
  CHECK(f == 1);
  CHECK(g == 2);
  CHECK(stacks.FrameOf({"f", "a.py", 1, 2}) == f);
  CHECK(stacks.FrameOf({"f", "a.py", 1, 3}) == 3);
  CHECK(stacks.FrameOf({"f", "a.py", 2, 2}) == 4);
  const uint32_t outer = stacks.StackOf(0, f), inner = stacks.StackOf(outer, g);
  CHECK(outer == 1);
  CHECK(inner == 2);
  CHECK(stacks.StackOf(outer, g) == inner);
  HostStacks::Seen seen;
  CHECK(Read(&stacks, &seen) == "f@a.py:1:2 g@a.py:5:6 f@a.py:1:3 f@a.py:2:2 0<1 1<2 ");
  CHECK(Read(&stacks, &seen).empty());
  CHECK(stacks.StackOf(inner, f) == 3);
  CHECK(Read(&stacks, &seen) == "2<1 ");
}

TEST_CASE("A native frame is told apart by its module, its build and its place") {
  HostStacks stacks;
  HostFrameEvent frame;
  frame.module = "/app/solver";
  frame.build_id = "01";
  frame.offset = 16;
  const uint32_t id = stacks.FrameOf(frame);
  CHECK(stacks.FrameOf(frame) == id);
  HostFrameEvent other = frame;
  other.offset = 17;
  CHECK(stacks.FrameOf(other) == id + 1);
  other = frame;
  other.build_id = "02";
  CHECK(stacks.FrameOf(other) == id + 2);
  other = frame;
  other.module = "/app/other";
  CHECK(stacks.FrameOf(other) == id + 3);
  HostStacks::Seen seen;
  std::string text;
  stacks.Read(
      &seen,
      [&](const HostFrameEvent& read) {
        text += std::string(read.module) + " " + std::string(read.build_id) + " " +
                std::to_string(read.offset) + "; ";
      },
      [](const HostStackEvent&) {});
  CHECK(text == "/app/solver 01 16; /app/solver 01 17; /app/solver 02 16; /app/other 01 16; ");
}

uint32_t FivePython(StackCache*) { return 5; }
uint32_t NoPython(StackCache*) { return kNoStack; }
uint32_t SevenNative(StackCache*) { return 7; }

TEST_CASE("A thread with Python frames has its Python stack, another one its native stack") {
  CHECK(CurrentStack() == kNoStack);
  SetStackWalker(StackKind::kNative, &SevenNative);
  CHECK(CurrentStack() == 7);
  SetStackWalker(StackKind::kPython, &FivePython);
  CHECK(CurrentStack() == 5);
  SetStackWalker(StackKind::kPython, &NoPython);
  CHECK(CurrentStack() == 7);
  SetStackWalker(StackKind::kNative, nullptr);
  CHECK(CurrentStack() == kNoStack);
  SetStackWalker(StackKind::kPython, nullptr);
  CHECK(stack_walker.load() == nullptr);
}

TEST_CASE("A full table of stacks keeps what it has and gives no further id") {
  HostStacks stacks(2, 2);
  CHECK(stacks.FrameOf({"f", "a.py", 1, 2}) == 1);
  CHECK(stacks.FrameOf({"f", "a.py", 1, 3}) == 2);
  CHECK(stacks.FrameOf({"f", "a.py", 1, 4}) == 0);
  CHECK(stacks.FrameOf({"f", "a.py", 1, 3}) == 2);
  CHECK(stacks.StackOf(0, 1) == 1);
  CHECK(stacks.StackOf(1, 2) == 2);
  CHECK(stacks.StackOf(2, 2) == kNoStack);
  CHECK(stacks.StackOf(1, 2) == 2);
  HostStacks long_names;
  const std::string name(1 << 20, 'x');
  uint32_t last = 1, count = 0;
  for (uint32_t line = 0; line < 100 && last != 0; ++line, ++count) {
    last = long_names.FrameOf({name, "a.py", 1, line});
  }
  CHECK(last == 0);
  CHECK(count <= 10);
}

TEST_CASE("Threads that make stacks at once get the same ids while a reader reads") {
  HostStacks stacks;
  std::vector<std::vector<uint32_t>> ids(4);
  std::vector<std::thread> threads;
  for (std::vector<uint32_t>& mine : ids) {
    threads.emplace_back([&] {
      uint32_t stack = 0;
      for (uint32_t line = 1; line <= 500; ++line) {
        stack = stacks.StackOf(stack, stacks.FrameOf({"f", "a.py", 1, line}));
        mine.push_back(stack);
      }
    });
  }
  HostStacks::Seen seen;
  while (seen.stacks < 500) (void)Read(&stacks, &seen);
  for (std::thread& thread : threads) thread.join();
  CHECK(seen.frames == 500);
  for (const std::vector<uint32_t>& mine : ids) CHECK(mine == ids[0]);
}

}  // namespace
}  // namespace prof::capture::test::host_stacks_test
