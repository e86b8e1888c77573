// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/metrics/metrics_cupti.h"

namespace prof::cli {

cupti::CatalogueAnswer AskCupti(const cupti::CatalogueQuestion& question) {
#ifdef PROF_WITH_CUDA
  return cupti::AskCatalogue(question);
#else
  (void)question;
  cupti::CatalogueAnswer answer;
  answer.error = "this prof was built without CUDA (PROF_CUDA=OFF) and cannot ask CUPTI";
  answer.fix = "build it where the CUDA toolkit is installed";
  return answer;
#endif
}

CuptiFound FindCupti() {
  cupti::CatalogueQuestion question;
  question.chip = cupti::kAssumedChip;  // so that no GPU is needed
  question.search = [](const std::string&) { return false; };
  const cupti::CatalogueAnswer answer = AskCupti(question);
  return {answer.cupti_path, answer.cupti_version, answer.error, answer.fix};
}

}  // namespace prof::cli
