// SPDX-License-Identifier: Apache-2.0
//
// The CUPTI versions are what prof knows of them: which ones it works with, which features each one
// has, and how large their records are. They were read in the headers and libraries of 12.0 to 13.5
// (test/cupti_backend/api/check_versions.py reads them again).
#ifndef PROF_CUPTI_BACKEND_API_CUPTI_VERSIONS_H_
#define PROF_CUPTI_BACKEND_API_CUPTI_VERSIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/problem.h"

namespace prof::cupti {

// Values of CUPTI_API_VERSION.
inline constexpr uint32_t kCupti12 = 18;      // 12.0 and 12.1
inline constexpr uint32_t kCupti12_3 = 21;    // graphs name the device on which they end
inline constexpr uint32_t kCupti12_6 = 24;    // CUDA graphs survive a second start of CUPTI
inline constexpr uint32_t kCupti12_8 = 26;    // buffers for each thread, on request
inline constexpr uint32_t kCupti12_9 = 27;    // takes no buffer for an answer
inline constexpr uint32_t kCupti13 = 130000;  // buffers for each thread; pools say who manages them

// 12 for 18 to 28, 13 for 13xxxx, 11 for anything older.
uint32_t MajorOf(uint32_t version);

// Nothing, or why prof cannot read this version's records.
[[nodiscard]] std::optional<Problem> RefuseVersion(const std::string& path, uint32_t version);

// "13.0": the first version that has a feature.
const char* SinceOf(Feature feature);

// That a feature is missing, what does not work because of it, and the version that has it.
[[nodiscard]] Problem MissingFeature(const CuptiApi& api, Feature feature);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_CUPTI_VERSIONS_H_
