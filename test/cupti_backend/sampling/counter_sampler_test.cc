// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/counter_sampler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cupti_backend/sampling/context_slots.h"
#include "cupti_backend/sampling/launch_sampler.h"
#include "test/cupti_backend/sampling/sampler_program.h"

namespace prof::cupti::test::counter_sampler_test {
namespace {

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
    program.sampler.records().work.Add(1, i, 1, 6'000'001);
  }
  REQUIRE(program.Eventually([&] {
    program.Launch(++program.launches + 1000);
    program.sampler.TakeEvents();
    return program.Count("push") > 0;
  }));
  CHECK(program.Count("enable") == 1);
}

TEST_CASE("Something new gets the turn back although a change of group waits for a busy GPU") {
  SessionOptions options = Options();
  options.counters = Counters::kAuto;
  Program program(options);
  program.cupti.driver.stream_query = [](CUstream) { return CUDA_ERROR_NOT_READY; };
  program.sampler.launches().OnContext(Context(1));
  HardwareTurns& turns = program.sampler.turns();
  turns.PassTo(HardwareTurns::Owner::kRanges);
  const auto launch_on = [&](uintptr_t stream) {
    program.stream = reinterpret_cast<CUstream>(stream);  // NOLINT(performance-no-int-to-ptr)
    program.Launch(++program.launches);
    program.sampler.records().work.Add(1, program.launches, 1, 6'000'001);
    program.sampler.TakeEvents();
  };
  // No record shows that the work ends by itself.
  REQUIRE(program.Eventually([&] {
    launch_on(16);
    launch_on(32);
    return turns.Wanted(HardwareTurns::Owner::kRanges);
  }));
  for (int i = 0; i < 50; ++i) {  // a request is open, and the GPU is never quiet
    launch_on(16);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(program.Count("enable") == 0);
  REQUIRE(turns.IsOf(HardwareTurns::Owner::kRanges));
  turns.SetUrgent(true);
  const auto start = std::chrono::steady_clock::now();
  CHECK(program.Eventually([&] { return turns.IsOf(HardwareTurns::Owner::kTriage); }));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(900));
}

TEST_CASE("While something new runs, a turn is given back before the hardware is touched") {
  SessionOptions options = Options();
  options.counters = Counters::kAuto;
  Program program(options);
  program.sampler.launches().OnContext(Context(1));
  HardwareTurns& turns = program.sampler.turns();
  turns.PassTo(HardwareTurns::Owner::kRanges);
  REQUIRE(program.Eventually(
      [&] { return ContextSampler::Prepared(program.sampler.contexts().begin()->phase()); }));
  turns.SetUrgent(true);
  // 1.2 s of GPU time: a group is asked for as soon as the turn is there.
  for (uint32_t i = 1; i <= 200; ++i) {
    program.Launch(++program.launches);
    program.sampler.records().work.Add(1, program.launches, 1, 6'000'001);
  }
  program.sampler.TakeEvents();
  REQUIRE(turns.Wanted(HardwareTurns::Owner::kRanges));
  turns.PassTo(HardwareTurns::Owner::kRanges);
  CHECK(program.Eventually([&] { return turns.IsOf(HardwareTurns::Owner::kTriage); }));
  CHECK(program.Count("enable") == 0);
}

TEST_CASE("Where triage works the device is not asked which counters it has") {
  SessionOptions options = Options();
  options.counters = Counters::kAuto;
  Program program(options);
  program.cupti.Fail("profiler_get_counter_availability", CUPTI_ERROR_UNKNOWN);
  const bool works = GENERATE(true, false);
  if (!works) program.sampler.policy().SetTriage(false);
  program.sampler.turns().PassTo(HardwareTurns::Owner::kRanges);
  program.sampler.launches().OnContext(Context(1));
  // Planned without some metrics that the fake chip lacks, or not at all.
  const State wanted = works ? State::kDegraded : State::kUnavailable;
  CHECK(program.Eventually([&] { return program.sampler.status().state == wanted; }));
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

// Another thread does `work` while the launch 2 is in its range, for so long.
void WithSampledLaunch(Program* program, const std::function<void()>& work,
                       std::chrono::milliseconds in_range) {
  program->AwaitFirstGroup();
  program->Launch(1);
  Launch launch;
  launch.signature.function = reinterpret_cast<const void*>(1);
  launch.context = Context(1);
  launch.correlation = 2;
  launch.kernel_name = "kernel";
  program->sampler.launches().OnLaunchEnter(launch);
  REQUIRE(program->Count("push") == 1);
  std::thread other(work);
  std::this_thread::sleep_for(in_range);
  program->cupti.Log("launch 2");
  program->sampler.launches().OnLaunchExit();
  other.join();
}

TEST_CASE("What another thread launches to the same stream stays out of a sampled launch's range") {
  Program program;
  const auto launch = [&program] { program.Launch(3); };
  WithSampledLaunch(&program, launch, std::chrono::milliseconds(2));
  const Strings log = program.cupti.log();
  const auto at = [&log](const char* line) { return std::find(log.begin(), log.end(), line); };
  REQUIRE(at("launch 3") != log.end());
  // On a busy machine the launch may have waited long enough: then the sample is spoilt.
  program.sampler.Stop();
  const bool sampled = program.SamplesFailed() == 0;
  CHECK((at("pop") < at("launch 3") || !sampled));
}

TEST_CASE(
    "A launch for which a sampled one may wait goes on after a moment and spoils the sample") {
  Program program;
  const auto launch = [&program] { program.Launch(3); };
  WithSampledLaunch(&program, launch, std::chrono::milliseconds(500));
  const Strings log = program.cupti.log();
  const auto at = [&log](const char* line) { return std::find(log.begin(), log.end(), line); };
  CHECK(at("launch 3") < at("launch 2"));
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.empty());
  CHECK(program.SamplesFailed() == 1);
}

TEST_CASE("A signature whose sample was spoilt is sampled again") {
  SessionOptions options = Options();
  options.metrics.resize(1);
  Program program(options);
  const auto copy = [&program] {
    program.sampler.launches().OnStreamWork(Context(1), nullptr, 3, false);
  };
  WithSampledLaunch(&program, copy, std::chrono::milliseconds(20));
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.size() == 3);  // all that were asked for
  CHECK(program.SamplesFailed() == 1);
}

TEST_CASE("Under replay no launch waits for counters while a stream is captured") {
  SessionOptions options = Options();
  options.replay = Replay::kKernel;
  Program program(options);
  program.Launch(1, "kernel", 1, 1);
  const auto captured = reinterpret_cast<CUstream>(16);  // NOLINT(performance-no-int-to-ptr)
  program.sampler.launches().OnCaptureBegin(captured);
  const auto begin = std::chrono::steady_clock::now();
  for (uint32_t i = 2; i <= 6; ++i) program.Launch(i, "kernel", 1, i);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  program.sampler.launches().OnCaptureEnd(captured);
}

TEST_CASE("A copy of another thread spoils the sample in whose range it came, and no other") {
  Program program;
  const auto copy = [&program] {
    program.sampler.launches().OnStreamWork(Context(1), nullptr, 3, false);
  };
  WithSampledLaunch(&program, copy, std::chrono::milliseconds(20));
  program.Launch(4);
  program.sampler.Stop();
  const SamplerEvents events = program.sampler.TakeEvents();
  REQUIRE(events.samples.size() == 1);
  CHECK(events.samples[0].correlation == 4);
  CHECK(events.samples[0].values[0] == ValueOf("1", 0));
  CHECK(program.SamplesFailed() == 1);
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

TEST_CASE("Under replay a launch waits for the hardware that another thread has") {
  FakeCupti cupti;
  SessionOptions options = Options();
  options.replay = Replay::kKernel;
  SamplerParts parts(&cupti.api, &cupti.driver, options);
  ContextSlots contexts(&parts);
  LaunchSampler launches(&parts, &contexts);
  ContextSampler* const context = contexts.Find(Context(1));
  REQUIRE(context != nullptr);
  context->Prepare();
  context->ChangeGroup();
  HardwareLease lease = parts.hardware.TryTake();
  std::thread other([&lease] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    lease.Release();
  });
  Launch launch;
  launch.signature.function = &launch;
  launch.context = Context(1);
  launch.correlation = 1;
  launch.kernel_name = "kernel";
  launches.OnLaunchEnter(launch);
  cupti.Log("launch 1");
  launches.OnLaunchExit();
  other.join();
  const Strings log = cupti.log();
  const auto launched = std::find(log.begin(), log.end(), "launch 1");
  REQUIRE(launched != log.begin());
  CHECK(*std::prev(launched) == "start");  // a range of CUPTI's own is around it
}

TEST_CASE("Under replay a launch to another stream does not wait for itself") {
  static std::atomic<bool> busy{false};
  SessionOptions options = Options();
  options.replay = Replay::kKernel;
  Program program(options);
  program.cupti.driver.stream_query = [](CUstream) {
    return busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  };
  program.Launch(1, "kernel", 1, 1);
  busy = true;  // the change of group that was asked for has to wait
  program.stream = reinterpret_cast<CUstream>(16);  // NOLINT(performance-no-int-to-ptr)
  std::thread gpu([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    busy = false;
  });
  const auto begin = std::chrono::steady_clock::now();
  program.Launch(2, "kernel", 1, 2);
  gpu.join();
  // The worker could not change the group as long as this launch counted as under way: 10 s.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
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
  CHECK(count[static_cast<size_t>(capture::ProfilerWork::kSetup)] == 3);  // plan, enable, start
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

TEST_CASE("A metric that the chip does not have is named with its unit, or with what it answers") {
  SessionOptions options = Options();
  const std::string fp64 = "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed";
  const std::string stall = "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio";
  options.metrics = {"m0.sum", "no_such.sum", fp64, stall, "dram__bytes_read.sum"};
  Program program(options);
  REQUIRE(program.LaunchUntilComplete());
  const std::string what = program.sampler.status().what;
  INFO(what);
  for (const std::string& text :
       {"FP64 (" + fp64 + "): no such metric on FK100",
        "why warps wait (" + stall + "): no such metric on FK100",
        std::string("DRAM (dram__bytes_read.sum): no such metric on FK100")}) {
    CHECK(what.find(text) != std::string::npos);
  }
  CHECK(what.find(": no_such.sum: ") != std::string::npos);  // nobody knows what it is for
  CHECK(what.find("m0.sum") == std::string::npos);
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

}  // namespace
}  // namespace prof::cupti::test::counter_sampler_test
