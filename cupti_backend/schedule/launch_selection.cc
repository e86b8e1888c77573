// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/launch_selection.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "lib/format/waiting_kernels.h"

namespace prof::cupti {
namespace {

std::string Demangled(const char* name) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = demangled != nullptr ? demangled : name;
  std::free(demangled);
  return text;
}

std::string Counted(uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

const char* WhyExcluded(Exclusion reason) {
  switch (reason) {
    case Exclusion::kWaits:
      return "named like one that waits for other kernels or GPUs";
    case Exclusion::kNeverAlone:
      return "that never ended before later work began, so they may wait for it";
    case Exclusion::kHeldUp:
      return "that held the program up under a counter range";
    default:
      return nullptr;  // the user's own choice
  }
}

}  // namespace

LaunchSelection::LaunchSelection(const SessionOptions& options)
    : kernel_expression_(options.kernel_filter),
      range_expression_(options.range_filter),
      kernel_filter_(options.kernel_filter),
      range_filter_(options.range_filter),
      skip_(std::max<int64_t>(options.launch_skip, 0)),
      count_(std::max<int64_t>(options.launch_count, 0)),
      counts_launches_(skip_ != 0 || count_ != 0) {}

bool LaunchSelection::KernelMatches(const char* name) {
  if (kernel_filter_.empty()) return true;
  if (name == nullptr) return false;
  bool failed = false;
  const bool found = kernel_filter_.Matches(Demangled(name), &failed);
  if (failed) match_failed_.store(true, std::memory_order_relaxed);
  return found;
}

Exclusion LaunchSelection::Decide(const char* name, bool range_matches, capture::SampleUnit unit) {
  if (unit != capture::SampleUnit::kKernel) name = nullptr;
  try {
    const bool chosen = range_matches && KernelMatches(name);
    if (chosen) chose_one_.store(true, std::memory_order_relaxed);
    // Also where it is not chosen: launches behind it are not held up.
    if (name != nullptr && format::WaitsForOthers(name)) {
      if (format::IsOfNccl(name)) saw_nccl_.store(true, std::memory_order_relaxed);
      if (chosen) AddName(Exclusion::kWaits, name);
      return Exclusion::kWaits;
    }
    return chosen ? Exclusion::kNone : Exclusion::kNotChosen;
  } catch (const std::exception&) {  // out of memory
    match_failed_.store(true, std::memory_order_relaxed);
    return Exclusion::kNotChosen;
  }
}

void LaunchSelection::Exclude(SampleSchedule& schedule, SampleSchedule::Entry& entry,
                              Exclusion reason, const char* name) {
  schedule.Exclude(entry, reason);
  try {
    AddName(reason, name != nullptr ? name : "(no name)");
  } catch (const std::exception&) {  // the launch counts without its name
  }
}

void LaunchSelection::AddName(Exclusion reason, const char* name) {
  const capture::MutexLock lock(mutex_);
  std::vector<std::string>& names = names_[static_cast<size_t>(reason)];
  if (names.size() >= kMaxNames || std::find(names.begin(), names.end(), name) != names.end()) {
    return;
  }
  names.emplace_back(name);
}

std::vector<capture::NoticeEvent> LaunchSelection::Notices(const SampleSchedule& schedule) const {
  constexpr size_t kNamesShown = 3;
  std::vector<capture::NoticeEvent> notices;
  const auto note = [&](capture::Severity severity, std::string what, std::string fix) {
    notices.push_back(
        {severity, capture::Subsystem::kCounters, 0, std::move(what), std::move(fix)});
  };
  const capture::MutexLock lock(mutex_);
  for (size_t i = 0; i < kExclusions; ++i) {
    const auto reason = static_cast<Exclusion>(i);
    const std::vector<std::string>& names = names_[i];
    const char* why = WhyExcluded(reason);
    if (names.empty() || why == nullptr) continue;
    std::string what = Counted(names.size(), "kernel", "kernels") + " " + why + ": not sampled (" +
                       Counted(schedule.CountOf(reason).launches, "launch", "launches") + "): ";
    for (size_t k = 0; k < std::min(names.size(), kNamesShown); ++k) {
      what += (k == 0 ? "" : ", ") + Demangled(names[k].c_str());
    }
    if (names.size() > kNamesShown) what += ", ...";
    note(capture::Severity::kInfo, std::move(what), "");
  }
  if (const uint64_t launches = several_devices_.load(std::memory_order_relaxed); launches > 0) {
    note(capture::Severity::kInfo,
         Counted(launches, "cooperative launch", "cooperative launches") +
             " over several devices: not sampled",
         "");
  }
  const bool chosen = chose_one_.load(std::memory_order_relaxed);
  if (!chosen && schedule.signatures() > 0 && (!kernel_filter_.empty() || !range_filter_.empty())) {
    std::string what = "none of " +
                       Counted(schedule.signatures(), "kernel signature", "kernel signatures") +
                       " matches";
    if (!kernel_expression_.empty()) what += " kernel '" + kernel_expression_ + "'";
    if (!range_expression_.empty()) what += " range '" + range_expression_ + "'";
    note(capture::Severity::kWarning, what + ": no counters were sampled",
         "prof report lists the kernels' names and ranges");
  }
  if (match_failed_.load(std::memory_order_relaxed) || range_filter_.failed()) {
    note(capture::Severity::kWarning,
         "a kernel or range could not be compared with the filter (out of memory): not sampled",
         "");
  }
  return notices;
}

}  // namespace prof::cupti
