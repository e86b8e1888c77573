// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/cupti_api.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "lib/capture/environment.h"

namespace prof::cupti {
namespace {

// The struct layouts we read are those of this major version.
constexpr uint32_t kMajor = CUPTI_API_VERSION / 10000;
const char* const kSoname = "libcupti.so.13";
static_assert(kMajor == 13, "name the SONAME that belongs to these headers");

// Files called libcupti.so* that the process has mapped.
std::set<std::string> MappedCupti() {
  std::set<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const char* name = info->dlpi_name;
        const char* base = name == nullptr ? nullptr : std::strrchr(name, '/');
        if (base != nullptr && std::strncmp(base + 1, "libcupti.so", 11) == 0) {
          static_cast<std::set<std::string>*>(data)->insert(name);
        }
        return 0;
      },
      &paths);
  return paths;
}

void* OpenFile(const std::string& path) {
  return access(path.c_str(), R_OK) == 0 ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
}

// The library to use: the program's own first, because two copies fight over one driver.
void* Open(const std::set<std::string>& mapped) {
  if (!mapped.empty()) return dlopen(mapped.begin()->c_str(), RTLD_NOW | RTLD_NOLOAD);
  const std::vector<std::string> search = capture::CuptiSearchPath();
  // An explicit PROF_CUPTI comes before the loader's own search; the toolkit's folders after it.
  for (const std::string& entry : search) {
    if (entry.find("libcupti.so") != std::string::npos) return OpenFile(entry);
  }
  if (void* handle = dlopen(kSoname, RTLD_NOW | RTLD_LOCAL)) return handle;
  for (const std::string& folder : search) {
    if (void* handle = OpenFile(folder + "/" + kSoname)) return handle;
  }
  return nullptr;
}

}  // namespace

std::string ErrorText(const CuptiApi& api, CUptiResult result) {
  const char* text = nullptr;
  if (api.get_result_string != nullptr) api.get_result_string(result, &text);
  return std::string(text != nullptr ? text : "CUPTI error") + " (" +
         std::to_string(static_cast<int>(result)) + ")";
}

std::optional<Problem> LoadCupti(CuptiApi* api) {
  const std::set<std::string> mapped = MappedCupti();
  if (mapped.size() > 1) {
    std::string what = "this process has two CUPTI libraries:";
    for (const std::string& path : mapped) what += " " + path;
    return Problem{0, std::move(what), "take one of them off LD_LIBRARY_PATH"};
  }
  void* handle = Open(mapped);
  if (handle == nullptr) {
    return Problem{
        0, std::string("CUPTI was not found: no ") + kSoname,
        "install the CUDA toolkit's CUPTI (cuda-cupti-13-*, or pip's nvidia-cuda-cupti), or set "
        "PROF_CUPTI to its file"};
  }
#define PROF_CUPTI_LOAD(field, symbol)                                         \
  api->field = reinterpret_cast<decltype(api->field)>(dlsym(handle, #symbol)); \
  if (api->field == nullptr) {                                                 \
    return Problem{0, "the CUPTI of this process has no " #symbol,             \
                   "prof needs CUPTI 13.0 or newer"};                          \
  }
  PROF_CUPTI_FUNCTIONS(PROF_CUPTI_LOAD)
#undef PROF_CUPTI_LOAD
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(api->get_version), &info) != 0 && info.dli_fname != nullptr) {
    api->path = info.dli_fname;
  }
  api->get_version(&api->version);
  if (api->version / 10000 != kMajor) {
    return Problem{0,
                   api->path + " is CUPTI version " + std::to_string(api->version) +
                       "; this prof reads the records of version " + std::to_string(kMajor) +
                       "xxxx",
                   "use the prof that was built for this CUDA version"};
  }
  return std::nullopt;
}

}  // namespace prof::cupti
