// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/cupti_files.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include "lib/capture/environment.h"

namespace prof::cupti {
namespace {

constexpr int kCuda13 = 13000;
constexpr const char* kSoname13 = "libcupti.so.13";
constexpr const char* kSoname12 = "libcupti.so.12";

std::vector<std::string> MappedLibraries() {
  std::vector<std::string> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0') {
          static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &libraries);
  return libraries;
}

void* OpenFile(const std::string& path) {
  return access(path.c_str(), R_OK) == 0 ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
}

void* OpenIn(const std::vector<std::string>& folders, const char* soname) {
  for (const std::string& folder : folders) {
    if (void* handle = OpenFile(folder + "/" + soname)) return handle;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> MappedCupti() {
  std::set<std::string> paths;
  for (const std::string& library : MappedLibraries()) {
    const size_t slash = library.rfind('/');
    if (slash != std::string::npos && library.compare(slash + 1, 11, "libcupti.so") == 0) {
      paths.insert(library);
    }
  }
  return {paths.begin(), paths.end()};
}

void LoadCompanions(const std::string& cupti_path) {
  static std::once_flag once;
  const size_t slash = cupti_path.rfind('/');
  if (slash == std::string::npos) return;
  std::call_once(once, [&] {
    for (const char* name : {"libnvperf_target.so", "libnvperf_host.so"}) {
      OpenFile(cupti_path.substr(0, slash + 1) + name);
    }
  });
}

std::vector<std::string> PackageFolders(const std::vector<std::string>& libraries) {
  std::vector<std::string> folders;
  for (const std::string& library : libraries) {
    size_t at = library.rfind("/site-packages/");
    if (at == std::string::npos) at = library.rfind("/dist-packages/");
    if (at == std::string::npos) continue;
    const std::string root = library.substr(0, at + std::strlen("/site-packages/"));
    for (const char* folder : {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib"}) {
      const std::string path = root + folder;
      if (std::find(folders.begin(), folders.end(), path) == folders.end()) folders.push_back(path);
    }
  }
  return folders;
}

void* OpenCupti(int cuda_driver) {
  const std::vector<std::string> search = capture::CuptiSearchPath();
  // An explicit PROF_CUPTI comes before the loader's own search; the toolkit's folders after it.
  for (const std::string& entry : search) {
    if (entry.find("libcupti.so") != std::string::npos) return OpenFile(entry);
  }
  // An older driver refuses CUPTI 13; a newer one serves both.
  const bool new_first = cuda_driver == 0 || cuda_driver >= kCuda13;
  const char* const sonames[] = {new_first ? kSoname13 : kSoname12,
                                 new_first ? kSoname12 : kSoname13};
  // A framework that will load CUPTI later takes the one of its packages.
  const std::vector<std::string> packages = PackageFolders(MappedLibraries());
  for (const char* soname : sonames) {
    if (void* handle = OpenIn(packages, soname)) return handle;
  }
  for (const char* soname : sonames) {
    if (void* handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL)) return handle;
    if (void* handle = OpenIn(search, soname)) return handle;
  }
  return nullptr;
}

}  // namespace prof::cupti
