// SPDX-License-Identifier: Apache-2.0
//
// `prof run --torch modules` has each Python interpreter of the program load prof's sitecustomize
// (torch_bridge/site), which tells prof of the modules of PyTorch.
#ifndef PROF_LIB_CLI_RUN_PYTHON_HOOKS_H_
#define PROF_LIB_CLI_RUN_PYTHON_HOOKS_H_

#include <string>

#include "lib/cli/base/environment.h"

namespace prof::cli {

// The folder of these files: in prof/site beside `library`, which is the path of libprof_inject.so,
// or beside the one that this program would take. Empty: it is nowhere, and `error` says what to
// do.
[[nodiscard]] std::string FindPythonHooks(const std::string& library, std::string* error);

// Puts `folder` before the other folders of PYTHONPATH.
void AddPythonHooks(const std::string& folder, Environment* environment);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_PYTHON_HOOKS_H_
