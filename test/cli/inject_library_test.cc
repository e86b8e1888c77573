// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/inject_library.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::cli::inject_library_test {
namespace {

namespace fs = std::filesystem;

// The first of the places that exists, as FindInjectLibrary() takes it.
fs::path FirstOf(const std::vector<fs::path>& places) {
  const auto found =
      std::find_if(places.begin(), places.end(), [](const fs::path& p) { return fs::exists(p); });
  return found == places.end() ? fs::path() : fs::canonical(*found);
}

TEST_CASE("The program finds its library in every layout of an installation, after it was moved") {
  for (const char* libraries :
       {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib/prof/private"}) {
    const prof::test::TempFolder folder;
    const fs::path prefix = fs::canonical(folder.path());
    fs::create_directories(prefix / "bin");
    fs::create_directories(prefix / libraries);
    const fs::path library = prefix / libraries / "libprof_inject.so";
    std::ofstream(library) << "a library";
    CHECK(FirstOf(InjectLibraryPlaces(prefix / "bin", std::string("../") + libraries)) == library);
  }
}

TEST_CASE("The program finds a library beside it, and that of a build folder") {
  for (const char* place : {"bin", "lib", "."}) {
    const prof::test::TempFolder folder;
    const fs::path build = fs::canonical(folder.path());
    fs::create_directories(build / "bin");
    fs::create_directories(build / place);
    const fs::path library = (build / place / "libprof_inject.so").lexically_normal();
    std::ofstream(library) << "a library";
    CHECK(FirstOf(InjectLibraryPlaces(build / "bin", "../lib64")) == library);
  }
}

}  // namespace
}  // namespace prof::cli::inject_library_test
