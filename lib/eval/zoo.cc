// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/zoo.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "lib/eval/label_json.h"
#include "lib/eval/recorded_timelines.h"
#include "lib/eval/recorded_zoo.h"

namespace prof::eval {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1, kRecordedFormat = 2;
constexpr int64_t kLaunches = 20;  // what a program runs of each kernel at least

// [n, median, min, max]
Statistic ToStatistic(const Json& value) {
  Statistic statistic;
  statistic.n = value.at(0).get<int64_t>();
  statistic.median = value.at(1).get<double>();
  statistic.min = value.at(2).get<double>();
  statistic.max = value.at(3).get<double>();
  statistic.sum = statistic.median * static_cast<double>(statistic.n);
  return statistic;
}

Metrics ToMetrics(const Json& values) {
  Metrics metrics;
  for (const auto& [name, value] : values.items()) metrics[name] = ToStatistic(value);
  return metrics;
}

// Medians alone.
Metrics ToMedians(const Json& values) {
  Metrics metrics;
  for (const auto& [name, value] : values.items()) {
    const auto median = value.get<double>();
    metrics[name] = {3, median, median, median, 3 * median};
  }
  return metrics;
}

model::Device ToDevice(const Json& value) {
  model::Device device;
  device.chip = value.at("chip").get<std::string>();
  device.compute_major = value.at("compute_major");
  device.sm_count = value.at("sm_count");
  device.warp_size = value.at("warp_size");
  device.max_threads_per_sm = value.at("max_threads_per_sm");
  device.l2_bytes = value.at("l2_bytes");
  return device;
}

// Only what the source of the kernel says: 0 is unknown.
void SetLaunch(const Json& value, const model::Device& device, KernelReport* kernel) {
  const uint32_t blocks = value.at("blocks"), threads = value.at("threads");
  const int per_sm = value.at("blocks_per_sm");
  kernel->resources_known = kernel->local_known = false;
  kernel->dynamic_shared_bytes = 1;  // not known: it may use shared memory
  kernel->grid = {std::max(1U, blocks), 1, 1};
  kernel->block = {threads == 0 ? device.warp_size : threads, 1, 1};
  Occupancy& occupancy = kernel->occupancy;
  if (per_sm == 0) return;
  occupancy.known = true;
  occupancy.blocks_per_sm = per_sm;
  occupancy.theoretical =
      std::min(1.0, static_cast<double>(per_sm) * threads / device.max_threads_per_sm);
  occupancy.waves = static_cast<double>(blocks) / (static_cast<double>(per_sm) * device.sm_count);
  const double whole = std::ceil(occupancy.waves);
  occupancy.tail_lost = (whole - occupancy.waves) / whole;
}

LabelledKernel ToKernel(const Json& value, const model::Device& device) {
  LabelledKernel result;
  result.device = device;
  result.kernel.name = value.at("name").get<std::string>();
  result.kernel.launches = kLaunches;
  result.kernel.duration_ns = ToStatistic(value.at("duration_ns"));
  result.kernel.total_ns = result.kernel.duration_ns.sum;
  result.kernel.metrics = ToMetrics(value.at("metrics"));
  SetLaunch(value, device, &result.kernel);
  result.ncu = ToMedians(value.at("ncu"));
  result.label = ToLabel(value.at("label"));
  return result;
}

// Empty: done.
std::string ReadFile(const std::filesystem::path& path, std::vector<LabelledKernel>* kernels) {
  std::ifstream file(path);
  if (!file) return "cannot open " + path.string();
  const Json root = Json::parse(file, nullptr, false);
  if (root.is_discarded()) return path.string() + " is no JSON";
  try {
    if (root.at("format") == kRecordedFormat) return ReadRecordedKernels(path, root, kernels);
    if (root.at("format") != kFormat) return path.string() + " has another format than 1 and 2";
    const model::Device device = ToDevice(root.at("device"));
    for (const Json& value : root.at("kernels")) {
      kernels->push_back(ToKernel(value, device));
      kernels->back().file = path.filename().string();
    }
  } catch (const Json::exception& error) {
    return path.string() + " is no file of labelled kernels: " + error.what();
  }
  return "";
}

}  // namespace

bool IsChange(const std::string& id, const std::string& action,
              const std::vector<std::string>& same) {
  return id == action || std::find(same.begin(), same.end(), id) != same.end();
}

Zoo ReadZoo(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() == ".json") paths.push_back(file->path());
  }
  Zoo zoo;
  if (error) {
    zoo.error = "cannot read the folder " + folder + ": " + error.message();
  } else if (paths.empty()) {
    zoo.error = "there are no *.json files in " + folder;
  }
  const auto no_kernels = [](const auto& path) { return path.filename() == kTimelinesFile; };
  paths.erase(std::remove_if(paths.begin(), paths.end(), no_kernels), paths.end());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    zoo.error = ReadFile(path, &zoo.kernels);
    if (!zoo.error.empty()) break;
  }
  if (!zoo.error.empty()) zoo.kernels.clear();
  return zoo;
}

}  // namespace prof::eval
