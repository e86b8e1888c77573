// SPDX-License-Identifier: Apache-2.0
//
// A recording whose CUPTI is ended by another tool or by prof itself, on a CUPTI that notes each
// call.
#include "cupti_backend/cupti_recording.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cupti_backend/api/cupti_versions.h"
#include "lib/capture/process/quiet_thread.h"
#include "test/cupti_backend/activity/activity_buffer.h"
#include "test/cupti_backend/capture_modes.h"
#include "test/cupti_backend/fake_cupti.h"
#include "test/support/catch.h"

namespace prof::cupti::test::cupti_recording_test {
namespace {

// The part of CUPTI that a timeline needs.
struct Cupti {
  bool subscribed = false;
  CUptiResult subscribe_result = CUPTI_SUCCESS;
  CUpti_CallbackFunc callback = nullptr;
  void* user_data = nullptr;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  int calls = 0;  // of its functions
  CaptureModes captures;
  int flushes = 0;
  int subscriptions = 0;
  int finalized = 0;
  CUptiResult finalize_result = CUPTI_SUCCESS;
  std::vector<CUpti_ActivityKind> kinds;
};
Cupti* cupti = nullptr;

CUptiResult Called() {
  ++cupti->calls;
  cupti->captures.OnCall();
  return CUPTI_SUCCESS;
}

CUptiResult Subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* data) {
  if (cupti->subscribe_result != CUPTI_SUCCESS) return cupti->subscribe_result;
  ++cupti->subscriptions;
  cupti->subscribed = true;
  cupti->callback = function;
  cupti->user_data = data;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(data);
  return CUPTI_SUCCESS;
}

void AddFunctions(CuptiApi* api) {
  api->missing = 1U << static_cast<uint32_t>(Feature::kSubscriberNames);
  api->subscribe = &Subscribe;
  api->enable_callback = [](uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                            CUpti_CallbackId) { return Called(); };
  api->activity_register_callbacks = [](CUpti_BuffersCallbackRequestFunc request,
                                        CUpti_BuffersCallbackCompleteFunc complete) {
    cupti->request = request;
    cupti->complete = complete;
    return Called();
  };
  api->activity_enable = [](CUpti_ActivityKind kind) {
    cupti->kinds.push_back(kind);
    return Called();
  };
  api->finalize = [] { return ++cupti->finalized, cupti->finalize_result; };
  api->activity_disable = [](CUpti_ActivityKind) { return Called(); };
  api->activity_enable_driver_api = [](CUpti_CallbackId, uint8_t) { return Called(); };
  api->activity_flush_all = [](uint32_t) { return ++cupti->flushes, Called(); };
  api->activity_get_num_dropped = [](CUcontext, uint32_t, size_t* dropped) {
    *dropped = 0;
    return Called();
  };
  api->activity_set_attribute = [](CUpti_ActivityAttribute, size_t*, void*) { return Called(); };
  api->activity_get_attribute = [](CUpti_ActivityAttribute, size_t*, void*) {
    return CUPTI_ERROR_NOT_SUPPORTED;
  };
  api->configure_unified_memory = [](CUpti_ActivityUnifiedMemoryCounterConfig*, uint32_t) {
    return Called();
  };
  api->set_thread_id_type = [](CUpti_ActivityThreadIdType) { return Called(); };
  api->get_thread_id_type = [](CUpti_ActivityThreadIdType*) { return CUPTI_ERROR_NOT_SUPPORTED; };
  api->get_device_id = [](CUcontext, uint32_t*) { return CUPTI_ERROR_INVALID_CONTEXT; };
}

CUresult DeviceGetCount(int* count) {
  *count = 1;
  if (cupti->subscribed) {
    const CUpti_CallbackData data = {};
    cupti->callback(cupti->user_data, CUPTI_CB_DOMAIN_DRIVER_API, Subscription::kBeatCall, &data);
  }
  return CUDA_SUCCESS;
}

// A program under a recording.
class Program {
 public:
  explicit Program(uint32_t version, const SessionOptions& options = TimelineOnly()) {
    cupti = &cupti_;
    const CuptiApi decoding = DecodingApi();
    process_ = std::make_unique<CuptiProcess>(size_t{4} << 20);
    CuptiApi& api = process_->api;
    api = fake_.api;
    AddFunctions(&api);
    api.version = version;
    api.activity_get_next_record = decoding.activity_get_next_record;
    process_->driver = fake_.driver;
    CaptureModes::AddTo(&process_->driver);
    process_->driver.device_get_count = &DeviceGetCount;
    process_->driver.device_get = [](CUdevice*, int) { return CUDA_ERROR_INVALID_DEVICE; };
    process_->driver.driver_get_version = [](int* driver) {
      *driver = 13000;
      return CUDA_SUCCESS;
    };
    std::string holder;
    REQUIRE(process_->callback.Subscribe(&holder) == CUPTI_SUCCESS);
    recording_ = std::make_unique<CuptiRecording>(process_.get(), options);
    recording_->Start(options, false);
    encoder_.Add(capture::HeaderEvent{});
    Round();
  }
  ~Program() {
    recording_.reset();
    cupti = nullptr;
  }
  static SessionOptions TimelineOnly() {
    SessionOptions options;
    options.counters = Counters::kNone;
    return options;
  }

  // One of the collector, on a thread of prof's.
  void Round() {
    OnCollector([this] {
      recording_->Gather(true);
      recording_->Encode(encoder_);
    });
  }
  void Stop() {
    OnCollector([this] {
      recording_->StopCounters();
      recording_->Stop();
      recording_->Gather(true);
      recording_->Encode(encoder_);
      recording_->Leave();
    });
  }
  // As cuptiFinalize: nobody is called back any more.
  void Finalize() {
    cupti_.subscribed = false;
    cupti_.kinds.clear();
  }
  // A thread of the program is in a call of the driver.
  void Call(CUpti_ApiCallbackSite site,
            CUpti_CallbackId cbid = CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
            CUresult result = CUDA_SUCCESS) {
    static constexpr std::array<char, 256> kNoParams{};
    CUpti_CallbackData data = {};
    data.callbackSite = site;
    data.functionReturnValue = &result;
    data.functionParams = kNoParams.data();
    cupti_.callback(cupti_.user_data, CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
  }
  // Until prof tries to subscribe again.
  void AwaitTrial() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1050));
    Round();
  }
  // CUPTI hands over a kernel.
  void Kernel(uint32_t correlation) {
    uint8_t* buffer = nullptr;
    size_t size = 0, records = 0;
    cupti_.request(&buffer, &size, &records);
    REQUIRE(buffer != nullptr);
    auto kernel = Zeroed<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    kernel.name = "kernel";
    kernel.correlationId = correlation;
    kernel.start = kernel.end = static_cast<uint64_t>(capture::RealtimeNs()) + correlation;
    std::memcpy(buffer, &kernel, sizeof(kernel));
    cupti_.complete(nullptr, 0, buffer, size, sizeof(kernel));
    Round();
  }
  model::Model Model() {
    Integrity integrity;
    recording_->AddLosses(integrity);
    encoder_.AddCounts(integrity);
    encoder_.WriteLastBlock(integrity, 1);
    absl::StatusOr<model::Model> model = ReadSnapshot(output_.TakeBytes());
    REQUIRE(model.ok());
    return *std::move(model);
  }
  CuptiRecording& recording() { return *recording_; }
  CuptiProcess& process() { return *process_; }
  Cupti& cupti_state() { return cupti_; }
  FakeCupti& fake() { return fake_; }

 private:
  template <typename Work>
  static void OnCollector(Work work) {
    capture::StartQuietThread("collector", work).join();
  }

  Cupti cupti_;
  FakeCupti fake_;
  std::unique_ptr<CuptiProcess> process_;
  std::unique_ptr<CuptiRecording> recording_;
  capture::MemoryOutput output_;
  capture::Encoder encoder_{&output_};
};

TEST_CASE("A recording whose CUPTI stays is not disturbed by the heartbeat") {
  Program program(kCupti13);
  for (int i = 0; i < 5; ++i) program.Round();
  CHECK(program.recording().timeline_status().state == State::kWorking);
  program.Kernel(1);
  program.Stop();
  const model::Model model = program.Model();
  CHECK(model.integrity.subscriptions_lost == 0);
  CHECK(model.ops.size() == 1);
  CHECK(program.cupti_state().subscriptions == 1);
}

TEST_CASE("Launches of which no record came leave a degraded timeline, when the recording ends") {
  Program program(kCupti13);
  for (const CUpti_ApiCallbackSite site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
    program.Call(site, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  }
  program.Round();
  CHECK(program.recording().timeline_status().state == State::kWorking);  // it may come yet
  SECTION("none came") {
    program.Stop();
    const SubsystemStatus status = program.recording().timeline_status();
    CHECK(status.state == State::kDegraded);
    CHECK_THAT(status.what, Catch::Contains("no record of the launches of this program (1)"));
    CHECK_THAT(status.fix, Catch::Contains("PROF_CUPTI"));
  }
  SECTION("one came") {
    program.Kernel(1);
    program.Stop();
    CHECK(program.recording().timeline_status().state == State::kWorking);
  }
}

TEST_CASE("Launches that failed, were captured, or met a pause may have no record") {
  Program program(kCupti13);
  CUresult result = CUDA_SUCCESS;
  SECTION("failed") { result = CUDA_ERROR_INVALID_VALUE; }
  SECTION("captured") {
    program.Call(CUPTI_API_ENTER, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
    program.Call(CUPTI_API_EXIT, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
  }
  SECTION("paused") {
    REQUIRE(program.recording().Pause());
    program.recording().Resume();
  }
  SECTION("the GPU did not end them") {
    CHECK(program.recording().WaitForGpu());  // it has not come back when the recording ends
  }
  for (const CUpti_ApiCallbackSite site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
    program.Call(site, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, result);
  }
  program.Round();
  program.Stop();
  CHECK(program.recording().timeline_status().state == State::kWorking);
}

TEST_CASE("No call that a recording makes of CUPTI spoils the stream capture of another thread") {
  SessionOptions options = Program::TimelineOnly();
  options.unified_memory = options.gpu_state = true;
  Program program(kCupti13, options);
  const Cupti& state = program.cupti_state();
  auto done = [&, calls = 0]() mutable {  // the calls since the last time
    return std::exchange(calls, state.calls) != state.calls;
  };
  CHECK(done());
  program.Round();
  REQUIRE(program.recording().Pause());
  CHECK(done());
  program.recording().Resume();
  CHECK(done());
  program.recording().Flush();
  CHECK(done());
  program.Stop();
  CHECK(done());
  CHECK(state.captures.spoiling() == 0);
  CHECK(CaptureModes::ThreadIsAsBefore());
}

TEST_CASE("A program without work is not flushed, until CUPTI has a buffer again") {
  Program program(kCupti13);
  const int& flushes = program.cupti_state().flushes;
  auto flushed = [&, before = 0]() mutable { return flushes - std::exchange(before, flushes); };
  CHECK(flushed() == 1);
  std::this_thread::sleep_for(std::chrono::nanoseconds(FlushWatch::kAfterworkNs));
  for (int i = 0; i < 3; ++i) program.Round();
  CHECK(flushed() == 0);
  uint8_t* buffer = nullptr;
  size_t size = 0, records = 0;
  program.cupti_state().request(&buffer, &size, &records);
  std::this_thread::sleep_for(std::chrono::nanoseconds(FlushWatch::kAfterworkNs));
  for (int i = 0; i < 3; ++i) program.Round();
  CHECK(flushed() == 3);  // its kernel runs
  program.cupti_state().complete(nullptr, 0, buffer, size, 0);
  program.Round();
  CHECK(flushed() == 1);
  std::this_thread::sleep_for(std::chrono::nanoseconds(FlushWatch::kAfterworkNs));
  program.Round();
  CHECK(flushed() == 0);
  program.recording().Flush();  // who waits for the GPU gets what there is
  CHECK(flushed() == 1);
}

TEST_CASE(
    "A CUPTI that another tool has ended is noticed at once, and not called until it is tried") {
  Program program(kCupti13);
  program.Finalize();
  program.Round();
  const SubsystemStatus status = program.recording().timeline_status();
  CHECK(status.state == State::kDegraded);
  CHECK_THAT(status.what, Catch::Contains("another profiler") && Catch::Contains("cuptiFinalize"));
  CHECK_THAT(status.fix, Catch::Contains("TEARDOWN_CUPTI=0"));
  const int calls = program.cupti_state().calls;
  for (int i = 0; i < 3; ++i) program.Round();
  SECTION("while the recording goes on") {}
  SECTION("and not when it ends") { program.Stop(); }
  CHECK(program.cupti_state().calls == calls);
  CHECK(program.Model().integrity.subscriptions_lost == 1);
}

TEST_CASE("prof subscribes again after a loss, and ids of both subscriptions stay apart") {
  Program program(kCupti13);
  program.Kernel(1);
  program.Finalize();
  program.Round();
  program.AwaitTrial();
  CHECK(program.cupti_state().subscriptions == 2);
  CHECK(program.cupti_state().kinds.size() >= 8);
  const SubsystemStatus status = program.recording().timeline_status();
  CHECK(status.state == State::kDegraded);
  CHECK_THAT(status.what, Catch::Contains("launches of 1.") && Catch::Contains("s are missing"));
  program.Kernel(1);  // CUPTI counts from 1 again
  program.Stop();
  const model::Model model = program.Model();
  REQUIRE(model.ops.size() == 2);
  CHECK(model.ops[0].correlation != model.ops[1].correlation);
  CHECK(model.integrity.subscriptions_lost == 1);
}

TEST_CASE("While another tool holds CUPTI after a loss, prof tries again later") {
  Program program(kCupti13);
  program.Finalize();
  program.Round();
  program.cupti_state().subscribe_result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  program.AwaitTrial();
  CHECK(program.cupti_state().subscriptions == 1);
  program.cupti_state().subscribe_result = CUPTI_SUCCESS;
  program.AwaitTrial();
  program.AwaitTrial();
  CHECK(program.cupti_state().subscriptions == 2);
}

TEST_CASE("A CUPTI before 12.6 is not started again: it crashed in CUDA graphs then") {
  Program program(kCupti12_6 - 1);
  program.Finalize();
  program.Round();
  CHECK_THAT(program.recording().timeline_status().what, Catch::Contains("prof leaves it"));
  program.AwaitTrial();
  CHECK(program.cupti_state().subscriptions == 1);
  program.Stop();
}

SessionOptions Leaving() {
  SessionOptions options = Program::TimelineOnly();
  options.leave = true;
  return options;
}

std::string Notices(const model::Model& model) {
  std::string text;
  for (const model::Notice& notice : model.notices) text += notice.what + "\n";
  return text;
}

TEST_CASE("CUPTI is left once, where a call after the recording has waited for the GPU") {
  Program program(kCupti13, Leaving());
  program.Call(CUPTI_API_ENTER);
  program.Call(CUPTI_API_EXIT);
  program.Stop();
  CHECK(program.cupti_state().finalized == 0);
  program.Call(CUPTI_API_ENTER);
  // Its kernel may wait for what this thread does next.
  program.Call(CUPTI_API_EXIT, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  CHECK(program.cupti_state().finalized == 0);
  program.Call(CUPTI_API_EXIT);
  CHECK(program.cupti_state().finalized == 1);
  CHECK(Notices(program.Model()).empty());
  std::string holder;
  REQUIRE(program.process().callback.TakeGone() == Departure::Left::kGone);
  program.process().callback.OnLost();
  program.process().tracer.OnLost();
  CHECK(program.process().callback.Subscribe(&holder) == CUPTI_SUCCESS);
  CHECK(program.cupti_state().subscriptions == 2);
  CHECK(program.process().callback.TakeGone() == Departure::Left::kNo);
}

TEST_CASE("CUPTI is not left without the option, and not when a recording has begun again") {
  const bool wanted = GENERATE(false, true);
  Program program(kCupti13, wanted ? Leaving() : Program::TimelineOnly());
  program.Stop();
  if (wanted) CHECK(program.process().callback.TakeGone() == Departure::Left::kNo);
  program.Call(CUPTI_API_EXIT);
  CHECK(program.cupti_state().finalized == 0);
}

TEST_CASE("Where the program has CUDA graphs prof stays, and says why") {
  Program program(kCupti13, Leaving());
  SECTION("that it launches") {
    program.Call(CUPTI_API_ENTER, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
    program.Call(CUPTI_API_EXIT, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
  }
  SECTION("that it captures") {
    program.Call(CUPTI_API_EXIT, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
  }
  SECTION("that it builds") {
    const CUpti_ResourceData data = {};
    program.cupti_state().callback(program.cupti_state().user_data, CUPTI_CB_DOMAIN_RESOURCE,
                                   CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, &data);
  }
  program.Stop();
  program.Call(CUPTI_API_EXIT);
  CHECK(program.cupti_state().finalized == 0);
  CHECK_THAT(Notices(program.Model()),
             Catch::Contains("prof stays in the program") && Catch::Contains("CUDA graphs"));
}

TEST_CASE("A program that begins to capture after the recording keeps CUPTI") {
  Program program(kCupti13, Leaving());
  program.Stop();
  program.Call(CUPTI_API_ENTER, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
  program.Call(CUPTI_API_EXIT, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
  program.Call(CUPTI_API_EXIT);
  CHECK(program.cupti_state().finalized == 0);
}

TEST_CASE("A CUPTI before 12.6 is not left, and one that refuses is used on") {
  const bool old = GENERATE(true, false);
  Program program(old ? kCupti12_6 - 1 : kCupti13, Leaving());
  program.cupti_state().finalize_result = CUPTI_ERROR_UNKNOWN;
  program.Stop();
  program.Call(CUPTI_API_EXIT);
  program.Call(CUPTI_API_EXIT);
  CHECK(program.cupti_state().finalized == (old ? 0 : 1));
  CHECK(program.process().callback.TakeGone() == Departure::Left::kNo);
  if (old) CHECK_THAT(Notices(program.Model()), Catch::Contains("before 12.6"));
}

TEST_CASE("Of many threads that end their calls one leaves CUPTI") {
  for (int round = 0; round < 20; ++round) {
    Program program(kCupti13, Leaving());
    program.Stop();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int call = 0; call < 50; ++call) program.Call(CUPTI_API_EXIT);
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(program.cupti_state().finalized == 1);
  }
}

TEST_CASE("Counters end with CUPTI, and their profiler is not called any more") {
  SessionOptions options;
  options.counters = Counters::kNone;
  options.metrics = {"m0.sum"};
  options.skip_first_launches = 0;
  options.counter_budget_seconds = 100;
  Program program(kCupti13, options);
  const auto has = [&](const char* what) {
    const std::vector<std::string> log = program.fake().log();
    return std::find(log.begin(), log.end(), what) != log.end();
  };
  for (int i = 0; i < 10'000 && !has("start"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(has("start"));
  program.Finalize();
  program.Round();
  CHECK(program.recording().counters_status().state == State::kDegraded);
  CHECK_THAT(program.recording().counters_status().what, Catch::Contains("cuptiFinalize"));
  program.AwaitTrial();
  program.Stop();
  CHECK_FALSE(has("stop"));
  CHECK_FALSE(has("decode"));
  CHECK_FALSE(has("disable"));
}

}  // namespace
}  // namespace prof::cupti::test::cupti_recording_test
