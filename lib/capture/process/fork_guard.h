// SPDX-License-Identifier: Apache-2.0
//
// The fork guard makes everything of ours inert in a forked child, which has our memory but neither
// our threads nor a usable CUDA.
#ifndef PROF_LIB_CAPTURE_PROCESS_FORK_GUARD_H_
#define PROF_LIB_CAPTURE_PROCESS_FORK_GUARD_H_

namespace prof::capture {

// Registers the fork handlers, once. Any thread, any number of times.
void GuardAgainstFork();

// Guards, and runs `hook` in the child of each later fork. `hook` must be async-signal-safe. A hook
// is registered once. False when there are kMaxForkHooks others. Any thread.
constexpr int kMaxForkHooks = 4;
[[nodiscard]] bool RunInForkedChild(void (*hook)());

// True in a child that was forked (without exec) after GuardAgainstFork. One relaxed load.
[[nodiscard]] bool InForkedChild();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_FORK_GUARD_H_
