// SPDX-License-Identifier: Apache-2.0
//
// The option table lists the recording options. The command line of `prof run`, its --help, the
// variables that libprof.so reads, the checks of SessionOptions and the tables in the documentation
// come from it. The defaults are the initializers of SessionOptions.
#ifndef PROF_LIB_OPTIONS_OPTION_TABLE_H_
#define PROF_LIB_OPTIONS_OPTION_TABLE_H_

#include <csignal>

#include "lib/options/option_kinds.h"

namespace prof::options {

struct Option {
  const char* section;   // heading in --help and in the documentation
  const char* flag;      // of `prof run`: "-o,--output"; empty: it has none
  const char* value;     // how --help names the flag's value; empty: the flag takes none
  const char* variable;  // "PROF_OUTPUT"
  const char* field;     // of SessionOptions: "output"
  Kind kind;
  const char* help;  // one line, without allowed values and default: these are added
};

// Where a process records to when nobody chose a file.
inline constexpr const char* kDefaultOutput = "prof-%h-%i.prof";

inline constexpr const char* kRecording = "Recording";
inline constexpr const char* kCounting = "Counters";
inline constexpr const char* kSelection = "Which launches and ranges are counted";
inline constexpr const char* kContinuous = "Counters of the whole GPU over time";
inline constexpr const char* kKeeping = "Only the last seconds";
inline constexpr const char* kWindows = "When it is recorded";

inline constexpr NamedValue<Counters> kCounters[] = {
    {"none", Counters::kNone},        {"auto", Counters::kAuto},     {"pulse", Counters::kPulse},
    {"sol", Counters::kSpeedOfLight}, {"stalls", Counters::kStalls}, {"all", Counters::kAll}};
inline constexpr NamedValue<Replay> kReplays[] = {{"none", Replay::kNone},
                                                  {"kernel", Replay::kKernel}};
inline constexpr NamedValue<Graphs> kGraphs[] = {{"nodes", Graphs::kNodes},
                                                 {"whole", Graphs::kWhole}};
inline constexpr NamedValue<Torch> kTorch[] = {
    {"off", Torch::kOff}, {"ops", Torch::kOps}, {"modules", Torch::kModules}};
inline constexpr NamedValue<int> kSignals[] = {{"none", 0}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};

inline constexpr int kMostSteps = 1'000'000'000;
inline constexpr int64_t kMostLaunches = 1'000'000'000'000'000;  // exact in a double

inline constexpr Option kOptions[] = {
    {kRecording, "-o,--output", "PATTERN", "PROF_OUTPUT", "output", Text{&SessionOptions::output},
     "File to write; %p: process id, %h: host, %r: rank, %i: rank and process id, %%: percent"},
    {kRecording, "--no-ranges", "", "PROF_RANGES", "ranges", Switch{&SessionOptions::ranges},
     "Leave NVTX ranges out of the recording"},
    {kRecording, "--no-code", "", "PROF_CODE", "code", Switch{&SessionOptions::code},
     "Do not look which instructions the machine code of kernels has"},
    {kRecording, "--python-stacks", "", "PROF_PYTHON_STACKS", "python_stacks",
     Switch{&SessionOptions::python_stacks},
     "Record the Python stack of each CUDA call: which line launched a kernel"},
    {kRecording, "--native-stacks", "", "PROF_NATIVE_STACKS", "native_stacks",
     Switch{&SessionOptions::native_stacks},
     "Record the native stack of each CUDA call: which line of C++ launched a kernel"},
    {kRecording, "--host-samples", "HZ", "PROF_HOST_SAMPLES", "host_samples",
     Number<int>{&SessionOptions::host_samples, 0, 1000, "Hz"},
     "Look where the host is while it makes no CUDA call: which line the GPU waits for; 0: off"},
    {kRecording, "--torch", "WAY", "PROF_TORCH", "torch", Choice(&SessionOptions::torch, kTorch),
     "Record which op of PyTorch launched each kernel; modules: which torch.nn.Module, too"},
    {kRecording, "--torch-shapes", "", "PROF_TORCH_SHAPES", "torch_shapes",
     Switch{&SessionOptions::torch_shapes},
     "With --torch: record the sizes of the tensors that each op gets"},
    {kRecording, "--torch-memory", "", "PROF_TORCH_MEMORY", "torch_memory",
     Switch{&SessionOptions::torch_memory},
     "With --torch: record the GPU memory of tensors; with modules also what they are used as"},
    {kRecording, "--unified-memory", "", "PROF_UNIFIED_MEMORY", "unified_memory",
     Switch{&SessionOptions::unified_memory},
     "Record migrations and page faults of managed memory; each costs the program time"},
    {kRecording, "--gpu-state", "", "PROF_GPU_STATE", "gpu_state",
     Switch{&SessionOptions::gpu_state},
     "Record clocks, temperature and power, and what holds the clocks down"},
    {kRecording, "--graphs", "WAY", "PROF_GRAPHS", "graphs",
     Choice(&SessionOptions::graphs, kGraphs),
     "Record each node of a CUDA graph, or one interval for a whole launch"},
    {kRecording, "", "", "PROF_BUFFER_MIB", "buffer_mib",
     Number<int>{&SessionOptions::buffer_mib, 1, 4096, "MiB"}, "Host memory for CUPTI's records"},
    {kRecording, "", "", "PROF_DEVICE_MIB", "device_mib",
     Number<int>{&SessionOptions::device_mib, 16, 4096, "MiB"},
     "Device memory that CUPTI may take in each CUDA context"},
    {kRecording, "--leave", "", "PROF_LEAVE", "leave", Switch{&SessionOptions::leave},
     "Leave CUPTI when the recording ends before the program does: launches are fast again"},
    {kRecording, "--no-control", "", "PROF_CONTROL", "control", Switch{&SessionOptions::control},
     "No socket for prof ctl"},

    {kWindows, "--delay", "SECONDS", "PROF_DELAY", "delay_seconds",
     Number<double>{&SessionOptions::delay_seconds, 0, 86'400, "s"},
     "Begin to record after this time"},
    {kWindows, "--duration", "SECONDS", "PROF_DURATION", "duration_seconds",
     Number<double>{&SessionOptions::duration_seconds, 0, 86'400, "s"},
     "Record for this time, then no more; 0: no limit"},
    {kWindows, "--duty", "PERCENT", "PROF_DUTY", "duty_percent",
     Number<double>{&SessionOptions::duty_percent, 0, 100, "%"},
     "Record this share of the time and count all launches: less cost, estimated totals"},
    {kWindows, "--profiler-api", "", "PROF_PROFILER_API", "profiler_api",
     Switch{&SessionOptions::profiler_api},
     "Record between cudaProfilerStart() and cudaProfilerStop() only"},
    {kWindows, "--window", "REGEX", "PROF_WINDOW", "window_ranges",
     Expression{&SessionOptions::window_ranges, "none"},
     "Record inside NVTX ranges whose path matches only"},
    {kWindows, "--window-count", "N", "PROF_WINDOW_COUNT", "window_count",
     Number<int>{&SessionOptions::window_count, 0, kMostSteps},
     "Record the first N of these windows; 0: all"},
    {kWindows, "--step", "REGEX", "PROF_STEP", "step_ranges",
     Expression{&SessionOptions::step_ranges, "none"},
     "NVTX ranges that are the program's steps; without it Session::Step() counts them"},
    {kWindows, "--step-skip", "N", "PROF_STEP_SKIP", "step_skip",
     Number<int>{&SessionOptions::step_skip, 0, kMostSteps},
     "Steps to leave out before the first cycle"},
    {kWindows, "--step-wait", "N", "PROF_STEP_WAIT", "step_wait",
     Number<int>{&SessionOptions::step_wait, 0, kMostSteps}, "Steps that a cycle leaves out first"},
    {kWindows, "--step-warmup", "N", "PROF_STEP_WARMUP", "step_warmup",
     Number<int>{&SessionOptions::step_warmup, 0, kMostSteps},
     "Steps that a cycle then traces and does not keep"},
    {kWindows, "--step-active", "N", "PROF_STEP_ACTIVE", "step_active",
     Number<int>{&SessionOptions::step_active, 0, kMostSteps},
     "Steps that a cycle then records; 0: steps decide nothing"},
    {kWindows, "--step-repeat", "N", "PROF_STEP_REPEAT", "step_repeat",
     Number<int>{&SessionOptions::step_repeat, 0, kMostSteps}, "Cycles to record; 0: no end"},

    {kCounting, "--counters", "LEVEL", "PROF_COUNTERS", "counters",
     Choice(&SessionOptions::counters, kCounters),
     "Counters to read; auto: what decides; each other level includes those before it"},
    {kCounting, "--metrics", "LIST", "PROF_METRICS", "metrics", List{&SessionOptions::metrics},
     "Further CUPTI metrics to read: a,b,c; with --counters none only these"},
    {kCounting, "--samples", "N", "PROF_SAMPLES", "samples_per_signature",
     Number<int>{&SessionOptions::samples_per_signature, 1, 100},
     "Samples for each signature and pass group; auto: at most 3"},
    {kCounting, "--budget", "PERCENT", "PROF_BUDGET_PERCENT", "counter_budget_percent",
     Number<double>{&SessionOptions::counter_budget_percent, 0, 100, "%"},
     "Share of the run time that counters of launches may cost; with auto 2 % by default"},
    {kCounting, "--budget-seconds", "SECONDS", "PROF_BUDGET_SECONDS", "counter_budget_seconds",
     Number<double>{&SessionOptions::counter_budget_seconds, 0, 1e6, "s"},
     "Time that they may cost in addition; with auto 0.5 s by default"},
    {kCounting, "--until-complete", "SECONDS", "PROF_UNTIL_COMPLETE", "until_complete_seconds",
     Number<double>{&SessionOptions::until_complete_seconds, 0, 86'400, "s"},
     "End the recording when counters are complete, or after this time; 0: with the program"},
    {kCounting, "--triage-core", "PERCENT", "PROF_TRIAGE_CORE", "triage_core_percent",
     Number<double>{&SessionOptions::triage_core_percent, 0.1, 100, "%"},
     "With auto: share of one core for PM sampling, saved up for at most a minute"},
    {kCounting, "--replay", "WAY", "PROF_REPLAY", "replay",
     Choice(&SessionOptions::replay, kReplays),
     "kernel: run each chosen kernel again, once for each pass"},

    {kSelection, "--kernel", "REGEX", "PROF_KERNEL", "kernel_filter",
     Expression{&SessionOptions::kernel_filter, "all"},
     "Count only kernels whose demangled name matches"},
    {kSelection, "--range", "REGEX", "PROF_RANGE_FILTER", "range_filter",
     Expression{&SessionOptions::range_filter, "all"},
     "Count only launches whose NVTX path matches"},
    {kSelection, "--launch-skip", "N", "PROF_LAUNCH_SKIP", "launch_skip",
     Number<int64_t>{&SessionOptions::launch_skip, 0, kMostLaunches},
     "Matching launches to leave alone first"},
    {kSelection, "--launch-count", "N", "PROF_LAUNCH_COUNT", "launch_count",
     Number<int64_t>{&SessionOptions::launch_count, 0, kMostLaunches},
     "Matching launches to look at after these; 0: no limit"},
    {kSelection, "", "", "PROF_SKIP", "skip_first_launches",
     Number<int>{&SessionOptions::skip_first_launches, 0, 1'000'000},
     "Launches of each signature to leave alone first"},
    {kSelection, "--every", "N", "PROF_SAMPLE_EVERY", "sample_every",
     Number<int>{&SessionOptions::sample_every, 1, 1'000'000'000},
     "Count at most every Nth matching launch of a signature"},
    {kSelection, "--count-range", "REGEX", "PROF_COUNTED_RANGES", "counted_ranges",
     Expression{&SessionOptions::counted_ranges, "none"},
     "Count NVTX ranges whose path matches, each from its start to its end"},

    {kContinuous, "--continuous", "US", "PROF_CONTINUOUS", "continuous, continuous_interval_us",
     Interval{&SessionOptions::continuous,
              {&SessionOptions::continuous_interval_us, 20, 1'000'000, "us"}},
     "Read counters of the whole GPU, at this interval; with auto instead of bursts"},
    {kContinuous, "--continuous-core", "PERCENT", "PROF_CONTINUOUS_CORE", "continuous_core_percent",
     Number<double>{&SessionOptions::continuous_core_percent, 0.1, 100, "%"},
     "Share of one core to decode them; the interval grows where it is not enough"},

    {kKeeping, "--keep-last", "SECONDS", "PROF_KEEP_SECONDS", "keep_last_seconds",
     Number<int>{&SessionOptions::keep_last_seconds, 0, 86'400, "s"},
     "Keep the last seconds in memory, write them when the program ends; 0: keep all"},
    {kKeeping, "", "", "PROF_KEEP_MIB", "keep_mib",
     Number<int>{&SessionOptions::keep_mib, 1, 65'536, "MiB"},
     "Memory for these seconds; beyond it the oldest go first"},
    {kKeeping, "--dump-signal", "NAME", "PROF_DUMP_SIGNAL", "dump_signal",
     Choice(&SessionOptions::dump_signal, kSignals),
     "Signal that writes them to <output>.dump<n>.prof while the recording goes on"},
    {kKeeping, "--dump-slow-step", "TIMES", "PROF_DUMP_SLOW_STEP", "dump_slow_step",
     Number<double>{&SessionOptions::dump_slow_step, 0, 1000},
     "Write them when a step takes this many times its running median; 0: never"},
    {kKeeping, "--dump-long-step", "MS", "PROF_DUMP_LONG_STEP", "dump_long_step_ms",
     Number<double>{&SessionOptions::dump_long_step_ms, 0, 1e9, "ms"},
     "Write them when a step takes longer; 0: never"},
    {kKeeping, "--dump-idle", "PERCENT", "PROF_DUMP_IDLE", "dump_idle_percent",
     Number<double>{&SessionOptions::dump_idle_percent, 0, 100, "%"},
     "Write them when every GPU was idle for more of a second; 0: never"},
};

}  // namespace prof::options

#endif  // PROF_LIB_OPTIONS_OPTION_TABLE_H_
