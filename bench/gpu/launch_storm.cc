// SPDX-License-Identifier: Apache-2.0
//
// The launch storm before, under and after a Session: what a launch costs, whether every one was
// recorded, and what is left behind. Exits with 1 when kernels are missing and the snapshot does
// not say so.
//
// usage: launch_storm [timeline|counters] [kernels per thread] [threads] [plain|ranges|graph]
//                     [rounds]
//        launch_storm soak [kernels per thread] [threads] [plain|ranges|graph] FILE SECONDS
//
// A round is one run under a Session of its own and one after it; all "before" runs come first.
// soak: one Session whose timeline goes to FILE, and runs until SECONDS are over; what counts is
// the memory that the process takes meanwhile, and what the snapshot says of losses.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

// The resident memory of this process in MiB, once a second from the constructor to Print().
class MemoryWatch {
 public:
  MemoryWatch()
      : thread_([this] {
          while (!done_) {
            resident_mib_.push_back(ResidentMib());
            for (int i = 0; i < 10 && !done_; ++i) {
              std::this_thread::sleep_for(std::chrono::milliseconds(100));
            }
          }
        }) {}

  // The most in each tenth of the time.
  void Print() {
    done_ = true;
    thread_.join();
    std::printf("[memory] seconds %zu", resident_mib_.size());
    for (size_t tenth = 0; tenth < 10; ++tenth) {
      const auto at = [&](size_t i) {
        return resident_mib_.begin() + static_cast<long>(i * resident_mib_.size() / 10);
      };
      const double most =
          at(tenth) == at(tenth + 1) ? 0 : *std::max_element(at(tenth), at(tenth + 1));
      std::printf(" resident_mib_%zu %.1f", tenth + 1, most);
    }
    std::printf("\n");
  }

 private:
  static double ResidentMib() {
    size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
  }

  std::vector<double> resident_mib_;
  std::atomic<bool> done_{false};
  std::thread thread_;  // last: it uses the others
};

int Soak(Storm& storm, const StormOptions& options, const std::string& file, int seconds) {
  prof::SessionOptions session_options;
  session_options.counters = prof::Counters::kNone;
  session_options.output = file;
  MemoryWatch memory;
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
  const prof::Integrity integrity = session.Stop().integrity();
  PrintProfThreadTimes();
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
  if (mode == "timeline") session_options.counters = prof::Counters::kNone;
  prof::Session session(session_options);
  PrintStorm(mode.c_str(), options, storm.Run());
  PrintProfThreadTimes();
  return session.Stop();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "timeline";
  const bool soak = mode == "soak" && argc > 6;
  const bool known = mode == "timeline" || mode == "counters" || soak;
  const int rounds = argc > 5 && !soak ? std::atoi(argv[5]) : 1;
  const std::optional<StormOptions> options =
      ParseStorm(std::max(argc - 2, 0), argv + std::min(argc, 2));
  if (!known || !options || rounds < 1) {
    std::fprintf(stderr, "usage: launch_storm timeline|counters|soak [kernels] [threads] ...\n");
    return 2;
  }
  Storm storm;
  if (!storm.Prepare(*options)) return 0;
  if (soak) return Soak(storm, *options, argv[5], std::atoi(argv[6]));

  for (int round = 0; round < rounds; ++round) PrintStorm("before", *options, storm.Run());
  bool complete = true;
  for (int round = 0; round < rounds; ++round) {
    const prof::Snapshot snapshot = Record(storm, mode, *options);
    PrintStorm("after", *options, storm.Run());
    complete = Check(snapshot, storm, options->kind) && complete;
  }
  return storm.CountIsRight() && complete ? 0 : 1;
}
