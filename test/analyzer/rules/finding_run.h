// SPDX-License-Identifier: Apache-2.0
//
// A run of one device for the rules of findings: its operations, gaps, calls and ranges.
#ifndef PROF_TEST_ANALYZER_RULES_FINDING_RUN_H_
#define PROF_TEST_ANALYZER_RULES_FINDING_RUN_H_

#include <string>
#include <vector>

#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/findings/finding_rules.h"
#include "test/support/catch.h"

namespace prof::test {

using analyzer::Gap;
using model::ApiClass;
using model::CopyKind;
using model::MemoryKind;
using model::OpKind;

constexpr int64_t kUs = 1000;

// Operations are appended in order of time.
class Run {
 public:
  Run();

  // An operation that starts `idle_ns` after the last one ended, for a `cause`; the call that
  // launched it takes `api_ns` and ends 1 us before it starts.
  model::Op& Add(OpKind kind, int64_t idle_ns, GapCause cause, int64_t length_ns,
                 int64_t api_ns = 4 * kUs);

  model::Op& Kernel(int64_t idle_ns, GapCause cause, int64_t length_ns) {
    return Add(OpKind::kKernel, idle_ns, cause, length_ns);
  }

  model::Op& Copy(int64_t idle_ns, int64_t length_ns, uint64_t bytes, MemoryKind host);

  void AddCall(ApiClass cls, uint32_t name, int64_t start_ns, int64_t length_ns);

  void AddRange(uint32_t path, int64_t start_ns, int64_t end_ns) {
    model_.instances.push_back({path, 1, start_ns, end_ns, true});
  }

  // Calls `change` with the last gap.
  template <typename Change>
  void ChangeLastGap(Change change) {
    analyzer::GapTable& gaps = timeline_.devices[0].gaps;
    Gap gap = gaps.back();
    change(&gap);
    gaps.Set(gaps.size() - 1, gap);
  }
  model::Model& model() { return model_; }
  int64_t end_ns() const { return end_ns_; }

  // The findings. It is an error of the test if one claims more time than the run has, or has no
  // title or evidence.
  std::vector<Finding> Find();

 private:
  model::Model model_;
  std::vector<model::Op> ops_;  // of the model, while they can change
  analyzer::Timeline timeline_;
  int64_t end_ns_ = 1'000'000, busy_ns_ = 0;
};

// 1,000 kernels of 2 us, 3 us apart.
Run LaunchBoundRun();

// nullptr: there is none of that id.
const Finding* Get(const std::vector<Finding>& findings, const std::string& id);
// Whether a line of its evidence has the text.
bool Says(const Finding& finding, const std::string& text);

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_RULES_FINDING_RUN_H_
