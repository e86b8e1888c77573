// SPDX-License-Identifier: Apache-2.0
//
// The probe is a recording for the test with the real PyTorch (real_torch.py): it takes ranges and
// ops as the collector does, and the test's "kernels" from probe_launch(). No GPU is needed.
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/collector/memory_output.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/wire/encoder.h"
#include "torch_bridge/bridge.h"

#define PROF_TEST_API __attribute__((visibility("default")))

namespace prof::torch::test {
namespace {

struct Probe {
  capture::MemoryOutput output;
  capture::Encoder encoder{&output};
  capture::ThreadReader reader;
  capture::Mutex mutex;  // launches come from the program's threads
  uint32_t launches PROF_GUARDED_BY(mutex) = 0;
  std::vector<std::string> names PROF_GUARDED_BY(mutex);
  std::string notices;
};

Probe* probe = nullptr;

void Drain() {
  capture::ThreadReader::Sink sink;
  sink.path = [](const capture::RangePathInfo& path) { probe->encoder.Add(path); };
  sink.shapes = [](const capture::TorchShapesInfo& shapes) { probe->encoder.Add(shapes); };
  sink.step = [](uint32_t tid, const capture::RangeEvent& event) {
    probe->encoder.Add(tid, event);
  };
  sink.payload = [](const capture::PayloadEvent& event) { probe->encoder.Add(event); };
  sink.number = [](const capture::NumberEvent& event) { probe->encoder.Add(event); };
  probe->reader.Drain(sink);
}

void BeginProbe(const capture::TorchWish& wish) {
  probe = new Probe;
  capture::HeaderEvent header;
  header.prof_version = "test";
  header.start_ns = capture::RealtimeNs();
  probe->encoder.Add(header);
  probe->reader.Start(header.start_ns);
  Begin(wish);
}

}  // namespace

extern "C" {

// Begins to record; ops come once PyTorch is there.
PROF_TEST_API void probe_begin() { BeginProbe({}); }
PROF_TEST_API void probe_begin_with_shapes() { BeginProbe({false, true}); }

// Looks for PyTorch, for 10 s at most. Returns whether its ops come; else why not is in
// probe_notices().
PROF_TEST_API int probe_look() {
  for (int i = 0; i < 10'000 && !Listening(); ++i) {
    if (const auto notice = Look()) {
      probe->notices += notice->what;
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Listening() ? 1 : 0;
}

// As the collector does it every 20 ms.
PROF_TEST_API void probe_drain() { Drain(); }

// Nobody listens any more.
PROF_TEST_API void probe_stop() { End(); }

PROF_TEST_API const char* probe_notices() { return probe->notices.c_str(); }

PROF_TEST_API void probe_push(const char* name) { capture::PushRange({name, {}}); }
PROF_TEST_API void probe_pop() { capture::PopRange({}); }

// As if the calling thread had launched a kernel that took a microsecond.
PROF_TEST_API void probe_launch(const char* name) {
  const int64_t begin_ns = capture::RealtimeNs();
  const capture::MutexLock lock(probe->mutex);
  const uint32_t correlation = ++probe->launches;
  capture::ApiEvent call{"cudaLaunchKernel", capture::CurrentThreadId(), correlation, 0,
                         begin_ns,           capture::RealtimeNs()};
  probe->encoder.Add(call);
  capture::KernelEvent kernel;
  kernel.name = name;
  kernel.grid = kernel.block = {1, 1, 1};
  kernel.context = 1;
  kernel.stream = 7;
  kernel.correlation = correlation;
  kernel.start_ns = call.end_ns + 1'000;
  kernel.end_ns = kernel.start_ns + 1'000;
  probe->encoder.Add(kernel);
}

// Ends the recording and writes it to `path`. Returns the ops and ranges that were lost.
PROF_TEST_API int64_t probe_end(const char* path) {
  End();
  Drain();
  probe->reader.Stop();
  probe->encoder.WriteLastBlock({}, capture::RealtimeNs());
  std::ofstream(path, std::ios::binary) << probe->output.TakeBytes();
  return static_cast<int64_t>(probe->reader.events_dropped());
}

}  // extern "C"

}  // namespace prof::torch::test
