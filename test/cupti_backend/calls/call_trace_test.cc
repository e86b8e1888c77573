// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/call_trace.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "cupti_backend/calls/call_encoder.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_questions.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/threads/thread_recorder.h"
#include "test/cupti_backend/activity/activity_buffer.h"
#include "test/support/catch.h"

namespace prof::cupti::test::call_trace_test {
namespace {

constexpr uint32_t kLaunch = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;

// What the collector would get.
struct Recording {
  Recording() { reader.Start(capture::RealtimeNs(), false); }
  ~Recording() { reader.Stop(); }
  std::vector<capture::CallEvent> Drain() {
    std::vector<capture::CallEvent> calls;
    capture::ThreadReader::Sink sink;
    sink.call = [&](const capture::CallEvent& call) { calls.push_back(call); };
    reader.Drain(sink);
    return calls;
  }
  capture::ThreadReader reader;
};

TEST_CASE("A call is recorded with its thread, its result and the time it took") {
  Recording recording;
  const int64_t before = capture::RealtimeNs();
  BeginCall(1);
  EndCall(1, kLaunch, 77, 700);
  const int64_t after = capture::RealtimeNs();
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].call == kLaunch);
  CHECK(calls[0].tid == capture::CurrentThreadId());
  CHECK(calls[0].correlation == 77);
  CHECK(calls[0].error == 700);
  CHECK(calls[0].start_ns >= before - 10'000);
  CHECK(calls[0].end_ns >= calls[0].start_ns);
  CHECK(calls[0].end_ns <= after + 10'000);
}

constexpr uint32_t kTestStack = capture::HostStacks::kMostStacks;  // the last id

uint32_t ATestStack(capture::StackCache* /*cache*/) { return kTestStack; }

TEST_CASE("A call has the host stack at its begin, beside its error and what it waits for") {
  Recording recording;
  capture::SetStackWalker(capture::StackKind::kPython, &ATestStack);
  BeginCall(1);
  RecordWaited({3, 14});
  EndCall(1, kLaunch, 7, 0);
  BeginCall(1);
  EndCall(1, kRuntimeCall | 31, 8, 10'000);  // CUDA's largest
  capture::SetStackWalker(capture::StackKind::kPython, nullptr);
  BeginCall(1);
  EndCall(1, kLaunch, 9, 0);
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].stack == kTestStack);
  CHECK(calls[0].call == kLaunch);
  CHECK(calls[0].waited == Waited{3, 14}.Packed());
  CHECK(calls[0].error == 0);
  CHECK(calls[1].stack == kTestStack);
  CHECK(calls[1].call == (kRuntimeCall | 31));
  CHECK(calls[1].error == 10'000);
  CHECK(calls[2].stack == 0);

  capture::MemoryOutput output;
  capture::Encoder encoder(&output);
  const CuptiApi api = DecodingApi();
  CallEncoder names(&api);
  encoder.Add(capture::HeaderEvent{});
  encoder.Add(capture::HostFrameEvent{"main", "/app/train.py", 7, 9});
  encoder.Add(capture::HostStackEvent{0, 1});
  capture::CallEvent known = calls[0];
  known.stack = 1;
  names.Encode(known, encoder);
  names.Encode(calls[0], encoder);  // a stack that the file does not have is none
  encoder.WriteLastBlock({}, 1);
  const auto model = ReadSnapshot(Snapshot::FromBytes(output.TakeBytes()));
  REQUIRE(model.ok());
  REQUIRE(model->api_calls.size() == 2);
  CHECK(model->api_calls[0].stack + model->api_calls[1].stack == 1);
  CHECK(model->strings[model->host_frames[1].file] == "/app/train.py");
  CHECK(model->host_frames[1].line == 9);
}

constexpr uint32_t kAsk = kRuntimeCall | CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020;
const int kEvent = 0, kOtherEvent = 0;

void Ask(uint32_t answer, const void* about = &kEvent, uint32_t epoch = 1) {
  BeginQuestion(epoch);
  EndQuestion(epoch, kAsk, 9, answer, about);
}

void Spend(int64_t ns) {
  const int64_t until_ns = capture::MonotonicNs() + ns;
  while (capture::MonotonicNs() < until_ns) {
  }
}

TEST_CASE("A thread that asks until the GPU is done waits: its questions are one call") {
  Recording recording;
  const int64_t before = capture::RealtimeNs();
  capture::SetStackWalker(capture::StackKind::kPython, &ATestStack);
  Ask(CUDA_ERROR_NOT_READY);
  capture::SetStackWalker(capture::StackKind::kPython, nullptr);
  const int64_t first = capture::RealtimeNs();
  Ask(CUDA_ERROR_NOT_READY);
  Ask(CUDA_ERROR_NOT_READY);
  const int64_t last = capture::RealtimeNs();
  BeginQuestion(1);
  RecordWaited({3, 14});
  EndQuestion(1, kAsk, 7, CUDA_SUCCESS, &kEvent);
  Ask(CUDA_SUCCESS);  // there is nothing to wait for
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].call == kAsk);
  CHECK(calls[0].correlation == 7);
  CHECK(calls[0].error == 0);
  CHECK(calls[0].waited == Waited{3, 14}.Packed());
  CHECK(calls[0].stack == kTestStack);
  CHECK(calls[0].start_ns >= before - 10'000);
  CHECK(calls[0].start_ns <= first + 10'000);
  CHECK(calls[0].end_ns >= last - 10'000);
}

TEST_CASE(
    "Who looks at several events in turn waits for the first one, not for those that are done") {
  Recording recording;
  const int64_t before = capture::RealtimeNs();
  for (int i = 0; i < 3; ++i) {
    Ask(CUDA_ERROR_NOT_READY);
    Ask(CUDA_SUCCESS, &kOtherEvent);
  }
  CHECK(recording.Drain().empty());
  Ask(CUDA_SUCCESS);
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].start_ns <= before + 1'000'000);
}

TEST_CASE("Who waits for any of several events waits until one of them is there") {
  Recording recording;
  const int64_t before = capture::RealtimeNs();
  for (int i = 0; i < 3; ++i) {
    Ask(CUDA_ERROR_NOT_READY);
    Ask(CUDA_ERROR_NOT_READY, &kOtherEvent);
    Ask(CUDA_ERROR_NOT_READY, nullptr);  // the legacy stream is one, too
  }
  Ask(CUDA_SUCCESS, nullptr);
  Ask(CUDA_SUCCESS, &kOtherEvent);  // nobody has asked since the wait
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].start_ns <= before + 1'000'000);
}

uint32_t ASlowStack(capture::StackCache* /*cache*/) {
  Spend(2 * capture::kMostPauseNs);
  return kTestStack;
}

TEST_CASE("To read the stack of the first question is no pause") {
  Recording recording;
  capture::SetStackWalker(capture::StackKind::kPython, &ASlowStack);
  Ask(CUDA_ERROR_NOT_READY);
  capture::SetStackWalker(capture::StackKind::kPython, nullptr);
  Ask(CUDA_SUCCESS);
  CHECK(recording.Drain().size() == 1);
}

TEST_CASE("A question that takes long is no pause, and a new wait begins behind a pause") {
  Recording recording;
  Ask(CUDA_ERROR_NOT_READY);
  BeginQuestion(1);
  Spend(2 * capture::kMostPauseNs);  // another thread has the driver's lock
  EndQuestion(1, kAsk, 9, CUDA_ERROR_NOT_READY, &kEvent);
  Ask(CUDA_SUCCESS);
  CHECK(recording.Drain().size() == 1);
  Ask(CUDA_ERROR_NOT_READY);
  Spend(2 * capture::kMostPauseNs);
  const int64_t second = capture::RealtimeNs();
  Ask(CUDA_ERROR_NOT_READY);
  Ask(CUDA_SUCCESS);
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].start_ns >= second - 10'000);
}

TEST_CASE("Questions that are no wait are not recorded") {
  Recording recording;
  size_t others = 0;
  SECTION("the first answer is yes") { Ask(CUDA_SUCCESS); }
  SECTION("nobody asks again") { Ask(CUDA_ERROR_NOT_READY); }
  SECTION("the thread does other work of the GPU in between") {
    Ask(CUDA_ERROR_NOT_READY);
    BeginCall(1);
    EndCall(1, kLaunch, 8, 0);
    Ask(CUDA_SUCCESS);
    others = 1;
  }
  SECTION("it does something else for a while") {
    Ask(CUDA_ERROR_NOT_READY);
    Spend(2 * capture::kMostPauseNs);
    Ask(CUDA_SUCCESS);
  }
  SECTION("they fail") {
    Ask(CUDA_ERROR_NOT_READY);
    Ask(CUDA_ERROR_LAUNCH_FAILED);
    Ask(CUDA_SUCCESS);
  }
  SECTION("another recording has begun") {
    Ask(CUDA_ERROR_NOT_READY);
    Ask(CUDA_SUCCESS, &kEvent, 2);
  }
  SECTION("the yes is about another event") {
    Ask(CUDA_ERROR_NOT_READY);
    Ask(CUDA_SUCCESS, &kOtherEvent);
  }
  SECTION("prof asks") {
    const OwnCalls own(1);
    Ask(CUDA_ERROR_NOT_READY);
    Ask(CUDA_SUCCESS);
  }
  SECTION("a call asks") {
    BeginCall(1);
    Ask(CUDA_ERROR_NOT_READY);
    Ask(CUDA_SUCCESS);
    EndCall(1, kLaunch, 8, 0);
    others = 1;
  }
  CHECK(recording.Drain().size() == others);
}

TEST_CASE("A wait by questions is a synchronization with an event, or with a stream") {
  capture::MemoryOutput output;
  capture::Encoder encoder(&output);
  const CuptiApi api = DecodingApi();
  CallEncoder names(&api);
  encoder.Add(capture::HeaderEvent{});
  capture::CallEvent call;
  call.waited = Waited{3, 14}.Packed();
  call.call = kAsk;
  call.start_ns = call.end_ns = 1;
  names.Encode(call, encoder);
  call.call = CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz;
  call.start_ns = call.end_ns = 2;
  names.Encode(call, encoder);
  encoder.WriteLastBlock({}, 1);
  const absl::StatusOr<model::Model> model = ReadSnapshot(output.TakeBytes());
  REQUIRE(model.ok());
  REQUIRE(model->syncs.size() == 2);
  CHECK(model->syncs[0].kind == model::SyncKind::kEvent);
  CHECK(model->syncs[1].kind == model::SyncKind::kStream);
  CHECK(model->syncs[1].stream == 14);
  CHECK(model->strings[model->api_calls[0].name] == "cudaEventQuery");
  CHECK(model->strings[model->api_calls[1].name] == "cuStreamQuery");
}

// The second thread gets what the first one leaves, soon enough to be no pause.
TEST_CASE("A thread does not go on with the questions of one that has ended") {
  Recording recording;
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> ended{false};
    int64_t before = 0;
    std::thread second([&] {
      while (!ended) {
      }
      before = capture::RealtimeNs();
      Ask(CUDA_ERROR_NOT_READY);
      Ask(CUDA_SUCCESS);
    });
    std::thread([] { Ask(CUDA_ERROR_NOT_READY); }).join();
    ended = true;
    second.join();
    const std::vector<capture::CallEvent> calls = recording.Drain();
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].start_ns >= before - 10'000);
  }
}

TEST_CASE("Of calls inside of each other the outermost is recorded") {
  Recording recording;
  BeginCall(1);
  BeginCall(1);
  EndCall(1, kLaunch, 5, 0);
  EndCall(1, kRuntimeCall | 31, 5, 0);
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].call == (kRuntimeCall | 31));
}

TEST_CASE("What an inner call waits for is recorded with the outer one, and with no other") {
  Recording recording;
  BeginCall(1);
  BeginCall(1);
  RecordWaited({3, 14});
  EndCall(1, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, 5, 0);
  EndCall(1, kRuntimeCall | CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, 5, 0);
  BeginCall(1);
  EndCall(1, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, 6, 0);
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 2);

  capture::MemoryOutput output;
  capture::Encoder encoder(&output);
  const CuptiApi api = DecodingApi();
  CallEncoder names(&api);
  encoder.Add(capture::HeaderEvent{});
  for (const capture::CallEvent& call : calls) names.Encode(call, encoder);
  encoder.WriteLastBlock({}, 1);
  const absl::StatusOr<model::Model> model = ReadSnapshot(output.TakeBytes());
  REQUIRE(model.ok());
  REQUIRE(model->syncs.size() == 2);
  CHECK(model->syncs[0].kind == model::SyncKind::kStream);
  CHECK(model->syncs[0].context == 3);
  CHECK(model->syncs[0].stream == 14);
  CHECK(model->syncs[0].end_ns == model->api_calls[0].end_ns);
  CHECK(model->syncs[1].kind == model::SyncKind::kContext);
  CHECK(model->syncs[1].context == 0);
  CHECK(model->syncs[1].stream == 0xffffffff);
}

TEST_CASE("Ids that do not fit are not known, and no other's") {
  CHECK(Waited::Unpacked(Waited{511, (1U << 20) - 1}.Packed()).context == 511);
  CHECK(Waited::Unpacked(Waited{511, (1U << 20) - 1}.Packed()).stream == (1U << 20) - 1);
  CHECK(Waited::Unpacked(Waited{512, 1U << 20}.Packed()).context == 0);
  CHECK(Waited::Unpacked(Waited{512, 1U << 20}.Packed()).stream == 0);
}

TEST_CASE("A call whose begin was not seen in this recording is left out") {
  Recording recording;
  EndCall(2, kLaunch, 1, 0);  // it began before the callbacks were on
  BeginCall(3);               // the recording ended inside of this one
  EndCall(4, kLaunch, 2, 0);
  BeginCall(4);
  EndCall(4, kLaunch, 3, 0);
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].correlation == 3);
}

TEST_CASE("Calls for which there is no room are counted, and those after them come again") {
  Recording recording;
  constexpr uint32_t kMany = 100'000;  // more than any ring holds
  for (uint32_t i = 0; i < kMany; ++i) {
    BeginCall(1);
    EndCall(1, kLaunch, i, 0);
  }
  const size_t kept = recording.Drain().size();
  CHECK(kept > 1000);
  CHECK(kept + recording.reader.calls_dropped() == kMany);
  CHECK(recording.reader.events_dropped() == 0);
  BeginCall(1);
  EndCall(1, kLaunch, kMany, 0);
  CHECK(recording.Drain().size() == 1);
}

TEST_CASE("Ranges of a recording that nobody ended do not hold calls back") {
  capture::ThreadReader before;
  before.Start(capture::RealtimeNs());
  capture::PushRange({"open since then", ""});
  Recording recording;  // without ranges
  capture::PushRange({"inner", ""});
  BeginCall(1);
  EndCall(1, kLaunch, 9, 0);
  capture::PopRange("");
  capture::PopRange("");
  const std::vector<capture::CallEvent> calls = recording.Drain();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].correlation == 9);
}

TEST_CASE("Calls and ranges of a thread come in their order") {
  capture::ThreadReader reader;
  reader.Start(capture::RealtimeNs());
  std::string order;
  capture::ThreadReader::Sink sink;
  sink.path = [](const capture::RangePathInfo&) {};
  sink.step = [&](uint32_t, const capture::RangeEvent& e) { order += e.path != 0 ? '(' : ')'; };
  sink.call = [&](const capture::CallEvent&) { order += 'c'; };
  std::thread thread([] {
    for (int i = 0; i < 2; ++i) {
      capture::PushRange({"step", ""});
      BeginCall(1);
      EndCall(1, kLaunch, 1, 0);
      capture::PopRange("");
    }
  });
  thread.join();
  reader.Drain(sink);
  reader.Stop();
  CHECK(order == "(c)(c)");
}

TEST_CASE("Calls get the names that CUPTI knows them by, those that explain nothing are left out") {
  capture::MemoryOutput output;
  capture::Encoder encoder(&output);
  const CuptiApi api = DecodingApi();
  CallEncoder calls(&api);
  encoder.Add(capture::HeaderEvent{});
  const auto add = [&](uint32_t call, uint32_t correlation) {
    calls.Encode({call, 7, correlation, 0, 1'000, 2'000, 0}, encoder);
  };
  add(kLaunch, 1);
  add(kRuntimeCall | CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, 2);
  add(kRuntimeCall | CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 3);
  add(kRuntimeCall | 60'000, 4);  // of a later CUDA
  encoder.WriteLastBlock({}, 1);
  const absl::StatusOr<model::Model> model = ReadSnapshot(output.TakeBytes());
  REQUIRE(model.ok());
  REQUIRE(model->api_calls.size() == 2);
  CHECK(model->strings.at(model->api_calls[0].name) == "cuLaunchKernel");
  CHECK(model->strings.at(model->api_calls[1].name) == "cudaMemcpyAsync");
  CHECK(model->api_calls[1].correlation == 2);
}

}  // namespace
}  // namespace prof::cupti::test::call_trace_test
