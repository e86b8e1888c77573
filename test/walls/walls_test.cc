// SPDX-License-Identifier: Apache-2.0
//
// The layers of docs/internals/architecture.md, held against the source files.
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "test/support/catch.h"
#include "test/walls/include_rules.h"
#include "test/walls/rooms.h"
#include "test/walls/source_tree.h"

namespace prof::walls::walls_test {
namespace {

const std::vector<std::string> kProductFolders = {"include",       "lib",          "cupti_backend",
                                                  "native_bridge", "nvtx_bridge",  "python",
                                                  "python_bridge", "torch_bridge", "examples"};

// Options come from one file in the library. The injected library announces itself to CUDA and to
// NVTX, which read the environment before any code of ours runs; the program prof
// prepares the environment of the program that it starts. Tests of users may be forbidden to skip.
bool MayTouchEnvironment(const std::string& path) {
  static const std::set<std::string> files = {
      "lib/capture/environment.cc",      "lib/capture/inject_shim.cc",
      "nvtx_bridge/environment_hook.cc", "lib/cli/base/environment.cc",
      "lib/cli/base/terminal.cc",        "include/prof/expect.h"};
  return files.count(path) != 0;
}

bool TouchesEnvironment(const std::string& text) {
  static const std::set<std::string> names = {"getenv", "secure_getenv", "setenv",
                                              "putenv", "unsetenv",      "environ"};
  std::string identifier;
  for (const char c : StripComments(text) + '\n') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      identifier += c;
    } else {
      if (names.count(identifier) != 0) return true;
      identifier.clear();
    }
  }
  return false;
}

TEST_CASE("Every file includes only what its folder may") {
  const std::vector<SourceFile> files = ReadSources(kProductFolders);
  REQUIRE(files.size() > 20);
  std::vector<std::string> violations;
  for (const SourceFile& file : files) {
    for (std::string& violation : Violations(file.path, file.text)) violations.push_back(violation);
  }
  CHECK(violations == std::vector<std::string>{});
}

TEST_CASE("A planted violation of each wall is found") {
  const auto count = [](const char* path, const char* include) {
    return Violations(path, std::string("  #  include ") + include + "\n").size();
  };
  CHECK(count("lib/analyzer/x.cc", "<cupti.h>") == 1);
  CHECK(count("lib/analyzer/x.cc", "\"lib/report/text/text.h\"") == 1);
  CHECK(count("lib/analyzer/x.cc", "\"prof/snapshot.pb.h\"") == 1);
  CHECK(count("lib/capture/x.cc", "\"absl/strings/str_cat.h\"") == 1);
  CHECK(count("lib/capture/x.cc", "\"cupti_backend/api/cupti_api.h\"") == 1);
  CHECK(count("lib/capture/x.cc", "<google/protobuf/message.h>") == 1);
  CHECK(count("lib/capture/x.cc", "<nvtx3/nvToolsExt.h>") == 1);
  CHECK(count("lib/capture/x.cc", "<cuda_runtime_api.h>") == 1);
  CHECK(count("nvtx_bridge/x.cc", "<cupti_callbacks.h>") == 1);
  CHECK(count("cupti_backend/x.cc", "<nvtx3/nvToolsExt.h>") == 1);
  CHECK(count("include/prof/x.h", "<unistd.h>") == 1);
  CHECK(count("include/prof/session.h", "<catch2/catch.hpp>") == 1);
  CHECK(count("lib/report/x.cc", "<cuda.h>") == 1);
  CHECK(count("lib/format/framing.h", "\"lib/snapshot/model/model.h\"") == 1);
  CHECK(count("lib/elsewhere/x.cc", "<string>") == 1);
  CHECK(count("lib/cli/main.cc", "\"cupti_backend/metrics/metric_catalogue.h\"") == 1);
  CHECK(count("lib/cli/metrics/metrics_command.cc", "\"cupti_backend/metrics/metric_host.h\"") ==
        1);
  CHECK(count("cupti_backend/metrics/metric_catalogue.h", "<cupti.h>") == 1);
  CHECK(count("cupti_backend/metrics/metric_catalogue.h", "\"cupti_backend/api/cupti_api.h\"") ==
        1);
  CHECK(count("lib/capture/x.cc", "\"events.h\"") == 1);

  CHECK(count("lib/capture/x.cc", "\"lib/format/framing.h\"") == 0);
  CHECK(count("lib/analyzer/x.cc", "\"lib/format/metric_aliases.h\"") == 0);
  CHECK(count("lib/cli/metrics/metrics_command.cc",
              "\"cupti_backend/metrics/metric_catalogue.h\"") == 0);
  CHECK(count("lib/snapshot/x.cc", "\"prof/snapshot.pb.h\"") == 0);
  CHECK(count("cupti_backend/x.cc", "<cupti.h>") == 0);
  CHECK(count("lib/capture/x.cc", "<unistd.h>") == 0);
}

TEST_CASE("A file includes its own room and those below, not those above") {
  CHECK(RoomViolation("lib/capture/wire/x.cc", "lib/capture/threads/y.h").empty());
  CHECK(RoomViolation("lib/capture/wire/x.cc", "lib/capture/wire/y.h").empty());
  CHECK(RoomViolation("lib/capture/x.cc", "lib/capture/collector/y.h").empty());
  CHECK(RoomViolation("cupti_backend/x.cc", "lib/capture/collector/y.h").empty());
  CHECK_FALSE(RoomViolation("lib/capture/process/x.cc", "lib/capture/threads/y.h").empty());
  CHECK_FALSE(RoomViolation("lib/capture/wire/x.cc", "lib/capture/session.h").empty());
  CHECK_FALSE(RoomViolation("lib/capture/attic/x.cc", "lib/capture/wire/y.h").empty());
}

std::string ArchitecturePage() {
  std::ifstream in(std::string(PROF_SOURCE_DIR) + "/docs/internals/architecture.md");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST_CASE("The architecture page has each wall that is enforced") {
  const std::string page = ArchitecturePage();
  std::vector<std::string> missing;
  for (const std::string& row : WallRows()) {
    if (page.find(row + "\n") == std::string::npos) missing.push_back(row);
  }
  CHECK(missing == std::vector<std::string>{});
}

TEST_CASE("The architecture page draws the rooms in the order that is enforced") {
  const std::string page = ArchitecturePage();
  std::vector<std::string> missing;
  for (const Part& part : Parts()) {
    const std::string line = std::string(part.folder) + "/: " + OrderOf(part);
    if (page.find(line) == std::string::npos) missing.push_back(line);
  }
  CHECK(missing == std::vector<std::string>{});
}

TEST_CASE("Only the files that are there for it touch the environment") {
  CHECK(TouchesEnvironment("const char* v = std::getenv(\"HOME\");"));
  CHECK_FALSE(
      TouchesEnvironment("// getenv is not called here\n/* nor\nsetenv */ f(\"environ\");"));
  std::vector<std::string> offenders;
  for (const SourceFile& file :
       ReadSources({"include", "lib", "cupti_backend", "nvtx_bridge", "native_bridge", "python",
                    "python_bridge", "torch_bridge"})) {
    if (TouchesEnvironment(file.text) && !MayTouchEnvironment(file.path)) {
      offenders.push_back(file.path);
    }
  }
  CHECK(offenders == std::vector<std::string>{});
}

TEST_CASE("Every source file names its licence in the first line") {
  std::vector<std::string> without;
  for (const SourceFile& file :
       ReadSources({"include", "lib", "cupti_backend", "native_bridge", "nvtx_bridge", "python",
                    "python_bridge", "torch_bridge", "examples", "bench", "test"})) {
    if (file.text.rfind("// SPDX-License-Identifier: Apache-2.0\n", 0) != 0) {
      without.push_back(file.path);
    }
  }
  CHECK(without == std::vector<std::string>{});
}

}  // namespace
}  // namespace prof::walls::walls_test
