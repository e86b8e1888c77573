// SPDX-License-Identifier: Apache-2.0
//
// A made-up training run of a small transformer, with everything that the page can show and the
// recordings of the repository lack: ops of PyTorch, Python stacks, memory that grows and ends.
#ifndef PROF_TEST_HTML_TRAINING_RECORDING_H_
#define PROF_TEST_HTML_TRAINING_RECORDING_H_

#include <string>

namespace prof::test {

// The bytes of the file, the same in each call.
std::string TrainingRecording();

}  // namespace prof::test

#endif  // PROF_TEST_HTML_TRAINING_RECORDING_H_
