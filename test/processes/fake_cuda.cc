// SPDX-License-Identifier: Apache-2.0
//
// The GPU of test/processes, and the calls of a program that uses it. The real capture half records
// it.
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
