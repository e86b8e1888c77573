// SPDX-License-Identifier: Apache-2.0
//
// The GPU of test/processes, and the calls of a program that uses it. The real capture half records
// it.
#include <atomic>
#include <string>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_recorder.h"
#include "prof/session.h"
#include "test/capture/collector/fake_source.h"
#include "test/capture/wire/events.h"

namespace {

// Never destroyed: a recording may end after static destructors.
prof::capture::test::FakeGpu* const gpu = new prof::capture::test::FakeGpu;

}  // namespace

extern "C" {

#define PROF_SHOWN __attribute__((visibility("default")))

// `count` kernels ran.
PROF_SHOWN void FakeLaunch(int count) {
  for (int i = 0; i < count; ++i) {
    gpu->Emit([](prof::capture::Encoder& encoder) { encoder.Add(prof::capture::test::AKernel()); });
  }
}

// The calling thread launches a kernel that takes 1 us.
PROF_SHOWN void FakeLaunchNow(const char* name) {
  static std::atomic<uint32_t> launches{1'000};
  using namespace prof::capture;
  ApiEvent call{"cudaLaunchKernel", CurrentThreadId(), ++launches, 0, RealtimeNs(), 0};
  call.end_ns = RealtimeNs();
  KernelEvent kernel;
  kernel.grid = kernel.block = {1, 1, 1};
  kernel.context = 1;
  kernel.stream = 7;
  kernel.correlation = call.correlation;
  kernel.start_ns = call.end_ns + 1'000;
  kernel.end_ns = kernel.start_ns + 1'000;
  gpu->Emit([call, kernel, name = std::string(name)](Encoder& encoder) mutable {
    encoder.Add(call);
    kernel.name = name.c_str();
    encoder.Add(kernel);
  });
}

PROF_SHOWN void FakePush(const char* name) { prof::capture::PushRange({name, ""}); }
PROF_SHOWN int FakePop() { return prof::capture::PopRange(""); }

// From now on the GPU never goes idle, or CUPTI does not come back when it is stopped.
PROF_SHOWN void FakeHang() { gpu->Hang(); }
PROF_SHOWN void FakeHangAtStop() { gpu->HangAtStop(); }

// How many kernels a Session of this process records, of three.
PROF_SHOWN int FakeSessionRecords() {
  prof::Session session;
  FakeLaunch(3);
  return static_cast<int>(session.Stop().integrity().kernels);
}
}
