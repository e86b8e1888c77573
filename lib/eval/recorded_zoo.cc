// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/recorded_zoo.h"

#include <map>
#include <utility>

#include "lib/eval/label_json.h"
#include "prof/analyzer.h"
#include "prof/report.h"
#include "prof/snapshot.h"

namespace prof::eval {
namespace {

using Json = nlohmann::json;
using Kernels = std::map<std::string, KernelReport>;  // by name

// Report::kernels are by total time, descending: the first one of a name counts.
std::string AddRecording(const std::filesystem::path& path, Kernels* kernels) {
  Report report = Analyze(Snapshot::FromFile(path.string()));
  if (!report.error.empty()) return path.string() + ": " + report.error;
  for (KernelReport& kernel : report.kernels) {
    std::string name = kernel.name;
    kernels->emplace(std::move(name), std::move(kernel));
  }
  return "";
}

std::string AddRecordings(const std::filesystem::path& folder, const Json& files,
                          Kernels* kernels) {
  for (const Json& file : files) {
    const std::filesystem::path name = file.get<std::string>();
    if (name.has_parent_path()) return name.string() + " is no file beside the labels";
    std::string problem = AddRecording(folder / name, kernels);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::optional<KernelReport> Find(const Kernels& kernels, const std::string& name) {
  const auto found = kernels.find(name);
  return found == kernels.end() ? std::nullopt : std::optional<KernelReport>(found->second);
}

}  // namespace

std::string ReadRecordedKernels(const std::filesystem::path& path, const Json& root,
                                std::vector<LabelledKernel>* kernels) {
  const Json& recordings = root.at("recordings");
  Kernels with_all, with_default;
  std::string problem = AddRecordings(path.parent_path(), recordings.at("all"), &with_all);
  if (problem.empty()) {
    problem = AddRecordings(path.parent_path(), recordings.at("default"), &with_default);
  }
  if (!problem.empty()) return problem;
  for (const Json& value : root.at("kernels")) {
    LabelledKernel one;
    one.kernel.name = value.at("name").get<std::string>();
    one.family = value.at("family").get<std::string>();
    one.file = path.filename().string();
    one.is_recorded = true;
    one.label = ToLabel(value.at("label"));
    one.with_all = Find(with_all, one.kernel.name);
    one.with_default = Find(with_default, one.kernel.name);
    one.all_was_recorded = !recordings.at("all").empty();
    one.default_was_recorded = !recordings.at("default").empty();
    kernels->push_back(std::move(one));
  }
  return "";
}

}  // namespace prof::eval
