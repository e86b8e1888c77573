// SPDX-License-Identifier: Apache-2.0
//
// This injection library (CUDA_INJECTION64_PATH) turns on parts of CUPTI's tracing and throws the
// records away. It shows what a launch costs under each part, without any code of prof.
//
//   TRACING_PARTS   sets of parts, with semicolons between the sets and commas between the parts.
//                   By default "kernels": CUPTI's floor. The parts are
//                     kernels, copies, peer-copies, memsets, memory, pools, streams: activity kinds
//                     runtime, driver, synchronization, overhead: activity kinds, too
//                     selected      API records only of the calls that prof keeps
//                     probe         API records of one call that no program makes often
//                     callback      a callback that notes the begin and end of launches
//                     calls         the callback also on the other calls that prof keeps
//                   or how tracing ends:
//                     off           the kinds are disabled
//                     unsubscribed  also the callback's subscription ends
//                     finalized     also CUPTI detaches
//   TRACING_SAVE    a folder for the first 32 completed buffers, unchanged
//
// The first set is on from the start. SIGUSR2 with a number changes to the set of that number. A
// line on stderr then says what the set before it recorded: bytes of records, and calls of the main
// thread that the callback noted.
//
// The experiments `storm`, `peers` and `step_parts` build it (build_injection() in lib/bench.py).
#include <cupti.h>

#include <algorithm>
#include <array>
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

// CUPTI zeroes them if it needs that. A buffer that it still has is not given out again.
uint8_t* buffers = nullptr;
std::array<std::atomic<bool>, kBuffers> in_use{};
std::atomic<size_t> next_buffer{0};
std::atomic<int> saved{0};
const char* save_to = nullptr;
std::vector<std::vector<std::string>> sets;
size_t current_set = 0;
std::atomic<uint64_t> record_bytes{0};  // of the current set
CUpti_SubscriberHandle subscriber = nullptr;
bool registered = false;
uint32_t calls_on = 0;

struct Part {
  const char* name;
  CUpti_ActivityKind kind;
};
constexpr Part kKinds[] = {{"kernels", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
                           {"copies", CUPTI_ACTIVITY_KIND_MEMCPY},
                           {"peer-copies", CUPTI_ACTIVITY_KIND_MEMCPY2},
                           {"memsets", CUPTI_ACTIVITY_KIND_MEMSET},
                           {"memory", CUPTI_ACTIVITY_KIND_MEMORY2},
                           {"pools", CUPTI_ACTIVITY_KIND_MEMORY_POOL},
                           {"streams", CUPTI_ACTIVITY_KIND_STREAM},
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
  *max_records = 0;
  for (size_t tries = 0; tries < kBuffers; ++tries) {
    const size_t number = next_buffer.fetch_add(1) % kBuffers;
    if (in_use[number].exchange(true)) continue;
    *buffer = buffers + number * kBufferBytes;
    *size = kBufferBytes;
    return;
  }
  *buffer = nullptr;
  *size = 0;
}

void Save(const uint8_t* buffer, size_t valid_bytes) {
  if (save_to == nullptr || valid_bytes == 0) return;
  const int number = saved.fetch_add(1);
  if (number >= kSavedBuffers) return;
  std::ofstream file(std::string(save_to) + "/" + std::to_string(number) + ".bin",
                     std::ios::binary);
  file.write(reinterpret_cast<const char*>(buffer), static_cast<std::streamsize>(valid_bytes));
}

void CUPTIAPI TakeBuffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  if (buffer == nullptr) return;
  Save(buffer, valid_bytes);
  record_bytes += valid_bytes;
  in_use[static_cast<size_t>(buffer - buffers) / kBufferBytes] = false;
}

struct Note {
  uint64_t ticks;
  uint32_t correlation, call;
};
thread_local Note notes[4096];
thread_local uint32_t next_note = 0;
uint32_t notes_before = 0;  // of the main thread, before the current set

void CUPTIAPI OnCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId call, const void* data) {
  const auto& api = *static_cast<const CUpti_CallbackData*>(data);
  Note& note = notes[next_note++ % 4096];
  note.ticks = __builtin_ia32_rdtsc();
  note.correlation = api.correlationId;
  note.call = call;
}

// A set that records nothing would look like one that costs nothing.
void PrintWhatCame() {
  const uint32_t calls = next_note - notes_before;
  notes_before = next_note;
  std::fprintf(stderr, "[parts] set %zu bytes %llu calls %u\n", current_set,
               static_cast<unsigned long long>(record_bytes.exchange(0)), calls);
}

bool Has(const std::vector<std::string>& parts, const char* part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool IsKept(const std::string& name) {
  for (const char* kept : {"Launch", "Memcpy", "Memset", "Synchronize", "WaitEvent", "EventRecord",
                           "Alloc", "Free", "Load", "Capture"}) {
    if (name.find(kept) != std::string::npos) return true;
  }
  return false;
}

void DropOtherCalls() {
  for (CUpti_CallbackId id = 1; id < kCallIds; ++id) {
    const char* name = nullptr;
    if (cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, id, &name) == CUPTI_SUCCESS &&
        name != nullptr && !IsKept(name)) {
      cuptiActivityEnableRuntimeApi(id, 0);
    }
    if (cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) == CUPTI_SUCCESS &&
        name != nullptr && !IsKept(name)) {
      cuptiActivityEnableDriverApi(id, 0);
    }
  }
}

template <typename Function>
void ForEachKeptCall(Function function) {
  for (const auto domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API}) {
    for (CUpti_CallbackId id = 1; id < kCallIds; ++id) {
      const char* name = nullptr;
      if (cuptiGetCallbackName(domain, id, &name) == CUPTI_SUCCESS && name != nullptr &&
          IsKept(name) && std::strstr(name, "Launch") == nullptr) {
        function(domain, id);
      }
    }
  }
}

void SetCallbacks(uint32_t on, uint32_t calls) {
  if (on != 0 && subscriber == nullptr) {
    Report("subscribe", cuptiSubscribe(&subscriber, &OnCallback, nullptr));
  }
  if (subscriber == nullptr) return;
  for (const CUpti_CallbackId id : kLaunchCalls) {
    Report("callback", cuptiEnableCallback(on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id));
  }
  if (calls == calls_on) return;
  calls_on = calls;
  ForEachKeptCall([&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    cuptiEnableCallback(calls, subscriber, domain, id);
  });
}

// Disables before it enables: a kind that stays on would keep its API calls disabled.
void Apply(const std::vector<std::string>& parts) {
  const bool finalized = Has(parts, "finalized");
  if (registered) {
    for (const Part& part : kKinds) Report("disable", cuptiActivityDisable(part.kind));
    Report("flush", cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  }
  SetCallbacks(Has(parts, "callback") ? 1 : 0, Has(parts, "calls") ? 1 : 0);
  if ((finalized || Has(parts, "unsubscribed")) && subscriber != nullptr) {
    Report("unsubscribe", cuptiUnsubscribe(subscriber));
    subscriber = nullptr;
    calls_on = 0;
  }
  if (finalized) {
    Report("finalize", cuptiFinalize());
    registered = false;
    return;
  }
  const auto wanted = [&](const Part& part) { return Has(parts, part.name); };
  if (std::none_of(std::begin(kKinds), std::end(kKinds), wanted)) return;
  // Each time, because a Session of the program may have registered its own callbacks since.
  Report("buffers", cuptiActivityRegisterCallbacks(&GiveBuffer, &TakeBuffer));
  registered = true;
  for (const Part& part : kKinds) {
    if (wanted(part)) Report(part.name, cuptiActivityEnable(part.kind));
  }
  if (Has(parts, "selected")) DropOtherCalls();
  if (Has(parts, "probe")) {
    Report("probe", cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER));
    for (CUpti_CallbackId id = 1; id < kCallIds; ++id) {
      if (id != CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion) cuptiActivityEnableDriverApi(id, 0);
    }
  }
}

// Runs on the main thread of the program, between two launches.
void Change(int, siginfo_t* info, void*) {
  const auto set = static_cast<size_t>(info->si_value.sival_int);
  if (set >= sets.size()) return;
  Apply(sets[set]);
  PrintWhatCame();
  current_set = set;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* wanted = std::getenv("TRACING_PARTS");
  for (const std::string& set : Split(wanted != nullptr ? wanted : "kernels", ';')) {
    sets.push_back(Split(set, ','));
  }
  save_to = std::getenv("TRACING_SAVE");
  buffers = static_cast<uint8_t*>(std::calloc(kBuffers, kBufferBytes));
  if (buffers == nullptr) return 1;
  struct sigaction action = {};
  action.sa_sigaction = &Change;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
  Apply(sets[0]);
  return 1;
}
