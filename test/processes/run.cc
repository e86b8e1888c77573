// SPDX-License-Identifier: Apache-2.0
#include "test/processes/run.h"

#include <algorithm>
#include <filesystem>

#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"

namespace prof::test {

Ended RunWay(const Folder& folder, const std::string& way,
             const std::vector<std::string>& options) {
  return Prof(RunLine(options, {PROF_TEST_PROCESSES, way}), folder.path());
}

Ended RunPreloaded(const Folder& folder, const std::string& way, const std::string& output) {
  return Program({PROF_TEST_PROCESSES, way}, folder.path(),
                 {std::string("LD_PRELOAD=") + PROF_INJECT_NOTHING, "PROF_OUTPUT=" + output})
      .Wait();
}

std::vector<std::string> Recordings(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.path().extension() != ".prof" || !entry.is_regular_file()) continue;
    names.push_back(entry.path().lexically_relative(folder.path()).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

model::Model Read(const Folder& folder, const std::string& name) {
  absl::StatusOr<model::Model> model = ReadSnapshotFile(folder.File(name));
  INFO(name << ": " << model.status());
  REQUIRE(model.ok());
  return *std::move(model);
}

bool HasPath(const model::Model& model, const std::string& full) {
  return std::any_of(model.paths.begin(), model.paths.end(),
                     [&](const model::RangePath& path) { return path.full == full; });
}

}  // namespace prof::test
