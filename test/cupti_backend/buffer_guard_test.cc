// SPDX-License-Identifier: Apache-2.0
//
// The last rounds of a recording: whether CUPTI's records still came to it, on a CUPTI that answers
// a probe, late or not at all.
#include "cupti_backend/buffer_guard.h"

#include <cstdint>

#include "lib/capture/process/thread_id.h"
#include "test/cupti_backend/activity/activity_buffer.h"
#include "test/cupti_backend/fake_cupti.h"
#include "test/support/catch.h"

namespace prof::cupti::test::buffer_guard_test {
namespace {

constexpr uint64_t kLaunches = 10;

int probes_made = 0;
CUptiResult choice_result = CUPTI_SUCCESS;

CuptiApi AnsweringApi(CuptiApi api) {
  api.version = 130000;
  api.missing = 0;
  api.activity_enable = [](CUpti_ActivityKind) { return CUPTI_SUCCESS; };
  api.activity_disable = [](CUpti_ActivityKind) { return CUPTI_SUCCESS; };
  api.activity_register_callbacks = [](CUpti_BuffersCallbackRequestFunc,
                                       CUpti_BuffersCallbackCompleteFunc) { return CUPTI_SUCCESS; };
  api.activity_set_attribute = [](CUpti_ActivityAttribute, size_t*, void*) {
    return CUPTI_SUCCESS;
  };
  api.activity_get_attribute = [](CUpti_ActivityAttribute, size_t*, void*) {
    return CUPTI_ERROR_NOT_SUPPORTED;
  };
  api.set_thread_id_type = [](CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; };
  api.get_thread_id_type = [](CUpti_ActivityThreadIdType*) { return CUPTI_ERROR_NOT_SUPPORTED; };
  api.activity_enable_driver_api = [](CUpti_CallbackId, uint8_t) { return choice_result; };
  return api;
}

// A recording that has launched some kernels, and whose probes were answered before its end.
struct Ending {
  Ending() {
    probes_made = 0;
    choice_result = CUPTI_SUCCESS;
    process.api = AnsweringApi(fake.api);
    process.driver = fake.driver;
    process.driver.driver_get_version = [](int*) { return ++probes_made, CUDA_SUCCESS; };
    timeline.Set({State::kWorking, 0, "", ""});
    REQUIRE(process.tracer.Enable().result == CUPTI_SUCCESS);
    LastRound();
    REQUIRE(probes_made == 1);
    Answer();
  }
  void LastRound() {
    guard.Check([] { FAIL("nobody has taken the buffers"); });
  }
  void Answer() {
    ActivityBuffer buffer;
    auto record = Zeroed<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER);
    record.cbid = ActivityTracer::kProbeCall;
    record.threadId = capture::CurrentThreadId();
    buffer.Add(record);
    decoding.Decode(buffer);
  }
  void Record(uint64_t kernels) {
    ActivityBuffer buffer;
    for (uint64_t i = 0; i < kernels; ++i) {
      auto kernel = Zeroed<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
      kernel.name = "kernel";
      kernel.correlationId = static_cast<uint32_t>(i + 1);
      buffer.Add(kernel);
    }
    decoding.Decode(buffer);
  }
  bool WasTaken() {
    guard.End();
    const bool is_said = timeline.Get().state == State::kDegraded;
    CHECK(is_said == (guard.launches_missed() > 0));
    return is_said;
  }

  FakeCupti fake;
  CuptiProcess process{size_t{1} << 20};
  CounterSampler sampler{&process.api, &process.driver, Timeline()};
  Decoding decoding{DecodingApi()};
  TimelineStatus timeline;
  // The callback counts none here: so many before the recording make as many in it.
  BufferGuard guard{&process, &sampler, &decoding.decoder, &timeline, 0 - kLaunches};

 private:
  static SessionOptions Timeline() {
    SessionOptions options;
    options.counters = Counters::kNone;
    return options;
  }
};

TEST_CASE("Records that do not come any more at the end are missed, and that is said") {
  Ending ending;
  ending.Record(kLaunches - 1);
  ending.guard.ProbeBeforeEnd();
  CHECK(ending.guard.awaits_answer());
  ending.LastRound();
  CHECK(ending.WasTaken());
}

TEST_CASE("An answer that a flush held back comes with the next one, and the probe is repeated") {
  Ending ending;
  ending.guard.ProbeBeforeEnd();
  const int before = probes_made;
  ending.LastRound();
  CHECK(probes_made == before + 1);
  ending.Answer();
  ending.LastRound();
  CHECK(probes_made == before + 1);  // it is answered
  CHECK_FALSE(ending.WasTaken());
}

TEST_CASE("Without an answer nothing is missed where each launch has its record") {
  Ending ending;
  ending.Record(kLaunches);
  ending.guard.ProbeBeforeEnd();
  ending.LastRound();
  CHECK_FALSE(ending.WasTaken());
}

TEST_CASE("A CUPTI that refuses the last probes has shown nothing") {
  Ending ending;
  choice_result = CUPTI_ERROR_UNKNOWN;
  ending.guard.ProbeBeforeEnd();
  ending.LastRound();
  CHECK(probes_made == 1);
  CHECK_FALSE(ending.WasTaken());
}

}  // namespace
}  // namespace prof::cupti::test::buffer_guard_test
