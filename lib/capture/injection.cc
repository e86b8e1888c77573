// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/injection.h"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lib/capture/capture.h"
#include "lib/capture/environment.h"
#include "lib/capture/process/complain.h"
#include "lib/capture/process/end_request.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/until_complete.h"

namespace prof {
namespace {

void StartOnce() {
  if (!capture::EnvironmentIsTrusted()) {
    capture::Complain(
        "prof: not recording: this program has more rights than its user, who chose the "
        "environment; a prof::Session in its code records it\n");
    return;
  }
  std::vector<std::string> complaints;
  SessionOptions options = capture::OptionsFromEnvironment(&complaints);
  // Without counters nothing becomes complete: the checks of the options name it.
  const bool counts = options.counters != Counters::kNone || !options.metrics.empty();
  const double until_complete_s = counts ? options.until_complete_seconds : 0;
  const bool control = options.control;
  SubsystemStatus why;
  // Never destroyed: callbacks may still come while static destructors run.
  capture::Capture* const recording =
      capture::Capture::Start(std::move(options), /*injected=*/true, complaints, &why).release();
  if (recording == nullptr) {
    capture::Complain("prof: not recording: %s\n", why.what.c_str());
    return;
  }
  // It is registered inside cuInit, so it runs before the handlers that libcuda registered earlier.
  capture::GuardExit();
  const std::string no_control = control ? recording->StartControl() : std::string();
  if (!no_control.empty()) {
    capture::Complain("prof: prof ctl cannot reach this process: %s\n", no_control.c_str());
  }
  if (until_complete_s > 0) capture::StopWhenComplete(recording, until_complete_s);
}

// The parent has started its recording: call_once would do nothing here, and say nothing.
void RefuseInForkedChild() {
  static std::atomic<bool> refused{false};
  if (refused.exchange(true)) return;
  capture::Complain(
      "prof: not recording: this process was forked after prof had begun to record in "
      "its parent\n");
}

}  // namespace

int StartInjectedRecording() noexcept {
  if (capture::InForkedChild()) return RefuseInForkedChild(), 1;
  static std::once_flag once;
  try {
    std::call_once(once, &StartOnce);
  } catch (const std::exception&) {
    capture::Complain("prof: not recording: out of memory\n");
  }
  return 1;
}

void FinishBeforeExit() noexcept { capture::EndRecordingNow(); }

}  // namespace prof

extern "C" int InitializeInjection() { return prof::StartInjectedRecording(); }
