// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_other_work.h"

#include <algorithm>
#include <string>

#include "lib/analyzer/rules/rule_confidence.h"

namespace prof::analyzer {

void AddOtherWork(const std::vector<OtherWork>& work, std::vector<Finding>* findings) {
  std::vector<Finding> added;
  for (const OtherWork& one : work) {
    Finding& finding = added.emplace_back();
    finding.id = kOtherWorkFinding;
    finding.kind = GainKind::kSameWork;
    finding.title = "Something else works on device " + std::to_string(one.device) +
                    ": times and counters of this recording include its part.";
    finding.evidence = {one.Describe(),
                        "no operation of this recording is missing, as far as is known: another "
                        "process is the likely cause",
                        "verdicts by counters and PM samples have low confidence here"};
    finding.action =
        "Find the other process (nvidia-smi lists them), and record again without it; or share "
        "the GPU knowingly, and compare only runs that share it alike.";
    finding.check = "nvidia-smi";
    finding.confidence = Confidence::kMedium;
  }
  findings->insert(findings->begin(), added.begin(), added.end());
}

void DoubtBesideOtherWork(const std::vector<OtherWork>& work, std::vector<KernelReport>* kernels) {
  for (KernelReport& kernel : *kernels) {
    Verdict& verdict = kernel.verdict;
    const auto beside = std::find_if(work.begin(), work.end(), [&](const OtherWork& one) {
      return one.device == kernel.device;
    });
    if (beside == work.end() || verdict.source == Source::kNone) continue;
    verdict.notes.push_back("something else worked on the GPU: " + beside->Describe());
    AddDoubt("other-work", "something else worked on the GPU", &verdict);
    SetConfidence(&verdict);
  }
}

}  // namespace prof::analyzer
