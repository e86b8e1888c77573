// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/cupti_versions.h"

#include <cstddef>

#include "lib/format/cupti_version.h"

namespace prof::cupti {
namespace {

struct Known {
  Feature feature;
  const char* since;
  const char* needed_for;  // completes "... has no API for"
};
constexpr Known kFeatures[] = {
    {Feature::kGraphExecIds, "12.3", "the ids of executable graphs"},
    {Feature::kCallSelection, "12.5", "records of chosen calls"},
    {Feature::kMetrics, "12.6", "counters and PM samples"},
    {Feature::kPmSampling, "12.6", "PM samples"},
    {Feature::kRanges, "12.6 Update 2", "counters of launches"},
    {Feature::kSubscriberNames, "13.0", "the name of the tool that holds it"},
};

const Known& Of(Feature feature) { return kFeatures[static_cast<size_t>(feature)]; }

}  // namespace

uint32_t MajorOf(uint32_t version) {
  if (version >= 10000) return version / 10000;
  return version < kCupti12 ? 11 : 12;
}

std::optional<Problem> RefuseVersion(const std::string& path, uint32_t version) {
  const uint32_t major = MajorOf(version);
  if (major == 12 || major == 13) return std::nullopt;
  if (major < 12) {
    return Problem{0,
                   path + " is CUPTI 11 or older (API version " + std::to_string(version) +
                       "); prof works with CUPTI 12.0 and newer",
                   "run a program that was built for CUDA 12 or 13"};
  }
  return Problem{0,
                 path + " is CUPTI " + format::CuptiVersion(version) +
                     "; this prof knows the records of CUPTI 12.0 to 13",
                 "use a newer prof, or set PROF_CUPTI to the libcupti of CUDA 13"};
}

const char* SinceOf(Feature feature) { return Of(feature).since; }

Problem MissingFeature(const CuptiApi& api, Feature feature) {
  const Known& known = Of(feature);
  return {0,
          "CUPTI " + format::CuptiVersion(api.version) + " (" + api.path + ") has no API for " +
              known.needed_for,
          std::string("use CUPTI ") + known.since + " or newer: for CUDA 12 that is pip's " +
              "nvidia-cuda-cupti-cu12, or the toolkit's cuda-cupti-12-*"};
}

}  // namespace prof::cupti
