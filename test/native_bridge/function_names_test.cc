// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/function_names.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "native_bridge/module_list.h"
#include "test/native_bridge/made_program.h"
#include "test/support/catch.h"

namespace prof::native::test::function_names_test {
namespace {

struct Place {
  std::string build_id;
  uint64_t offset = 0;
};

Place PlaceIn(const char* path, const char* name) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const auto address = reinterpret_cast<uintptr_t>(dlsym(library, name)) + 1;
  ModuleList modules;
  const std::shared_ptr<const Module> module = modules.Find(address);
  REQUIRE(module != nullptr);
  CHECK(module->path == path);
  Place place{module->build_id, address - module->bias};
  dlclose(library);
  return place;
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("A function has its name where the file has the build id") {
  const Place place = PlaceIn(PROF_TEST_LIBRARY_A, "made_in_a");
  CHECK(place.build_id.size() == 40);
  FunctionNames names;
  CHECK(names.NameAt(PROF_TEST_LIBRARY_A, place.build_id, place.offset) == "made_in_a");
  CHECK(names.NameAt(PROF_TEST_LIBRARY_A, place.build_id, 0).empty());
  CHECK(names.NameAt(PROF_TEST_LIBRARY_A, place.build_id, uint64_t{1} << 60).empty());
  FunctionNames others;
  CHECK(others.NameAt(PROF_TEST_LIBRARY_A, "00", place.offset).empty());
}

TEST_CASE("A stripped library has the names that it exports") {
  const Place place = PlaceIn(PROF_TEST_LIBRARY_STRIPPED, "made_in_a");
  FunctionNames names;
  CHECK(names.NameAt(PROF_TEST_LIBRARY_STRIPPED, place.build_id, place.offset) == "made_in_a");
}

TEST_CASE("Files that are gone, no files, or damaged have no names") {
  const Place place = PlaceIn(PROF_TEST_LIBRARY_A, "made_in_a");
  const std::string whole = ReadAll(PROF_TEST_LIBRARY_A);
  const std::string path = std::string(PROF_TEST_FOLDER) + "/damaged.so";
  for (const char* const other : {"/nowhere/lib.so", "/dev/zero", "/proc/self", ""}) {
    FunctionNames names;
    CHECK(names.NameAt(other, place.build_id, place.offset).empty());
  }
  // Cut off anywhere, and with any byte of its headers changed: an answer, whatever it is.
  for (size_t i = 0; i < 200; ++i) {
    std::string bytes = whole;
    if (i % 2 == 0) {
      bytes.resize(whole.size() * i / 200);
    } else {
      bytes[(i * 7919) % bytes.size()] ^= static_cast<char>(0xff);
      bytes[i % 64] ^= static_cast<char>(i);
    }
    std::ofstream(path, std::ios::binary) << bytes;
    FunctionNames names;
    const std::string name = names.NameAt(path, place.build_id, place.offset);
    CHECK(name.size() <= 1024);
  }
  unlink(path.c_str());
  const std::string pipe = std::string(PROF_TEST_FOLDER) + "/names.fifo";
  unlink(pipe.c_str());
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  FunctionNames names;
  CHECK(names.NameAt(pipe, place.build_id, place.offset).empty());  // and does not wait
  unlink(pipe.c_str());
}

TEST_CASE("A library that was built again under its name has the names of each build") {
  const std::string path = std::string(PROF_TEST_FOLDER) + "/plugin.so";
  const auto put = [&](const char* from) {
    unlink(path.c_str());  // a linker makes a new file, too
    std::ofstream(path, std::ios::binary) << ReadAll(from);
  };
  const Place first = PlaceIn(PROF_TEST_LIBRARY_A, "made_in_a");
  const Place second = PlaceIn(PROF_TEST_LIBRARY_B, "made_in_b");
  REQUIRE(first.build_id != second.build_id);
  FunctionNames names;
  CHECK(names.NameAt(path, first.build_id, first.offset).empty());  // not there yet
  put(PROF_TEST_LIBRARY_A);
  CHECK(names.NameAt(path, first.build_id, first.offset) == "made_in_a");
  put(PROF_TEST_LIBRARY_B);
  CHECK(names.NameAt(path, second.build_id, second.offset) == "made_in_b");
  CHECK(names.NameAt(path, first.build_id, first.offset).empty());
  unlink(path.c_str());
}

}  // namespace
}  // namespace prof::native::test::function_names_test
