// SPDX-License-Identifier: Apache-2.0
//
// The doctor's facts are what a machine has of what a recording needs.
#ifndef PROF_LIB_CLI_DOCTOR_DOCTOR_FACTS_H_
#define PROF_LIB_CLI_DOCTOR_DOCTOR_FACTS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/cli/metrics/metrics_cupti.h"

namespace prof::cli {

struct GpuFact {
  std::string name;  // "NVIDIA H200", "NVIDIA H200 MIG 1g.18gb"
  int compute_major = 0, compute_minor = 0;
};

struct DeviceFile {
  std::string path;  // "/dev/nvidia0"
  bool usable = false;
};

struct DoctorFacts {
  std::string module_version;  // of the kernel driver; empty: not loaded
  bool libcuda = false;
  int libcuda_version = 0;  // 13000
  int cuda_error = 0;       // of cuInit, a CUresult
  std::vector<GpuFact> gpus;
  std::vector<DeviceFile> devices;
  bool counters_for_admins_only = false;  // of the driver
  bool admin = false;                     // root, or CAP_SYS_ADMIN
  CuptiFound cupti;
  std::string inject;  // libprof_inject.so; empty: `inject_error`
  std::string inject_error;
  std::vector<std::string> variables;  // "CUDA_INJECTION64_PATH=/opt/nsys/..."
  std::vector<std::string> programs;   // that run here, and may hold the counters
  std::string folder;                  // the one where prof was called
  bool folder_writable = false;
  bool container = false;
};

using Variable = std::function<std::optional<std::string>(const std::string& name)>;

// What files show. `root`: "" for this machine. Of another user's processes names alone are read.
void ReadFiles(const std::string& root, DoctorFacts* facts);
// What the environment has of tools, and of what hides GPUs.
void ReadVariables(const Variable& variable, DoctorFacts* facts);
// Loads the driver and CUPTI. Makes no context. Up to some seconds.
void AskLibraries(DoctorFacts* facts);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_DOCTOR_DOCTOR_FACTS_H_
