// SPDX-License-Identifier: Apache-2.0
//
// The program behind a command line: repeated runs have the same one, whatever their arguments are.
#ifndef PROF_LIB_COMPARE_PROGRAM_H_
#define PROF_LIB_COMPARE_PROGRAM_H_

#include <string>
#include <string_view>
#include <vector>

namespace prof::compare {

// The name of the program of a command, without its folder: "app" for "./bin/app --size 4". Of
// Python the script or the module: "train.py" for "python3 -u src/train.py" and for "torchrun
// --nproc-per-node 2 train.py", "pkg.train" for "python -m pkg.train". Empty: it is not known.
[[nodiscard]] std::string ProgramOf(std::string_view command);

// Why the recordings with these commands are no repeats of one program, with both commands and the
// way out. Empty: they are, as far as it is known.
[[nodiscard]] std::string WhyOtherProgram(const std::vector<std::string>& commands);

// How NoteOnCommands() begins.
inline constexpr std::string_view kCommandsDiffer = "the commands of the runs differ";
inline constexpr std::string_view kSeveralPrograms = "the recordings are of several programs";

// What a reader has to know of commands that differ. Empty: they are all equal.
[[nodiscard]] std::string NoteOnCommands(const std::vector<std::string>& commands);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_PROGRAM_H_
