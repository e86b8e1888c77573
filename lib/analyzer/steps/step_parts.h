// SPDX-License-Identifier: Apache-2.0
//
// The parts of steps: forward, backward, optimizer, data, communication. What is known tells them:
// NCCL's kernels, ops of PyTorch, names of ranges. What nothing tells stays "not known".
#ifndef PROF_LIB_ANALYZER_STEPS_STEP_PARTS_H_
#define PROF_LIB_ANALYZER_STEPS_STEP_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/snapshot/model/model.h"
#include "prof/step_report.h"

namespace prof::analyzer {

inline constexpr size_t kStepParts = static_cast<size_t>(StepPart::kNotKnown) + 1;

// From `start_ns` until the next one begins, the thread of the steps is in `part`.
struct HostPiece {
  int64_t start_ns = 0;
  StepPart part = StepPart::kNotKnown;
};

// The path that a thread was in, of Model::steps or of TorchOps::steps; kNone: in none. Takes log
// n.
[[nodiscard]] uint32_t PathAt(const std::vector<model::StepTable>& steps, uint32_t thread,
                              int64_t time_ns);

class StepParts {
 public:
  // Keeps a reference to `model`. `iterations`: not empty, of one thread, in the order of time.
  // Takes n log n in the ops of PyTorch, linear in the rest.
  StepParts(const model::Model& model, const Iterations& iterations);

  // The part of an operation; an index into Model::ops.
  [[nodiscard]] StepPart OfOperation(size_t op) const;
  // The part that a thread was in. Takes log n.
  [[nodiscard]] StepPart OfHost(uint32_t thread, int64_t time_ns) const;

  // Calls `visit(from_ns, to_ns, part)` for what the thread of the steps did in the interval. Takes
  // log n and the pieces.
  void VisitHost(const Interval& interval,
                 const std::function<void(int64_t, int64_t, StepPart)>& visit) const;

  // The same for any thread, of which ops and ranges do not change in the interval.
  void VisitThread(uint32_t thread, const Interval& interval,
                   const std::function<void(int64_t, int64_t, StepPart)>& visit) const;

  // By path id: true for the paths of the backward pass. By thread id: those that were in one.
  [[nodiscard]] const std::vector<bool>& backward() const { return backward_; }
  [[nodiscard]] const std::vector<bool>& backward_threads() const { return backward_threads_; }

 private:
  // What a path tells. kOp: it is an op, and its place in the step has to tell.
  enum class Told : uint8_t { kNothing, kOp, kPart };
  struct Label {
    Told told = Told::kNothing;
    StepPart part = StepPart::kNotKnown;
  };

  void LabelPaths();
  void FindBackward();
  void FindPieces();
  void FillBetweenOps();
  // Of the place of an op or a thread: in an op and a range, at a time of the host.
  StepPart PartAt(uint32_t op, uint32_t range, int64_t time_ns) const;
  size_t StepAt(int64_t time_ns) const;

  const model::Model& model_;
  const Iterations& iterations_;
  const std::vector<bool> communicates_;  // by shape
  const std::vector<bool> backward_;      // by path
  const std::vector<bool> backward_threads_;
  std::vector<Label> labels_;              // by path
  IntervalUnion engine_;                   // the backward pass, on other threads than the steps'
  std::vector<int64_t> last_backward_ns_;  // by step: its last node began; before it: none did
  std::vector<HostPiece> pieces_;          // sorted by start
  mutable size_t near_ = 0;                // StepAt's last answer: mostly the next one is near
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_STEPS_STEP_PARTS_H_
