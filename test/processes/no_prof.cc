// SPDX-License-Identifier: Apache-2.0
//
// The fake CUDA without a profiler: what programs of test/processes call when nothing records them.
extern "C" {

#define PROF_SHOWN __attribute__((visibility("default")))

PROF_SHOWN int InitializeInjection() { return 1; }
PROF_SHOWN void FakeLaunch(int) {}
PROF_SHOWN void FakePush(const char*) {}
PROF_SHOWN int FakePop() { return -2; }
PROF_SHOWN void FakeHang() {}
PROF_SHOWN void FakeHangAtStop() {}
PROF_SHOWN int FakeSessionRecords() { return 0; }
}
