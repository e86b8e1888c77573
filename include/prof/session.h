// SPDX-License-Identifier: Apache-2.0
//
// Record a stretch of a program: kernels, copies, API calls, NVTX ranges, counters.
// Links prof::prof (libprof.so), which loads CUPTI at run time.
#ifndef PROF_SESSION_H_
#define PROF_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "prof/snapshot.h"

#if defined(__GNUC__)
#define PROF_EXPORT __attribute__((visibility("default")))
#else
#define PROF_EXPORT
#endif

namespace prof {

/// Which counters to sample from launches. Each level holds the ones before it.
enum class Counters {
  kNone,          ///< Timeline only.
  kPulse,         ///< One pass: DRAM, L2, issue, tensor, occupancy, clocks.
  kSpeedOfLight,  ///< DRAM, L2, L1, pipes, issue, achieved occupancy, clocks: 4 passes on GH100.
  kStalls,        ///< + all warp stall reasons: about 10 passes more. The default.
  kAll            ///< + memory detail (sectors, conflicts, hit rates) and tensor operations.
};

/// Whether kernels are run again for their counters.
enum class Replay {
  kNone,   ///< Never: counters come from launches that happen anyway. The default.
  kKernel  ///< One launch of each chosen signature is run again, once per pass, with its memory
           ///< restored between: some 20 ms a pass, outside of the budget.
};

/// How much of a CUDA graph's launch is recorded.
enum class Graphs {
  kNodes,  ///< Each node: kernels, copies and memsets as if they were launched alone. The default.
  kWhole   ///< One record for each launch: less to trace, but its kernels are not known. Only in an
           ///< injected process, and for all of its recordings: see docs/options.md.
};

/// Every field has a default; a default-constructed value records everything in memory.
struct SessionOptions {
  Counters counters = Counters::kStalls;

  /// File for the snapshot; empty: stay in memory. %p is the process id, %h the host name, %r the
  /// rank (from the launcher's environment, 0 without one), %% a percent sign.
  std::string output;

  /// Counter samples per signature and pass group, spread over the run. Range 1..100.
  int samples_per_signature = 5;

  /// Launches of each signature left alone before its first sample (module loading, cold caches).
  int skip_first_launches = 1;

  /// Counter sampling may cost this percentage of the run time so far ...
  double counter_budget_percent = 5.0;
  /// ... plus this many seconds, which lets short runs finish their samples.
  double counter_budget_seconds = 3.0;

  /// Host memory for CUPTI's records, in MiB. Range 1..4096. What does not fit is counted.
  int buffer_mib = 64;

  /// Device memory that CUPTI may take in each CUDA context for the times of operations that have
  /// not ended yet, in MiB. Range 16..4096; CUPTI's own default is 763. It takes what it needs, 3
  /// MB at a time; operations beyond it have no time and are counted (Integrity::untimed). The
  /// value of the first recording of a process stays in force, in contexts that are made after it
  /// began.
  int device_mib = 128;

  /// Only the last so many seconds are kept, in memory, and written at Stop(), at exit or by
  /// Dump(): for programs that run until something goes wrong. 0: everything is kept. Range
  /// 0..86400. What is older is dropped a block (at most a second) at a time and counted in
  /// Integrity::rows_not_kept; counter samples go with their launches. SIGKILL leaves nothing.
  int keep_last_seconds = 0;
  /// Memory for what is kept, in MiB; beyond it the oldest goes first. Range 1..65536. Names and
  /// launch shapes stay and are not part of it.
  int keep_mib = 256;
  /// With keep_last_seconds: a signal that dumps to the output's name with ".dump<n>" in it. Taken
  /// only while it has its default action. 0: none.
  int dump_signal = 0;

  /// NVTX ranges are recorded.
  bool ranges = true;

  /// Migrations and page faults of managed memory are recorded. Costs the program something with
  /// each of them. Where CUPTI does not offer it, a notice in the snapshot says so.
  bool unified_memory = false;
  /// The first recording of a process decides; a notice says so where it is not as asked for.
  Graphs graphs = Graphs::kNodes;

  /// A further list of metrics (CUPTI names) to sample with the others.
  std::vector<std::string> metrics;

  /// Which launches may be sampled. All of these must hold. The two filters are regular expressions
  /// (ECMAScript without back references), looked for anywhere in the text; empty: all. One that is
  /// not valid is left out, and a notice in the snapshot says so.
  ///
  /// In the demangled kernel name, "void axpy<float>(int, float const*, float*)".
  std::string kernel_filter;
  /// In the NVTX path of the launch, "outer/inner".
  std::string range_filter;
  /// Matching launches of the process that are left alone first. At least 0.
  int64_t launch_skip = 0;
  /// At most so many matching launches are looked at after those; 0: no limit.
  int64_t launch_count = 0;
  /// Of the matching launches of a signature only each so-manieth may be sampled. At least 1.
  int sample_every = 1;

  /// NVTX ranges whose path has this regular expression in it are counted as a whole: one counter
  /// range around each instance, with all kernels that the thread launches in it. Empty: none.
  std::string counted_ranges;

  /// Whole-GPU counters at a fixed interval beside the timeline (PM sampling).
  bool continuous = false;
  /// The interval, in microseconds. Range 20..1000000.
  int continuous_interval_us = 100;
  /// Fetching and decoding those samples may take this percentage of one core; prof makes the
  /// interval longer where it takes more. Range 0.1..100.
  double continuous_core_percent = 10.0;

  /// Kernels are run again for counters that one launch cannot give.
  Replay replay = Replay::kNone;
};

enum class State {
  kWorking,
  kDegraded,    ///< Works, less than was asked for.
  kOff,         ///< Not asked for.
  kUnavailable  ///< Asked for, but does not work here; `what` says why.
};

/// What works, and what does not and why.
struct SubsystemStatus {
  State state = State::kOff;
  int code = 0;      ///< CUptiResult or errno; 0: none.
  std::string what;  ///< Empty when all is well.
  std::string fix;   ///< How to get it; empty when nothing is known.
};

struct Status {
  SubsystemStatus timeline;
  SubsystemStatus ranges;
  SubsystemStatus counters;
  SubsystemStatus continuous;  ///< PM sampling.
  SubsystemStatus output;
};

/// Records from its construction to Stop() or its destruction. One session at a time in a process:
/// a second one records nothing and its status says so. No member throws or aborts. Members may be
/// called from any thread; calls on one session must not overlap.
class PROF_EXPORT Session {
 public:
  /// Starts recording. Costs some milliseconds; the first time in a process with counters about
  /// 250 ms more, spent on a helper thread where possible.
  explicit Session(SessionOptions options = {}) noexcept;
  ~Session();
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// What works at this moment. Counters are prepared at the first launch, so their state can
  /// change from working to unavailable after it.
  Status status() const noexcept;

  /// True once every signature seen so far has all its counter samples.
  bool counters_complete() const noexcept;

  /// Waits until the GPU has done all work submitted so far in the contexts that prof has seen.
  /// False when it took longer than 10 s, or there is no GPU. Lets code without CUDA headers
  /// (prof::Capture) pace itself.
  bool Synchronize() noexcept;

  /// With keep_last_seconds: writes what is kept now to the file `path` (with %p, %h, %r as in
  /// SessionOptions::output) and goes on. Waits for the file to be written (at most 10 s), not for
  /// the GPU, unless a Synchronize() does: that comes first. False, and a line on stderr, when it
  /// could not be written; false without keep_last_seconds.
  bool Dump(const std::string& path) noexcept;

  /// Waits for the GPU (at most 10 s), ends the recording, returns what was recorded. A second
  /// call returns the same snapshot.
  Snapshot Stop() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof

#endif  // PROF_SESSION_H_
