// SPDX-License-Identifier: Apache-2.0
//
// What a program calls in CUDA and NVTX. The calls go to fake_cuda.cc, in the library that
// CUDA_INJECTION64_PATH names.
#ifndef PROF_TEST_PROCESSES_FAKE_CUDA_CALLS_H_
#define PROF_TEST_PROCESSES_FAKE_CUDA_CALLS_H_

namespace prof::test {

// cuInit(). Ends the program with 90 where no library is injected.
void InitializeCuda();
void Launch(int count);
void Push(const char* name);
int Pop();  // the depth that the range had; -1: none was open, -2: nothing is recorded
void Hang();
void HangAtStop();
int SessionRecords();

}  // namespace prof::test

#endif  // PROF_TEST_PROCESSES_FAKE_CUDA_CALLS_H_
