// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libprof_inject.so";

bool IsEntryOf(const std::string& entry, const std::string& name) {
  return entry.size() > name.size() && entry.compare(0, name.size(), name) == 0 &&
         entry[name.size()] == '=';
}

std::vector<fs::path> UsualPlaces() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  const fs::path folder = program.parent_path();
  const fs::path up = folder / "..";  // the build folder, or the installation
  return {folder / kLibrary, up / kLibrary, up / "lib" / kLibrary,
          up / "lib" / "x86_64-linux-gnu" / kLibrary};
}

}  // namespace

Environment::Environment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries_.emplace_back(*entry);
  }
}

std::optional<std::string> Environment::Get(const std::string& name) const {
  for (const std::string& entry : entries_) {
    if (IsEntryOf(entry, name)) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

void Environment::Set(const std::string& name, const std::string& value) {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const std::string& entry) { return IsEntryOf(entry, name); }),
                 entries_.end());
  entries_.push_back(name + "=" + value);
}

void Environment::SetIfAbsent(const std::string& name, const std::string& value) {
  if (Get(name).value_or("").empty()) Set(name, value);
}

void Inject(const std::string& library, Environment* environment) {
  const std::string preloaded = environment->Get("LD_PRELOAD").value_or("");
  environment->Set("LD_PRELOAD", preloaded.empty() ? library : library + ":" + preloaded);
  environment->SetIfAbsent("CUDA_INJECTION64_PATH", library);
  environment->SetIfAbsent("NVTX_INJECTION64_PATH", library);
}

std::string FindInjectLibrary(const std::string& chosen, std::string* error) {
  std::vector<fs::path> places;
  const char* from_environment = std::getenv("PROF_INJECT");
  if (!chosen.empty()) {
    places = {chosen};
  } else if (from_environment != nullptr && *from_environment != '\0') {
    places = {from_environment};
  } else {
    places = UsualPlaces();
  }
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
