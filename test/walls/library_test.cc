// SPDX-License-Identifier: Apache-2.0
//
// The symbols that libprof.so exports to a program, and the libraries that it needs.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/catch.h"
#include "test/walls/source_tree.h"

namespace prof::walls::library_test {
namespace {

bool IsOurs(const std::string& symbol) {
  for (const char* prefix : {"prof::", "typeinfo for prof::", "typeinfo name for prof::",
                             "vtable for prof::", "InitializeInjection", "prof_torch_"}) {
    if (symbol.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

// The demangled names of a library's dynamic symbols.
std::vector<std::string> ExportsOf(const std::string& library) {
  std::vector<std::string> names;
  for (const std::string& line : OutputOf("nm -D -C --defined-only '" + library + "'")) {
    names.push_back(line.substr(line.find_first_of(' ') + 3));  // "<address> T <name>"
  }
  return names;
}

std::vector<std::string> NeededBy(const std::string& library) {
  std::vector<std::string> names;
  for (const std::string& line : OutputOf("readelf -dW '" + library + "'")) {
    const size_t at = line.find("Shared library: [");
    if (line.find("(NEEDED)") == std::string::npos || at == std::string::npos) continue;
    const size_t start = line.find('[', at) + 1;
    names.push_back(line.substr(start, line.find(']', start) - start));
  }
  return names;
}

// The names in `needed` that are neither the C nor the C++ runtime.
std::vector<std::string> Foreign(std::vector<std::string> needed) {
  const auto is_runtime = [](const std::string& name) {
    for (const char* prefix : {"libc.so.", "libm.so.", "libdl.so.", "libpthread.so.", "librt.so.",
                               "libstdc++.so.", "libgcc_s.so.", "ld-linux"}) {
      if (name.rfind(prefix, 0) == 0) return true;
    }
    return false;
  };
  needed.erase(std::remove_if(needed.begin(), needed.end(), is_runtime), needed.end());
  return needed;
}

TEST_CASE("libprof.so exports prof:: and the injection entries, nothing else") {
  const std::vector<std::string> exports = ExportsOf(PROF_LIBRARY);
  std::vector<std::string> others;
  for (const std::string& name : exports) {
    if (!IsOurs(name)) others.push_back(name);
  }
  CHECK(others == std::vector<std::string>{});
  const auto shows = [&](const std::string& wanted) {
    return std::any_of(exports.begin(), exports.end(),
                       [&](const std::string& name) { return name.rfind(wanted, 0) == 0; });
  };
  CHECK(shows("prof::Session::Session("));
  CHECK(shows("prof::Session::Stop()"));
  CHECK(shows("prof::PushRange("));
  CHECK(shows("InitializeInjectionNvtx2"));
  CHECK(shows("prof_torch_modules"));
  CHECK_FALSE(shows("prof::capture::"));
}

TEST_CASE("libprof.so needs the C and C++ runtime only") {
  const std::vector<std::string> needed = NeededBy(PROF_LIBRARY);
  REQUIRE(!needed.empty());
  CHECK(Foreign(needed) == std::vector<std::string>{});
  CHECK(Foreign({"libc.so.6", "libcupti.so.13"}) == std::vector<std::string>{"libcupti.so.13"});
}

// Threads of ours still run while the program's exit handlers do: what has a destructor for them to
// call (a static std::vector, say) would be read when it is gone.
TEST_CASE("Nothing in libprof.so is destroyed when the program exits") {
  const std::vector<std::string> needed =
      OutputOf(std::string("nm -A --undefined-only ") + PROF_ARCHIVES);
  REQUIRE(needed.size() > 1000);
  std::vector<std::string> destroyed;
  for (const std::string& line : needed) {
    if (line.find("__cxa_atexit") != std::string::npos) destroyed.push_back(line);
  }
  CHECK(destroyed == std::vector<std::string>{});
}

#if defined(__x86_64__)
// All thread-local variables are in the static part, of which the loader reserves 512 bytes for all
// libraries that are opened late: a library that finds no room there is not loaded.
TEST_CASE("The thread-local variables of libprof.so take a part of what late libraries share") {
  constexpr unsigned long kMostBytes = 192;
  unsigned long bytes = 0;
  for (const std::string& line : OutputOf("readelf -lW '" PROF_LIBRARY "'")) {
    std::istringstream fields(line);
    std::string type, offset, address, physical, file_bytes, memory_bytes;
    fields >> type >> offset >> address >> physical >> file_bytes >> memory_bytes;
    if (type == "TLS") bytes = std::stoul(memory_bytes, nullptr, 16);
  }
  CHECK(bytes > 0);
  CHECK(bytes <= kMostBytes);
}
#endif

#ifdef PROF_STATIC_LIBSTDCXX
TEST_CASE("An old libstdc++.so keeps no program with prof from starting: prof brings its own") {
  for (const char* library : {PROF_LIBRARY, PROF_INJECT_LIBRARY}) {
    for (const std::string& name : NeededBy(library)) CHECK(name.rfind("libstdc++", 0) != 0);
  }
}

#if defined(__x86_64__)
TEST_CASE("The C++ runtime in libprof.so is not destroyed when the program exits") {
  std::string function;
  std::vector<std::string> callers;
  for (const std::string& line : OutputOf("objdump -d --no-show-raw-insn '" PROF_LIBRARY "'")) {
    if (!line.empty() && line[0] != ' ' && line.find('<') != std::string::npos) {
      function = line.substr(line.find('<'));
    }
    const bool calls =
        line.find("\tcall") != std::string::npos || line.find("\tjmp") != std::string::npos;
    if (calls && line.find("<__cxa_atexit@") != std::string::npos) callers.push_back(function);
  }
  callers.erase(std::remove(callers.begin(), callers.end(), "<__cxa_atexit@plt>:"), callers.end());
  CHECK(callers == std::vector<std::string>{"<__wrap___cxa_atexit>:"});
}
#endif
#endif

TEST_CASE("libprof_inject.so needs libprof.so and the runtime only") {
  CHECK(Foreign(NeededBy(PROF_INJECT_LIBRARY)) == std::vector<std::string>{"libprof.so.0"});
}

TEST_CASE("libprof_inject.so exports libcuda's entry, the ends of a process, and nothing foreign") {
  const std::vector<std::string> exports = ExportsOf(PROF_INJECT_LIBRARY);
  CHECK(std::count(exports.begin(), exports.end(), "InitializeInjection") == 1);
  const auto meant = [](const std::string& name) {
    const bool of_pytorch = name.rfind("c10::report", 0) == 0;  // torch_bridge/allocator_shim.cc
    return IsOurs(name) || name == "_exit" || name == "_Exit" || of_pytorch;
  };
  CHECK(std::all_of(exports.begin(), exports.end(), meant));
}

}  // namespace
}  // namespace prof::walls::library_test
