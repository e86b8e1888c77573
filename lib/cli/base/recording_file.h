// SPDX-License-Identifier: Apache-2.0
//
// Files that commands read and write: recordings, and the text that is made from them.
#ifndef PROF_LIB_CLI_BASE_RECORDING_FILE_H_
#define PROF_LIB_CLI_BASE_RECORDING_FILE_H_

#include <string>

#include "prof/snapshot.h"

namespace prof::cli {

// Why the recording `path` cannot be opened, and the way out; empty: it can be opened. The reader
// of recordings describes damaged content. "-" is standard input.
[[nodiscard]] std::string ReadProblem(const std::string& path);

// The recording `path`. A pipe, and standard input ("-"), is read into memory here: it can be read
// only once. Sets `problem` to why it cannot be read, and the way out. Waits for a named pipe that
// nobody has opened for writing for 3 s at most, and for a slow writer as long as it takes.
[[nodiscard]] Snapshot OpenRecording(const std::string& path, std::string* problem);

// Prints a line on stderr when the recording `path` is not complete, and `why`.
void WarnIfIncomplete(const std::string& path, const std::string& why);

// Whether the file `path` begins as a recording does. False where it cannot be read.
[[nodiscard]] bool IsRecording(const std::string& path);

// Whether `output` names standard output: "-".
[[nodiscard]] bool IsStandardOutput(const std::string& output);

// Writes `text` to the file `output`, or to stdout when that is empty or "-". False after a
// message.
[[nodiscard]] bool WriteOutput(const std::string& text, const std::string& output);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_RECORDING_FILE_H_
