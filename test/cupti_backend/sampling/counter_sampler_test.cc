// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/counter_sampler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/threads/thread_recorder.h"
#include "test/cupti_backend/fake_cupti.h"
#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

using Strings = std::vector<std::string>;

SessionOptions Options() {
  SessionOptions options;
  options.counters = Counters::kNone;
  options.metrics = {"m0", "m1", "m2"};
  for (std::string& metric : options.metrics) metric += ".sum.per_second";  // of traced launches
  options.samples_per_signature = 3;  // two, and one more after a rest
  options.skip_first_launches = 1;
  options.counter_budget_percent = 100;
  options.counter_budget_seconds = 100;
  return options;
}

// A program that launches kernels under a sampler.
struct Program {
  explicit Program(const SessionOptions& options = Options())
      : sampler(&cupti.api, &cupti.driver, options) {}

  void Launch(uint32_t correlation, const char* name = "kernel", uintptr_t context = 1,
              uintptr_t function = 1) {
    cupti::Launch launch;
    launch.signature.function = reinterpret_cast<const void*>(function);
    launch.context = Context(context);
    launch.stream = stream;
    launch.correlation = correlation;
    launch.path = 7000 + correlation;
    launch.kernel_name = name;
    sampler.launches().OnLaunchEnter(launch);
    cupti.Log("launch " + std::to_string(correlation));
    sampler.launches().OnLaunchExit();
    if (recorded) Ran(correlation, static_cast<uint32_t>(context), 1000);
  }
  // The record of a launch comes. Each one ends before the next one starts.
  void Ran(uint32_t correlation, uint32_t context, int64_t duration_ns) {
    sampler.records().Add(0, context, correlation, gpu_ns, gpu_ns + duration_ns);
    gpu_ns += duration_ns + 1000;
    events.Append(sampler.TakeEvents());  // what a collector does
  }

  // Launches until `done`, as a program's loop does; false after 10 s.
  bool LaunchUntil(const std::function<bool()>& done, const char* name = "kernel",
                   uintptr_t function = 1) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done()) {
      if (std::chrono::steady_clock::now() > until) return false;
      Launch(++launches, name, 1, function);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  bool LaunchUntilComplete() {
    return LaunchUntil([this] { return sampler.Complete(); });
  }
  // The first group is counted from now on.
  void AwaitFirstGroup() {
    sampler.launches().OnContext(Context(1));
    REQUIRE(Eventually([this] { return Count("start") > 0 && sampler.Settled(); }));
  }
  bool Eventually(const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
  }
  long Count(const std::string& prefix) {
    const Strings log = cupti.log();
    return std::count_if(log.begin(), log.end(),
                         [&](const std::string& line) { return line.rfind(prefix, 0) == 0; });
  }

  uint64_t SamplesFailed() const {
    Integrity integrity;
    sampler.AddLosses(integrity);
    return integrity.samples_failed;
  }

  FakeCupti cupti;
  CounterSampler sampler;
  uint32_t launches = 0;
  CUstream stream = nullptr;  // of the next launches
  bool recorded = false;      // launches have records
  int64_t gpu_ns = 1000;
  SamplerEvents events;  // so far, if launches have records
};

// Work on other streams, as cuStreamQuery sees it.
std::atomic<bool> gpu_is_busy{false};

// A program of two streams, whose kernel is known to end by itself.
struct TwoStreams : Program {
  static constexpr uintptr_t kOther = 16;

  TwoStreams() : Program(Many()) {
    gpu_is_busy = false;
    cupti.driver.stream_query = [](CUstream asked) {
      return gpu_is_busy && asked != nullptr ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
    };
    AwaitFirstGroup();
    recorded = true;
    stream = reinterpret_cast<CUstream>(kOther);  // NOLINT(performance-no-int-to-ptr)
    Launch(++launches);
    stream = nullptr;
    REQUIRE(LaunchUntil([this] { return Count("push") > 0; }));
  }
  static SessionOptions Many() {
    SessionOptions options = Options();
    options.samples_per_signature = 100;
    options.metrics.resize(1);
    return options;
  }
  // Launches for a while; true: some of them were sampled.
  bool Samples() {
    const long before = Count("push");
    for (int i = 0; i < 100 && Count("push") == before; ++i) {
      Launch(++launches);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return Count("push") > before;
  }
};

TEST_CASE(
    "Once everything has its samples the hardware is let go, until something new is launched") {
  Program program;
  program.AwaitFirstGroup();
  REQUIRE(program.LaunchUntilComplete());
  CHECK(program.Eventually([&] { return program.Count("disable") == 1; }));
  CHECK(program.sampler.Settled());
  CHECK(program.sampler.Complete());
  const long sampled = program.Count("push");
  REQUIRE(program.LaunchUntil([&] { return program.Count("push") > sampled; }, "another", 2));
  CHECK(program.Count("enable") == 2);
  CHECK(program.SamplesFailed() == 0);
}

TEST_CASE("By need the hardware is not touched before ranges have the turn and want it") {
  SessionOptions options = Options();
  options.counters = Counters::kAuto;
  Program program(options);
  program.sampler.launches().OnContext(Context(1));
  for (uint32_t i = 1; i <= 50; ++i) program.Launch(i);
  program.sampler.TakeEvents();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(program.Count("enable") == 0);
  program.sampler.turns().PassTo(HardwareTurns::Owner::kRanges);
  for (uint32_t i = 51; i <= 100; ++i) program.Launch(i);
  program.sampler.TakeEvents();
  CHECK(program.Count("enable") == 0);  // no GPU time yet that would be worth it
  // 1.2 s of GPU time: the metrics of the list are wanted.
  for (uint32_t i = 101; i <= 300; ++i) {
    program.Launch(i);
    program.sampler.records().work.Add(1, i, 6'000'000);
  }
  REQUIRE(program.Eventually([&] {
    program.Launch(++program.launches + 1000);
    program.sampler.TakeEvents();
    return program.Count("push") > 0;
  }));
  CHECK(program.Count("enable") == 1);
}

TEST_CASE("A context that is destroyed before its counters are prepared stays closed") {
  FakeCupti cupti;
  SamplerParts parts(&cupti.api, &cupti.driver, Options());
  ContextSampler context(&parts, 0);
  REQUIRE(context.Claim(Context(1)));
  REQUIRE(context.NeedsPreparation(0));
  SECTION("after the worker has found it") {
    context.Close();
    context.Prepare();
  }
  SECTION("while its counters are planned") {
    static ContextSampler* destroyed = nullptr;
    destroyed = &context;
    cupti.api.get_context_id = [](CUcontext, uint32_t* id) {
      *id = 1;
      destroyed->Close();
      return CUPTI_SUCCESS;
    };
    context.Prepare();
  }
  CHECK(context.phase() == ContextSampler::Phase::kClosed);
  CHECK_FALSE(context.awaits_group());
}

TEST_CASE("Events that are taken twice before they are encoded are all there, in order") {
  SamplerOutbox outbox(State::kWorking);
  SamplerEvents events;
  for (uint32_t id = 1; id <= 4; id += 2) {
    outbox.Add({capture::PassGroupEvent{id, "sol", {}, {}}, {id + 1, "sol", {}, {}}});
    outbox.Add(capture::ProfilerWork::kSample, id, id + 1);
    events.Append(outbox.Take());
  }
  REQUIRE(events.groups.size() == 4);
  for (uint32_t i = 0; i < 4; ++i) CHECK(events.groups[i].id == i + 1);
  REQUIRE(events.intervals.size() == 2);
  CHECK(events.intervals[1].begin_ns == 3);
}

TEST_CASE("A range is around the chosen launch alone, inside of its enter and exit") {
  Program program;
  program.AwaitFirstGroup();
  const size_t before = program.cupti.log().size();
  for (uint32_t i = 1; i <= 5; ++i) program.Launch(i);
  const Strings log = program.cupti.log();
  CHECK(Strings(log.begin() + static_cast<long>(before), log.end()) ==
        Strings{"launch 1", "push 0", "launch 2", "pop", "push 1", "launch 3", "pop", "launch 4",
                "launch 5"});
}

TEST_CASE(
    "Tracing is paused around a launch whose ratios are counted, and the launch is reported") {
  SessionOptions options = Options();
  options.metrics = {"m0.ratio"};
  Program program(options);
  program.AwaitFirstGroup();
  const size_t before = program.cupti.log().size();
  program.Launch(1);
  program.Launch(2, "paused");
  const Strings log = program.cupti.log();
  CHECK(Strings(log.begin() + static_cast<long>(before), log.end()) ==
        Strings{"launch 1", "activity off", "push 0", "launch 2", "pop", "activity on"});
  const SamplerEvents events = program.sampler.TakeEvents();
  REQUIRE(events.untraced.size() == 1);
  CHECK(events.untraced[0].name == "paused");
  CHECK(events.untraced[0].correlation == 2);
  CHECK(events.untraced[0].registers_per_thread == 24);
}

TEST_CASE("Every signature gets its samples of every group, joined by the range's name") {
  Program program;
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  const SamplerEvents events = program.sampler.TakeEvents();
  REQUIRE(events.groups.size() == 3);
  for (uint32_t i = 0; i < 3; ++i) {
    CHECK(events.groups[i].id == i + 1);
    CHECK(events.groups[i].level == "user");
    CHECK(events.groups[i].metrics ==
          Strings{kWindowMetric, "m" + std::to_string(i) + ".sum.per_second"});
  }
  REQUIRE(events.samples.size() == 9);
  // Which launch was in which range: between its push and its pop.
  const Strings log = program.cupti.log();
  std::set<std::pair<uint32_t, double>> pushed, sampled;
  for (size_t i = 0; i + 1 < log.size(); ++i) {
    if (log[i].rfind("push ", 0) != 0) continue;
    REQUIRE(log[i + 1].rfind("launch ", 0) == 0);
    pushed.emplace(static_cast<uint32_t>(std::stoul(log[i + 1].substr(7))),
                   ValueOf(log[i].substr(5), 0));
  }
  std::vector<int> per_group(4);
  for (const capture::CounterSampleEvent& sample : events.samples) {
    REQUIRE(sample.values.size() == 2);
    CHECK(sample.values[1] == sample.values[0] + 1);
    CHECK(sample.context == 1);
    CHECK(sample.path == 7000 + sample.correlation);
    CHECK(sample.begin_ns > 0);
    CHECK(sample.end_ns >= sample.begin_ns);
    sampled.emplace(sample.correlation, sample.values[0]);
    ++per_group.at(sample.group);
  }
  CHECK(sampled == pushed);  // the fake hands its ranges back newest first
  CHECK(per_group == std::vector<int>{0, 3, 3, 3});
  CHECK(program.SamplesFailed() == 0);
  CHECK(program.sampler.status().state == State::kWorking);
}

TEST_CASE("A range that CUPTI lost is a failed sample and shifts no other") {
  Program program;
  program.cupti.loses_a_range = true;
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 3; ++i) program.Launch(i);  // 2 and 3 are sampled as "0" and "1"
  program.sampler.Stop();
  const SamplerEvents events = program.sampler.TakeEvents();
  REQUIRE(events.samples.size() == 1);
  CHECK(events.samples[0].correlation == 3);
  CHECK(events.samples[0].values[0] == ValueOf("1", 0));
  CHECK(program.SamplesFailed() == 1);
}

TEST_CASE("Kernels that run once have their values under replay, though CUPTI numbers them on") {
  SessionOptions options = Options();
  options.replay = Replay::kKernel;
  Program program(options);
  for (uint32_t i = 1; i <= 4; ++i) program.Launch(i, "kernel", 1, i);
  program.sampler.Stop();
  const SamplerEvents events = program.sampler.TakeEvents();
  REQUIRE(events.samples.size() == 4);
  for (uint32_t i = 0; i < 4; ++i) {
    CHECK(events.samples[i].correlation == i + 1);
    CHECK(events.samples[i].values[0] == ValueOf(std::to_string(i), 0));
  }
  CHECK(program.SamplesFailed() == 0);
}

TEST_CASE("A replayed kernel that CUPTI lost is a failed sample") {
  SessionOptions options = Options();
  options.replay = Replay::kKernel;
  Program program(options);
  program.cupti.loses_a_range = true;
  program.Launch(1);
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.empty());
  CHECK(program.SamplesFailed() == 1);
}

TEST_CASE("Groups change on a thread of the sampler's own") {
  Program program;
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  CHECK(program.cupti.configured.size() >= 3);
  for (const std::thread::id id : program.cupti.config_threads) {
    CHECK(id != std::this_thread::get_id());
  }
}

TEST_CASE("CUPTI's images keep their addresses over all groups") {
  Program program;
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  std::set<const void*> addresses;
  std::set<std::vector<uint8_t>> configs;
  for (const FakeCupti::Configured& configured : program.cupti.configured) {
    addresses.insert(configured.config_image);
    addresses.insert(configured.counter_data);
    configs.insert(configured.config);
  }
  CHECK(addresses.size() == 2);
  CHECK(configs.size() == 3);
}

TEST_CASE("The time that samples and changes took is recorded") {
  Program program;
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  std::vector<int> count(4);
  for (const capture::ProfilerIntervalEvent& interval : program.sampler.TakeEvents().intervals) {
    CHECK(interval.tid != 0);
    CHECK(interval.end_ns >= interval.begin_ns);
    ++count.at(static_cast<size_t>(interval.work));
  }
  CHECK(count[static_cast<size_t>(capture::ProfilerWork::kSetup)] == 2);
  CHECK(count[static_cast<size_t>(capture::ProfilerWork::kRotate)] >= 2);
  CHECK(count[static_cast<size_t>(capture::ProfilerWork::kSample)] == 9);
}

TEST_CASE("Stop reads the last samples and lets go of the hardware") {
  Program program;
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 3; ++i) program.Launch(i);
  CHECK(program.sampler.TakeEvents().samples.empty());
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.size() == 2);
  CHECK(program.cupti.log().back() == "disable");
  for (uint32_t i = 4; i <= 10; ++i) program.Launch(i);
  CHECK(program.Count("push") == 2);
  program.sampler.Stop();  // nothing more to do
  CHECK(program.Count("disable") == 1);
}

void CheckUnavailable(Program& program, const char* what, int code) {
  REQUIRE(
      program.Eventually([&] { return program.sampler.status().state == State::kUnavailable; }));
  const SubsystemStatus status = program.sampler.status();
  CHECK(status.what.find(what) != std::string::npos);
  CHECK(status.code == code);
  CHECK_FALSE(status.fix.empty());
  const long pushes = program.Count("push");
  for (uint32_t i = 1; i <= 50; ++i) program.Launch(i);
  CHECK(program.Count("push") == pushes);
  CHECK(program.sampler.Complete());  // nothing more will come
}

TEST_CASE("Without the right to count the status has the way to get it, and nothing is pushed") {
  Program program;
  program.cupti.Fail("range_enable", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "administrators", 35);
  CHECK(program.sampler.status().fix.find("CAP_SYS_ADMIN") != std::string::npos);
}

TEST_CASE("Each refusal of CUPTI's is a status with its code, and nothing is pushed") {
  const std::pair<CUptiResult, const char*> refusals[] = {
      {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "virtual GPU"},
      {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, "hypervisor"},
      {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, "confidential computing"},
      {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "mining card"},
      {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "MIG"},
      {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "SLI"},
      {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, "WSL"},
      {CUPTI_ERROR_INVALID_CHIP_NAME, "does not know this GPU"},
      {CUPTI_ERROR_NOT_SUPPORTED, "could not"}};
  for (const auto& [code, word] : refusals) {
    for (const char* place : {"profiler_initialize", "range_enable"}) {
      INFO(place << " " << code);
      Program program;
      program.cupti.Fail(place, code);
      program.sampler.launches().OnContext(Context(1));
      CheckUnavailable(program, word, code);
      const std::string what = program.sampler.status().what;
      CHECK(what.find("(" + std::to_string(code) + ")") != std::string::npos);
    }
  }
}

TEST_CASE("An exception in the sampler's thread ends sampling, and holds no launch up") {
  for (const bool prepared : {false, true}) {
    INFO(prepared);
    Program program;
    if (prepared) {
      program.cupti.api.range_start = [](CUpti_RangeProfiler_Start_Params*) -> CUptiResult {
        throw std::bad_alloc();
      };
    } else {
      program.cupti.api.profiler_initialize = [](CUpti_Profiler_Initialize_Params*) -> CUptiResult {
        throw std::bad_alloc();
      };
    }
    program.sampler.launches().OnContext(Context(1));
    REQUIRE(program.Eventually([&] { return program.sampler.status().state == State::kDegraded; }));
    CHECK(program.sampler.status().what.find("sampling ended: ") == 0);
    const auto start = std::chrono::steady_clock::now();
    for (uint32_t i = 1; i <= 5; ++i) program.Launch(i);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
    program.sampler.Stop();
    CHECK(program.sampler.status().what.find("sampling ended: ") == 0);
    CHECK(program.Count("push") == 0);
  }
}

// Wherever CUPTI notices it, and however often.
TEST_CASE("Counters that another program holds are taken as soon as they are free") {
  for (const char* place : {"profiler_initialize", "range_enable"}) {
    INFO(place);
    Program program;
    program.cupti.Fail(place, CUPTI_ERROR_HARDWARE_BUSY);
    program.sampler.launches().OnContext(Context(1));
    CheckUnavailable(program, "another program", 26);
    CHECK(program.sampler.status().fix.find("when they are free") != std::string::npos);
    program.cupti.Fail(place, CUPTI_SUCCESS);
    REQUIRE(program.Eventually([&] { return program.sampler.status().state == State::kWorking; }));
    CHECK(program.sampler.status().what.empty());
    REQUIRE(program.LaunchUntilComplete());
    program.sampler.Stop();
    const SamplerEvents events = program.sampler.TakeEvents();
    CHECK(events.samples.size() == 9);
    REQUIRE(events.notices.size() == 1);
    CHECK(events.notices[0].code == 26);
    CHECK(events.notices[0].what.find("another program had the GPU's counters for") == 0);
  }
}

TEST_CASE("Counters that another program takes in the middle of a run are waited for") {
  Program program;
  program.AwaitFirstGroup();
  REQUIRE(program.LaunchUntil([&] { return program.Count("push") == 2; }));
  program.cupti.Fail("range_start", CUPTI_ERROR_HARDWARE_BUSY);
  REQUIRE(
      program.LaunchUntil([&] { return program.sampler.status().state == State::kUnavailable; }));
  CHECK(program.Count("disable") == 1);  // nothing is held while waiting
  program.cupti.Fail("range_start", CUPTI_SUCCESS);
  REQUIRE(program.LaunchUntil([&] { return program.sampler.status().state == State::kWorking; }));
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.size() == 9);
}

TEST_CASE("A recording that ends while another program holds the counters does not wait for it") {
  Program program;
  program.cupti.Fail("range_enable", CUPTI_ERROR_HARDWARE_BUSY);
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "another program", 26);
  const auto begin = std::chrono::steady_clock::now();
  program.sampler.Stop();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK(program.sampler.status().code == 26);
}

TEST_CASE("A chip that CUPTI does not know is a status") {
  Program program;
  program.cupti.Fail("device_get_chip_name", CUPTI_ERROR_INVALID_DEVICE);
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "does not know this GPU", CUPTI_ERROR_INVALID_DEVICE);
}

TEST_CASE("Counters whose availability cannot be read are a status") {
  Program program;
  program.cupti.Fail("profiler_get_counter_availability", CUPTI_ERROR_UNKNOWN);
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "which counters exist", CUPTI_ERROR_UNKNOWN);
}

TEST_CASE("A context that cannot be used is a status") {
  Program program;
  program.cupti.context_is_dead = true;
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "context", CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("A push that fails ends the sampling, and the samples before it are counted as failed") {
  Program program;
  program.AwaitFirstGroup();
  program.Launch(1);
  program.Launch(2);
  program.cupti.Fail("range_push", CUPTI_ERROR_INVALID_OPERATION);
  program.Launch(3);
  CheckUnavailable(program, "open a counter range", CUPTI_ERROR_INVALID_OPERATION);
  CHECK(program.SamplesFailed() == 1);
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.empty());
}

TEST_CASE("A pop that fails ends the sampling") {
  Program program;
  program.AwaitFirstGroup();
  program.cupti.Fail("range_pop", CUPTI_ERROR_INVALID_OPERATION);
  program.Launch(1);
  program.Launch(2);
  CheckUnavailable(program, "close a counter range", CUPTI_ERROR_INVALID_OPERATION);
}

TEST_CASE("A launch that is captured into a graph is not sampled") {
  Program program;
  program.AwaitFirstGroup();
  program.cupti.SetCapturing(true);
  for (uint32_t i = 1; i <= 10; ++i) program.Launch(i);
  CHECK(program.Count("push") == 0);
  program.cupti.SetCapturing(false);
  program.Launch(11);
  CHECK(program.Count("push") == 1);
}

TEST_CASE("Kernels that wait for other GPUs are never sampled") {
  Program program;
  program.AwaitFirstGroup();
  uintptr_t function = 10;
  for (const char* name : {"ncclDevKernel_AllReduce_Sum_f32", "_Z12nvshmem_wait", "mscclpp_k"}) {
    ++function;
    for (uint32_t i = 1; i <= 20; ++i) program.Launch(i, name, 1, function);
  }
  CHECK(program.Count("push") == 0);
  program.Launch(100);
  program.Launch(101);
  CHECK(program.Count("push") == 1);
}

TEST_CASE("With a filter only kernels with it in their demangled name are sampled") {
  SessionOptions options = Options();
  options.kernel_filter = "^sgemm\\(";
  Program program(options);
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 20; ++i) program.Launch(i, "saxpy", 1, 1);
  for (uint32_t i = 1; i <= 20; ++i) program.Launch(i, nullptr, 1, 2);
  CHECK(program.Count("push") == 0);
  for (uint32_t i = 1; i <= 3; ++i) program.Launch(i, "_Z5sgemmv", 1, 3);
  CHECK(program.Count("push") == 2);
}

TEST_CASE("Before and after the launches that were asked for nothing is sampled") {
  SessionOptions options = Options();
  options.skip_first_launches = 0;
  options.launch_skip = 10;
  options.launch_count = 1;
  Program program(options);
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 10; ++i) program.Launch(i);
  CHECK(program.Count("push") == 0);
  CHECK_FALSE(program.sampler.Complete());
  program.Launch(11);
  CHECK(program.Count("push") == 1);
  CHECK(program.sampler.Complete());
  for (uint32_t i = 12; i <= 20; ++i) program.Launch(i, "other", 1, 2);
  CHECK(program.Count("push") == 1);
}

TEST_CASE("What was not sampled is in the notices when the recording ends") {
  Program program;
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 20; ++i) program.Launch(i, "ncclDevKernel_AllGather");
  CHECK(program.sampler.TakeEvents().notices.empty());
  CHECK(program.sampler.Complete());
  program.sampler.Stop();
  const SamplerEvents events = program.sampler.TakeEvents();
  REQUIRE(events.notices.size() == 1);
  CHECK(events.notices[0].what.find("(20 launches): ncclDevKernel_AllGather") != std::string::npos);
}

TEST_CASE("Without a budget nothing is sampled") {
  SessionOptions options = Options();
  options.counter_budget_percent = 0;
  options.counter_budget_seconds = 0;
  Program program(options);
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 100; ++i) program.Launch(i);
  CHECK(program.Count("push") == 0);
  CHECK(program.sampler.Complete());  // no more of it will come
  program.sampler.Stop();
  const SamplerEvents events = program.sampler.TakeEvents();
  REQUIRE(events.notices.size() == 1);
  CHECK(events.notices[0].what.find("paused at its budget (0 s + 0 %): 1 of 1 kernel") !=
        std::string::npos);
}

TEST_CASE("Counters that were not asked for touch nothing") {
  SessionOptions options = Options();
  options.metrics.clear();
  Program program(options);
  CHECK(program.sampler.status().state == State::kOff);
  program.sampler.launches().OnContext(Context(1));
  for (uint32_t i = 1; i <= 10; ++i) program.Launch(i);
  CHECK(program.Count("enable") == 0);
  CHECK(program.Count("push") == 0);
  CHECK(program.sampler.Complete());
  program.sampler.Stop();
}

TEST_CASE("A metric that the chip does not have is named, the others are sampled") {
  SessionOptions options = Options();
  options.metrics = {"m0.sum", "no_such.sum"};
  Program program(options);
  REQUIRE(program.LaunchUntilComplete());
  const SubsystemStatus status = program.sampler.status();
  CHECK(status.state == State::kDegraded);
  CHECK(status.what.find("no_such.sum: no such metric on FK100") != std::string::npos);
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.size() == 3);
}

TEST_CASE("Peaks that are sampled with the other metrics are noted for their device") {
  SessionOptions options = Options();
  options.metrics = {"m0.sum", "m1.sum.peak_sustained"};
  Program program(options);
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  const SamplerEvents events = program.sampler.TakeEvents();
  REQUIRE(events.peaks.size() == 1);
  for (const PeakEvent& peak : events.peaks) {
    CHECK(peak.device == 0);
    CHECK(peak.metric == "m1.sum.peak_sustained");
    const bool measured = std::any_of(
        events.samples.begin(), events.samples.end(),
        [&](const auto& sample) { return sample.group == 2 && sample.values[1] == peak.value; });
    CHECK(measured);
  }
}

TEST_CASE("More samples than fit between two decodes are read in several rounds") {
  SessionOptions options = Options();
  options.metrics = {"m0.sum"};
  options.samples_per_signature = 50;
  Program program(options);
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.size() == 50);
  CHECK(program.Count("decode") >= 50 / static_cast<long>(RangeProfiler::kMaxRanges));
  CHECK(program.SamplesFailed() == 0);
}

TEST_CASE("Two contexts of one chip share its pass groups") {
  Program program;
  program.recorded = true;
  program.sampler.launches().OnContext(Context(1));
  program.sampler.launches().OnContext(Context(2));
  REQUIRE(
      program.Eventually([&] { return program.Count("start") == 2 && program.sampler.Settled(); }));
  uint32_t launch = 0;
  REQUIRE(program.Eventually([&] {
    program.Launch(++launch, "kernel", 1);
    program.Launch(1'000'000 + launch, "kernel", 2);
    return program.Count("push") == 4;
  }));
  program.sampler.Stop();
  SamplerEvents& events = program.events;
  events.Append(program.sampler.TakeEvents());
  CHECK(events.groups.size() == 3);
  REQUIRE(events.samples.size() == 4);
  for (const capture::CounterSampleEvent& sample : events.samples) {
    CHECK(sample.group == 1);
    CHECK(sample.context == (sample.correlation > 1'000'000 ? 2 : 1));
  }
}

TEST_CASE("Nothing of the profiler is between the enter and the exit of another thread's launch") {
  TwoStreams program;
  std::atomic<bool> entered{false}, leave{false};
  std::thread other([&] {
    cupti::Launch launch;
    launch.context = Context(1);
    launch.stream = reinterpret_cast<CUstream>(TwoStreams::kOther);
    launch.correlation = 900'000;
    launch.signature.function = reinterpret_cast<const void*>(uintptr_t{2});
    launch.kernel_name = "waits for a later launch";
    program.sampler.launches().OnLaunchEnter(launch);
    entered = true;
    while (!leave) std::this_thread::yield();
    program.sampler.launches().OnLaunchExit();
  });
  while (!entered) std::this_thread::yield();
  const auto profiler_calls = [&] {
    return program.Count("push") + program.Count("config") + program.Count("stop");
  };
  const long before = profiler_calls();
  CHECK_FALSE(program.Samples());
  CHECK(profiler_calls() == before);
  leave = true;
  other.join();
  CHECK(program.Samples());
}

TEST_CASE("A launch while other streams are at work is not sampled, and holds nothing up") {
  TwoStreams program;
  gpu_is_busy = true;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) program.Launch(++program.launches);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(500));
  CHECK_FALSE(program.Samples());
  gpu_is_busy = false;
  CHECK(program.Samples());  // at once, without punishment
}

TEST_CASE("An exception while a range is opened or a group changes leaves the gate open") {
  TwoStreams program;
  static std::atomic<bool> throws{false};
  throws = true;
  static decltype(program.cupti.api.range_push) push = nullptr;
  push = program.cupti.api.range_push;
  program.cupti.api.range_push = [](CUpti_RangeProfiler_PushRange_Params* p) {
    if (throws) throw std::bad_alloc();
    return push(p);
  };
  const auto begin = std::chrono::steady_clock::now();
  CHECK_FALSE(program.Samples());
  std::thread([&] { program.Launch(++program.launches); }).join();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
  throws = false;
  CHECK(program.Samples());
}

TEST_CASE("A stream that is at work is asked seldom") {
  TwoStreams program;
  static std::atomic<int> asked{0};
  asked = 0;
  program.cupti.driver.stream_query = [](CUstream stream) {
    ++asked;
    std::this_thread::sleep_for(std::chrono::microseconds(50));  // as 100 streams
    return stream != nullptr ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  };
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(100)) {
    program.Launch(++program.launches);
  }
  CHECK(asked > 0);
  CHECK(asked < 60);  // 1 % of 100 ms, with two streams each time
}

TEST_CASE("Behind work that may wait for the host there is no range until that has ended") {
  Program program(TwoStreams::Many());
  gpu_is_busy = true;
  program.cupti.driver.stream_query = [](CUstream) {
    return gpu_is_busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  };
  program.sampler.launches().OnContext(Context(1));
  REQUIRE(program.Eventually([&] { return program.Count("start") > 0; }));
  for (uint32_t i = 1; i <= 50; ++i) program.Launch(i);
  CHECK(program.Count("push") == 0);  // a kernel that no record shows to end
  SECTION("the GPU was idle") { gpu_is_busy = false; }
  SECTION("its records show that it ends by itself, and all earlier work has ended") {
    program.recorded = true;
  }
  CHECK(program.LaunchUntil([&] { return program.Count("push") > 0; }));
}

// Destroys the context from another thread while `function` of the profiler runs, and gives the
// driver's part its time.
FakeCupti* destroyed_in = nullptr;
CounterSampler* destroyed_of = nullptr;
std::thread destroyer;
std::atomic<bool> destroying{false};

void BeginDestroying() {
  if (destroying.exchange(true)) return;
  destroyer = std::thread([] {
    destroyed_of->launches().OnContextDestroyed(Context(1));
    destroyed_in->Log("context destroyed");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

TEST_CASE("A context is not destroyed under a call of the profiler, and is left alone afterwards") {
  Program program;
  destroyed_in = &program.cupti;
  destroyed_of = &program.sampler;
  destroying = false;
  SECTION("while its counters are planned") {
    program.cupti.api.get_context_id = [](CUcontext, uint32_t* id) {
      *id = 1;
      BeginDestroying();
      return CUPTI_SUCCESS;
    };
  }
  SECTION("while the profiler is enabled for the first time") {
    static decltype(program.cupti.api.range_get_counter_data_size) ask = nullptr;
    ask = program.cupti.api.range_get_counter_data_size;
    program.cupti.api.range_get_counter_data_size =
        [](CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
          BeginDestroying();
          return ask(p);
        };
  }
  SECTION("while a group is configured") {
    static decltype(program.cupti.api.range_set_config) configure = nullptr;
    configure = program.cupti.api.range_set_config;
    program.cupti.api.range_set_config = [](CUpti_RangeProfiler_SetConfig_Params* p) {
      BeginDestroying();
      return configure(p);
    };
  }
  program.sampler.launches().OnContext(Context(1));
  REQUIRE(program.Eventually([&] { return program.Count("context destroyed") > 0; }));
  destroyer.join();
  for (uint32_t i = 1; i <= 10; ++i) program.Launch(i, "kernel", 2);
  program.sampler.Stop();
  const Strings log = program.cupti.log();
  const auto destroyed = std::find(log.begin(), log.end(), "context destroyed");
  // Context 2 has a profiler of its own; nothing of the first one is stopped or disabled.
  const long disabled = std::count(destroyed, log.end(), "disable");
  const long enabled = std::count(destroyed, log.end(), "enable");
  CHECK(disabled <= enabled);
}

TEST_CASE("A context that comes back at its address has samples of its own") {
  Program program;
  program.recorded = true;
  program.AwaitFirstGroup();
  REQUIRE(program.LaunchUntil([&] { return program.Count("push") == 2; }));
  program.sampler.launches().OnContextDestroyed(Context(1));
  program.sampler.launches().OnContext(Context(1));
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  program.events.Append(program.sampler.TakeEvents());
  CHECK(program.events.samples.size() == 9);  // the samples of the first one were lost
}

// What NVTX does with ranges of two domains that are not nested.
SessionOptions Counted() {
  SessionOptions options = TwoStreams::Many();
  options.counted_ranges = "step";
  options.skip_first_launches = 0;
  return options;
}

struct Ranges : Program {
  Ranges() : Program(Counted()) {
    static LaunchSampler* sampling = nullptr;
    sampling = &sampler.launches();
    capture::SetRangeListener([](uint32_t path, uint32_t token, bool entered) {
      if (entered) {
        sampling->OnRangeEnter(path, token);
      } else {
        sampling->OnRangeExit(token);
      }
    });
    AwaitFirstGroup();
    // The first instance of each range shows what is launched in it.
    for (const bool nested : {false, true}) {
      if (nested) capture::PushRange({"outer", "A"});
      capture::PushRange({"step", nested ? "B" : ""});
      capture::PopRange(nested ? "B" : "");
      if (nested) capture::PopRange("A");
    }
    REQUIRE(Count("push") == 0);
  }
  ~Ranges() { capture::SetRangeListener(nullptr); }
};

TEST_CASE("A counted range is closed when a range around it ended first") {
  Ranges program;
  for (int i = 1; i <= 2; ++i) {
    capture::PushRange({"outer", "A"});
    capture::PushRange({"step", "B"});
    CHECK(program.Count("push") == i);
    capture::PopRange("A");
    capture::PopRange("B");
    CHECK(program.Count("pop") == i);
  }
}

TEST_CASE("A range in which a waiting kernel was launched is not counted any more") {
  Ranges program;
  const auto is_counted = [&](const char* kernel) {
    const long before = program.Count("push");
    capture::PushRange({"step", ""});
    const bool counted = program.Count("push") > before;
    cupti::Launch launch;
    launch.context = Context(1);
    launch.path = capture::CurrentPath();
    launch.kernel_name = kernel;
    launch.signature.function = kernel;
    launch.correlation = ++program.launches;
    program.sampler.launches().OnLaunchEnter(launch);
    program.sampler.launches().OnLaunchExit();
    capture::PopRange("");
    return counted;
  };
  CHECK(is_counted("gemm"));
  CHECK(is_counted("ncclDevKernel_AllReduce"));
  CHECK_FALSE(is_counted("gemm"));
}

TEST_CASE("A thread that ends inside a counted range closes it") {
  Ranges program;
  std::thread([] { capture::PushRange({"step", ""}); }).join();
  CHECK(program.Count("push") == 1);
  CHECK(program.Count("pop") == 1);
  CHECK(program.sampler.Undisturbed([] {}));
}

TEST_CASE("A counted range that is open at the end is closed there, and its sample is none") {
  Ranges program;
  capture::PushRange({"step", ""});
  program.sampler.Stop();
  CHECK(program.Count("pop") == 1);
  CHECK(program.cupti.log().back() == "disable");
  capture::PopRange("");
  CHECK(program.Count("pop") == 1);
  CHECK(program.sampler.TakeEvents().samples.empty());
  CHECK(program.SamplesFailed() == 1);
}

TEST_CASE("While paused nothing is sampled and the hardware is let go, then sampling goes on") {
  Program program(TwoStreams::Many());
  program.AwaitFirstGroup();
  program.recorded = true;
  REQUIRE(program.LaunchUntil([&] { return program.Count("push") > 0; }));
  REQUIRE(program.sampler.Pause());
  const long before = program.Count("push");
  CHECK(program.Eventually([&] { return program.Count("disable") == 1; }));
  for (int i = 0; i < 50; ++i) program.Launch(++program.launches);
  CHECK(program.Count("push") == before);
  CHECK(program.Count("disable") == 1);
  program.sampler.Resume();
  CHECK(program.LaunchUntil([&] { return program.Count("push") > before; }));
}

TEST_CASE("A counted range that is open when the recording is paused is closed there, once") {
  Ranges program;
  capture::PushRange({"step", ""});
  CHECK(program.Count("push") == 1);
  CHECK(program.sampler.Pause());
  CHECK(program.Count("pop") == 1);
  CHECK(program.sampler.TakeEvents().samples.empty());
  program.sampler.Resume();
  capture::PopRange("");  // its owner finds it closed
  CHECK(program.Count("pop") == 1);
  CHECK(program.sampler.Undisturbed([] {}));
}

TEST_CASE("A launch that does not return is not paused over") {
  Program program(TwoStreams::Many());
  program.AwaitFirstGroup();
  cupti::Launch launch;
  launch.context = Context(1);
  for (launch.correlation = 1; launch.correlation <= 2; ++launch.correlation) {
    program.sampler.launches().OnLaunchEnter(launch);
    if (launch.correlation == 1) program.sampler.launches().OnLaunchExit();
  }
  REQUIRE(program.cupti.log().back() == "push 0");
  CHECK_FALSE(program.sampler.Pause());
  program.sampler.launches().OnLaunchExit();
  CHECK(program.cupti.log().back() == "pop");
  CHECK(program.LaunchUntil([&] { return program.Count("push") > 1; }));
}

std::atomic<bool> gpu_hangs{false};
std::atomic<int> waits{0};

TEST_CASE("A wait for a GPU that never goes idle outlives the sampler, and begins nothing new") {
  gpu_hangs = true;
  waits = 0;
  FakeCupti cupti;
  cupti.driver.ctx_synchronize = [] {
    ++waits;
    while (gpu_hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return CUDA_SUCCESS;
  };
  SessionOptions options;
  options.counters = Counters::kNone;
  auto sampler = std::make_unique<CounterSampler>(&cupti.api, &cupti.driver, options);
  sampler->launches().OnContext(Context(1));
  sampler->launches().OnContext(Context(2));
  std::atomic<bool> given_up{false}, answer{true};
  std::thread thread(
      [&given_up, &answer, work = sampler->WaitForGpu()] { answer = work(given_up); });
  while (waits == 0) std::this_thread::yield();
  sampler->Stop();
  given_up = true;
  sampler.reset();
  gpu_hangs = false;
  thread.join();
  CHECK(waits == 1);  // the second context may be gone by now
  CHECK_FALSE(answer);
}

TEST_CASE("Counters are all sampled only when they are, and pending is not the same") {
  Program program;
  CHECK_FALSE(program.sampler.AllSampled());
  CHECK_FALSE(program.sampler.Complete());
  program.AwaitFirstGroup();
  REQUIRE(program.LaunchUntilComplete());
  CHECK(program.sampler.AllSampled());
  program.sampler.Stop();
  CHECK(program.sampler.AllSampled());

  SessionOptions none;
  none.counters = Counters::kNone;
  const Program off(none);
  CHECK_FALSE(off.sampler.AllSampled());
  CHECK(off.sampler.Complete());  // nothing more comes

  Program refused;
  refused.cupti.Fail("range_enable", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  refused.sampler.launches().OnContext(Context(1));
  REQUIRE(refused.Eventually([&] { return refused.sampler.Complete(); }));
  CHECK_FALSE(refused.sampler.AllSampled());
  refused.sampler.Stop();
  CHECK_FALSE(refused.sampler.AllSampled());
}

TEST_CASE("A launch that does not return keeps the memory that CUPTI writes to") {
  FakeCupti cupti;
  auto sampler = std::make_unique<CounterSampler>(&cupti.api, &cupti.driver, TwoStreams::Many());
  sampler->launches().OnContext(Context(1));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto started = [&] {
    const Strings log = cupti.log();
    return std::count(log.begin(), log.end(), "start") > 0 && sampler->Settled();
  };
  while (!started() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  cupti::Launch launch;
  launch.context = Context(1);
  for (launch.correlation = 1; launch.correlation <= 2; ++launch.correlation) {
    sampler->launches().OnLaunchEnter(launch);
    if (launch.correlation == 1) sampler->launches().OnLaunchExit();
  }
  REQUIRE(cupti.log().back() == "push 0");
  LaunchSampler& launches = sampler->launches();
  sampler->Stop();
  CHECK(sampler->status().state == State::kDegraded);
  sampler.reset();
  launches.OnLaunchExit();  // it is still there
  CHECK(cupti.log().back() == "pop");
}

TEST_CASE("A kernel that takes as long as the host does is not sampled") {
  Program program(TwoStreams::Many());
  program.AwaitFirstGroup();
  program.Ran(900'000, 1, 1000);  // the records of this context come
  for (uint32_t i = 1; i <= 20; ++i) {
    program.Launch(i, "waits for a flag");
    program.Ran(i, 1, i % 2 == 0 ? 30'000 : 300'000);
  }
  CHECK(program.Count("push") == 0);
  for (uint32_t i = 21; i <= 24; ++i) {
    program.Launch(i, "waits for a flag");
    program.Ran(i, 1, 250'000);
  }
  CHECK(program.Count("push") > 0);  // it does not wait any more
}

TEST_CASE("The samples of a context that goes away are counted as failed") {
  Program program;
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 3; ++i) program.Launch(i);
  program.sampler.launches().OnContextDestroyed(Context(1));
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.empty());
  CHECK(program.SamplesFailed() == 2);
  CHECK(program.Count("disable") == 0);  // there is nothing left to touch
}

TEST_CASE("Threads that launch while groups change never have two ranges open at once") {
  SessionOptions options = Options();
  options.samples_per_signature = 20;
  Program program(options);
  program.AwaitFirstGroup();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&program, t] {
      for (uint32_t i = 1; i <= 300; ++i) {
        program.Launch(1000 * t + i, "kernel", 1, t + 1);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  program.sampler.Stop();
  int open = 0;
  bool started = false;
  for (const std::string& line : program.cupti.log()) {
    if (line == "start") started = true;
    if (line == "stop") started = false;
    if (line.rfind("push", 0) == 0) {
      CHECK(started);
      CHECK(++open == 1);
    }
    if (line == "pop") CHECK(--open == 0);
    if (line == "stop" || line == "config" || line == "decode") CHECK(open == 0);
  }
  CHECK(program.Count("push") > 20);
  CHECK(static_cast<long>(program.sampler.TakeEvents().samples.size()) == program.Count("push"));
}

}  // namespace
}  // namespace prof::cupti::test
