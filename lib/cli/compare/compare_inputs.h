// SPDX-License-Identifier: Apache-2.0
//
// The recordings of a comparison: files and folders become reports.
#ifndef PROF_LIB_CLI_COMPARE_COMPARE_INPUTS_H_
#define PROF_LIB_CLI_COMPARE_COMPARE_INPUTS_H_

#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::cli {

// The recordings that `paths` name: files as they are, and the *.prof of folders, sorted. Sets
// `problem` where a folder has none.
[[nodiscard]] std::vector<std::string> RecordingsOf(const std::vector<std::string>& paths,
                                                    std::string* problem);

// The runs of `paths`, or with RunSet::error, which then names the file. Prints a line on stderr
// for each recording that is not complete, and then clears `all_complete` where that is given.
[[nodiscard]] RunSet CollectRuns(const std::vector<std::string>& paths,
                                 bool* all_complete = nullptr);

// The same for runs that are taken as equal, as those of `prof noise` and of a baseline: recordings
// of several programs are an error, because their times would be noise.
[[nodiscard]] RunSet CollectEqualRuns(const std::vector<std::string>& paths);

// Writes the file whole, or leaves the one that was there. A device or a pipe is written to, not
// replaced. False after a message.
[[nodiscard]] bool ReplaceFile(const std::string& path, const std::string& text);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_COMPARE_COMPARE_INPUTS_H_
