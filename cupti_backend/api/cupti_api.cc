// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/cupti_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cupti_backend/api/cupti_files.h"
#include "cupti_backend/api/cupti_versions.h"

namespace prof::cupti {
namespace {

// A library that is open, and what it says of itself.
struct Library {
  void* handle = nullptr;
  std::string path;
  uint32_t version = 0;
};

template <typename... Args>
CUptiResult CUPTIAPI NotSupported(Args...) {
  return CUPTI_ERROR_NOT_SUPPORTED;
}

template <typename... Args>
void ReplaceMissing(CUptiResult(CUPTIAPI** function)(Args...)) {
  if (*function == nullptr) *function = &NotSupported<Args...>;
}

bool DriverLoads() { return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr; }

// Without a driver no function of CUPTI 13.2 may be called: its cuptiGetVersion calls itself until
// the stack ends. From 13.3 on all of them return CUPTI_ERROR_UNKNOWN there. Both are known by a
// function that came with 13.2.
bool NeedsDriver(void* handle) { return dlsym(handle, "cuptiActivityGetStructSize") != nullptr; }

std::optional<Problem> Ask(void* handle, Library* library) {
  const auto get_version =
      reinterpret_cast<decltype(&::cuptiGetVersion)>(dlsym(handle, "cuptiGetVersion"));
  library->handle = handle;
  if (get_version == nullptr) {
    return Problem{0, "the CUPTI of this process has no cuptiGetVersion",
                   "set PROF_CUPTI to the libcupti of CUDA 12 or 13"};
  }
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(get_version), &info) != 0 && info.dli_fname != nullptr) {
    library->path = info.dli_fname;
  }
  if (NeedsDriver(handle) && !DriverLoads()) {
    return Problem{0, library->path + " answers only where there is an NVIDIA driver",
                   "here, use CUPTI 13.0 or 13.1, or one of CUDA 12: PROF_CUPTI names its file"};
  }
  const CUptiResult result = get_version(&library->version);
  if (result != CUPTI_SUCCESS) {
    return Problem{static_cast<int>(result), library->path + " gives no version",
                   "set PROF_CUPTI to another libcupti of CUDA 12 or 13"};
  }
  return RefuseVersion(library->path, library->version);
}

// The copies that the process has mapped, best first: one that prof can read and the driver can
// serve, then the newest.
std::vector<Library> AskMapped(const std::vector<std::string>& paths, int cuda_driver,
                               std::optional<Problem>* problem) {
  std::vector<Library> usable;
  for (const std::string& path : paths) {
    Library library;
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    *problem = Ask(handle, &library);
    if (!*problem) usable.push_back(std::move(library));
  }
  const auto serves = [&](const Library& library) {
    return cuda_driver == 0 ||
           MajorOf(library.version) <= static_cast<uint32_t>(cuda_driver) / 1000;
  };
  std::stable_sort(usable.begin(), usable.end(), [&](const Library& a, const Library& b) {
    if (serves(a) != serves(b)) return serves(a);
    return a.version > b.version;
  });
  return usable;
}

Problem NotFound() {
  return {0, "CUPTI was not found: no libcupti.so.13 and no libcupti.so.12",
          "install the CUDA toolkit's CUPTI (cuda-cupti-13-* or cuda-cupti-12-*, or pip's "
          "nvidia-cuda-cupti or nvidia-cuda-cupti-cu12), or set PROF_CUPTI to its file"};
}

std::optional<Problem> Choose(int cuda_driver, Library* library, std::string* also) {
  const std::vector<std::string> mapped = MappedCupti();
  if (mapped.empty()) {
    void* handle = OpenCupti(cuda_driver);
    return handle == nullptr ? NotFound() : Ask(handle, library);
  }
  std::optional<Problem> problem;
  std::vector<Library> usable = AskMapped(mapped, cuda_driver, &problem);
  if (usable.empty()) return problem ? problem : NotFound();
  *library = std::move(usable.front());
  if (mapped.size() == 1) return std::nullopt;
  for (const std::string& path : mapped) {
    if (path != library->path) *also += (also->empty() ? "" : ", ") + path;
  }
  return std::nullopt;
}

}  // namespace

std::string ErrorText(const CuptiApi& api, CUptiResult result) {
  const char* text = nullptr;
  if (api.get_result_string != nullptr) api.get_result_string(result, &text);
  return std::string(text != nullptr ? text : "CUPTI error") + " (" +
         std::to_string(static_cast<int>(result)) + ")";
}

std::optional<Problem> LoadCupti(CuptiApi* api, int cuda_driver) {
  Library library;
  if (std::optional<Problem> problem = Choose(cuda_driver, &library, &api->also)) return problem;
  api->path = library.path;
  api->version = library.version;
#define PROF_CUPTI_LOAD(field, symbol) \
  api->field = reinterpret_cast<decltype(api->field)>(dlsym(library.handle, #symbol));
#define PROF_CUPTI_REQUIRE(field, symbol)                                        \
  PROF_CUPTI_LOAD(field, symbol)                                                 \
  if (api->field == nullptr) {                                                   \
    return Problem{0, api->path + " has no " #symbol,                            \
                   "set PROF_CUPTI to the unchanged libcupti of CUDA 12 or 13"}; \
  }
  PROF_CUPTI_TIMELINE(PROF_CUPTI_REQUIRE)
  uint32_t feature = 0;
#define PROF_CUPTI_OFFER(field, symbol)                     \
  PROF_CUPTI_LOAD(field, symbol)                            \
  if (api->field == nullptr) api->missing |= 1U << feature; \
  ReplaceMissing(&api->field);
  feature = static_cast<uint32_t>(Feature::kGraphExecIds);
  PROF_CUPTI_GRAPH_EXEC_IDS(PROF_CUPTI_OFFER)
  feature = static_cast<uint32_t>(Feature::kCallSelection);
  PROF_CUPTI_CALL_SELECTION(PROF_CUPTI_OFFER)
  feature = static_cast<uint32_t>(Feature::kMetrics);
  PROF_CUPTI_METRICS(PROF_CUPTI_OFFER)
  feature = static_cast<uint32_t>(Feature::kPmSampling);
  PROF_CUPTI_PM_SAMPLING(PROF_CUPTI_OFFER)
  feature = static_cast<uint32_t>(Feature::kRanges);
  PROF_CUPTI_RANGES(PROF_CUPTI_OFFER)
  feature = static_cast<uint32_t>(Feature::kSubscriberNames);
  PROF_CUPTI_SUBSCRIBER_NAMES(PROF_CUPTI_OFFER)
#undef PROF_CUPTI_OFFER
#undef PROF_CUPTI_REQUIRE
#undef PROF_CUPTI_LOAD
  return std::nullopt;
}

}  // namespace prof::cupti
