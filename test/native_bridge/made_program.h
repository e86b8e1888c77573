// SPDX-License-Identifier: Apache-2.0
//
// Functions that call a launch in known ways: compiled with and without frame pointers, inlined and
// not, and as a library that is loaded and unloaded.
#ifndef PROF_TEST_NATIVE_BRIDGE_MADE_PROGRAM_H_
#define PROF_TEST_NATIVE_BRIDGE_MADE_PROGRAM_H_

extern "C" {

using MadeLaunch = void (*)(void* context);

// Each calls `launch(context)` from the function that its name says, through made_middle().
void made_outer(MadeLaunch launch, void* context);
// With a stack frame whose size the compiler does not know, and with one that it aligns.
void made_with_alloca(MadeLaunch launch, void* context, unsigned bytes);
void made_aligned(MadeLaunch launch, void* context);
// made_middle() inlined into it.
void made_inlined(MadeLaunch launch, void* context);
void made_recursion(MadeLaunch launch, void* context, unsigned depth);
}

#endif  // PROF_TEST_NATIVE_BRIDGE_MADE_PROGRAM_H_
