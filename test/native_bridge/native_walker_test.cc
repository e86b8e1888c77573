// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/native_walker.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native_bridge/stack_bounds.h"
#include "test/native_bridge/made_program.h"
#include "test/native_bridge/native_stacks.h"
#include "test/support/catch.h"

namespace prof::native::test::native_walker_test {
namespace {

RuleTable test_rules;

struct Walked {
  Walked() { FindMainStack(); }
  capture::HostStacks stacks;
  NativeWalker walker{&test_rules, &stacks};
  capture::StackCache cache;
  uint32_t id = 0;

  // As a launch: the walk begins in a function that was called by the made program.
  static void Launch(void* context) {
    auto* const self = static_cast<Walked*>(context);
    self->id = self->walker.Walk(&self->cache);
    asm volatile("" ::: "memory");  // no tail call
  }
  static void LaunchWithoutCache(void* context) {
    auto* const self = static_cast<Walked*>(context);
    self->id = self->walker.Walk(nullptr);
    asm volatile("" ::: "memory");
  }
  std::string Functions(size_t most) {
    std::string text = FunctionsOf(&stacks, id, most + 1);
    return text.substr(text.find(' ') + 1);  // without Launch()
  }
};

TEST_CASE("A native stack has the functions from the launch to main") {
  Walked walked;
  made_outer(&Walked::Launch, &walked);
  CHECK(walked.Functions(2) == "made_middle made_outer ");
  const std::string all = walked.Functions(100);
  CHECK(all.find(" main ") != std::string::npos);
  CHECK(all.find("(frames not readable)") == std::string::npos);
  CHECK(all.substr(all.size() - 7) == "_start ");
}

TEST_CASE("Frames of a size that is known at run time only, and aligned ones, are walked") {
  Walked walked;
  made_with_alloca(&Walked::Launch, &walked, 1000);
  CHECK(walked.Functions(2) == "made_middle made_with_alloca ");
  made_aligned(&Walked::Launch, &walked);
  CHECK(walked.Functions(2) == "made_middle made_aligned ");
  CHECK(walked.Functions(100).find(" main ") != std::string::npos);
}

TEST_CASE("A function that was inlined is part of the frame of its caller") {
  Walked walked;
  made_inlined(&Walked::Launch, &walked);
  CHECK(walked.Functions(1) == "made_inlined ");
}

TEST_CASE("A deep native stack keeps its innermost 128 frames") {
  Walked walked;
  made_recursion(&Walked::Launch, &walked, 300);
  const std::vector<NamedFrame> frames = FramesOf(&walked.stacks, walked.id);
  REQUIRE(frames.size() == kMostDepth + 1);
  CHECK(frames.back().function == "(outer frames)");
  CHECK(frames[100].function == "made_recursion");
}

TEST_CASE("A stack that comes again has its id, with a cache and without") {
  Walked walked;
  uint32_t first = 0;
  for (int i = 0; i < 3; ++i) {
    made_outer(&Walked::Launch, &walked);
    if (i == 0) first = walked.id;
    CHECK(walked.id == first);
  }
  made_outer(&Walked::LaunchWithoutCache, &walked);
  CHECK(walked.id != capture::kNoStack);
  CHECK(walked.Functions(2) == "made_middle made_outer ");
  CHECK(walked.walker.dropped() == 0);
  CHECK(walked.walker.problem().empty());
}

TEST_CASE("Each thread has its own native stack, up to the function that begins it") {
  Walked walked;
  std::thread([&] {
    made_outer(&Walked::Launch, &walked);
    made_outer(&Walked::Launch, &walked);
  }).join();
  CHECK(walked.Functions(2) == "made_middle made_outer ");
  CHECK(walked.Functions(100).find("(frames not readable)") == std::string::npos);
}

TEST_CASE("A stack without room in the table is counted at each call") {
  capture::HostStacks full(4, 4);
  NativeWalker walker(&test_rules, &full);
  capture::StackCache cache;
  CHECK(walker.Walk(&cache) == capture::kNoStack);
  CHECK(walker.Walk(&cache) == capture::kNoStack);
  CHECK(walker.dropped() == 2);
}

// A coroutine's stack, with a page below it that nobody may touch.
class SmallStack {
 public:
  static constexpr size_t kBytes = size_t{24} << 10, kGuard = 4096;
  SmallStack()
      : memory_(static_cast<char*>(mmap(nullptr, kBytes + kGuard, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(memory_, kGuard, PROT_NONE);
  }
  ~SmallStack() { munmap(memory_, kBytes + kGuard); }
  SmallStack(const SmallStack&) = delete;
  SmallStack& operator=(const SmallStack&) = delete;
  char* begin() const { return memory_ + kGuard; }

 private:
  char* const memory_;
};

ucontext_t main_context, coroutine_context;
Walked* coroutine_walked = nullptr;

void Coroutine() {
  made_outer(&Walked::Launch, coroutine_walked);
  swapcontext(&coroutine_context, &main_context);
}

void RunCoroutine(Walked* walked, const SmallStack& stack) {
  coroutine_walked = walked;
  getcontext(&coroutine_context);
  coroutine_context.uc_stack.ss_sp = stack.begin();
  coroutine_context.uc_stack.ss_size = SmallStack::kBytes;
  coroutine_context.uc_link = nullptr;
  makecontext(&coroutine_context, &Coroutine, 0);
  swapcontext(&main_context, &coroutine_context);
}

TEST_CASE("A coroutine on a small stack of its own has its frames") {
#if defined(PROF_SANITIZED)
  PROF_SKIP("built with a sanitizer, which needs larger stacks");
#endif
  Walked walked;
  const SmallStack stack;
  RunCoroutine(&walked, stack);
  CHECK(walked.Functions(3).find("made_middle made_outer ") == 0);
  std::thread([&] {  // on a thread that is not main's
    RunCoroutine(&walked, stack);
  })
      .join();
  CHECK(walked.Functions(3).find("made_middle made_outer ") == 0);
}

Walked* signal_walked = nullptr;
void OnSignal(int) { made_outer(&Walked::Launch, signal_walked); }

void RaiseFrom(MadeLaunch launch, void* context) {
  (void)launch;
  (void)context;
  raise(SIGUSR2);
  asm volatile("" ::: "memory");
}

TEST_CASE("A signal handler has its frames and those that it interrupted") {
  Walked walked;
  signal_walked = &walked;
  struct sigaction action {};
  action.sa_handler = &OnSignal;
  struct sigaction before {};
  sigaction(SIGUSR2, &action, &before);
  RaiseFrom(nullptr, nullptr);
  CHECK(walked.Functions(2) == "made_middle made_outer ");
  const std::string all = walked.Functions(100);
  CHECK(all.find("OnSignal") != std::string::npos);
  CHECK(all.find("raise") != std::string::npos);
  CHECK(all.find(" main ") != std::string::npos);
  sigaction(SIGUSR2, &before, nullptr);
}

TEST_CASE("A signal handler on a stack of its own has its own frames") {
  Walked walked;
  signal_walked = &walked;
  std::vector<char> memory(size_t{64} << 10);
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  stack_t stack_before{};
  sigaltstack(&stack, &stack_before);
  struct sigaction action {
  }, before{};
  action.sa_handler = &OnSignal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, &before);
  RaiseFrom(nullptr, nullptr);
  CHECK(walked.Functions(2) == "made_middle made_outer ");
  CHECK(walked.Functions(100).find("OnSignal") != std::string::npos);
  sigaction(SIGUSR2, &before, nullptr);
  sigaltstack(&stack_before, nullptr);
}

// Calls rdi(rsi), without call frame information.
TEST_CASE("A stack ends where code has no call frame information") {
  const unsigned char code[] = {0x55, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3};
  void* const page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(page != MAP_FAILED);
  std::memcpy(page, code, sizeof(code));
  Walked walked;
  reinterpret_cast<void (*)(MadeLaunch, void*)>(page)(&Walked::Launch, &walked);
  CHECK(walked.Functions(3) == "(code that the program made) (frames not readable) ");
  munmap(page, 4096);
}

using LibraryFunction = void (*)(MadeLaunch launch, void* context);

TEST_CASE("A library that was unloaded keeps its names, and the next one has its own") {
  Walked walked;
  capture::StackCache cache;
  for (int i = 0; i < 3; ++i) {
    for (const auto& [path, name] : {std::pair(PROF_TEST_LIBRARY_A, "made_in_a"),
                                     std::pair(PROF_TEST_LIBRARY_B, "made_in_b")}) {
      void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      REQUIRE(library != nullptr);
      const auto function = reinterpret_cast<LibraryFunction>(dlsym(library, name));
      REQUIRE(function != nullptr);
      function(&Walked::Launch, &walked);
      dlclose(library);
      walked.walker.Refresh();  // as the collector does, 50 times a second
      CHECK(walked.Functions(1) == std::string(name) + " ");
    }
  }
}

TEST_CASE("A damaged stack ends the walk and nothing else") {
  // Return addresses that are code, in a stack that is otherwise of any bytes.
  Walked walked;
  made_recursion(&Walked::Launch, &walked, 3);
  std::vector<uintptr_t> words(512);
  uint64_t random = 1;
  const auto next = [&random] {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random;
  };
  const uintptr_t functions[] = {reinterpret_cast<uintptr_t>(&made_recursion) + 20,
                                 reinterpret_cast<uintptr_t>(&made_aligned) + 60,
                                 reinterpret_cast<uintptr_t>(&made_with_alloca) + 40,
                                 reinterpret_cast<uintptr_t>(&made_outer) + 10};
  const auto low = reinterpret_cast<uintptr_t>(words.data());
  const StackBounds bounds{low, low + words.size() * sizeof(uintptr_t)};
  size_t walked_frames = 0;
  for (int i = 0; i < 20000; ++i) {
    for (uintptr_t& word : words) {
      const uint64_t kind = next() % 4;
      word = kind == 0 ? functions[next() % 4] : kind == 1 ? low + next() % 4096 : next();
    }
    Stack stack;
    const FrameRegisters at{functions[next() % 4], low + next() % 512, low + next() % 4096};
    WalkNative(at, 0, &test_rules, bounds, &stack);
    walked_frames += stack.count;
  }
  CHECK(walked_frames > 0);
}

}  // namespace
}  // namespace prof::native::test::native_walker_test
