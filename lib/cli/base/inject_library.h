// SPDX-License-Identifier: Apache-2.0
//
// `prof run` finds libprof_inject.so, wherever the installation keeps libraries.
#ifndef PROF_LIB_CLI_BASE_INJECT_LIBRARY_H_
#define PROF_LIB_CLI_BASE_INJECT_LIBRARY_H_

#include <filesystem>
#include <string>
#include <vector>

namespace prof::cli {

// Where libprof_inject.so may lie, for a program in `folder`: in its installation, whose libraries
// are in `to_libraries` as seen from there ("../lib64"); beside it; or in the folder of a build.
[[nodiscard]] std::vector<std::filesystem::path> InjectLibraryPlaces(
    const std::filesystem::path& folder, const std::string& to_libraries);

// The same places for this program.
[[nodiscard]] std::vector<std::filesystem::path> UsualInjectLibraryPlaces();

// The path of libprof_inject.so: `chosen`, else the first of the places above for this program.
// Empty: it is nowhere, and `error` names the places and the way out.
[[nodiscard]] std::string FindInjectLibrary(const std::string& chosen, std::string* error);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_INJECT_LIBRARY_H_
