// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/inject_library.h"

#include <system_error>

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libprof_inject.so";

}  // namespace

std::vector<fs::path> InjectLibraryPlaces(const fs::path& folder, const std::string& to_libraries) {
  const fs::path up = folder / "..";
  return {folder / to_libraries / kLibrary, folder / kLibrary, up / "lib" / kLibrary,
          up / kLibrary};
}

std::vector<fs::path> UsualInjectLibraryPlaces() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  return InjectLibraryPlaces(program.parent_path(), PROF_TO_LIBRARIES);
}

std::string FindInjectLibrary(const std::string& chosen, std::string* error) {
  const std::vector<fs::path> places =
      chosen.empty() ? UsualInjectLibraryPlaces() : std::vector<fs::path>{chosen};
  std::string tried;
  for (const fs::path& place : places) {
    std::error_code failed;
    const fs::path library = fs::canonical(place, failed);
    if (failed || !fs::is_regular_file(library, failed)) {
      tried += (tried.empty() ? "" : ", ") + place.lexically_normal().string();
      continue;
    }
    // The loader splits LD_PRELOAD at spaces and colons, and knows no quotes.
    if (library.string().find_first_of(" :") != std::string::npos) {
      *error = "the path of " + library.string() +
               " has a space or a colon, which LD_PRELOAD cannot hold: copy it "
               "to another folder and name it with --inject";
      return "";
    }
    return library.string();
  }
  *error = "cannot find " + std::string(kLibrary) + " (tried " + tried +
           "): name it with --inject or in PROF_INJECT. A build without CUDA has none";
  return "";
}

}  // namespace prof::cli
