// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/metrics/metrics_cupti.h"

#include "cupti_backend/metrics/metric_catalogue.h"

namespace prof::cli {

CuptiFound FindCupti() {
#ifdef PROF_WITH_CUDA
  cupti::CatalogueQuestion question;
  question.chip = cupti::kAssumedChip;  // so that no GPU is needed
  question.search = [](const std::string&) { return false; };
  const cupti::CatalogueAnswer answer = cupti::AskCatalogue(question);
  return {answer.cupti_path, answer.cupti_version, answer.error, answer.fix};
#else
  return {"", 0, "this prof was built without CUDA (PROF_CUDA=OFF)",
          "build it where the CUDA toolkit is installed"};
#endif
}

}  // namespace prof::cli
