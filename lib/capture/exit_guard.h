// SPDX-License-Identifier: Apache-2.0
//
// The order of things at exit: an active capture stops before the static destructors of libraries
// that it still needs. CUPTI's host library used after its destructors corrupts the heap.
#ifndef PROF_LIB_CAPTURE_EXIT_GUARD_H_
#define PROF_LIB_CAPTURE_EXIT_GUARD_H_

namespace prof::capture {

// What stops the active capture. Any thread.
void SetExitAction(void (*stop)());

// Registers the handler that runs the action. Called before the first recording, for sessions that
// nobody stops, and again by whoever has loaded a library that a capture needs when it stops:
// handlers run in the reverse order of their registration. Once in a process for each caller:
// handlers cannot be taken back.
void GuardExit();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_EXIT_GUARD_H_
