// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/launch_callback.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cupti_backend/calls/call_trace.h"
#include "cupti_backend/sampling/counter_sampler.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/windows/window_control.h"
#include "test/cupti_backend/activity/activity_buffer.h"
#include "test/cupti_backend/fake_cupti.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::cupti::test::launch_callback_test {
namespace {

// What CUPTI was told by the last LaunchCallback.
CUpti_CallbackFunc callback;
void* user_data;
int enabled;
const char* holder_name;

CUptiResult CUPTIAPI Subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function,
                               void* data, CUpti_SubscriberParams* params) {
  if (holder_name != nullptr) {
    std::strncpy(params->oldSubscriberName, holder_name, params->oldSubscriberSize);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  callback = function;
  user_data = data;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(data);
  return CUPTI_SUCCESS;
}

const CUstream kStream = reinterpret_cast<CUstream>(uintptr_t{128});

struct Subscribed {
  Subscribed() {
    holder_name = nullptr;
    enabled = 0;
    cupti.api.subscribe_by_name = &Subscribe;
    cupti.api.enable_callback = [](uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                   CUpti_CallbackId) {
      enabled += enable != 0 ? 1 : -1;
      return CUPTI_SUCCESS;
    };
  }
  void Call(CUpti_CallbackId cbid, CUpti_ApiCallbackSite site, const void* params,
            CUresult* result = nullptr) {
    CUpti_CallbackData data = {};
    data.callbackSite = site;
    data.functionParams = params;
    data.context = Context(1);
    data.correlationId = 5;
    data.symbolName = "kernel";
    data.functionReturnValue = result;
    callback(user_data, CUPTI_CB_DOMAIN_DRIVER_API, cbid, &data);
  }
  void RuntimeCall(CUpti_CallbackId cbid, CUpti_ApiCallbackSite site, const void* params,
                   uint32_t* result = nullptr) const {
    CUpti_CallbackData data = {};
    data.callbackSite = site;
    data.functionParams = params;
    data.context = Context(1);
    data.correlationId = 6;
    data.functionReturnValue = result;
    callback(user_data, CUPTI_CB_DOMAIN_RUNTIME_API, cbid, &data);
  }
  void Launch(CUpti_CallbackId cbid, const void* params) {
    Call(cbid, CUPTI_API_ENTER, params);
    cupti.Log("launch");
    Call(cbid, CUPTI_API_EXIT, params);
  }

  FakeCupti cupti;
  LaunchCallback launches{&cupti.api};
};

TEST_CASE("Another tool that holds CUPTI is named") {
  Subscribed program;
  holder_name = "nsys";
  std::string holder;
  CHECK(program.launches.Subscribe(&holder) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  CHECK(holder == "nsys");
  holder_name = nullptr;  // it went away
  CHECK(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
  holder_name = "nsys";  // a second subscription is not tried
  CHECK(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
}

TEST_CASE("cuProfilerStart and cuProfilerStop open and close a window, once each is over") {
  SessionOptions options;
  options.counters = Counters::kNone;
  options.profiler_api = true;
  Subscribed program;
  CounterSampler sampler(&program.cupti.api, &program.cupti.driver, options);
  std::string holder;
  REQUIRE(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
  program.launches.Enable(&sampler.launches(), nullptr);
  static int woken;
  woken = 0;
  capture::WindowControl control(options, [] { ++woken; });
  control.Open();
  const auto phase = [&] { return control.Wanted(capture::MonotonicNs()); };
  CHECK(phase() == capture::Phase::kPaused);
  program.Call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_API_ENTER, nullptr);
  CHECK(phase() == capture::Phase::kPaused);
  program.Call(CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_API_EXIT, nullptr);
  CHECK(phase() == capture::Phase::kRecording);
  program.launches.Pause();  // a pause hides calls, and not these
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, nullptr);
  CHECK(phase() == capture::Phase::kPaused);
  CHECK(woken == 1);
  program.launches.Resume();
  program.launches.Disable();
  CHECK(control.Close());
}

// The calls that the threads have recorded.
std::vector<capture::CallEvent> Drain(capture::ThreadReader& reader) {
  std::vector<capture::CallEvent> calls;
  capture::ThreadReader::Sink sink;
  sink.call = [&](const capture::CallEvent& call) { calls.push_back(call); };
  reader.Drain(sink);
  return calls;
}

struct Asking : Subscribed {
  Asking() {
    options.counters = Counters::kNone;
    cupti.api.get_callback_name = DecodingApi().get_callback_name;
    std::string holder;
    REQUIRE(launches.Subscribe(&holder) == CUPTI_SUCCESS);
    sampler.emplace(&cupti.api, &cupti.driver, options);
    launches.Enable(&sampler->launches(), nullptr);
    reader.Start(capture::RealtimeNs(), false);
  }
  ~Asking() {
    launches.Disable();
    reader.Stop();
  }
  void AskDriver(CUpti_CallbackId cbid, CUresult answer) {
    Call(cbid, CUPTI_API_ENTER, &kStream);
    Call(cbid, CUPTI_API_EXIT, &kStream, &answer);
  }
  SessionOptions options;
  std::optional<CounterSampler> sampler;
  capture::ThreadReader reader;
};

TEST_CASE("Each call that asks whether the GPU is done is a wait when the answer becomes yes") {
  Asking program;
  for (const CUpti_CallbackId cbid :
       {CUPTI_DRIVER_TRACE_CBID_cuEventQuery, CUPTI_DRIVER_TRACE_CBID_cuStreamQuery,
        CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz}) {
    program.AskDriver(cbid, CUDA_SUCCESS);
    CHECK(Drain(program.reader).empty());
    program.AskDriver(cbid, CUDA_ERROR_NOT_READY);
    program.AskDriver(cbid, CUDA_SUCCESS);
    const std::vector<capture::CallEvent> calls = Drain(program.reader);
    INFO(cbid);
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].call == CallOf(CUPTI_CB_DOMAIN_DRIVER_API, cbid));
    const bool stream = cbid != CUPTI_DRIVER_TRACE_CBID_cuEventQuery;
    CHECK(Waited::Unpacked(calls[0].waited).stream == (stream ? 7 : 0));
    CHECK(Waited::Unpacked(calls[0].waited).context == 1);
  }
  // A call that is recorded whatever it returns.
  program.AskDriver(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, CUDA_SUCCESS);
  CHECK(Drain(program.reader).size() == 1);
}

TEST_CASE("The driver's question inside of the runtime's is not another one") {
  Asking program;
  for (const CUpti_CallbackId cbid : {CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020,
                                      CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_ptsz_v7000,
                                      CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020}) {
    for (const CUresult answer : {CUDA_ERROR_NOT_READY, CUDA_ERROR_NOT_READY, CUDA_SUCCESS}) {
      auto of_runtime = static_cast<uint32_t>(answer);
      program.RuntimeCall(cbid, CUPTI_API_ENTER, &kStream);
      program.AskDriver(CUPTI_DRIVER_TRACE_CBID_cuStreamQuery, answer);
      program.RuntimeCall(cbid, CUPTI_API_EXIT, &kStream, &of_runtime);
    }
    const std::vector<capture::CallEvent> calls = Drain(program.reader);
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].call == CallOf(CUPTI_CB_DOMAIN_RUNTIME_API, cbid));
    CHECK(Waited::Unpacked(calls[0].waited).stream == 7);
  }
}

TEST_CASE("Each launch call counts once, each way of launching reaches the sampler") {
  Subscribed program;
  SessionOptions options;
  options.counters = Counters::kNone;
  options.metrics = {"m0.sum"};
  options.samples_per_signature = 100;
  options.skip_first_launches = 0;
  options.counter_budget_seconds = 100;
  CounterSampler sampler(&program.cupti.api, &program.cupti.driver, options);
  std::string holder;
  REQUIRE(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
  program.launches.Enable(&sampler.launches(), nullptr);
  CHECK(enabled > 8);
  CUpti_ResourceData created = {};
  created.context = Context(1);
  callback(user_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &created);
  const auto started = [&] {
    const std::vector<std::string> log = program.cupti.log();
    return std::find(log.begin(), log.end(), "start") != log.end();
  };
  for (int i = 0; i < 10'000 && !(started() && sampler.Settled()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto pushes = [&] {
    long count = 0;
    for (const std::string& line : program.cupti.log()) count += line.rfind("push", 0) == 0;
    return count;
  };

  cuLaunchKernel_params plain = {};
  plain.gridDimX = 1;
  plain.hStream = kStream;  // with a stream of its own both variants of a call are alike
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &plain);
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, &plain);
  CHECK(pushes() == 2);
  cuLaunchCooperativeKernel_params cooperative = {};
  cooperative.gridDimX = 2;
  cooperative.hStream = kStream;
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, &cooperative);
  CHECK(pushes() == 3);
  CUlaunchConfig config = {};
  config.gridDimX = 3;
  config.hStream = kStream;
  cuLaunchKernelEx_params extended = {};
  extended.config = &config;
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &extended);
  CHECK(pushes() == 4);
  extended.config = nullptr;  // the driver will refuse it
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &extended);
  CHECK(pushes() == 4);
  CHECK(program.launches.launches() == 5);

  // A graph is one launch, counted as a whole: its nodes cannot be told apart.
  cuGraphLaunch_params graph = {};
  graph.hStream = kStream;
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &graph);
  CHECK(pushes() == 5);
  CHECK(program.launches.launches() == 6);

  // A launch that waits for parts of it on other devices is never sampled.
  cuLaunchCooperativeKernelMultiDevice_params devices = {};
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice, &devices);
  CHECK(pushes() == 5);
  CHECK(program.launches.launches() == 7);

  // Asked on the launching thread, once a launch.
  program.launches.CheckTorch([] { return true; });
  CHECK_FALSE(program.launches.TakeTorchAnswers().on);
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &graph);
  const LaunchCallback::TorchAnswers answers = program.launches.TakeTorchAnswers();
  CHECK(answers.on);
  CHECK_FALSE(answers.off);
  program.launches.CheckTorch(nullptr);
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &graph);
  CHECK_FALSE(program.launches.TakeTorchAnswers().on);

  const long pushed = pushes();
  program.launches.Disable();
  CHECK(enabled == 0);
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &plain);  // one that was under way
  CHECK(pushes() == pushed);
  sampler.Stop();
}

// A sampler whose first group is counted, with callbacks on.
struct Sampled : Subscribed {
  Sampled() : sampler(&cupti.api, &cupti.driver, Options()) {
    std::string holder;
    REQUIRE(launches.Subscribe(&holder) == CUPTI_SUCCESS);
    launches.Enable(&sampler.launches(), nullptr);
    CUpti_ResourceData created = {};
    created.context = Context(1);
    callback(user_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &created);
    for (int i = 0; i < 10'000 && !(Count("start") > 0 && sampler.Settled()); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ~Sampled() {
    launches.Disable();
    sampler.Stop();
  }
  static SessionOptions Options() {
    SessionOptions options;
    options.counters = Counters::kNone;
    options.metrics = {"m0.sum.per_second"};
    options.samples_per_signature = 100;
    options.skip_first_launches = 0;
    options.counter_budget_seconds = 100;
    return options;
  }
  long Count(const std::string& prefix) {
    long count = 0;
    for (const std::string& line : cupti.log()) count += line.rfind(prefix, 0) == 0;
    return count;
  }
  // True: it was sampled.
  bool Samples(CUpti_CallbackId cbid = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) {
    const long before = Count("push");
    cuLaunchKernel_params plain = {};
    Launch(cbid, &plain);
    return Count("push") > before;
  }
  // Both callbacks of a call.
  void Make(CUpti_CallbackId cbid, const void* params) {
    Call(cbid, CUPTI_API_ENTER, params);
    Call(cbid, CUPTI_API_EXIT, params);
  }

  CounterSampler sampler;
};

const CUstream kOther = reinterpret_cast<CUstream>(uintptr_t{64});

TEST_CASE("A stream that gets copies alone is a second stream") {
  Sampled program;
  CHECK(program.Samples());
  cuMemcpyHtoDAsync_v2_params copy = {};
  copy.hStream = kOther;
  program.Make(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, &copy);
  CHECK_FALSE(program.Samples());  // a kernel that is not known to end by itself
}

TEST_CASE("Behind a wait for memory there is no range") {
  Sampled program;
  program.cupti.driver.stream_query = [](CUstream) { return CUDA_ERROR_NOT_READY; };
  for (const CUpti_CallbackId cbid : {CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue32_v2,
                                      CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue64_v2_ptsz}) {
    cuStreamWaitValue32_v2_params wait = {};
    program.Make(cbid, &wait);
    CHECK_FALSE(program.Samples());
  }
}

TEST_CASE("Per-thread default streams of two threads are two streams") {
  Sampled program;
  constexpr CUpti_CallbackId kPerThread = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz;
  CHECK(program.Samples(kPerThread));
  std::thread([&] { CHECK_FALSE(program.Samples(kPerThread)); }).join();
  CHECK_FALSE(program.Samples(kPerThread));
}

TEST_CASE("While the program captures a stream nothing is sampled and no group changes") {
  Sampled program;
  cuStreamBeginCapture_v2_params begin = {};
  begin.hStream = kOther;
  cuStreamEndCapture_params end = {};
  end.hStream = kOther;
  program.Make(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, &begin);
  CHECK_FALSE(program.Samples());
  program.Make(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, &end);
  CHECK(program.Samples());
}

TEST_CASE(
    "Nodes of graphs are noted with the range that they are captured in, and forgotten when the "
    "graph is destroyed between two recordings") {
  Subscribed program;
  program.cupti.api.get_graph_node_id = [](CUgraphNode, uint64_t* id) {
    *id = 77;
    return CUPTI_SUCCESS;
  };
  SessionOptions options;
  options.counters = Counters::kNone;
  CounterSampler sampler(&program.cupti.api, &program.cupti.driver, options);
  std::string holder;
  REQUIRE(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
  program.launches.Enable(&sampler.launches(), nullptr);
  int node = 0;
  CUpti_GraphData data = {};
  data.node = reinterpret_cast<CUgraphNode>(&node);
  CUpti_ResourceData resource = {};
  resource.resourceDescriptor = &data;
  capture::PushRange({"layer", ""});
  const uint32_t layer = capture::CurrentPath();
  callback(user_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &resource);
  capture::PopRange("");
  program.launches.Disable();
  CHECK(enabled == static_cast<int>(GraphNodes::kDestroyCallbacks.size()));
  sampler.Stop();
  const std::vector<capture::GraphNodeEvent> nodes = program.launches.graph_nodes().TakeNew();
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].node == 77);
  CHECK(nodes[0].path == layer);

  // The program destroys it between two recordings.
  callback(user_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING,
           &resource);
  CHECK_FALSE(program.launches.graph_nodes().any());
}

TEST_CASE("A module that is loaded while callbacks are on has its kernels looked into") {
  Subscribed program;
  SessionOptions options;
  options.counters = Counters::kNone;
  CounterSampler sampler(&program.cupti.api, &program.cupti.driver, options);
  std::string holder;
  REQUIRE(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
  program.launches.Enable(&sampler.launches(), nullptr);
  const int watching = enabled;
  const std::string cubin = prof::test::ReadFile(PROF_TEST_CODE "/sm_80.cubin");
  CUpti_ModuleResourceData module = {};
  module.cubinSize = cubin.size();
  module.pCubin = cubin.data();
  CUpti_ResourceData resource = {};
  callback(user_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &resource);
  CHECK_FALSE(program.launches.code().Find("local_array"));
  resource.resourceDescriptor = &module;
  callback(user_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &resource);
  CHECK(program.launches.code().Find("local_array"));
  program.launches.Disable();
  CHECK(program.launches.code().Find("local_array"));  // for the next recording of the process
  program.launches.WatchCode(false);
  program.launches.Enable(&sampler.launches(), nullptr);
  CHECK(enabled == watching - 2);  // switched off, not on
  program.launches.Disable();
  sampler.Stop();
}

TEST_CASE("Without counters launches are counted, and their contexts known") {
  Subscribed program;
  SessionOptions options;
  options.counters = Counters::kNone;
  std::string holder;
  REQUIRE(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
  cuLaunchKernel_params plain = {};
  for (int recording = 1; recording <= 2; ++recording) {  // the second one starts from nothing
    CounterSampler sampler(&program.cupti.api, &program.cupti.driver, options);
    program.launches.Enable(&sampler.launches(), nullptr);
    for (int i = 0; i < 10; ++i) {
      program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &plain);
    }
    CHECK(program.launches.launches() == 10U * static_cast<unsigned>(recording));
    CHECK(sampler.contexts().Devices().size() == 1);
    program.launches.Disable();
    sampler.Stop();
  }
}

TEST_CASE("While paused no launch is counted, and contexts are followed") {
  Subscribed program;
  SessionOptions options;
  options.counters = Counters::kNone;
  CounterSampler sampler(&program.cupti.api, &program.cupti.driver, options);
  std::string holder;
  REQUIRE(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
  program.launches.Enable(&sampler.launches(), nullptr);
  cuLaunchKernel_params plain = {};
  program.Call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, &plain);
  const int before = enabled;
  program.launches.Pause();
  program.Call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, &plain);
  for (int i = 0; i < 10; ++i) program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &plain);
  CHECK(program.launches.launches() == 1);
  CHECK(enabled == before);
  CHECK(sampler.contexts().Find(Context(1)) != nullptr);
  CUpti_ResourceData destroyed = {};
  destroyed.context = Context(1);
  callback(user_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
           &destroyed);
  CHECK(sampler.contexts().Devices().empty());
  program.launches.Resume();
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &plain);
  CHECK(program.launches.launches() == 2);
  program.launches.Pause();
  program.launches.Disable();  // the next recording is not paused
  program.launches.Enable(&sampler.launches(), nullptr);
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &plain);
  CHECK(program.launches.launches() == 3);
  program.launches.Disable();
}

// What a table of counts asks CUPTI for.
void AnswerCounts(CuptiApi* api) {
  api->get_device_id = [](CUcontext, uint32_t* device) {
    *device = 0;
    return CUPTI_SUCCESS;
  };
  api->get_graph_exec_id = [](CUgraphExec graph, uint32_t* id) {
    *id = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(graph));
    return CUPTI_SUCCESS;
  };
}

// Sums by name, or by the number of a graph.
std::map<std::string, uint64_t> Taken(LaunchCounts& counts) {
  std::map<std::string, uint64_t> sums;
  for (const capture::LaunchCountEvent& count : counts.Take()) {
    sums[count.graph != 0 ? std::to_string(count.graph) : count.name] += count.launches;
  }
  return sums;
}

TEST_CASE(
    "Where launches are counted, those count that were made: not refused, not only captured") {
  Subscribed program;
  SessionOptions options;
  options.counters = Counters::kNone;
  CounterSampler sampler(&program.cupti.api, &program.cupti.driver, options);
  AnswerCounts(&program.cupti.api);
  LaunchCounts counts(&program.cupti.api);
  std::string holder;
  REQUIRE(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
  program.launches.Enable(&sampler.launches(), nullptr);
  constexpr CUpti_CallbackId kLaunch = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
  cuLaunchKernel_params plain = {};
  program.Launch(kLaunch, &plain);  // not counted yet
  program.launches.CountLaunches(&counts);
  for (int i = 0; i < 3; ++i) program.Launch(kLaunch, &plain);
  program.launches.Pause();
  for (int i = 0; i < 40; ++i) program.Launch(kLaunch, &plain);
  CHECK(Taken(counts) == std::map<std::string, uint64_t>{{"kernel", 43}});
  CHECK(Taken(counts).empty());

  CUresult refused = CUDA_ERROR_INVALID_VALUE;
  program.Call(kLaunch, CUPTI_API_ENTER, &plain);
  program.Call(kLaunch, CUPTI_API_EXIT, &plain, &refused);
  program.cupti.api.get_graph_node_id = [](CUgraphNode, uint64_t* id) {
    *id = 77;
    return CUPTI_SUCCESS;
  };
  int node = 0;
  CUpti_GraphData graph = {};
  graph.node = reinterpret_cast<CUgraphNode>(&node);
  CUpti_ResourceData resource = {};
  resource.resourceDescriptor = &graph;
  program.Call(kLaunch, CUPTI_API_ENTER, &plain);
  callback(user_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &resource);
  program.Call(kLaunch, CUPTI_API_EXIT, &plain);
  CHECK(Taken(counts).empty());

  plain.gridDimX = 2;  // a launch of its own
  cuGraphLaunch_params replay = {};
  replay.hGraph = reinterpret_cast<CUgraphExec>(uintptr_t{77});
  program.Launch(kLaunch, &plain);
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &replay);
  program.launches.Resume();
  program.Launch(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &replay);
  CHECK(Taken(counts) == std::map<std::string, uint64_t>{{"kernel", 1}, {"77", 2}});

  program.launches.CountLaunches(nullptr);
  program.Launch(kLaunch, &plain);
  CHECK(Taken(counts).empty());
  program.launches.CountLaunches(&counts);
  program.launches.Disable();
  program.launches.Enable(&sampler.launches(), nullptr);  // the next recording counts none
  program.Launch(kLaunch, &plain);
  CHECK(Taken(counts).empty());
  program.launches.Disable();
}

TEST_CASE("Kernels that come when the table of counts is full count as one, and none is lost") {
  FakeCupti cupti;
  AnswerCounts(&cupti.api);
  LaunchCounts counts(&cupti.api);
  Launch launch;
  launch.context = Context(1);
  launch.kernel_name = "kernel";
  constexpr uint32_t kKernels = 2 * LaunchCounts::kMostKernels;
  for (int round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < kKernels; ++i) {
      launch.signature.grid = {i + 1, 1, 1};
      counts.Count(launch);
    }
  }
  std::map<std::string, uint64_t> sums = Taken(counts);
  CHECK(sums["kernel"] + sums[""] == 2 * kKernels);
  CHECK(sums["kernel"] >= kKernels);
  CHECK(sums[""] > 0);
  launch.unit = capture::SampleUnit::kGraph;  // graphs have places of their own
  launch.signature.function = reinterpret_cast<const void*>(uintptr_t{77});
  counts.Count(launch);
  CHECK(Taken(counts) == std::map<std::string, uint64_t>{{"77", 1}});
}

TEST_CASE("Threads that count the same kernels at once lose none") {
  FakeCupti cupti;
  AnswerCounts(&cupti.api);
  LaunchCounts counts(&cupti.api);
  constexpr uint64_t kThreads = 4, kEach = 20'000;
  std::atomic<uint64_t> taken{0};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      Launch launch;
      launch.context = Context(1);
      launch.kernel_name = "kernel";
      for (uint64_t i = 0; i < kEach; ++i) {
        launch.signature.grid = {static_cast<uint32_t>(i % 50 + 1), 1, 1};
        counts.Count(launch);
      }
    });
  }
  while (taken < kThreads * kEach / 2) taken += Taken(counts)["kernel"];
  for (std::thread& thread : threads) thread.join();
  taken += Taken(counts)["kernel"];
  CHECK(taken == kThreads * kEach);
}

TEST_CASE("No exception leaves a callback of CUPTI or NVTX, and each is counted") {
  Subscribed program;
  SessionOptions options;
  options.counters = Counters::kNone;
  options.metrics = {"m0.sum"};
  options.counted_ranges = "counted";
  options.skip_first_launches = 0;
  CounterSampler sampler(&program.cupti.api, &program.cupti.driver, options);
  std::string holder;
  REQUIRE(program.launches.Subscribe(&holder) == CUPTI_SUCCESS);
  program.launches.Enable(&sampler.launches(), nullptr);

  program.cupti.api.get_context_id = [](CUcontext, uint32_t*) -> CUptiResult {
    throw std::bad_alloc();
  };
  program.cupti.api.get_stream_id = [](CUcontext, CUstream, uint8_t, uint32_t*) -> CUptiResult {
    throw std::bad_alloc();
  };
  cuStreamSynchronize_params wait = {};
  program.Call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, CUPTI_API_ENTER, &wait);
  CHECK(program.launches.failed() == 0);
  CHECK_NOTHROW(program.Call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, CUPTI_API_EXIT, &wait));
  CHECK(program.launches.failed() == 1);

  program.cupti.driver.ctx_get_current = [](CUcontext*) -> CUresult { throw std::bad_alloc(); };
  CHECK_NOTHROW(capture::PushRange({"counted", ""}));
  CHECK_NOTHROW(capture::PopRange(""));
  CHECK(program.launches.failed() == 2);
  program.launches.Disable();
}

}  // namespace
}  // namespace prof::cupti::test::launch_callback_test
