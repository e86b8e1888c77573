// SPDX-License-Identifier: Apache-2.0
//
// libprof_inject.so does not change programs that do not use a GPU.
#include <dlfcn.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test::inject_test {
namespace {

#if defined(PROF_SANITIZED)
constexpr bool kSanitized = true;  // a sanitizer's library cannot come late into a plain program
#else
constexpr bool kSanitized = false;
#endif

struct Result {
  int exit_code = -1;
  std::string output;
};

// Runs a shell command in `folder`.
Result Run(const TempFolder& folder, const std::string& command) {
  Result result;
  FILE* pipe = popen(("cd '" + folder.path() + "' && " + command).c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  size_t bytes = 0;
  while ((bytes = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
    result.output.append(buffer.data(), bytes);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

const std::string kPreloaded = "LD_PRELOAD='" PROF_TEST_INJECT "' ";

TEST_CASE("A preloaded program keeps its exit code, its output, and leaves no file") {
  if (kSanitized) PROF_SKIP("built with a sanitizer");
  const TempFolder folder;
  const Result nothing = Run(folder, kPreloaded + "/bin/true 2>&1");
  CHECK(nothing.exit_code == 0);
  CHECK(nothing.output.empty());
  const Result seven = Run(folder, kPreloaded + "/bin/sh -c 'echo out; echo err >&2; exit 7' 2>&1");
  CHECK(seven.exit_code == 7);
  CHECK(seven.output == "out\nerr\n");
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("A preloaded program's children are as they would be without us") {
  if (kSanitized) PROF_SKIP("built with a sanitizer");
  const TempFolder folder;
  const Result result = Run(
      folder, kPreloaded + "/bin/sh -c '(exit 3); echo $?; /bin/sh -c \"exit 4\"; echo $?' 2>&1");
  CHECK(result.exit_code == 0);
  CHECK(result.output == "3\n4\n");
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("torch.profiler is asked to leave CUPTI to the process, unless the user has chosen") {
  if (kSanitized) PROF_SKIP("built with a sanitizer");
  const TempFolder folder;
  const std::string print = "/bin/sh -c 'echo $TEARDOWN_CUPTI'";
  CHECK(Run(folder, "env -u TEARDOWN_CUPTI " + kPreloaded + print).output == "0\n");
  CHECK(Run(folder, "TEARDOWN_CUPTI=1 " + kPreloaded + print).output == "1\n");
}

TEST_CASE("A program names the injected library to CUDA, and remembers the tool that was there") {
  if (kSanitized) PROF_SKIP("built with a sanitizer");
  const TempFolder folder;
  const std::string print = "/bin/sh -c 'echo $CUDA_INJECTION64_PATH,$PROF_CUDA_NEXT'";
  const std::string inject = PROF_TEST_INJECT;
  const auto output = [&](const std::string& before) {
    return Run(folder, "env -u CUDA_INJECTION64_PATH " + before + kPreloaded + print).output;
  };
  CHECK(output("") == inject + ",\n");
  CHECK(output("CUDA_INJECTION64_PATH=/other.so ") == inject + ",/other.so\n");
  // Another copy of us records, and is not to be started by us as well.
  CHECK(output("CUDA_INJECTION64_PATH=/other/libprof_inject.so ") == "/other/libprof_inject.so,\n");
  // As in a child of that program.
  CHECK(output("CUDA_INJECTION64_PATH='" + inject + "' PROF_CUDA_NEXT=/other.so ") ==
        inject + ",/other.so\n");
  // Somebody took the variable away.
  CHECK(output("PROF_CUDA_NEXT=/other.so ") == inject + ",\n");
}

TEST_CASE("A tool that was named to CUDA before us is started once, before the program goes on") {
  const TempFolder folder;
  const std::string call = PROF_TEST_CALL_INJECTION " '" PROF_TEST_INJECT "' 2>errors";
  const std::string inject = "CUDA_INJECTION64_PATH='" PROF_TEST_INJECT "' ";
  const Result result = Run(folder, inject + "PROF_CUDA_NEXT='" PROF_TEST_OTHER_TOOL "' " + call);
  CHECK(result.exit_code == 7);
  CHECK(result.output == "the other tool's output\nthe program's own output\n");
  // One that is not there, has no entry, or is ourselves.
  for (const char* next : {"/no/such.so", "libm.so.6", PROF_TEST_INJECT, PROF_TEST_LIBRARY}) {
    INFO(next);
    const Result alone = Run(folder, inject + "PROF_CUDA_NEXT='" + next + "' " + call);
    CHECK(alone.exit_code == 7);
    CHECK(alone.output == "the program's own output\n");
  }
}

TEST_CASE("A program that links us and names us to CUDA starts us once") {
  if (kSanitized) PROF_SKIP("built with a sanitizer");
  const TempFolder folder;
  const std::string call = PROF_TEST_CALL_INJECTION " '" PROF_TEST_INJECT "' 2>errors";
  const std::string linked = "LD_PRELOAD='" PROF_TEST_LIBRARY "' ";
  const Result result =
      Run(folder, "CUDA_INJECTION64_PATH='" PROF_TEST_INJECT "' " + linked + "timeout 20 " + call);
  CHECK(result.exit_code == 7);
  CHECK(result.output == "the program's own output\n");
}

TEST_CASE("A recording that finds no GPU reports that on stderr alone, and leaves no file") {
  const TempFolder folder;
  const std::string call = PROF_TEST_CALL_INJECTION " '" PROF_TEST_INJECT "'";
  const Result output = Run(folder, call + " 2>errors");
  CHECK(output.exit_code == 7);
  CHECK(output.output == "the program's own output\n");
  const std::string errors = ReadFile(folder / "errors");
  if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    CHECK(errors.find("prof: no timeline: there is no NVIDIA driver") == 0);
  }
  std::filesystem::remove(folder / "errors");
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("A program that closes the injected library while it records ends as it would") {
  const TempFolder folder;
  const Result result =
      Run(folder, PROF_TEST_CALL_INJECTION " '" PROF_TEST_INJECT "' close 2>errors");
  CHECK(result.exit_code == 7);
  CHECK(result.output == "the program's own output\n");
}

TEST_CASE("A wrong option is named on stderr, and the program runs") {
  const TempFolder folder;
  const std::string call = PROF_TEST_CALL_INJECTION " '" PROF_TEST_INJECT "'";
  const Result output = Run(folder, "PROF_SAMPLES=many " + call + " 2>errors");
  CHECK(output.exit_code == 7);
  CHECK(output.output == "the program's own output\n");
  CHECK(ReadFile(folder / "errors").find("PROF_SAMPLES=many") != std::string::npos);
}

}  // namespace
}  // namespace prof::test::inject_test
