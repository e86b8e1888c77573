// SPDX-License-Identifier: Apache-2.0
//
// Steps that differ: a few of them are long, or each is longer than the one before.
#include <nvtx3/nvToolsExt.h>

#include "planted.h"

namespace {

Step Outliers(Machine* m) {
  const double us = m->Draw("kernel_us", 80, 160);
  return [=](int64_t number) {
    nvtxRangePushA("step");
    for (int i = 0; i < (number % 50 == 49 ? 20 : 2); ++i) m->Work(us);
    nvtxRangePop();
  };
}

// No range tells the steps. Each gives a value to the host, which nobody waits for.
Step Evaluation(Machine* m) {
  const double forward = m->Draw("forward_us", 60, 100),
               backward = m->Draw("backward_us", 120, 200), score = m->Draw("score_us", 60, 120);
  return [=](int64_t number) {
    m->Work(forward, 1);
    m->Work(backward, 2);
    m->Work(forward / 2, 3);
    for (int i = 0; i < (number % 50 == 24 ? 20 : 0); ++i) m->Work(score, 4);
    m->Copy(m->pinned, m->values, sizeof(float));
  };
}

Step Drift(Machine* m) {
  const double us = m->Draw("kernel_us", 60, 100);
  return [=](int64_t number) {
    nvtxRangePushA("step");
    for (int i = 0; i < 2; ++i) m->Work(us * (1 + 0.0006 * static_cast<double>(number)));
    nvtxRangePop();
  };
}

}  // namespace

Timelines StepTimelines() {
  return {{"outliers", Outliers}, {"evaluation", Evaluation}, {"drift", Drift}};
}
