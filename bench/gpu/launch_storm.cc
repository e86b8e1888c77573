// SPDX-License-Identifier: Apache-2.0
//
// The launch storm under a Session, and once more after it: what a launch costs, whether every one
// was recorded, and what is left behind. Exits with 1 when kernels are missing and the snapshot
// does not say so.
//
// usage: launch_storm [none|timeline|counters] [kernels per thread] [threads] [plain|ranges|graph]
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "prof/analyzer.h"
#include "prof/session.h"
#include "storm.h"
#include "thread_times.h"

namespace {

// Whether what the snapshot holds is what was launched, or else it says what is missing.
bool Check(const prof::Snapshot& snapshot, const Storm& storm, StormKind kind) {
  const prof::Integrity& integrity = snapshot.integrity();
  const prof::Report report = prof::Analyze(snapshot);
  long long even = 0, odd = 0;
  for (const prof::KernelReport& kernel : report.kernels) {
    if (kernel.range == "even") even += kernel.launches;
    if (kernel.range == "odd") odd += kernel.launches;
  }
  const long long recorded = report.totals.kernels;
  std::printf(
      "[counts] made %llu recorded %lld launches %llu even %lld odd %lld samples %lld "
      "complete %d snapshot_bytes %zu\n",
      storm.kernels(), recorded, static_cast<unsigned long long>(integrity.launches), even, odd,
      static_cast<long long>(report.totals.samples), integrity.complete() ? 1 : 0,
      snapshot.bytes().size());
  for (const std::string& loss : report.integrity) std::printf("[loss] %s\n", loss.c_str());
  const bool all = recorded == static_cast<long long>(storm.kernels()) &&
                   (kind != StormKind::kRanges || even + odd == recorded);
  return all || !integrity.complete();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "timeline";
  const bool known = mode == "none" || mode == "timeline" || mode == "counters";
  const std::optional<StormOptions> options =
      ParseStorm(std::max(argc - 2, 0), argv + std::min(argc, 2));
  if (!known || !options) {
    std::fprintf(stderr, "usage: launch_storm [none|timeline|counters] [kernels] [threads] ...\n");
    return 2;
  }
  Storm storm;
  if (!storm.Prepare(*options)) return 0;
  if (mode == "none") {
    PrintStorm("none", *options, storm.Run());
    return storm.CountIsRight() ? 0 : 1;
  }

  prof::SessionOptions session_options;
  if (mode == "timeline") session_options.counters = prof::Counters::kNone;
  prof::Session session(session_options);
  PrintStorm(mode.c_str(), *options, storm.Run());
  PrintProfThreadTimes();
  const prof::Snapshot snapshot = session.Stop();
  PrintStorm("after", *options, storm.Run());
  const bool complete = Check(snapshot, storm, options->kind);
  return storm.CountIsRight() && complete ? 0 : 1;
}
