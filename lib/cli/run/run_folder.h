// SPDX-License-Identifier: Apache-2.0
//
// The recordings of a run with several processes get a folder of their own.
#ifndef PROF_LIB_CLI_RUN_RUN_FOLDER_H_
#define PROF_LIB_CLI_RUN_RUN_FOLDER_H_

#include <string>
#include <vector>

namespace prof::cli {

// Whether the recordings of a run go to a folder: there are several, and the user did not name them
// (a pattern with %p, %h, %r or %i does).
[[nodiscard]] bool WantsFolder(const std::string& pattern, const std::vector<std::string>& files);

// The folder's name for the output `pattern`: "run" for "run.prof"; for the default output
// "prof-<host>-<process id of prof>".
[[nodiscard]] std::string FolderName(const std::string& pattern);

// Makes the folder `name`, or "name.1" where something has that name, and moves `files` into it.
// They are named after rank, process and program: "rank03-pid4711-train.prof". Returns their paths,
// sorted. A file that cannot be moved stays, with a line on stderr. Empty: there is no folder.
[[nodiscard]] std::vector<std::string> MoveToFolder(const std::string& name,
                                                    const std::vector<std::string>& files);

// What a program is called in a file's name: "train" for "/usr/bin/python3 -u train.py --lr 1",
// "solver" for "./solver 8". At most 40 characters, of those that need no quotes.
[[nodiscard]] std::string ProgramLabel(const std::string& command);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_RUN_FOLDER_H_
