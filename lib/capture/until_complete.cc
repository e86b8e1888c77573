// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/until_complete.h"

#include <chrono>
#include <thread>

#include "lib/capture/process/complain.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/quiet_thread.h"

namespace prof::capture {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll(50);
constexpr std::chrono::milliseconds kStopTimeout(20'000);

}  // namespace

bool AwaitComplete(const std::function<bool()>& complete, double seconds) {
  const Clock::time_point until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(seconds));
  while (Clock::now() < until && !Exiting()) {
    if (complete()) return true;
    std::this_thread::sleep_for(kPoll);
  }
  return false;
}

void StopWhenComplete(Capture* recording, double seconds) {
  StartQuietThread("prof-until", [recording, seconds] {
    const Clock::time_point begin = Clock::now();
    const bool over =
        AwaitComplete([recording] { return !recording->counters_pending(); }, seconds);
    if (Exiting()) return;  // the exit handler stops it
    const bool complete = over && recording->counters_complete();
    recording->Stop(kStopTimeout);
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    Complain("prof: counters %s after %.1f s: the recording has ended\n",
             complete ? "are complete" : "are not complete", elapsed.count());
  }).detach();
}

}  // namespace prof::capture
