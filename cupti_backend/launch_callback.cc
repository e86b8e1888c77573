// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/launch_callback.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "cupti_backend/calls/call_kinds.h"
#include "cupti_backend/calls/call_trace.h"
#include "cupti_backend/calls/stream_calls.h"
#include "cupti_backend/calls/wait_calls.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/end_request.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/capture/threads/thread_questions.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/windows/window_control.h"

namespace prof::cupti {
namespace {

// What this thread launches.
struct ThisThread {
  // The kernel that it is launching, and in which epoch: a launch that is captured makes a node.
  const char* kernel;
  uint32_t epoch;
  // The epoch in which it last reported a context to a sampler, and that context.
  uint32_t reported_epoch;
  CUcontext reported_context;
  // The launch is captured: it makes a node, and runs later. Where launches are counted.
  bool launch_captured;
};
// Initial-exec, as in thread_registry.h: no call into the loader during a launch.
__thread ThisThread this_thread __attribute__((tls_model("initial-exec")));

// Counts a callback that may be using the sampler, for a scope.
class Inside {
 public:
  explicit Inside(capture::StripedCount& count) : count_(count) { count_.Add(); }
  ~Inside() { count_.Remove(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  capture::StripedCount& count_;
};

// Runs a callback's work. Its caller is C code of CUDA or of the program, which no exception may
// reach: when we run out of memory, an event is missing, and `failed` counts it.
template <typename Work>
void WithoutException(std::atomic<uint64_t>* failed, const Work& work) {
  try {
    work();
  } catch (const std::exception&) {
    failed->fetch_add(1, std::memory_order_relaxed);
  }
}

// NVTX's listener carries no user data; there is one callback in a process.
std::atomic<LaunchCallback*> range_listener{nullptr};

// True: the call opens or closes a window. A start is over when the recording is on, a stop when
// the program has returned from it.
bool OnProfilerCall(CUpti_CallbackId cbid, const CUpti_CallbackData& data) {
  const bool start = cbid == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart;
  if (!start && cbid != CUPTI_DRIVER_TRACE_CBID_cuProfilerStop) return false;
  if (data.callbackSite == CUPTI_API_EXIT) capture::WindowControl::OnProfilerApi(start);
  return true;
}

}  // namespace

CUptiResult LaunchCallback::Subscribe(std::string* holder) {
  return subscription_.Begin(&OnCallback, this, holder);
}

CUptiResult LaunchCallback::SubscribeAgain(std::string* holder) {
  const CUptiResult result = Subscribe(holder);
  if (result == CUPTI_SUCCESS) subscription_.TurnOn(watches_code_);
  return result;
}

void LaunchCallback::LeaveAtNextWait() {
  if (!subscription_.exists()) return;
  subscription_.WatchWaits();
  departure_.Ask();  // from here on another thread may leave
}

// No recording is on.
void LaunchCallback::OnCallBetween(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                                   const CUpti_CallbackData& data) {
  if (!departure_.asked() || domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  if (IsAmong(kCaptures, cbid) || capture::Exiting() || capture::EndRequested()) {
    departure_.Stay();
  } else if (data.callbackSite == CUPTI_API_EXIT && IsAmong(kBlockingWaits, cbid)) {
    departure_.Leave();
  }
}

void LaunchCallback::Pause() {
  const uint32_t epoch = epoch_.load(std::memory_order_relaxed);
  epoch_.store((epoch + 1) | kPaused, std::memory_order_relaxed);
}

void LaunchCallback::Resume() {
  const uint32_t epoch = epoch_.load(std::memory_order_relaxed);
  epoch_.store((epoch + 1) & ~(kPaused | kOff), std::memory_order_relaxed);
}

void LaunchCallback::CountLaunches(LaunchCounts* counts) {
  counts_.store(counts, std::memory_order_seq_cst);
  const uint32_t epoch = epoch_.load(std::memory_order_relaxed);
  epoch_.store(counts != nullptr ? epoch | kCounts : epoch & ~kCounts, std::memory_order_relaxed);
}

CUptiResult LaunchCallback::Enable(LaunchSampler* sampler, TriageSampler* triage) {
  Resume();
  counts_only_.store(!sampler->samples_launches(), std::memory_order_relaxed);
  triage_.store(triage, std::memory_order_release);
  sampler_.store(sampler, std::memory_order_release);
  const CUptiResult result = subscription_.TurnOn(watches_code_);
  if (sampler->counts_ranges()) {
    range_listener.store(this, std::memory_order_release);
    capture::SetRangeListener(&OnRange);
  }
  return result;
}

void LaunchCallback::Disable() {
  capture::SetRangeListener(nullptr);
  sampler_.store(nullptr, std::memory_order_seq_cst);
  triage_.store(nullptr, std::memory_order_seq_cst);
  CountLaunches(nullptr);
  // Calls that are under way are left out.
  epoch_.store((epoch_.load(std::memory_order_relaxed) + 1) | kOff, std::memory_order_relaxed);
  subscription_.TurnOff();
  if (graph_nodes_.any()) subscription_.WatchGraphsEnd();
  // A launching thread may still be between its look at sampler_ and its use; it does not stay
  // there long, but nothing waits without an end.
  const int64_t until_ns = capture::MonotonicNs() + 1'000'000'000;
  while (inside_.Sum() != 0 && capture::MonotonicNs() < until_ns) {
    sched_yield();
  }
}

// Launching threads. No lock, no allocation for a launch that is not sampled.
void LaunchCallback::OnCallback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                                const void* data) {
  if (capture::InForkedChild()) return;
  auto* callback = static_cast<LaunchCallback*>(self);
  WithoutException(&callback->failed_, [&] {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API || domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
      callback->OnCall(domain, cbid, *static_cast<const CUpti_CallbackData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      callback->OnResource(cbid, *static_cast<const CUpti_ResourceData*>(data));
    }
  });
}

void LaunchCallback::OnResource(CUpti_CallbackId cbid, const CUpti_ResourceData& resource) {
  if (cbid == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    ReadCode(static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor));
    return;
  }
  if (std::find(GraphNodes::kCallbacks.begin(), GraphNodes::kCallbacks.end(), cbid) !=
      GraphNodes::kCallbacks.end()) {
    saw_graphs_.store(true, std::memory_order_relaxed);
  }
  graph_nodes_.OnResource(cbid, resource);
  const bool launching = this_thread.epoch == epoch_.load(std::memory_order_relaxed);
  if (launching && cbid == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED)
    this_thread.launch_captured = true;
  waiting_graphs_.OnResource(cbid, resource, launching ? this_thread.kernel : nullptr);
  const Inside inside(inside_);
  LaunchSampler* const sampler = sampler_.load(std::memory_order_seq_cst);
  if (sampler == nullptr) return;
  const CUcontext context = resource.context;
  if (cbid == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
    PrepareTriage(context);
    sampler->OnContext(context);
  }
  if (cbid == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) sampler->OnContextDestroyed(context);
  if (cbid == CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING) {
    sampler->OnStreamDestroyed(context, resource.resourceHandle.stream);
  }
}

void LaunchCallback::ReadCode(const CUpti_ModuleResourceData* module) {
  if (module == nullptr) return;
  const int64_t begin_ns = capture::RealtimeNs();
  code_.Add(module->pCubin, module->cubinSize);
  const Inside inside(inside_);
  LaunchSampler* const sampler = sampler_.load(std::memory_order_seq_cst);
  if (sampler != nullptr) sampler->OnCodeRead(begin_ns, capture::RealtimeNs());
}

void LaunchCallback::PrepareTriage(CUcontext context) {
  TriageSampler* const triage = triage_.load(std::memory_order_seq_cst);
  uint32_t device = 0;
  if (triage != nullptr && api_->get_device_id(context, &device) == CUPTI_SUCCESS) {
    triage->Prepare(static_cast<int>(device));
  }
}

void LaunchCallback::OnRange(uint32_t path, uint32_t token, bool entered) {
  LaunchCallback* callback = range_listener.load(std::memory_order_acquire);
  WithoutException(&callback->failed_, [&] {
    const Inside inside(callback->inside_);
    LaunchSampler* const sampler = callback->sampler_.load(std::memory_order_seq_cst);
    if (sampler == nullptr) return;
    const OwnCalls own(callback->epoch_.load(std::memory_order_relaxed));
    if (entered) {
      sampler->OnRangeEnter(path, token);
    } else {
      sampler->OnRangeExit(token);
    }
  });
}

void LaunchCallback::OnCall(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                            const CUpti_CallbackData& data) {
  if (capture::IsQuietThread()) {  // no call of the program
    const bool beat = domain == CUPTI_CB_DOMAIN_DRIVER_API && cbid == Subscription::kBeatCall;
    if (beat) beats_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const uint32_t epoch = epoch_.load(std::memory_order_relaxed);
  if ((epoch & (kOff | kCounts)) != 0) {
    if ((epoch & kOff) != 0) return OnCallBetween(domain, cbid, data);
    CountIfMade(domain, cbid, data);
  }
  const bool launch = IsLaunch(domain, cbid);
  if (!launch && domain == CUPTI_CB_DOMAIN_DRIVER_API &&
      (cbid == Subscription::kBeatCall || OnStreamCall(cbid, data))) {
    return;
  }
  if (launch && IsGraphLaunch(cbid)) saw_graphs_.store(true, std::memory_order_relaxed);
  if ((epoch & kPaused) != 0) {
    if (launch) OnLaunch(cbid, data);
    return;
  }
  if (!launch && subscription_.IsQuestion(domain, cbid))
    return OnQuestion(epoch, domain, cbid, data);
  if (data.callbackSite == CUPTI_API_ENTER) {
    BeginCall(epoch);
    if (!launch) return;
    CountLaunch();
    OnLaunch(cbid, data);
    return;
  }
  if (launch) OnLaunch(cbid, data);
  uint32_t error = 0;  // a CUresult or a cudaError_t
  if (data.functionReturnValue != nullptr) {
    std::memcpy(&error, data.functionReturnValue, sizeof(error));
  }
  if (error != CUDA_SUCCESS) {
    if (launch) launches_failed_.fetch_add(1, std::memory_order_relaxed);
  } else if (!launch && domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    RecordWait(cbid, data);
  }
  EndCall(epoch, CallOf(domain, cbid), data.correlationId, error);
}

[[gnu::noinline]] void LaunchCallback::OnQuestion(uint32_t epoch, CUpti_CallbackDomain domain,
                                                  CUpti_CallbackId cbid,
                                                  const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_ENTER) return BeginQuestion(epoch);
  uint32_t error = 0;
  const void* about = nullptr;
  if (data.functionReturnValue != nullptr) {
    std::memcpy(&error, data.functionReturnValue, sizeof(error));
  }
  if (data.functionParams != nullptr) std::memcpy(&about, data.functionParams, sizeof(about));
  const bool yes = error == CUDA_SUCCESS && domain == CUPTI_CB_DOMAIN_DRIVER_API;
  if (yes && capture::Asks()) RecordWait(cbid, data);
  EndQuestion(epoch, CallOf(domain, cbid), data.correlationId, error, about);
}

// At the end of a call that waited for something: its handles are valid.
void LaunchCallback::RecordWait(CUpti_CallbackId cbid, const CUpti_CallbackData& data) {
  const WaitCall wait = ReadWaitCall(cbid, data.functionParams);
  if (wait.kind == WaitCall::Kind::kNone) return;
  // A stream of another context is not known.
  Waited waited;
  if (wait.kind == WaitCall::Kind::kOfStream &&
      api_->get_stream_id(data.context, wait.stream, wait.per_thread ? 1 : 0, &waited.stream) !=
          CUPTI_SUCCESS) {
    return;
  }
  api_->get_context_id(data.context, &waited.context);
  RecordWaited(waited);
}

// What streams have to do, for the sampler only; and which are captured.
bool LaunchCallback::OnStreamCall(CUpti_CallbackId cbid, const CUpti_CallbackData& data) {
  using Kind = StreamCall::Kind;
  if (IsAmong(kCaptures, cbid)) saw_graphs_.store(true, std::memory_order_relaxed);
  if (OnProfilerCall(cbid, data)) return true;  // here, where no launch pays for it
  if (counts_only_.load(std::memory_order_relaxed) && !IsAmong(kCaptures, cbid) &&
      !IsAmong(kCaptureEnds, cbid)) {
    return IsUnrecorded(cbid);
  }
  const StreamCall call = ReadStreamCall(cbid, data.functionParams);
  if (call.kind == Kind::kNone) return false;
  const Inside inside(inside_);
  LaunchSampler* const sampler = sampler_.load(std::memory_order_seq_cst);
  if (sampler == nullptr) return call.kind == Kind::kWaits;
  const bool enter = data.callbackSite == CUPTI_API_ENTER;
  const bool ok = enter || data.functionReturnValue == nullptr ||
                  *static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS;
  if (call.kind == Kind::kBeginCapture) {
    if (enter) sampler->OnCaptureBegin(call.stream);
    if (!ok) sampler->OnCaptureEnd(call.stream);
  } else if (call.kind == Kind::kEndCapture) {
    if (!enter) sampler->OnCaptureEnd(call.stream);
  } else if (enter) {
    sampler->OnStreamWork(data.context, call.stream, data.correlationId, call.kind == Kind::kWaits);
  }
  return call.kind == Kind::kWaits;
}

void LaunchCallback::AwaitTriage(CUcontext context) {
  TriageSampler* const triage = triage_.load(std::memory_order_seq_cst);
  if (triage == nullptr || !triage->preparing()) return;
  uint32_t device = 0;
  if (api_->get_device_id(context, &device) == CUPTI_SUCCESS) {
    triage->AwaitPrepared(static_cast<int>(device));
  }
}

void LaunchCallback::CountLaunch() {
  counted_.launches.fetch_add(1, std::memory_order_relaxed);
  if (const TorchProfilerEnabled enabled = torch_enabled_.load(std::memory_order_acquire)) {
    (enabled() ? counted_.torch_on : counted_.torch_off).store(true, std::memory_order_relaxed);
  }
}

// At the end of a launch, when it is known whether it was one.
void LaunchCallback::CountIfMade(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                                 const CUpti_CallbackData& data) {
  if (!IsLaunch(domain, cbid)) return;
  if (data.callbackSite == CUPTI_API_ENTER) {
    this_thread.launch_captured = false;
    return;
  }
  const auto* const result = static_cast<const CUresult*>(data.functionReturnValue);
  if (this_thread.launch_captured || (result != nullptr && *result != CUDA_SUCCESS)) return;
  const Inside inside(inside_);
  Launch launch;
  LaunchCounts* const counts = counts_.load(std::memory_order_seq_cst);
  if (counts == nullptr || !ReadLaunch(cbid, data.functionParams, &launch)) return;
  launch.context = data.context;
  launch.kernel_name = data.symbolName;
  counts->Count(launch);
}

void LaunchCallback::OnLaunch(CUpti_CallbackId cbid, const CUpti_CallbackData& data) {
  const bool enter = data.callbackSite == CUPTI_API_ENTER;
  this_thread.kernel = enter ? data.symbolName : nullptr;
  this_thread.epoch = epoch_.load(std::memory_order_relaxed);
  if (counts_only_.load(std::memory_order_relaxed)) {
    if (enter) ReportContextOnce(data.context);
    return;
  }
  const Inside inside(inside_);
  if (enter) AwaitTriage(data.context);
  if (LaunchSampler* sampler = sampler_.load(std::memory_order_seq_cst)) {
    if (enter && cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice) {
      sampler->OnSeveralDevicesLaunch();
    } else if (enter) {
      Launch launch;
      if (ReadLaunch(cbid, data.functionParams, &launch)) {
        launch.context = data.context;
        launch.correlation = data.correlationId;
        launch.kernel_name = data.symbolName;
        launch.path = capture::CurrentPath();
        launch.signature.range_family = capture::PathFamily(launch.path);
        if (launch.unit == capture::SampleUnit::kGraph) {
          launch.waits = waiting_graphs_.Waits(
              static_cast<CUgraphExec>(const_cast<void*>(launch.signature.function)));
        }
        sampler->OnLaunchEnter(launch);
      }
    } else {
      sampler->OnLaunchExit();
    }
  }
}

void LaunchCallback::ReportContextOnce(CUcontext context) {
  const uint32_t epoch = epoch_.load(std::memory_order_relaxed);
  if (this_thread.reported_context == context && this_thread.reported_epoch == epoch) return;
  const Inside inside(inside_);
  if (LaunchSampler* sampler = sampler_.load(std::memory_order_seq_cst)) {
    sampler->OnContext(context);
    this_thread.reported_context = context;
    this_thread.reported_epoch = epoch;
  }
}

}  // namespace prof::cupti
