// SPDX-License-Identifier: Apache-2.0
//
// The output check keeps commands from replacing what they read, and recordings, which nobody can
// make again.
#ifndef PROF_LIB_CLI_BASE_OUTPUT_CHECK_H_
#define PROF_LIB_CLI_BASE_OUTPUT_CHECK_H_

#include <string>
#include <vector>

namespace prof::cli {

// Why the command must not write the file `output`, and the way out; empty: it may. It may not
// where that is a folder, one of `inputs`, or a recording. `option` names the output: "-o",
// "--html". An input is a file, "-" for standard input, or a folder, which stands for the
// recordings in it; one that does not exist is none. Links and other names of a file are seen
// through. An empty output and
// "-" are standard output.
//
// A command calls this before it reads anything.
[[nodiscard]] std::string OutputProblem(const std::string& option, const std::string& output,
                                        const std::vector<std::string>& inputs);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_OUTPUT_CHECK_H_
