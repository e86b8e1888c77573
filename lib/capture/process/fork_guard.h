// SPDX-License-Identifier: Apache-2.0
//
// The fork guard decides what a forked child may do. A child of a process in which prof has
// recorded has our memory, but neither our threads nor a usable CUDA: in it everything of ours is
// inert. A child that was forked before that starts afresh, and can be recorded.
#ifndef PROF_LIB_CAPTURE_PROCESS_FORK_GUARD_H_
#define PROF_LIB_CAPTURE_PROCESS_FORK_GUARD_H_

#include <chrono>

namespace prof::capture {

// Registers the fork handlers, once. Any thread, any number of times.
void GuardAgainstFork();

// From now on forked children are inert. Before the first recording touches CUDA or takes a lock.
// Any thread, any number of times.
void MakeForkedChildrenInert();

// What has something to do in a forked child. Each has room for its one hook, so none is refused.
enum class ForkHook { kRanges, kFiles, kDumpSignal, kControlSocket };
constexpr int kForkHooks = 4;

// Guards, and runs `hook` in the child of each later fork, inert or not. `hook` must be
// async-signal-safe. Any thread, any number of times.
void RunInForkedChild(ForkHook owner, void (*hook)());

// While it lives, fork() waits, but no longer than kLongestForkWait. Nor does this wait longer for
// a fork: the thread that forks may be in a signal handler that waits for us. For what a child must
// not find half done: a library that is being loaded, a file that is opened but not yet known. Any
// thread.
constexpr std::chrono::milliseconds kLongestForkWait(1'000);
class NoForks {
 public:
  NoForks();
  ~NoForks();
  NoForks(const NoForks&) = delete;
  NoForks& operator=(const NoForks&) = delete;

 private:
  const bool holds_;
};

// True in a child that was forked (without exec) after MakeForkedChildrenInert, and in its
// children. One relaxed load.
[[nodiscard]] bool InForkedChild();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_FORK_GUARD_H_
