// SPDX-License-Identifier: Apache-2.0
//
// The injection records a program that does not know of us.
#ifndef PROF_LIB_CAPTURE_INJECTION_H_
#define PROF_LIB_CAPTURE_INJECTION_H_

#include "prof/session.h"

namespace prof {

// Starts the recording that the PROF_* environment asks for, once, and ends it at exit. Returns 1
// (libcuda's convention for "injected") even when nothing can be recorded: the program goes on.
PROF_EXPORT int StartInjectedRecording() noexcept;

// Ends the recording of this process, in 2 s at most: libprof_inject.so calls it from _exit(). Any
// thread; async-signal-safe.
PROF_EXPORT void FinishBeforeExit() noexcept;

}  // namespace prof

// libcuda calls it from cuInit when CUDA_INJECTION64_PATH names the library that has it.
extern "C" PROF_EXPORT int InitializeInjection();

#endif  // PROF_LIB_CAPTURE_INJECTION_H_
