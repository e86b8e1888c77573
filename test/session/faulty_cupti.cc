// SPDX-License-Identifier: Apache-2.0
//
// A CUDA driver and CUPTI in one library, without a GPU. It has a subscriber, callbacks around
// launches, and buffers of kernel records, as far as a timeline needs them. PROF_TEST_FAULT names
// what does not work.
#include <cupti.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

namespace {

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's

bool Faulty(const char* fault) {
  const char* const chosen = std::getenv("PROF_TEST_FAULT");
  return chosen != nullptr && std::strcmp(chosen, fault) == 0;
}

// What a function returns that fails under `fault` alone.
CUptiResult ResultUnder(const char* fault, CUptiResult failure = CUPTI_ERROR_UNKNOWN) {
  return Faulty(fault) ? failure : CUPTI_SUCCESS;
}

uint64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

struct State {
  std::recursive_mutex mutex;  // of all below; a callback may call back
  CUpti_CallbackFunc callback = nullptr;
  void* user = nullptr;
  bool calls_back = false, traces = false;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  uint8_t* buffer = nullptr;
  size_t room = 0, filled = 0, dropped = 0;
  uint32_t correlation = 0;
};
State& state = *new State;  // never destroyed: a recording ends after static destructors
const auto context = reinterpret_cast<CUcontext>(uintptr_t{64});

void CallBack(CUpti_CallbackId id, CUpti_ApiCallbackSite site, const void* params) {
  if (!state.calls_back || state.callback == nullptr) return;
  CUpti_CallbackData data{};
  CUresult result = CUDA_SUCCESS;
  data.callbackSite = site;
  data.functionName = data.symbolName = "kernel";
  data.functionParams = params;
  data.functionReturnValue = &result;
  data.context = context;
  data.contextUid = 1;
  data.correlationId = state.correlation;
  state.callback(state.user, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

void CallBoth(CUpti_CallbackId id, const void* params) {
  CallBack(id, CUPTI_API_ENTER, params);
  CallBack(id, CUPTI_API_EXIT, params);
}

void Complete() {
  if (state.buffer == nullptr || Faulty("no buffer is completed")) return;
  const size_t bytes = Faulty("buffers come back empty") ? 0 : state.filled;
  if (bytes == 0) state.dropped += state.filled / sizeof(CUpti_ActivityKernel9);
  state.complete(context, 0, state.buffer, state.room, bytes);
  state.buffer = nullptr;
  state.filled = 0;
}

void Record() {
  if (!state.traces || state.request == nullptr) return;
  if (state.buffer == nullptr) {
    size_t records = 0;
    state.request(&state.buffer, &state.room, &records);
    if (state.buffer == nullptr) return;
  }
  CUpti_ActivityKernel9 kernel;
  std::memset(&kernel, 0, sizeof(kernel));
  kernel.kind = Faulty("records are of no kind") ? static_cast<CUpti_ActivityKind>(4711)
                                                 : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = "kernel";
  kernel.correlationId = state.correlation;
  kernel.start = NowNs();
  kernel.end = kernel.start + 1'000;
  kernel.contextId = 1;
  kernel.streamId = 7;
  kernel.gridX = kernel.gridY = kernel.gridZ = kernel.blockX = kernel.blockY = kernel.blockZ = 1;
  if (state.filled + sizeof(kernel) > state.room) return;
  std::memcpy(state.buffer + state.filled, &kernel, sizeof(kernel));
  state.filled += sizeof(kernel);
}

}  // namespace

extern "C" {

#define PROF_SHOWN __attribute__((visibility("default")))

// What the program calls.
PROF_SHOWN void FakeLaunch() {
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  ++state.correlation;
  cuLaunchKernel_params params{};
  CallBoth(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &params);
  Record();
}

// Nothing of a timeline depends on these.
#define PROF_TEST_RETURNS(symbol, result)            \
  PROF_SHOWN int Return_##symbol() __asm__(#symbol); \
  int Return_##symbol() { return result; }

// --- CUPTI ---------------------------------------------------------------------------------------

CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = Faulty("CUPTI 11") ? 17 : 28;
  return ResultUnder("no version");
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* ns) {
  *ns = NowNs();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                           void* user) {
  if (Faulty("another tool holds CUPTI")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  if (Faulty("CUPTI is newer than the driver")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (Faulty("no subscription")) return CUPTI_ERROR_UNKNOWN;
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  state.callback = callback;
  state.user = user;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&state);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) { return CUPTI_SUCCESS; }
CUptiResult cuptiFinalize() { return CUPTI_SUCCESS; }
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId) {
  if (Faulty("no callbacks")) return CUPTI_ERROR_UNKNOWN;
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  state.calls_back = enable != 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char** name) {
  const bool launch =
      domain == CUPTI_CB_DOMAIN_DRIVER_API && id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
  *name = launch ? "cuLaunchKernel" : nullptr;
  return launch ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (Faulty("buffers are refused")) return CUPTI_ERROR_UNKNOWN;
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  state.request = request;
  state.complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  const bool kernels = kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  if (Faulty("no activity kind") || (kernels && Faulty("no kernels")) ||
      (kind == CUPTI_ACTIVITY_KIND_MEMSET && Faulty("no memsets"))) {
    return CUPTI_ERROR_INVALID_KIND;
  }
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  if (kernels) state.traces = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) state.traces = false;
  return ResultUnder("kinds stay on");
}
CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig*,
                                                       uint32_t) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t) {
  while (Faulty("a flush hangs")) usleep(10'000);
  if (Faulty("a flush fails")) return CUPTI_ERROR_UNKNOWN;
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  Complete();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes, CUpti_Activity** record) {
  uint8_t* const next = *record == nullptr
                            ? buffer
                            : reinterpret_cast<uint8_t*>(*record) + sizeof(CUpti_ActivityKernel9);
  if (Faulty("buffers cannot be read")) return CUPTI_ERROR_INVALID_KIND;
  if (next >= buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  *dropped = state.dropped;
  state.dropped = 0;
  return ResultUnder("losses are not known");
}
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t*, void*) {
  return ResultUnder("no attribute");
}
CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute, size_t*, void*) {
  return CUPTI_ERROR_NOT_SUPPORTED;
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }
CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  *type = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetContextId(CUcontext, uint32_t* id) {
  *id = 1;
  return ResultUnder("no ids", CUPTI_ERROR_INVALID_CONTEXT);
}
CUptiResult cuptiGetDeviceId(CUcontext, uint32_t* id) {
  *id = 0;
  return ResultUnder("no ids", CUPTI_ERROR_INVALID_CONTEXT);
}
CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream, uint8_t, uint32_t* id) {
  *id = 7;
  return ResultUnder("no ids", CUPTI_ERROR_INVALID_STREAM);
}

PROF_TEST_RETURNS(cuptiGetGraphId, CUPTI_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuptiGetGraphNodeId, CUPTI_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuptiDeviceGetChipName, CUPTI_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuptiProfilerInitialize, CUPTI_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuptiProfilerDeInitialize, CUPTI_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuptiProfilerDeviceSupported, CUPTI_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuptiProfilerGetCounterAvailability, CUPTI_ERROR_NOT_SUPPORTED)

// --- The driver ----------------------------------------------------------------------------------
// cuda.h has other names for some of them.

PROF_SHOWN int FakeDriverVersion(int* version) __asm__("cuDriverGetVersion");
int FakeDriverVersion(int* version) { return *version = 12'090, 0; }
PROF_SHOWN int FakeDeviceCount(int* count) __asm__("cuDeviceGetCount");
int FakeDeviceCount(int* count) {
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);
  *count = 1;
  CallBoth(CUPTI_DRIVER_TRACE_CBID_cuDeviceGetCount, nullptr);
  return 0;
}
PROF_TEST_RETURNS(cuDeviceGet, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuDeviceGetName, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuDeviceGetAttribute, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuDeviceGetUuid_v2, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuDeviceTotalMem_v2, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuCtxGetCurrent, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuCtxSetCurrent, CUDA_SUCCESS)
PROF_TEST_RETURNS(cuCtxGetDevice, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuStreamIsCapturing, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuStreamQuery, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuFuncGetAttribute, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuKernelGetAttribute, CUDA_ERROR_NOT_SUPPORTED)
PROF_TEST_RETURNS(cuCtxSynchronize, CUDA_SUCCESS)
}
// NOLINTEND(readability-identifier-naming)
