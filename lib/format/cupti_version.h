// SPDX-License-Identifier: Apache-2.0
//
// The CUPTI version text says which CUDA a CUPTI_API_VERSION belongs to.
#ifndef PROF_LIB_FORMAT_CUPTI_VERSION_H_
#define PROF_LIB_FORMAT_CUPTI_VERSION_H_

#include <cstdint>
#include <string>

namespace prof::format {

// "12.4", "13.0". Before CUDA 13 CUPTI counted its versions from 1 (cupti_version.h of each one).
inline std::string CuptiVersion(uint32_t version) {
  if (version >= 10000) {
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
  }
  switch (version) {
    case 18:
    case 19:
      return "12.0 or 12.1";
    case 20:
      return "12.2";
    case 21:
      return "12.3";
    case 22:
      return "12.4";
    case 23:
      return "12.5";
    case 24:
    case 25:
      return "12.6";
    case 26:
      return "12.8";
    case 27:
    case 28:
      return "12.9";
    default:
      return version < 18 ? "11 or older" : "12";
  }
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_CUPTI_VERSION_H_
