// SPDX-License-Identifier: Apache-2.0
//
// A Session on a real GPU, against work whose counts are known.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "prof/analyzer.h"
#include "prof/range.h"
#include "prof/session.h"
#include "test/gpu/kernels.h"
#include "test/support/catch.h"

#define NEEDS_GPU() \
  if (!prof::test::HasGpu()) PROF_SKIP("no CUDA device")

namespace {

using prof::test::Vectors;

prof::SessionOptions TimelineOnly() {
  prof::SessionOptions options;
  options.counters = prof::Counters::kNone;
  return options;
}

// What the report could not see, for the message of a failing check.
std::string Blind(const prof::Report& report) {
  std::string text;
  for (const prof::NoticeReport& notice : report.notices) text += notice.what + "; ";
  for (const std::string& sentence : report.integrity) text += sentence + "; ";
  return text;
}

// Runs `step` until the counters of every signature are sampled, at most 20,000 times.
template <typename Step>
prof::Report Sample(Step&& step) {
  prof::SessionOptions options;
  options.counters = prof::Counters::kStalls;
  options.counter_budget_seconds = 60;
  prof::Session session(options);
  for (int i = 0; i < 20'000 && (i < 20 || session.counters_pending()); ++i) {
    step();
    if (i % 16 == 0) session.Synchronize();
  }
  for (int i = 0; i < 20; ++i) step();
  return prof::Analyze(session.Stop());
}

// Another profiler of the process, which registers buffers of its own in the CUPTI that prof
// loaded. A buffer of prof's that it is handed is left alone.
class OtherProfiler {
 public:
  // False: there is no CUPTI, or it refuses.
  static bool TakeRecords() {
    void* cupti = nullptr;
    for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
      if (cupti == nullptr) cupti = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    }
    if (cupti == nullptr) return false;
    using Request = void (*)(uint8_t**, size_t*, size_t*);
    using Complete = void (*)(void*, uint32_t, uint8_t*, size_t, size_t);
    const auto take = reinterpret_cast<int (*)(Request, Complete)>(
        dlsym(cupti, "cuptiActivityRegisterCallbacks"));
    return take != nullptr && take(&Give, &Get) == 0;
  }
  static size_t bytes() { return bytes_; }

 private:
  static void Give(uint8_t** buffer, size_t* size, size_t* most_records) {
    *size = 64 << 10;
    *most_records = 0;
    *buffer = static_cast<uint8_t*>(std::malloc(*size));
    const std::lock_guard lock(mutex_);
    own_.insert(*buffer);
  }
  static void Get(void*, uint32_t, uint8_t* buffer, size_t, size_t used) {
    const std::lock_guard lock(mutex_);
    if (own_.erase(buffer) == 0) return;
    bytes_ += used;
    std::free(buffer);
  }

  static inline std::mutex mutex_;
  static inline std::set<uint8_t*> own_;
  static inline std::atomic<size_t> bytes_{0};
};

}  // namespace

TEST_CASE("Every launch of a storm is recorded, and nothing is lost", "[gpu]") {
  NEEDS_GPU();
  constexpr int kLaunches = 200'000;
  prof::Session session(TimelineOnly());
  for (int i = 0; i < kLaunches / 1000; ++i) {
    Vectors::Empty(1000);
    Vectors::Synchronize();
  }
  const prof::Snapshot snapshot = session.Stop();
  CHECK(snapshot.integrity().complete());
  CHECK(snapshot.integrity().launches == kLaunches);
  const prof::Report report = prof::Analyze(snapshot);
  CHECK(report.error.empty());
  CHECK(report.totals.kernels == kLaunches);
}

TEST_CASE("Allocations are counted with their sizes, in the range that made them", "[gpu]") {
  NEEDS_GPU();
  constexpr size_t kElements = 1 << 20;
  constexpr uint64_t kBytes = 2 * kElements * sizeof(float);  // two vectors
  prof::Session session(TimelineOnly());
  {
    PROF_RANGE("load");
    const Vectors vectors(kElements);
  }
  const prof::Report report = prof::Analyze(session.Stop());
  INFO(Blind(report));
  REQUIRE(report.memory.devices.size() == 1);
  const prof::DeviceMemory& device = report.memory.devices[0];
  CHECK(device.peak_bytes >= kBytes);
  CHECK(device.peak_at_ns > 0);
  CHECK(device.bytes_at_end + kBytes <= device.peak_bytes);  // both were freed
  REQUIRE(report.memory.ranges.size() >= 1);
  CHECK(report.memory.ranges[0].range == "load");
  CHECK(report.memory.ranges[0].allocations >= 2);
  CHECK(report.memory.ranges[0].device_bytes >= kBytes);
}

TEST_CASE("Launches of several threads are each in their own thread's range", "[gpu]") {
  NEEDS_GPU();
  prof::Session session(TimelineOnly());
  std::vector<std::thread> threads;
  for (const char* name : {"red", "green", "blue"}) {
    threads.emplace_back([name] {
      for (int i = 0; i < 500; ++i) {
        PROF_RANGE(name);
        Vectors::Empty(2);
      }
      Vectors::Synchronize();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const prof::Report report = prof::Analyze(session.Stop());
  for (const char* name : {"red", "green", "blue"}) {
    int64_t operations = 0;
    for (const prof::RangeRow& row : report.rows) {
      if (row.label == name) operations += row.operations;
    }
    CHECK(operations == 1000);
  }
}

// What prof does while it records must not take the callbacks of a call away.
TEST_CASE("Launches with attributes have their calls and their range for as long as it records",
          "[gpu]") {
  NEEDS_GPU();
  prof::Session session(TimelineOnly());
  constexpr int kTurns = 400;
  for (int i = 0; i < kTurns; ++i) {
    PROF_RANGE("attributes");
    Vectors::EmptyWithAttributes(2);
    Vectors::Empty(1);
    Vectors::Synchronize();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const prof::Report report = prof::Analyze(session.Stop());
  INFO(Blind(report));
  CHECK(report.kernel("empty").range == "attributes");
  CHECK(report.kernel("empty").launches == 3 * kTurns);
  CHECK(report.totals.api_calls >= 4 * kTurns);
}

TEST_CASE("A host that asks until each kernel is done waits once for each", "[gpu]") {
  NEEDS_GPU();
  constexpr int kTurns = 200;
  Vectors vectors(1);
  prof::Session session(TimelineOnly());
  vectors.SpinAndAsk(20'000, kTurns);
  const prof::Report report = prof::Analyze(session.Stop());
  INFO(Blind(report));
  const prof::KernelReport spin = report.kernel("spin");
  CHECK(spin.launches == kTurns);
  const auto asked =
      std::find_if(report.api_calls.begin(), report.api_calls.end(),
                   [](const prof::ApiSummary& call) { return call.name == "cudaEventQuery"; });
  REQUIRE(asked != report.api_calls.end());
  CHECK(asked->count <= kTurns);
  CHECK(asked->count >= 0.9 * kTurns);  // a thread that loses its processor makes a pause
  CHECK(asked->total_ns > 0.5 * spin.total_ns);
}

TEST_CASE("The nodes of a CUDA graph are recorded one by one, in the range of its launch",
          "[gpu]") {
  NEEDS_GPU();
  prof::Session session(TimelineOnly());
  {
    PROF_RANGE("graph");
    Vectors::EmptyGraph(50, 20);
  }
  const prof::Report report = prof::Analyze(session.Stop());
  CHECK(report.totals.kernels == 50 * 20);
  const prof::KernelReport& kernel = report.kernel("empty");
  CHECK(kernel.in_graph);
  CHECK(kernel.range == "graph");
  CHECK(kernel.launches == 50 * 20);
}

TEST_CASE("The bytes of a streaming kernel are those of its arrays", "[gpu]") {
  NEEDS_GPU();
  constexpr size_t kElements = size_t{1} << 26;
  Vectors vectors(kElements);
  const prof::Report report = Sample([&] {
    PROF_RANGE("stream");
    vectors.Saxpy();
  });
  const prof::KernelReport& kernel = report.kernel("saxpy");
  INFO(Blind(report) << kernel.launches << " launches, " << kernel.samples_rejected << " rejected");
  REQUIRE(kernel.samples_used > 0);
  // Reads come from DRAM once; the writes of the launch before may still be on their way.
  CHECK(*kernel.Metric("dram__bytes_read.sum") == Approx(8.0 * kElements).epsilon(0.02));
  CHECK(*kernel.Metric("dram__bytes_write.sum") == Approx(4.0 * kElements).epsilon(0.05));
  CHECK(kernel.occupancy.theoretical == 1.0);
  CHECK(kernel.verdict.limiter == prof::Limiter::kDram);
}

TEST_CASE("A kernel of two microseconds shows the same share of the SM as a long one", "[gpu]") {
  NEEDS_GPU();
  // Counter ranges are longer than their kernel; without the correction the short one would show
  // a fraction of this.
  Vectors vectors(1 << 10);
  const prof::Report report = Sample([&] {
    {
      PROF_RANGE("short");
      vectors.Spin(1500);
    }
    {
      PROF_RANGE("long");
      vectors.Spin(150'000);
    }
  });
  INFO(Blind(report));
  double share[2] = {};
  for (const prof::KernelReport& kernel : report.kernels) {
    REQUIRE(kernel.Metric("sm__issue_active.avg.pct_of_peak_sustained_elapsed"));
    share[kernel.range == "long"] =
        *kernel.Metric("sm__issue_active.avg.pct_of_peak_sustained_elapsed");
  }
  CHECK(share[1] > 5);
  CHECK(share[0] > 0.6 * share[1]);
}

TEST_CASE("Kernels that run once have their counters under replay", "[gpu]") {
  NEEDS_GPU();
  constexpr size_t kElements = size_t{1} << 24;
  Vectors vectors(kElements);
  prof::SessionOptions options;
  options.replay = prof::Replay::kKernel;
  prof::Session session(options);
  vectors.Saxpy();
  vectors.Spin(1500);
  Vectors::Empty(1);
  vectors.Saxpy();  // on the timeline, as the first was not
  Vectors::Synchronize();
  const prof::Report report = prof::Analyze(session.Stop());
  INFO(Blind(report));
  CHECK(report.kernels.size() == 3);
  for (const prof::KernelReport& kernel : report.kernels) CHECK(kernel.samples_used == 1);
  const prof::KernelReport& saxpy = report.kernel("saxpy");
  CHECK(saxpy.launches == 2);
  REQUIRE(saxpy.Metric("dram__bytes_read.sum"));
  CHECK(*saxpy.Metric("dram__bytes_read.sum") == Approx(8.0 * kElements).epsilon(0.05));
}

TEST_CASE("A grid of half the SMs is called small", "[gpu]") {
  NEEDS_GPU();
  Vectors vectors(1 << 10);
  const prof::Report report = Sample([&] { vectors.Spin(50'000); });
  INFO(Blind(report));
  CHECK(report.kernel("spin").verdict.limiter == prof::Limiter::kSmallGrid);
}

// Default options: nothing to configure.
TEST_CASE("In its first second a streaming kernel is known to be limited by DRAM", "[gpu]") {
  NEEDS_GPU();
  Vectors vectors(size_t{1} << 26);
  prof::Session session;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::seconds(1)) {
    for (int i = 0; i < 16; ++i) vectors.Saxpy();
    Vectors::Synchronize();
  }
  const prof::Report report = prof::Analyze(session.Stop());
  INFO(Blind(report));
  const prof::KernelReport& kernel = report.kernel("saxpy");
  CHECK(kernel.verdict.limiter == prof::Limiter::kDram);
  CHECK(report.verdicts.share > 0.95);
}

TEST_CASE("Captures of another thread are never spoilt by what prof does", "[gpu]") {
  NEEDS_GPU();
  REQUIRE(Vectors::CaptureBesideLaunches(0.5).empty());  // so it is without prof
  prof::SessionOptions options;
  options.counter_budget_percent = 100;
  SECTION("without counters") { options.counters = prof::Counters::kNone; }
  SECTION("with PM samples and counters by need") { options.counters = prof::Counters::kAuto; }
  SECTION("with all counters") { options.counters = prof::Counters::kAll; }
  SECTION("with PM samples all of the time") {
    options.counters = prof::Counters::kNone;
    options.continuous = true;
    options.continuous_core_percent = 1;  // it changes its plan, which opens it again
  }
  SECTION("with unified memory and the state of the GPU") {
    options.counters = prof::Counters::kNone;
    options.unified_memory = options.gpu_state = true;
  }
  SECTION("with all of that at once, and stacks, ops and the host") {
    options.counters = prof::Counters::kAll;
    options.continuous = options.unified_memory = options.gpu_state = true;
    options.native_stacks = options.python_stacks = options.torch_shapes = true;
    options.torch = prof::Torch::kOps;
    options.host_samples = 200;
  }
  prof::Session session(options);
  CHECK(Vectors::CaptureBesideLaunches(1.5).empty());
  const prof::Report report = prof::Analyze(session.Stop());
  CHECK(report.totals.kernels > 100);
}

TEST_CASE("Captures of another thread are not spoilt by waits, pauses, or a share of the time",
          "[gpu]") {
  NEEDS_GPU();
  const std::vector<double> none;
  prof::SessionOptions options;
  SECTION("waits for the GPU") {
    options.counters = prof::Counters::kNone;
    prof::Session session(options);
    std::atomic<bool> done{false};
    int waits = 0, whole = 0;
    std::thread thread([&] {
      for (; !done; ++waits) whole += static_cast<int>(session.Synchronize());
    });
    CHECK(Vectors::CaptureBesideLaunches(1.5) == none);
    done = true;
    thread.join();
    CHECK(whole > 0);
    CHECK(whole == waits);
  }
  SECTION("a pause") {
    const prof::Counters counters = GENERATE(prof::Counters::kNone, prof::Counters::kAuto);
    options.counters = counters;
    prof::Session session(options);
    std::atomic<bool> done{false};
    std::thread pauses([&] {
      while (!done) {
        session.Pause();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        session.Resume();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    CHECK(Vectors::CaptureBesideLaunches(1.5) == none);
    done = true;
    pauses.join();
    CHECK(prof::Analyze(session.Stop()).paused_ns > 0);
  }
  SECTION("a share of the time") {
    options.counters = prof::Counters::kNone;
    options.duty_percent = 30;
    prof::Session session(options);
    CHECK(Vectors::CaptureBesideLaunches(3) == none);
    CHECK(prof::Analyze(session.Stop()).whole_run);
  }
}

TEST_CASE("A copy from pageable memory is reported with its bytes", "[gpu]") {
  NEEDS_GPU();
  Vectors vectors(1 << 20);
  prof::Session session(TimelineOnly());
  const size_t bytes = vectors.CopyIn();
  const prof::Report report = prof::Analyze(session.Stop());
  REQUIRE(report.copies.size() == 1);
  CHECK(report.copies[0].bytes == bytes);
  CHECK(report.copies[0].memory.find("pageable") != std::string::npos);
}

TEST_CASE("A hundred sessions in one process record alike", "[gpu]") {
  NEEDS_GPU();
  for (int i = 0; i < 100; ++i) {
    prof::Session session(TimelineOnly());
    Vectors::Empty(100);
    const prof::Snapshot snapshot = session.Stop();
    REQUIRE(snapshot.integrity().kernels == 100);
    REQUIRE(snapshot.integrity().complete());
  }
}

TEST_CASE("A pause under load leaves out the launches in it, and no others", "[gpu]") {
  NEEDS_GPU();
  constexpr int kPauses = 10, kLaunches = 1000;
  for (const prof::Counters counters : {prof::Counters::kNone, prof::Counters::kAuto}) {
    prof::SessionOptions options;
    options.counters = counters;
    prof::Session session(options);
    std::atomic<bool> done{false};
    std::thread beside([&] {  // it launches all the time, in pauses too
      PROF_RANGE("beside");
      while (!done) Vectors::Empty(10);
    });
    for (int i = 0; i < kPauses; ++i) {
      {
        PROF_RANGE("measured");
        Vectors::Empty(kLaunches);
      }
      CHECK(session.Pause());
      {
        PROF_RANGE("paused");
        Vectors::Empty(kLaunches);
      }
      CHECK(session.Resume());
    }
    done = true;
    beside.join();
    const prof::Report report = prof::Analyze(session.Stop());
    INFO(Blind(report));
    std::map<std::string, int64_t> launches;
    for (const prof::KernelReport& kernel : report.kernels) {
      launches[kernel.range] += kernel.launches;
    }
    CHECK(launches["measured"] == kPauses * kLaunches);
    CHECK(launches["paused"] == 0);
    CHECK(launches["beside"] > 0);
    CHECK(report.paused_ns > 0);
  }
}

TEST_CASE("A recording of a share of the time counts each launch, and none that is only captured",
          "[gpu]") {
  NEEDS_GPU();
  constexpr int kReplays = 20;
  Vectors vectors(1 << 16);
  prof::SessionOptions options = TimelineOnly();
  options.duty_percent = 30;
  prof::Session session(options);
  int64_t spins = 0, replays = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  while (std::chrono::steady_clock::now() < until) {
    vectors.Spin(1'000);
    if (++spins % 200 != 0) continue;
    Vectors::Synchronize();
    Vectors::EmptyGraph(5, kReplays);
    replays += kReplays;
  }
  const prof::Report report = prof::Analyze(session.Stop());
  INFO(Blind(report));
  REQUIRE(report.whole_run);
  const prof::WholeRun& run = *report.whole_run;
  CHECK(run.launches == spins + replays);
  CHECK(run.windows >= 5);
  CHECK(run.traced_ns / run.span_ns > 0.1);
  CHECK(run.traced_ns / run.span_ns < 0.7);
  const auto spin = std::find_if(run.kernels.begin(), run.kernels.end(),
                                 [](const auto& kernel) { return kernel.name == "spin"; });
  REQUIRE(spin != run.kernels.end());
  CHECK(spin->launches == spins);
  CHECK(spin->traced < spins);
  REQUIRE(spin->time);
  REQUIRE(spin->time->error_ns);
  CHECK(*spin->time->error_ns < 0.2 * spin->time->ns);
}

// The other profiler stays: in a process with other cases this one comes last.
TEST_CASE("Records that another profiler takes are reported, and those from before are there",
          "[gpu]") {
  NEEDS_GPU();
  constexpr int kRounds = 150, kLaunches = 5;
  const auto launch = [] {
    for (int i = 0; i < kRounds; ++i) {
      Vectors::Empty(kLaunches);
      Vectors::Synchronize();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  };
  prof::Session session(TimelineOnly());
  launch();
  REQUIRE(OtherProfiler::TakeRecords());
  launch();
  const prof::Report report = prof::Analyze(session.Stop());
  const std::string blind = Blind(report);
  INFO(blind);
  CHECK(blind.find("another profiler in this process") != std::string::npos);
  CHECK(report.totals.kernels >= kRounds * kLaunches * 9 / 10);
  CHECK(report.totals.kernels < 2 * kRounds * kLaunches);
  CHECK(OtherProfiler::bytes() > 0);
}
