// SPDX-License-Identifier: Apache-2.0
//
// This program runs the launch storm before, under and after a Session. It shows what a launch
// costs, whether each launch was recorded, and what stays behind. It exits with 1 when kernels are
// missing and the snapshot does not report it.
//
// usage: launch_storm [timeline|leave|counters] [kernels per thread] [threads] [plain|ranges|graph]
//                     [rounds] [set]
//        launch_storm soak [kernels per thread] [threads] [plain|ranges|graph] FILE SECONDS
//
// A round is one Session and the time after it. `leave`: a timeline that leaves CUPTI at its end.
// All "before" runs come first. Under the timeline and after it, the storm runs twice, because the
// first launches set things up: the first run is printed as "timeline_first", and not at all after
// the Session. With `set`, each round begins under that set of parts of tracing_parts.cc (CUPTI's
// floor, in this process) and then under none (set 0). `soak` is one Session that writes its
// timeline to FILE until SECONDS are over. It shows the memory that the process takes and the
// losses that the snapshot reports.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "memory_watch.h"
#include "prof/analyzer.h"
#include "prof/session.h"
#include "storm.h"
#include "thread_times.h"

namespace {

// Whether the snapshot holds every launch, or reports what is missing.
bool Check(const prof::Snapshot& snapshot, unsigned long long made, StormKind kind) {
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
      made, recorded, static_cast<unsigned long long>(integrity.launches), even, odd,
      static_cast<long long>(report.totals.samples), integrity.complete() ? 1 : 0,
      snapshot.bytes().size());
  for (const std::string& loss : report.integrity) std::printf("[loss] %s\n", loss.c_str());
  const bool all = recorded == static_cast<long long>(made) &&
                   (kind != StormKind::kRanges || even + odd == recorded);
  return all || !integrity.complete();
}

int Soak(Storm& storm, const StormOptions& options, const std::string& file, int seconds) {
  prof::SessionOptions session_options;
  session_options.counters = prof::Counters::kNone;
  session_options.output = file;
  MemoryWatch memory(seconds);
  prof::Session session(session_options);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  unsigned long long made = 0;
  double us = 0;
  do {
    us += storm.Run() * static_cast<double>(storm.kernels());
    made += storm.kernels();
  } while (std::chrono::steady_clock::now() < until);
  PrintStorm("soak", options, us / static_cast<double>(made));
  memory.Print();
  PrintProfThreadTimes();
  const prof::Integrity integrity = session.Stop().integrity();
  std::ifstream written(file, std::ios::ate | std::ios::binary);
  std::printf(
      "[counts] made %llu recorded %llu dropped_by_cupti %llu untimed %llu refused %llu "
      "range_events_dropped %llu calls_dropped %llu complete %d snapshot_bytes %lld\n",
      made, static_cast<unsigned long long>(integrity.kernels),
      static_cast<unsigned long long>(integrity.dropped_by_cupti),
      static_cast<unsigned long long>(integrity.untimed),
      static_cast<unsigned long long>(integrity.buffers_refused),
      static_cast<unsigned long long>(integrity.range_events_dropped),
      static_cast<unsigned long long>(integrity.calls_dropped), integrity.complete() ? 1 : 0,
      static_cast<long long>(written.tellg()));
  const bool all = integrity.kernels == made;
  return storm.CountIsRight() && (all || !integrity.complete()) ? 0 : 1;
}

prof::Snapshot Record(Storm& storm, const std::string& mode, const StormOptions& options) {
  prof::SessionOptions session_options;
  const bool timeline = mode != "counters";
  if (timeline) session_options.counters = prof::Counters::kNone;
  session_options.leave = mode == "leave";
  prof::Session session(session_options);
  if (timeline) PrintStorm("timeline_first", options, storm.Run());
  PrintStorm(timeline ? "timeline" : mode.c_str(), options, storm.Run());
  PrintProfThreadTimes();
  return session.Stop();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "timeline";
  const bool soak = mode == "soak" && argc > 6;
  const bool known = mode == "timeline" || mode == "leave" || mode == "counters" || soak;
  const int rounds = argc > 5 && !soak ? std::atoi(argv[5]) : 1;
  const int set = argc > 6 && !soak ? std::atoi(argv[6]) : 0;
  const std::optional<StormOptions> options =
      ParseStorm(std::max(argc - 2, 0), argv + std::min(argc, 2));
  if (!known || !options || rounds < 1) {
    std::fprintf(stderr,
                 "usage: launch_storm timeline|leave|counters|soak [kernels] [threads] ...\n");
    return 2;
  }
  Storm storm;
  if (!storm.Prepare(*options)) return 0;
  if (soak) return Soak(storm, *options, argv[5], std::atoi(argv[6]));

  for (int round = 0; round < rounds; ++round) PrintStorm("before", *options, storm.Run());
  bool complete = true;
  for (int round = 0; round < rounds; ++round) {
    if (set > 0) {
      RunUnderParts(storm, *options, set);
      RequestParts(0);
    }
    const unsigned long long before = storm.made();
    const prof::Snapshot snapshot = Record(storm, mode, *options);
    const unsigned long long made = storm.made() - before;
    storm.Run();
    PrintStorm(mode == "leave" ? "after_leaving" : "after", *options, storm.Run());
    complete = Check(snapshot, made, options->kind) && complete;
  }
  return storm.CountIsRight() && complete ? 0 : 1;
}
