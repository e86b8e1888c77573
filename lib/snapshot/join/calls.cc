// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/calls.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "lib/snapshot/join/step_walk.h"
#include "lib/snapshot/model/api_class.h"
#include "lib/snapshot/model/overhead_class.h"
#include "lib/snapshot/model/reserve.h"

namespace prof::snapshot {
namespace {

using model::ApiCall;
using model::Model;

// The index finds the outermost call with a correlation id. Calls are sorted by start, longest
// first, so the first call with an id is the outermost one.
class CallIndex {
 public:
  CallIndex(const model::CallTable& calls, model::RowStorage storage)
      : calls_(calls), size_(calls.size()) {
    // Where only one thread calls, ids grow with time: the calls are their own index.
    size_t i = 1;
    while (i < size_ && calls.correlation(i - 1) <= calls.correlation(i)) ++i;
    if (i >= size_) {
      if (storage == model::RowStorage::kPacked) CopyIds();
      return;
    }
    model::ReserveRows(size_, &keys_);
    for (i = 0; i < size_; ++i) keys_.push_back(uint64_t{calls.correlation(i)} << 32 | i);
    std::sort(keys_.begin(), keys_.end());
  }

  int32_t Find(uint32_t correlation) {
    if (correlation == 0) return model::kNoIndex;
    hint_ = FirstNotBelow(correlation);
    if (hint_ == size_ || IdAt(hint_) != correlation) return model::kNoIndex;
    return static_cast<int32_t>(keys_.empty() ? hint_ : keys_[hint_] & 0xffffffff);
  }

 private:
  // A search in packed rows would unpack a chunk at each step.
  void CopyIds() {
    ids_.reserve(size_);
    for (size_t i = 0; i < size_; ++i) ids_.push_back(calls_.correlation(i));
  }

  uint32_t IdAt(size_t i) const {
    if (!keys_.empty()) return static_cast<uint32_t>(keys_[i] >> 32);
    return ids_.empty() ? calls_.correlation(i) : ids_[i];
  }

  // Operations mostly come in the order of their calls, so the answer is near the last one.
  size_t FirstNotBelow(uint32_t correlation) const {
    size_t begin = 0, end = hint_;
    if (hint_ < size_ && IdAt(hint_) < correlation) {
      for (begin = hint_ + 1; begin < size_ && begin <= hint_ + 16; ++begin) {
        if (IdAt(begin) >= correlation) return begin;
      }
      end = size_;
    } else if (hint_ == 0 || IdAt(hint_ - 1) < correlation) {
      return hint_;
    }
    while (begin < end) {
      const size_t middle = begin + (end - begin) / 2;
      IdAt(middle) < correlation ? begin = middle + 1 : end = middle;
    }
    return begin;
  }

  const model::CallTable& calls_;
  std::vector<uint64_t> keys_;  // correlation in the upper, index in the lower half
  std::vector<uint32_t> ids_;   // of packed calls that are their own index
  size_t size_, hint_ = 0;
};

}  // namespace

void ClassifyCalls(Model* model) {
  std::vector<std::optional<model::ApiClass>> known(model->strings.size());
  model->api_calls.Classify([&](uint32_t name) {
    std::optional<model::ApiClass>& cls = known[name];
    if (!cls) cls = model::ClassifyApi(model->strings[name]);
    return *cls;
  });
}

// Calls are sorted by time, so one walk over the steps of each thread is enough.
void SetCallPaths(Model* model) {
  StepWalk walk(model->steps);
  for (size_t i = 0; i < model->api_calls.size(); ++i) {
    const ApiCall call = model->api_calls[i];
    model->api_calls.SetPath(i, walk.PathAt(call.thread, call.start_ns));
  }
}

void JoinOps(Model* model) {
  CallIndex index(model->api_calls, model->storage);
  for (size_t i = 0; i < model->ops.size(); ++i) {
    const int32_t call = index.Find(model->ops.correlation(i));
    if (call != model::kNoIndex) model->ops.SetCall(i, call, model->api_calls.path(call));
  }
  for (model::Allocation& allocation : model->allocations) {
    allocation.api = index.Find(allocation.correlation);
    if (allocation.api == model::kNoIndex) continue;
    allocation.path = model->api_calls.path(allocation.api);
    allocation.thread = model->api_calls[allocation.api].thread;
    allocation.stack = model->api_calls.stack(allocation.api);
  }
}

void SetTensorPaths(Model* model) {
  for (std::vector<model::Allocation>* tensors :
       {&model->tensors.changes, &model->tensors.refused}) {
    if (tensors->empty()) continue;
    StepWalk walk(model->steps);
    for (model::Allocation& tensor : *tensors) {
      tensor.path = walk.PathAt(tensor.thread, tensor.time_ns);
    }
  }
}

namespace {

// Calls that have an overhead of loading within them.
void MarkOverheads(Model* model) {
  std::vector<std::vector<const model::Overhead*>> by_thread(model->threads.size());
  for (const model::Overhead& overhead : model->overheads) {
    if (model::LoadsCode(overhead.kind)) by_thread[overhead.thread].push_back(&overhead);
  }
  if (std::all_of(by_thread.begin(), by_thread.end(), [](const auto& of) { return of.empty(); })) {
    return;
  }
  std::vector<size_t> next(by_thread.size());
  for (size_t i = 0; i < model->api_calls.size(); ++i) {
    const ApiCall call = model->api_calls[i];
    const auto& loads = by_thread[call.thread];
    size_t& at = next[call.thread];
    while (at < loads.size() && loads[at]->start_ns < call.start_ns) ++at;
    if (call.thread != 0 && at < loads.size() && loads[at]->start_ns < call.end_ns) {
      model->api_calls.SetLoadsCode(i);
    }
  }
}

// Launches of loaded code took 17 to 44 us where nothing was left to load, and 3 to 70 ms where the
// driver had put off a part of it (PyTorch on an H200).
constexpr int64_t kLoadingLaunchNs = 100'000;

// Calls that load code by their name, and a long launch that comes next on the same thread: the
// driver may put off a part of the loading until then. CUPTI need not record an overhead of either.
void MarkLoadingCalls(Model* model) {
  std::vector<bool> loads(model->strings.size());
  bool any = false;
  for (size_t i = 0; i < loads.size(); ++i) {
    loads[i] = model::IsLoadingCall(model->strings[i]);
    any |= loads[i];
  }
  if (!any) return;
  std::vector<bool> loaded(model->threads.size());
  for (size_t i = 0; i < model->api_calls.size(); ++i) {
    const ApiCall call = model->api_calls[i];
    const bool launches =
        call.cls == model::ApiClass::kLaunch || call.cls == model::ApiClass::kGraphLaunch;
    const bool is_long = call.end_ns - call.start_ns >= kLoadingLaunchNs;
    if (loads[call.name] || (launches && is_long && loaded[call.thread])) {
      model->api_calls.SetLoadsCode(i);
    }
    // Questions about functions and devices may come between.
    if (loads[call.name]) {
      loaded[call.thread] = true;
    } else if (call.cls != model::ApiClass::kOther) {
      loaded[call.thread] = false;
    }
  }
}

}  // namespace

void MarkLoading(Model* model) {
  MarkOverheads(model);
  MarkLoadingCalls(model);
}

}  // namespace prof::snapshot
