// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/doctor/doctor_checks.h"

#include <algorithm>
#include <cstdlib>

#include "lib/text/strings.h"

namespace prof::cli {
namespace {

// docs/guide/install.md and docs/guide/compatibility.md have these versions.
constexpr int kOldestDriver = 525;
constexpr uint32_t kOldestCupti = 120'000;
constexpr uint32_t kCuptiWithCounters = 120'602;  // 12.6 Update 2
constexpr int kOldestCompute = 7;                 // Volta

constexpr const char* kDriverFix =
    "install the NVIDIA driver, and load it (modprobe nvidia); prof report needs none";
constexpr const char* kContainerFix =
    "start the container with its GPUs: docker run --gpus all ...";

Check Good(const std::string& subject, const std::string& finding) {
  return {Health::kGood, subject, finding, ""};
}
Check Limited(const std::string& subject, const std::string& finding, const std::string& fix) {
  return {Health::kLimited, subject, finding, fix};
}
Check Bad(const std::string& subject, const std::string& finding, const std::string& fix) {
  return {Health::kBad, subject, finding, fix};
}

// "13.0" of 13000.
std::string CudaVersion(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Check Driver(const DoctorFacts& facts) {
  constexpr const char* kSubject = "driver";
  if (facts.module_version.empty()) {
    return Bad(kSubject, "the NVIDIA kernel driver is not loaded",
               facts.container ? kContainerFix : kDriverFix);
  }
  if (std::atoi(facts.module_version.c_str()) < kOldestDriver) {
    return Bad(kSubject, facts.module_version + " is older than " + std::to_string(kOldestDriver),
               "update the driver");
  }
  return Good(kSubject, facts.module_version);
}

Check Libcuda(const DoctorFacts& facts) {
  constexpr const char* kSubject = "libcuda";
  if (!facts.libcuda) {
    return Bad(kSubject, "the loader does not find libcuda.so.1",
               facts.container ? kContainerFix
                               : "install the driver's libraries, or put their folder into "
                                 "LD_LIBRARY_PATH");
  }
  if (facts.cuda_error != 0) {
    return Bad(kSubject, "cuInit fails with CUDA error " + std::to_string(facts.cuda_error),
               "run nvidia-smi: the driver and its libraries may have different versions, or the "
               "device files are missing");
  }
  return Good(kSubject, "CUDA " + CudaVersion(facts.libcuda_version));
}

Check Devices(const DoctorFacts& facts) {
  constexpr const char* kSubject = "device files";
  std::vector<std::string> refused;
  for (const DeviceFile& file : facts.devices) {
    if (!file.usable) refused.push_back(file.path);
  }
  if (facts.devices.empty()) {
    return Bad(kSubject, "there is no /dev/nvidia*",
               facts.container ? kContainerFix : "run nvidia-smi once as root: it makes them");
  }
  if (!refused.empty()) {
    return Bad(kSubject, "no permission for " + text::Join(refused, ", "),
               "join the group that owns them (often video or render)");
  }
  return Good(kSubject, std::to_string(facts.devices.size()) + " usable");
}

// A GPU in parts counts for a whole one, if it counts at all.
bool IsPart(const GpuFact& gpu) {
  return gpu.name.find(" MIG ") != std::string::npos || gpu.name.rfind("GRID ", 0) == 0;
}

Check Gpus(const DoctorFacts& facts) {
  constexpr const char* kSubject = "GPUs";
  if (facts.gpus.empty()) {
    return Bad(kSubject, "CUDA sees none", "look at CUDA_VISIBLE_DEVICES, and at nvidia-smi -L");
  }
  std::string names;
  bool part = false, old = false;
  for (const GpuFact& gpu : facts.gpus) {
    names += (names.empty() ? "" : ", ") + gpu.name + " (" + std::to_string(gpu.compute_major) +
             "." + std::to_string(gpu.compute_minor) + ")";
    part = part || IsPart(gpu);
    old = old || gpu.compute_major < kOldestCompute;
  }
  if (old) {
    return Limited(kSubject, names + ": CUPTI's counters need compute capability 7.0",
                   "use a GPU of Volta or newer");
  }
  if (part) {
    return Limited(kSubject, names + ": counters of MIG instances and vGPUs were not tested",
                   "use a whole GPU: nvidia-smi -mig 0, or another vGPU profile");
  }
  return Good(kSubject, names);
}

Check Cupti(const DoctorFacts& facts) {
  constexpr const char* kSubject = "CUPTI";
  const CuptiFound& cupti = facts.cupti;
  if (cupti.version == 0) return Bad(kSubject, cupti.error, cupti.fix);
  const std::string found = std::to_string(cupti.version) + ", " + cupti.path;
  if (cupti.version < kOldestCupti) {
    return Bad(kSubject, found + ", is older than CUDA 12.0", "install CUPTI of CUDA 12 or newer");
  }
  if (cupti.version < kCuptiWithCounters) {
    return Limited(kSubject, found + ": counters need that of CUDA 12.6 Update 2",
                   "install a newer CUPTI, and name it in PROF_CUPTI");
  }
  return Good(kSubject, found + "; a program's own copy comes first");
}

bool MayCount(const DoctorFacts& facts) { return !facts.counters_for_admins_only || facts.admin; }

Check Permission(const DoctorFacts& facts) {
  constexpr const char* kSubject = "permission";
  if (facts.module_version.empty()) {
    return Limited(kSubject, "not known: the driver is not loaded", "load the driver first");
  }
  if (!MayCount(facts)) {
    return Limited(kSubject, "the driver lets only administrators read counters",
                   facts.container
                       ? "docker run --cap-add=SYS_ADMIN ..."
                       : "once: echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo "
                         "tee /etc/modprobe.d/nvidia-counters.conf, then reload the nvidia module "
                         "or reboot; or run as root");
  }
  return Good(kSubject, facts.counters_for_admins_only ? "an administrator may read counters"
                                                       : "everybody may read counters");
}

Check Library(const DoctorFacts& facts) {
  if (facts.inject.empty()) return Bad("prof's library", facts.inject_error, "install prof again");
  return Good("prof's library", facts.inject);
}

Check Programs(const DoctorFacts& facts) {
  if (facts.programs.empty()) return Good("other profilers", "none runs");
  const auto mps = std::find_if(
      facts.programs.begin(), facts.programs.end(),
      [](const std::string& program) { return program.rfind("nvidia-cuda-mps", 0) == 0; });
  if (mps != facts.programs.end()) {
    return Limited("other profilers",
                   *mps + " runs: CUPTI may refuse counters under the Multi-Process Service",
                   "measure without it: echo quit | nvidia-cuda-mps-control");
  }
  return Limited("other profilers",
                 text::Join(facts.programs, ", ") + ": counters may be taken at times",
                 "dcgmi profiling --pause, or stop it; prof waits, and goes on when they are free");
}

Check Variables(const DoctorFacts& facts) {
  if (facts.variables.empty()) return Good("environment", "no other tool");
  Check check = Good("environment", text::Join(facts.variables, ", "));
  for (const std::string& variable : facts.variables) {
    if (variable.rfind("CUDA_INJECTION64_PATH=", 0) == 0 &&
        variable.find("libprof_inject") == std::string::npos) {
      check.health = Health::kLimited;
      check.fix = "unset CUDA_INJECTION64_PATH: of two tools only one gets CUPTI";
    }
    if (variable == "CUDA_LAUNCH_BLOCKING=1") {
      check.health = Health::kLimited;
      check.fix = "unset CUDA_LAUNCH_BLOCKING: with it the program runs in another way";
    }
  }
  return check;
}

Check Folder(const DoctorFacts& facts) {
  if (!facts.folder_writable) {
    return Limited("this folder", facts.folder + " cannot be written",
                   "name a file elsewhere: prof run -o /tmp/x.prof");
  }
  return Good("this folder", "recordings go to " + facts.folder);
}

// The checks that speak against a part, as one reason.
Check Part(const std::string& name, const std::vector<Check>& needs, Health without) {
  for (const Check& need : needs) {
    if (need.health == Health::kGood) continue;
    return {without, name, "no: " + need.finding, ""};
  }
  return Good(name, "yes");
}

}  // namespace

std::vector<Check> ChecksOf(const DoctorFacts& facts) {
  std::vector<Check> checks = {Driver(facts), Devices(facts), Libcuda(facts)};
  if (facts.libcuda && facts.cuda_error == 0) checks.push_back(Gpus(facts));
  for (Check& check : std::vector<Check>{Cupti(facts), Permission(facts), Library(facts),
                                         Programs(facts), Variables(facts), Folder(facts)}) {
    checks.push_back(std::move(check));
  }
  return checks;
}

std::vector<Check> ExpectedParts(const DoctorFacts& facts) {
  Check cupti = Cupti(facts);
  if (cupti.health == Health::kLimited) cupti.health = Health::kGood;  // enough for a timeline
  Check gpus = Gpus(facts);
  if (gpus.health == Health::kLimited) gpus.health = Health::kGood;
  const std::vector<Check> basics = {Driver(facts), Devices(facts), Libcuda(facts),
                                     gpus,          cupti,          Library(facts)};
  std::vector<Check> counting = basics;
  for (Check& check : std::vector<Check>{Cupti(facts), Gpus(facts), Permission(facts)}) {
    counting.push_back(std::move(check));
  }
  return {Part("timeline and ranges", basics, Health::kBad),
          Part("counters and PM sampling", counting, Health::kLimited),
          Good("reports of recordings", "yes")};
}

Health WorstOf(const std::vector<Check>& checks) {
  Health worst = Health::kGood;
  for (const Check& check : checks) worst = std::max(worst, check.health);
  return worst;
}

}  // namespace prof::cli
