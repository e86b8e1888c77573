// SPDX-License-Identifier: Apache-2.0
//
// A forked child has our memory but neither our thread nor a usable CUDA: everything of us is
// inert there.
#ifndef PROF_LIB_CAPTURE_PROCESS_FORK_GUARD_H_
#define PROF_LIB_CAPTURE_PROCESS_FORK_GUARD_H_

namespace prof::capture {

// Registers the handler once; idempotent, any thread.
void GuardAgainstFork();

// True in a child forked (without exec) after GuardAgainstFork. One relaxed load.
bool InForkedChild();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_FORK_GUARD_H_
