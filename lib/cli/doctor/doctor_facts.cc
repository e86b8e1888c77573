// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/doctor/doctor_facts.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kCapSysAdmin = 21;  // capability.h

std::string ReadText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// "580.159.04" of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...": the first word
// that begins with a digit and has a dot.
std::string ModuleVersion(const std::string& text) {
  std::istringstream words(text.substr(0, text.find('\n')));
  for (std::string word; words >> word;) {
    const bool number = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    if (number && word.find('.') != std::string::npos) return word;
  }
  return "";
}

bool HasLine(const std::string& text, std::string_view line) {
  return ("\n" + text).find("\n" + std::string(line)) != std::string::npos;
}

bool HasAdminCapability(const std::string& status) {
  constexpr std::string_view kName = "\nCapEff:";
  const size_t at = status.find(kName);
  if (at == std::string::npos) return false;
  const uint64_t set = std::strtoull(status.c_str() + at + kName.size(), nullptr, 16);
  return (set >> kCapSysAdmin & 1U) != 0;
}

std::vector<DeviceFile> DeviceFiles(const std::string& folder) {
  std::vector<DeviceFile> files;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    const bool gpu = name.rfind("nvidia", 0) == 0 &&
                     (name == "nvidiactl" || name == "nvidia-uvm" ||
                      (name.size() > 6 && std::isdigit(static_cast<unsigned char>(name[6])) != 0));
    if (!gpu) continue;
    files.push_back({entry.path().string(), access(entry.path().c_str(), R_OK | W_OK) == 0});
  }
  std::sort(files.begin(), files.end(),
            [](const DeviceFile& a, const DeviceFile& b) { return a.path < b.path; });
  return files;
}

// Programs that take the counters or CUPTI from others (docs/guide/limits.md). Names end after 15
// characters: nvidia-cuda-mps-control, nvidia-cuda-mps-server.
std::vector<std::string> CounterPrograms(const std::string& proc) {
  constexpr std::array<std::string_view, 5> kKnown = {"nv-hostengine", "dcgm-exporter", "ncu",
                                                      "nsys", "nvidia-cuda-mps"};
  std::vector<std::string> found;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(proc, failed)) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) == 0)
      continue;
    std::string name = ReadText((entry.path() / "comm").string());
    name = name.substr(0, name.find('\n'));
    if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) continue;
    found.push_back(name + " (process " + entry.path().filename().string() + ")");
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Functions of libcuda.so.1 by their documented types: a CUresult is an int, a CUdevice too.
template <typename Function>
Function* Find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

void AskDriver(DoctorFacts* facts) {
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);  // stays
  if (library == nullptr) return;
  facts->libcuda = true;
  auto* const version = Find<int(int*)>(library, "cuDriverGetVersion");
  auto* const init = Find<int(unsigned)>(library, "cuInit");
  auto* const count = Find<int(int*)>(library, "cuDeviceGetCount");
  auto* const name = Find<int(char*, int, int)>(library, "cuDeviceGetName");
  auto* const attribute = Find<int(int*, int, int)>(library, "cuDeviceGetAttribute");
  if (version == nullptr || init == nullptr || count == nullptr || name == nullptr ||
      attribute == nullptr) {
    return;
  }
  (void)version(&facts->libcuda_version);
  facts->cuda_error = init(0);
  int gpus = 0;
  if (facts->cuda_error != 0 || count(&gpus) != 0) return;
  constexpr int kMajor = 75, kMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_...
  for (int i = 0; i < gpus; ++i) {
    GpuFact gpu;
    std::array<char, 256> text{};
    if (name(text.data(), static_cast<int>(text.size()) - 1, i) == 0) gpu.name = text.data();
    (void)attribute(&gpu.compute_major, kMajor, i);
    (void)attribute(&gpu.compute_minor, kMinor, i);
    facts->gpus.push_back(gpu);
  }
}

}  // namespace

void ReadFiles(const std::string& root, DoctorFacts* facts) {
  facts->module_version = ModuleVersion(ReadText(root + "/proc/driver/nvidia/version"));
  facts->devices = DeviceFiles(root + "/dev");
  facts->counters_for_admins_only =
      HasLine(ReadText(root + "/proc/driver/nvidia/params"), "RmProfilingAdminOnly: 1");
  facts->admin = HasAdminCapability(ReadText(root + "/proc/self/status"));
  facts->programs = CounterPrograms(root + "/proc");
  std::error_code failed;
  facts->container =
      fs::exists(root + "/.dockerenv", failed) || fs::exists(root + "/run/.containerenv", failed);
}

void ReadVariables(const Variable& variable, DoctorFacts* facts) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "LD_PRELOAD",
                           "CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING"}) {
    const std::optional<std::string> value = variable(name);
    if (value) facts->variables.push_back(std::string(name) + "=" + *value);
  }
}

void AskLibraries(DoctorFacts* facts) {
  AskDriver(facts);
  facts->cupti = FindCupti();
}

}  // namespace prof::cli
