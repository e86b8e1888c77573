// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/torch_calls.h"

#include <cstddef>

#include "lib/export/base/host_slices.h"

namespace prof::exporting {
namespace {

constexpr int32_t kNoOp = -1;

class InnermostOps {
 public:
  InnermostOps(const Events& events, std::vector<int32_t>* of_calls)
      : of_calls_(*of_calls), open_(events.threads().size()) {}

  static bool Wants(const TorchOpEvent& op) { return op.kind != TorchOpKind::kModule; }

  void Begin(const RangeEvent& range) { open_[range.thread].push_back(Of(range.thread)); }
  void Begin(const TorchOpEvent& op, size_t row) {
    open_[op.thread].push_back(static_cast<int32_t>(row));
  }
  void Begin(const CallEvent& call, size_t row) { of_calls_[row] = Of(call.thread); }
  template <typename Event>
  void Crosses(const Event& /*an op that is not around all that began in it*/) {}
  void End(const SliceEnd& slice) {
    if (!slice.of_call) open_[slice.thread].pop_back();
  }

 private:
  int32_t Of(uint32_t thread) const { return open_[thread].empty() ? kNoOp : open_[thread].back(); }

  std::vector<int32_t>& of_calls_;
  std::vector<std::vector<int32_t>> open_;  // by thread; the innermost last
};

}  // namespace

TorchCalls::TorchCalls(const Events& events, const Selection& selection) {
  if (events.torch_ops().empty()) return;
  ops_.resize(events.calls().size(), kNoOp);
  InnermostOps visitor(events, &ops_);
  VisitHostSlices(events, selection, &visitor);
}

}  // namespace prof::exporting
