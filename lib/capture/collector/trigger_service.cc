// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/trigger_service.h"

#include <optional>
#include <utility>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/complain.h"
#include "lib/capture/threads/range_paths.h"
#include "lib/capture/windows/path_filter.h"

namespace prof::capture {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
// Until the records of a step are here: two flushes, and a round.
constexpr int64_t kRecordsNs = kSecondNs / 2;

}  // namespace

// The first reason stands until its dump is written.
void TriggerService::Ask(std::string why, int64_t due_ns) {
  if (why.empty() || !why_.empty()) return;
  why_ = std::move(why);
  due_ns_ = due_ns;
}

std::string TriggerService::WhyIdle(int64_t recording_since_ns) {
  const int64_t end_ns = RealtimeNs() - kSecondNs;  // the records are here
  if (writer_.phase() != Phase::kRecording || end_ns - kSecondNs < recording_since_ns) return "";
  const std::optional<double> idle = writer_.IdlePercent(end_ns - kSecondNs, end_ns);
  return idle ? trigger_.OnIdle(*idle) : "";
}

void TriggerService::Serve(const std::vector<StepTime>& steps, int64_t now_ns,
                           int64_t recording_since_ns, bool look) {
  for (const StepTime& step : steps) {
    const std::string name = step.path == kNoPath ? std::string() : PathText(step.path);
    Ask(trigger_.OnStep(name, step.duration_ns), now_ns + kRecordsNs);
  }
  if (look && trigger_.watches_idle()) Ask(WhyIdle(recording_since_ns), now_ns);
  if (why_.empty() || now_ns < due_ns_) return;
  if (trigger_.Take(now_ns)) WriteDump();
  why_.clear();
}

void TriggerService::WriteDump() {
  std::string what = "this dump was triggered: " + why_;
  if (trigger_.held_back() > 0) {
    what += "; " + std::to_string(trigger_.held_back()) +
            " triggers before came too soon after another dump";
  }
  status_.AddNotice({Severity::kInfo, Subsystem::kOutput, 0, what, ""});
  Complain("prof: %s\n", what.c_str());
  (void)dumps_.WriteOwn([this](const std::string& path) { return writer_.WriteDump(path); });
}

}  // namespace prof::capture
