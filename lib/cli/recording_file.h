// SPDX-License-Identifier: Apache-2.0
//
// Files that commands read and write: recordings, and the text that is made from them.
#ifndef PROF_LIB_CLI_RECORDING_FILE_H_
#define PROF_LIB_CLI_RECORDING_FILE_H_

#include <string>
#include <vector>

namespace prof::cli {

// Why the recording `path` cannot be opened, and the way out; empty: it can be opened. The reader
// of recordings describes damaged content.
[[nodiscard]] std::string ReadProblem(const std::string& path);

// Why a report on `recordings` cannot go to `output`, and the way out; empty: it can. It must not
// be a folder, and a report must not replace the recording that it is made from.
[[nodiscard]] std::string OutputProblem(const std::string& output,
                                        const std::vector<std::string>& recordings);

// Writes `text` to the file `output`, or to stdout when that is empty. False after a message.
[[nodiscard]] bool WriteOutput(const std::string& text, const std::string& output);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RECORDING_FILE_H_
