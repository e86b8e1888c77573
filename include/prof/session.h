// SPDX-License-Identifier: Apache-2.0
//
// A prof::Session records a part of a program: kernels, copies, API calls, NVTX ranges, counters.
// Link prof::prof (libprof.so), which loads CUPTI at run time.
#ifndef PROF_SESSION_H_
#define PROF_SESSION_H_

#include <cstdint>
#include <iosfwd>
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

/// Which counters prof reads. Each level includes the levels before it.
enum class Counters {
  kNone,          ///< No counters, or those of SessionOptions::metrics alone.
  kAuto,          ///< PM sampling names the unit that limits each kernel; counters of single
                  ///< launches are read where they decide more. The default.
  kPulse,         ///< One pass: DRAM, L2, issue, tensor, occupancy, clocks.
  kSpeedOfLight,  ///< DRAM, L2, L1, pipes, issue, achieved occupancy, clocks: 4 passes on GH100.
  kStalls,        ///< All warp stall reasons: 8 passes more on GH100.
  kAll            ///< Memory detail (sectors, conflicts, hit rates) and tensor operations.
};

/// Whether prof runs kernels again for their counters.
enum class Replay {
  kNone,   ///< Never. Counters come from launches that happen anyway. The default.
  kKernel  ///< prof runs one launch of each chosen signature again, once for each pass, and
           ///< restores its memory before each. A pass takes some 20 ms, which no budget limits.
};

/// How much prof records of a CUDA graph's launch.
enum class Graphs {
  kNodes,  ///< Each node, as if it had been launched alone. The default.
  kWhole   ///< One interval for each launch. This is less to trace, but the kernels are unknown. It
           ///< needs an injected process, and holds for all recordings of the process: see
           ///< docs/guide/options.md.
};

/// Whether prof records which op of PyTorch each kernel was launched in.
enum class Torch {
  kOff,     ///< No. The default.
  kOps,     ///< Ops, nodes of the autograd graph, and record_function() scopes.
  kModules  ///< The same, and calls of a torch.nn.Module. It needs a program that `prof run`
            ///< starts.
};

/// The options of a recording. Every field has a default: a default-constructed value records
/// everything in memory. A number out of its range goes to the end of the range, NaN becomes
/// the default, and an expression that is none or an option without effect is left out. No such
/// change is silent: `Status::options`, a line on stderr and a notice in the snapshot have the
/// option, the value, what is accepted and what is used.
struct SessionOptions {
  Counters counters = Counters::kAuto;

  /// File for the snapshot; empty: the snapshot stays in memory. %p is the process id, %h the host
  /// name, %r the rank (from the launcher's environment, 0 without one), %i rank and process id
  /// (r3-4711; without a rank the process id), %% a percent sign. What is no recording, or is being
  /// written, is not replaced: Snapshot::path() has the name that the file got.
  std::string output;

  /// Counter samples for each signature and pass group, spread over the run. Range 1..100; with
  /// Counters::kAuto at most 3 are taken.
  int samples_per_signature = 5;

  /// Launches of each signature that prof leaves alone before its first sample (module loading,
  /// cold caches). Range 0..1000000.
  int skip_first_launches = 1;

  /// Counters of launches may cost this percentage of the run time so far (range 0..100) ...
  double counter_budget_percent = 5.0;
  /// ... plus this many seconds, which lets short runs finish their samples. Range 0..1000000. With
  /// Counters::kAuto a default value stands for 2 %, and for 0.5 s.
  double counter_budget_seconds = 3.0;

  /// Injected recordings only (a program of your own has counters_complete()): the recording ends
  /// when counters are complete, after this many seconds at the latest, and the program goes on.
  /// 0: it ends with the program. Range 0..86400.
  double until_complete_seconds = 0;

  /// Host memory for CUPTI's records, in MiB. Range 1..4096. Records that do not fit are counted.
  int buffer_mib = 64;

  /// Device memory that CUPTI may take in each CUDA context for the times of operations that have
  /// not ended yet, in MiB. Range 16..4096; CUPTI's own default is 763. CUPTI takes what it needs,
  /// 3 MB at a time. Operations beyond the limit have no time and are counted
  /// (Integrity::untimed). The value of the first recording of a process stays in force, in
  /// contexts that are made after it began.
  int device_mib = 128;

  /// Keeps only the last seconds, in memory, and writes them at Stop(), at exit or by Dump(): for
  /// programs that run until something goes wrong. 0: everything is kept. Range 0..86400. Older
  /// events are dropped one block (at most a second) at a time and counted in
  /// Integrity::rows_not_kept. Counter samples of kernels stay, 16 MiB of them. SIGKILL leaves
  /// nothing.
  int keep_last_seconds = 0;
  /// Memory for these seconds, in MiB; beyond it the oldest block goes first. Range 1..65536. Names
  /// and launch shapes stay and are not part of it.
  int keep_mib = 256;
  /// With keep_last_seconds: a signal that dumps to the output's name with ".dump<n>" in it. prof
  /// catches it only where it has its default action. 0: none.
  int dump_signal = 0;

  /// When the recording takes place: while everything that is set here allows it. Until then, and
  /// in between, it is paused: see Pause(). Windows of code need the program to wait for prof at
  /// their beginning, 0.25 s at most; their end waits for the GPU on a thread of prof.
  ///
  /// Seconds from the start of the session until the recording begins. Range 0..86400.
  double delay_seconds = 0;
  /// Seconds from then on until it is paused for good; 0: no limit. Range 0..86400.
  double duration_seconds = 0;
  /// The share of the time in which it records, in percent; 0: all of it. Range 0..100. Without
  /// effect where windows of code are set (profiler_api, window_ranges, step_active). It records
  /// in windows of 20 to 100 ms at random moments, counts all launches, and the report estimates
  /// from them what kernels took in the whole run (Report::whole_run). For programs that tracing
  /// slows down: in the rest of the time launches cost what the callback costs.
  double duty_percent = 0;
  /// Between cudaProfilerStart() and cudaProfilerStop() only.
  bool profiler_api = false;
  /// A regular expression for NVTX paths: inside of ranges that match only (push and pop; a range
  /// within one that matches is part of it). Empty: everywhere.
  std::string window_ranges;
  /// Windows of profiler_api and window_ranges that are recorded; 0: all. Range 0..1e9.
  int window_count = 0;
  /// A regular expression for NVTX paths: ranges that are the steps of the program. Empty: a step
  /// ends with each Session::Step().
  std::string step_ranges;
  /// With step_active, steps to leave out before the first cycle. Range 0..1e9.
  int step_skip = 0;
  /// A cycle is this many steps that are left out, ... Range 0..1e9.
  int step_wait = 0;
  /// ... this many that are traced but not kept, so that tracing has settled, ... Range 0..1e9.
  int step_warmup = 0;
  /// ... and this many that are recorded. 0: steps decide nothing. Range 0..1e9.
  int step_active = 0;
  /// Cycles; 0: no end. Range 0..1e9.
  int step_repeat = 0;

  /// With keep_last_seconds: what writes a dump by itself, named as those of dump_signal. prof
  /// writes at most one in keep_last_seconds, and 20 in a recording; a notice has the reason.
  ///
  /// A step that takes more than this many times the median of the last 100; 0: none. It needs 10
  /// steps first. Range 0..1000.
  double dump_slow_step = 0;
  /// A step that takes more than this many milliseconds; 0: none. Range 0..1e9.
  double dump_long_step_ms = 0;
  /// A second in which every GPU was idle for more than this percentage; 0: none. It needs GPU work
  /// first. Range 0..100.
  double dump_idle_percent = 0;

  /// Injected recordings only: a socket by which `prof ctl` controls the recording.
  bool control = true;

  /// Records NVTX ranges.
  bool ranges = true;

  /// Looks into the machine code of kernels when the driver loads it: which instructions they have
  /// (KernelReport::code). It costs 1.5 ms for each MB of code, once.
  bool code = true;

  /// Records the Python stack of each CUDA call, where the program is one of CPython 3.10 to 3.14
  /// with the GIL. Another interpreter gets a notice in the snapshot. It costs a call 22 to 36 ns
  /// with 8 frames, 49 to 80 ns with 23 (docs/internals/python.md).
  bool python_stacks = false;
  /// Records the native call stack of each CUDA call, and of each node of a CUDA graph when it is
  /// captured: which line of a C++ program launched a kernel (docs/guide/native-stacks.md). Where
  /// the thread has Python frames, python_stacks goes before it. x86-64 only.
  bool native_stacks = false;
  /// Looks this many times a second at the threads that called CUDA last and have made no CUDA call
  /// for 0.2 ms: their Python stack, and what they wait in. So idle time of the GPU has the line in
  /// which the host was meanwhile. 0: off. Range 0..1000; 200 is a good value. A thread of prof
  /// does it, with 2 % of a core at most (docs/internals/python.md). It needs no python_stacks.
  int host_samples = 0;
  /// Records the ops of PyTorch, where it is in the process and of a version that prof knows: see
  /// docs/guide/pytorch.md. It costs each op 0.13 us, and each call of a module 0.5 us. Without
  /// `ranges` it has no effect.
  Torch torch = Torch::kOff;
  /// Records the sizes of the tensors that each op gets, too: which shape of an op is slow. It
  /// costs each op more (docs/guide/pytorch.md). Without `torch` it has no effect.
  bool torch_shapes = false;
  /// Records the GPU memory of PyTorch's tensors: each allocation with its op and line, each free.
  /// Needs libprof_inject.so to be preloaded, as `prof run` does it; else the snapshot has a
  /// notice. With Torch::kModules and `prof run` it is known which of them are weights, gradients
  /// and the optimizer's state (docs/guide/pytorch.md). Without `torch` it has no effect.
  bool torch_memory = false;

  /// Records migrations and page faults of managed memory. Each of them costs the program time.
  /// Where CUPTI does not offer them, the snapshot has a notice.
  bool unified_memory = false;
  /// Records clocks, temperature and power of the GPUs, and what holds the clocks down: readings of
  /// the driver, every 50 ms or less often. Where CUPTI does not offer them prof reads NVML itself;
  /// where that does not work either, the snapshot has a notice.
  bool gpu_state = false;
  /// The first recording of a process decides; a later one with another choice gets a notice.
  Graphs graphs = Graphs::kNodes;

  /// When the recording has ended and the program goes on, leaves CUPTI (cuptiFinalize): launches
  /// are as fast as without prof, not slower as after other recordings (docs/guide/cost.md). It is
  /// at the end of the program's next call of CUDA, which then waits for the GPU. A later recording
  /// starts CUPTI again. Not where the program uses CUDA graphs, as far as prof has seen, with a
  /// CUPTI before 12.6, or where another profiler has its records: the snapshot has a notice then.
  bool leave = false;

  /// Further metrics (CUPTI names) to sample beside those of `counters`.
  std::vector<std::string> metrics;

  /// Which launches may be sampled: those for which all of the following hold. The two filters are
  /// regular expressions (ECMAScript without back references) that may match anywhere in the text;
  /// empty: all launches.
  ///
  /// Matches the demangled kernel name, "void axpy<float>(int, float const*, float*)".
  std::string kernel_filter;
  /// Matches the NVTX path of the launch, "outer/inner".
  std::string range_filter;
  /// Matching launches of the process that prof leaves alone first. Range 0..1e15.
  int64_t launch_skip = 0;
  /// Matching launches that prof looks at after those; 0: no limit. Range 0..1e15.
  int64_t launch_count = 0;
  /// prof samples at most every Nth matching launch of a signature. Range 1..1e9.
  int sample_every = 1;

  /// A regular expression for NVTX paths. prof counts each range that matches from its start to its
  /// end, with all kernels that the thread launches in it. Empty: none.
  std::string counted_ranges;

  /// Reads counters of the whole GPU at a fixed interval beside the timeline (PM sampling). With
  /// Counters::kAuto it takes the place of the bursts, and so does `replay`.
  bool continuous = false;
  /// The interval, in microseconds. Range 20..1000000; not checked while `continuous` is off.
  int continuous_interval_us = 100;
  /// Fetching and decoding those samples may take this percentage of one core. prof makes the
  /// interval longer where it takes more. Range 0.1..100.
  double continuous_core_percent = 10.0;

  /// Triage by PM sampling (Counters::kAuto) may take this percentage of one core, saved up for at
  /// most a minute: a short program takes what a minute would. Range 0.1..100.
  double triage_core_percent = 3.0;

  /// Runs kernels again for counters that one launch cannot give.
  Replay replay = Replay::kNone;
};

enum class State {
  kWorking,
  kDegraded,    ///< Works, but gives less than the options request.
  kOff,         ///< The options do not request it.
  kUnavailable  ///< Requested, but does not work here; `what` gives the reason.
};

/// "working", "degraded", "off", "unavailable": a literal.
[[nodiscard]] PROF_EXPORT const char* ToString(State state) noexcept;
PROF_EXPORT std::ostream& operator<<(std::ostream& out, State state);

/// Whether a part of a recording works, and the reason where it does not.
struct SubsystemStatus {
  State state = State::kOff;
  int code = 0;      ///< CUptiResult or errno; 0: none.
  std::string what;  ///< Empty when all is well.
  std::string fix;   ///< How to make it work; empty: unknown.
};

/// One line without its end: "unavailable: no CUDA driver; to get it: install one".
PROF_EXPORT std::ostream& operator<<(std::ostream& out, const SubsystemStatus& status);

/// The state of each part of a recording.
struct Status {
  SubsystemStatus timeline;
  SubsystemStatus ranges;
  SubsystemStatus counters;
  SubsystemStatus continuous;  ///< PM sampling.
  SubsystemStatus output;
  /// SessionOptions: kDegraded when a value was changed; `what` has each of them.
  SubsystemStatus options;
};

/// One line for each part: "timeline: working".
PROF_EXPORT std::ostream& operator<<(std::ostream& out, const Status& status);

/// A session records from its construction to Stop() or its destruction. One session at a time can
/// be active in a process: a second one records nothing and its status has the reason. No member
/// throws or aborts. Any thread may call the members; calls on one session must not overlap.
class PROF_EXPORT Session {
 public:
  /// Starts recording. It takes some milliseconds. With counters the first session of a process
  /// takes about 250 ms more, on a helper thread where possible.
  explicit Session(SessionOptions options = {}) noexcept;
  ~Session();
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// What works at this moment. prof prepares counters at the first launch, so their state can
  /// change from working to unavailable after it.
  [[nodiscard]] Status status() const noexcept;

  /// True once every signature seen so far has all its counter samples. False where counters are
  /// unavailable or off: a loop that ends with it alone never ends there. `counters_pending()` is
  /// the condition of a loop. Cost: below 1 us.
  [[nodiscard]] bool counters_complete() const noexcept;

  /// True while more counter samples can come: `while (session.counters_pending()) Step();`. False
  /// once they are complete, and at once where none can come: without a GPU, without permission,
  /// with Counters::kNone, without budget, after Stop(). While another program holds the counters
  /// it is true. Cost: below 1 us.
  [[nodiscard]] bool counters_pending() const noexcept;

  /// Waits until the GPU has done all work submitted so far in the contexts that prof has seen.
  /// False when it took longer than 10 s, when a context has failed, when a stream was being
  /// captured for more than 2 s, and where prof cannot know: no GPU, no CUPTI, no recording. Lets
  /// code without CUDA headers (prof::Capture) pace itself.
  bool Synchronize() noexcept;

  /// Stops recording until Resume(). Waits for the GPU first (at most 10 s), so that what was
  /// submitted before is recorded whole. Between the two nothing is recorded and no counter is
  /// read; prof follows ranges, contexts, streams and graphs, so that it knows them afterwards, and
  /// a launch costs no more than that callback. The pause is in the file with its times, and no
  /// report counts it as idle time. False when it already was paused, and when nothing is recorded.
  /// It takes some milliseconds, and Resume() too. Stop() ends a pause.
  bool Pause() noexcept;
  /// False when the session was not paused.
  bool Resume() noexcept;

  /// Ends a step, and begins the next one; the first began with the session. For options about
  /// steps, without step_ranges. At the first step of a window it waits for prof, 0.25 s at most.
  /// False when no option is about steps, or step_ranges has them. Cost: below 1 us, and with a
  /// window that of Resume().
  bool Step() noexcept;

  /// With keep_last_seconds: writes the kept seconds to the file `path` (with %p, %h, %r, %i as in
  /// SessionOptions::output), while the recording goes on. Waits until the file is written (at most
  /// 10 s), not for the GPU; a Synchronize() on another thread comes first. False, and a line on
  /// stderr, when the file could not be written; false without keep_last_seconds.
  bool Dump(const std::string& path) noexcept;

  /// Waits for the GPU (at most 10 s), ends the recording and returns it. A second call returns
  /// the same snapshot.
  Snapshot Stop() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof

#endif  // PROF_SESSION_H_
