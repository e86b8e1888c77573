// SPDX-License-Identifier: Apache-2.0
//
// Prints the processor time of one native walk, for a stack that was there before.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "lib/capture/threads/host_stacks.h"
#include "native_bridge/native_walker.h"
#include "native_bridge/stack_bounds.h"
#include "test/native_bridge/made_program.h"

namespace {

prof::native::RuleTable rules;
prof::capture::StackCache cache;

double Now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

struct Timed {
  prof::native::NativeWalker* walker;
  double ns;
};

void TimeWalks(void* context) {
  constexpr int kWalks = 1'000'000;
  auto* const timed = static_cast<Timed*>(context);
  for (int round = 0; round < 5; ++round) {
    const double begin = Now();
    for (int i = 0; i < kWalks; ++i) (void)timed->walker->Walk(&cache);
    timed->ns = std::min(timed->ns, (Now() - begin) / kWalks);
  }
}

}  // namespace

int main() {
  prof::native::FindMainStack();
  prof::native::NativeWalker walker(&rules, &prof::capture::ProcessHostStacks());
  // main(), its three callers, made_middle() and the function that walks.
  for (const unsigned frames : {8U, 23U, 53U}) {
    Timed timed{&walker, 1e9};
    made_recursion(&TimeWalks, &timed, frames - 7);
    std::printf("%u frames: %.1f ns\n", frames, timed.ns);
  }
}
