// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/python_hooks.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::cli::python_hooks_test {
namespace {

namespace fs = std::filesystem;

// The path of a library with prof's Python files beside it, in `folder`.
std::string LibraryIn(const fs::path& folder) {
  fs::create_directories(folder / "prof" / "site");
  std::ofstream(folder / "prof" / "site" / "sitecustomize.py") << "# a file\n";
  return (folder / "libprof_inject.so").string();
}

TEST_CASE("The Python files are found beside the library") {
  const prof::test::TempFolder folder;
  const std::string library = LibraryIn(folder / "lib");
  std::string error;
  CHECK(FindPythonHooks(library, &error) == fs::canonical(folder / "lib/prof/site").string());
  CHECK(error.empty());
}

TEST_CASE("Python files that are nowhere, or cannot be named in PYTHONPATH, are an error") {
  const prof::test::TempFolder folder;
  std::string error;
  CHECK(FindPythonHooks(folder / "libprof_inject.so", &error).empty());
  CHECK(error.find("cannot find the folder prof/site") == 0);
  CHECK(FindPythonHooks(LibraryIn(folder / "a:b"), &error).empty());
  CHECK(error.find("has a colon") != std::string::npos);
}

TEST_CASE("The Python files come before the user's folders") {
  Environment environment;
  environment.Set("PYTHONPATH", "");
  AddPythonHooks("/prof/site", &environment);
  CHECK(environment.Get("PYTHONPATH") == "/prof/site");
  environment.Set("PYTHONPATH", "/mine:/other");
  AddPythonHooks("/prof/site", &environment);
  CHECK(environment.Get("PYTHONPATH") == "/prof/site:/mine:/other");
}

}  // namespace
}  // namespace prof::cli::python_hooks_test
