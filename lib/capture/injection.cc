// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/injection.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/capture/capture.h"
#include "lib/capture/environment.h"
#include "lib/capture/fork_guard.h"

namespace prof {
namespace {

// At exit the program is done: it must not wait long for a GPU that does not answer.
constexpr std::chrono::milliseconds kExitTimeout(10'000);

// Never destroyed: callbacks may still come while static destructors run.
capture::Capture* injected_capture = nullptr;

void PrintProblems(const Status& status) {
  for (const auto& [name, part] :
       {std::pair{"timeline", status.timeline}, std::pair{"counters", status.counters},
        std::pair{"continuous counters", status.continuous}}) {
    if (part.state != State::kUnavailable) continue;
    std::fprintf(stderr, "prof: no %s: %s%s%s\n", name, part.what.c_str(),
                 part.fix.empty() ? "" : "; to get it: ", part.fix.c_str());
  }
}

void StopAtExit() {
  if (injected_capture == nullptr || capture::InForkedChild()) return;
  try {
    const Status status = injected_capture->status();
    injected_capture->Stop(kExitTimeout);
    PrintProblems(status);
  } catch (const std::exception&) {
    std::fprintf(stderr, "prof: the recording could not be completed\n");
  }
}

void StartOnce() {
  std::vector<std::string> complaints;
  SessionOptions options = capture::OptionsFromEnvironment(&complaints);
  SubsystemStatus why;
  injected_capture =
      capture::Capture::Start(std::move(options), /*injected=*/true, complaints, &why).release();
  if (injected_capture == nullptr) {
    std::fprintf(stderr, "prof: not recording: %s\n", why.what.c_str());
    return;
  }
  // Registered inside cuInit, so it runs before the handlers that libcuda registered earlier.
  std::atexit(&StopAtExit);
}

}  // namespace

int StartInjectedRecording() noexcept {
  static std::once_flag once;
  try {
    std::call_once(once, &StartOnce);
  } catch (const std::exception&) {
    std::fprintf(stderr, "prof: not recording: out of memory\n");
  }
  return 1;
}

}  // namespace prof

extern "C" int InitializeInjection() { return prof::StartInjectedRecording(); }
