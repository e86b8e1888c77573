// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/python_hooks.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "lib/cli/base/inject_library.h"

namespace prof::cli {

namespace fs = std::filesystem;

std::string FindPythonHooks(const std::string& library, std::string* error) {
  std::vector<fs::path> libraries = UsualInjectLibraryPlaces();
  libraries.insert(libraries.begin(), library);
  for (const fs::path& place : libraries) {
    std::error_code failed;
    const fs::path folder = fs::canonical(place.parent_path() / "prof" / "site", failed);
    if (failed || !fs::is_regular_file(folder / "sitecustomize.py", failed)) continue;
    if (folder.string().find(':') == std::string::npos) return folder.string();
    *error = "the path of " + folder.string() +
             " has a colon, which PYTHONPATH cannot hold: copy prof to another folder, or record "
             "with --torch ops";
    return "";
  }
  *error =
      "cannot find the folder prof/site with sitecustomize.py beside libprof_inject.so: install "
      "prof again, or record with --torch ops";
  return "";
}

void AddPythonHooks(const std::string& folder, Environment* environment) {
  const std::string others = environment->Get("PYTHONPATH").value_or("");
  environment->Set("PYTHONPATH", others.empty() ? folder : folder + ":" + others);
}

}  // namespace prof::cli
