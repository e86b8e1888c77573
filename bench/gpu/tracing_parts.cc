// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's tracing put together from parts, its records thrown away: what a launch costs under each,
// without any code of prof. An injection library for CUDA_INJECTION64_PATH.
//
//   TRACING_PARTS   what is on, separated by commas: kernels, copies, memsets, runtime, driver,
//                   synchronization, overhead (activity kinds); selected: API records only of the
//                   calls that prof keeps; no_launches: API records of all calls but launches;
//                   callback: an empty callback on launches. By default "kernels": CUPTI's floor.
//   TRACING_STOP    what SIGUSR2 undoes: "kinds", "callback" (and the kinds), "finalize" (all)
//   TRACING_SAVE    a folder that the first 32 completed buffers are written to, as they are
//
// Build:  g++ -std=c++17 -O2 -shared -fPIC tracing_parts.cc -o libtracing_parts.so
//         -I<toolkit>/include -L<toolkit>/lib64 -lcupti
#include <cupti.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr size_t kBufferBytes = 256 << 10;  // prof's
constexpr size_t kBuffers = 256;
constexpr int kSavedBuffers = 32;
constexpr CUpti_CallbackId kCallIds = 1024;

// A ring of buffers: what is filled again has been thrown away. Zeroed by CUPTI, as it likes.
uint8_t* buffers = nullptr;
std::atomic<size_t> next_buffer{0};
std::atomic<int> saved{0};
const char* save_to = nullptr;
CUpti_SubscriberHandle subscriber = nullptr;
std::vector<CUpti_ActivityKind> kinds;

struct Part {
  const char* name;
  CUpti_ActivityKind kind;
};
constexpr Part kKinds[] = {{"kernels", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
                           {"copies", CUPTI_ACTIVITY_KIND_MEMCPY},
                           {"memsets", CUPTI_ACTIVITY_KIND_MEMSET},
                           {"runtime", CUPTI_ACTIVITY_KIND_RUNTIME},
                           {"driver", CUPTI_ACTIVITY_KIND_DRIVER},
                           {"synchronization", CUPTI_ACTIVITY_KIND_SYNCHRONIZATION},
                           {"overhead", CUPTI_ACTIVITY_KIND_OVERHEAD}};
constexpr CUpti_CallbackId kLaunchCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch};

void Report(const char* what, CUptiResult result) {
  if (result == CUPTI_SUCCESS) return;
  std::fprintf(stderr, "tracing_parts: %s: error %d\n", what, static_cast<int>(result));
}

void CUPTIAPI GiveBuffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = buffers + next_buffer.fetch_add(1) % kBuffers * kBufferBytes;
  *size = kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI TakeBuffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  if (save_to == nullptr || valid_bytes == 0) return;
  const int number = saved.fetch_add(1);
  if (number >= kSavedBuffers) return;
  std::ofstream file(std::string(save_to) + "/" + std::to_string(number) + ".bin",
                     std::ios::binary);
  file.write(reinterpret_cast<const char*>(buffer), static_cast<std::streamsize>(valid_bytes));
}

void CUPTIAPI OnCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

bool Has(const std::vector<std::string>& parts, const char* part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool IsLaunch(const std::string& name) { return name.find("Launch") != std::string::npos; }
bool IsKept(const std::string& name) {
  for (const char* kept : {"Launch", "Memcpy", "Memset", "Synchronize", "WaitEvent", "EventRecord",
                           "Alloc", "Free", "Load", "Capture"}) {
    if (name.find(kept) != std::string::npos) return true;
  }
  return false;
}

// Turns off the records of the API calls that `unwanted` says.
template <typename Unwanted>
void DropCalls(Unwanted unwanted) {
  for (CUpti_CallbackId id = 1; id < kCallIds; ++id) {
    const char* name = nullptr;
    if (cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, id, &name) == CUPTI_SUCCESS &&
        name != nullptr && unwanted(name)) {
      cuptiActivityEnableRuntimeApi(id, 0);
    }
    if (cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) == CUPTI_SUCCESS &&
        name != nullptr && unwanted(name)) {
      cuptiActivityEnableDriverApi(id, 0);
    }
  }
}

void SetCallbacks(uint32_t on) {
  for (const CUpti_CallbackId id : kLaunchCalls) {
    Report("callback", cuptiEnableCallback(on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id));
  }
}

// On the program's main thread, between two launches.
void Stop(int) {
  const char* what = std::getenv("TRACING_STOP");
  if (what == nullptr) return;
  Report("flush", cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  for (const CUpti_ActivityKind kind : kinds) Report("disable", cuptiActivityDisable(kind));
  if (std::strcmp(what, "kinds") == 0) return;
  if (subscriber != nullptr) {
    SetCallbacks(0);
    Report("unsubscribe", cuptiUnsubscribe(subscriber));
  }
  if (std::strcmp(what, "finalize") == 0) Report("finalize", cuptiFinalize());
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* wanted = std::getenv("TRACING_PARTS");
  const std::vector<std::string> parts = Split(wanted != nullptr ? wanted : "kernels");
  save_to = std::getenv("TRACING_SAVE");
  buffers = static_cast<uint8_t*>(std::calloc(kBuffers, kBufferBytes));
  if (buffers == nullptr) return 1;
  if (Has(parts, "callback")) {
    Report("subscribe", cuptiSubscribe(&subscriber, &OnCallback, nullptr));
    SetCallbacks(1);
  }
  Report("buffers", cuptiActivityRegisterCallbacks(&GiveBuffer, &TakeBuffer));
  for (const Part& part : kKinds) {
    if (!Has(parts, part.name)) continue;
    Report(part.name, cuptiActivityEnable(part.kind));
    kinds.push_back(part.kind);
  }
  if (Has(parts, "selected")) DropCalls([](const std::string& name) { return !IsKept(name); });
  if (Has(parts, "no_launches")) DropCalls(&IsLaunch);
  std::signal(SIGUSR2, &Stop);
  return 1;
}
