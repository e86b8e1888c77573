// SPDX-License-Identifier: Apache-2.0
//
// Runs test/processes/program.cc, or Python, under `prof run` with the fake CUDA.
#ifndef PROF_TEST_PROCESSES_RUN_H_
#define PROF_TEST_PROCESSES_RUN_H_

#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "test/cli/program.h"

namespace prof::test {

// Under `prof run` with `options`, in `folder`.
Ended RunWay(const Folder& folder, const std::string& way,
             const std::vector<std::string>& options = {"-o", "run.prof"});

// Without `prof run`: preloaded, with an output of that name.
Ended RunPreloaded(const Folder& folder, const std::string& way, const std::string& output);

// The names of the recordings below `folder`, sorted: "run/rank0-pid12-solver.prof".
std::vector<std::string> Recordings(const Folder& folder);

// The recording `name` in `folder`; fails the test when the reader refuses it.
model::Model Read(const Folder& folder, const std::string& name);

// Whether a range had this path.
bool HasPath(const model::Model& model, const std::string& full);

}  // namespace prof::test

#endif  // PROF_TEST_PROCESSES_RUN_H_
