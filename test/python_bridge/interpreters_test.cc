// SPDX-License-Identifier: Apache-2.0
//
// Runs stacks.py under each Python that was found.
#include <array>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_recorder.h"
#include "python_bridge/python_layout.h"
#include "test/support/catch.h"

namespace prof::python::test::interpreters_test {
namespace {

struct Output {
  std::string text;
  int status = -1;
};

Output RunCommand(const std::string& command) {
  Output output;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer{};
  size_t read = 0;
  while ((read = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
    output.text.append(buffer.data(), read);
  }
  output.status = pclose(pipe);
  return output;
}

// Those that run, are of a version that prof reads, and have the GIL.
std::vector<std::string> Interpreters() {
  std::vector<std::string> found;
  std::istringstream list(PROF_TEST_PYTHONS);
  for (std::string python; std::getline(list, python, '|');) {
    const Output output = RunCommand(
        "'" + python +
        "' -c \"import sys; v = sys.version_info; print('usable' if sys.implementation.name == "
        "'cpython' and (3, 10) <= v[:2] <= (3, 14) and getattr(sys, '_is_gil_enabled', lambda: "
        "True)() else 'no')\"");
    if (output.status == 0 && output.text == "usable\n") found.push_back(python);
  }
  return found;
}

void Check(const std::string& name, const std::string& script = PROF_TEST_STACKS_SCRIPT) {
#if defined(PROF_SANITIZED)
  PROF_SKIP("built with a sanitizer, which a plain Python does not have");
#endif
  const std::vector<std::string> pythons = Interpreters();
  if (pythons.empty()) {
    WARN("[skipped] there is no Python 3.10 to 3.14");
    return;
  }
  for (const std::string& python : pythons) {
    INFO(python);
    const Output output =
        RunCommand("'" + python + "' " + script + " " PROF_TEST_WALK_LIBRARY " " + name);
    INFO(output.text);
    CHECK(output.status == 0);
    CHECK(output.text.find("ok " + name) != std::string::npos);
  }
}

TEST_CASE("Stacks are those of the traceback module") { Check("plain"); }
TEST_CASE("Stacks of methods, properties and finalizers are those of Python") { Check("methods"); }
TEST_CASE("Deep stacks keep their innermost 128 frames") { Check("recursion"); }
TEST_CASE("Stacks of generators are those of Python") { Check("generators"); }
TEST_CASE("Stacks of coroutines are those of Python") { Check("coroutines"); }
TEST_CASE("Code that takes the address of other code has its own lines") { Check("executed"); }
TEST_CASE("Names beyond ASCII arrive as UTF-8, and long ones are cut") { Check("unicode"); }
TEST_CASE("Each thread has its own stack") { Check("threads"); }
TEST_CASE("Threads walk while others make and drop code") { Check("stress"); }

void CheckSamples(const std::string& name) { Check(name, PROF_TEST_SAMPLES_SCRIPT); }

TEST_CASE("Samples name the line of a loop") { CheckSamples("busy"); }
TEST_CASE("Samples of functions that come and go are stacks that were there") {
  CheckSamples("calls");
}
TEST_CASE("Samples name the line that sleeps") { CheckSamples("sleep"); }
TEST_CASE("Samples name the line that waits for a lock") { CheckSamples("lock"); }
TEST_CASE("Samples name the line that waits for a queue") { CheckSamples("queue"); }
TEST_CASE("Samples name the line that calls json") { CheckSamples("json"); }
TEST_CASE("Samples of deep recursion have the innermost 128 frames") { CheckSamples("recursion"); }
TEST_CASE("Threads may end while they are sampled") { CheckSamples("threads"); }
TEST_CASE("Samples of a thread without Python have no frames") { CheckSamples("native"); }
TEST_CASE("A program forks while it is sampled") { CheckSamples("fork"); }
TEST_CASE("Threads make and drop code while they are sampled") { CheckSamples("stress"); }
TEST_CASE("The sampler opens no file in the program's table") { CheckSamples("files"); }

TEST_CASE("Each version of Python that prof reads is tested where it is installed") {
  std::string found;
  for (const std::string& python : Interpreters()) {
    found +=
        RunCommand("'" + python + "' -c \"import sys; print('3.%d' % sys.version_info[1])\"").text;
  }
  for (const char* const version : {"3.10", "3.11", "3.12", "3.13", "3.14"}) {
    if (found.find(version) != std::string::npos) continue;
    WARN("[skipped] there is no Python " << version << ": its stacks were not compared");
  }
}

TEST_CASE("A program without Python has no stacks, no problem, and pays for nothing") {
  CHECK_FALSE(FindPython().any());
  capture::StackSource* const source = capture::RegisteredStackSource(capture::StackKind::kPython);
  REQUIRE(source != nullptr);
  source->Start(true);
  CHECK(capture::stack_walker.load() == nullptr);
  CHECK(capture::CurrentStack() == capture::kNoStack);
  CHECK(source->problem().empty());
  CHECK(source->dropped() == 0);
  source->Stop();
}

TEST_CASE("An interpreter of another version is refused by name") {
  PythonSymbols python;
  python.this_thread_state = python.code_type = python.text_type = python.bytes_type = 1;
  PythonLayout layout;
  for (const auto& [major, minor] : {std::pair(3, 9), {3, 15}, {4, 0}, {2, 7}, {0, 0}}) {
    python.major = major;
    python.minor = minor;
    CHECK(LayoutOf(python, &layout) == "prof reads CPython 3.10 to 3.14, and this is " +
                                           std::to_string(major) + "." + std::to_string(minor));
  }
  python.major = 3;
  for (const uint64_t minor : {13, 14}) {
    const std::string name = "3." + std::to_string(minor);
    python.minor = static_cast<int>(minor);
    python.runtime = 0;
    CHECK(LayoutOf(python, &layout) == "it does not have the table of offsets of CPython " + name);
    alignas(8) char runtime[1024] = "xdebugpy";
    const uint64_t version = 0x030001f0 | minor << 16, free_threaded = 1, far = 1 << 12;
    std::memcpy(runtime + 8, &version, sizeof(version));
    std::memcpy(runtime + 16, &free_threaded, sizeof(free_threaded));
    python.runtime = reinterpret_cast<uintptr_t>(runtime);
    CHECK(LayoutOf(python, &layout) == "it runs without the GIL (free-threaded)");
    std::memset(runtime + 16, 0, sizeof(free_threaded));
    const std::string other = "its table of offsets has other contents than that of " + name;
    CHECK(LayoutOf(python, &layout) == other);  // a state has its links in one place
    std::memcpy(runtime + 8 * (minor == 13 ? 30 : 33), &far, sizeof(far));
    CHECK(LayoutOf(python, &layout) == other);
  }
  python.bytes_type = 0;
  CHECK(LayoutOf(python, &layout) == "it does not export its types");
}

}  // namespace
}  // namespace prof::python::test::interpreters_test
