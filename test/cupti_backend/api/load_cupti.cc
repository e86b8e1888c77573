// SPDX-License-Identifier: Apache-2.0
//
// Loads the libcupti that is named with prof's loader, and prints what it found. It needs no GPU.
// check_versions.py runs it on each version.
#include <cstdio>
#include <cstdlib>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/cupti_versions.h"
#include "cupti_backend/calls/api_filter.h"
#include "lib/format/cupti_version.h"

int main(int argc, char** argv) {
  using prof::cupti::Feature;
  if (argc != 2) return std::fprintf(stderr, "usage: prof_load_cupti FILE\n"), 2;
  setenv("PROF_CUPTI", argv[1], 1);
  prof::cupti::CuptiApi api;
  if (const auto problem = prof::cupti::LoadCupti(&api)) {
    std::printf("refused: %s; %s\n", problem->what.c_str(), problem->fix.c_str());
    return problem->what.find("answers only where") != std::string::npos ? 0 : 1;
  }
  std::printf(
      "CUPTI %s (%u); ranges %d, PM sampling %d, chosen calls %d; calls kept: %zu driver, "
      "%zu runtime\n",
      prof::format::CuptiVersion(api.version).c_str(), api.version, api.Has(Feature::kRanges),
      api.Has(Feature::kPmSampling), api.Has(Feature::kCallSelection),
      prof::cupti::KeptApiCalls(api, CUPTI_CB_DOMAIN_DRIVER_API).size(),
      prof::cupti::KeptApiCalls(api, CUPTI_CB_DOMAIN_RUNTIME_API).size());
  return 0;
}
