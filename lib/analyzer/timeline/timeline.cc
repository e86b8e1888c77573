// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/timeline.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/timeline/disturbance.h"
#include "lib/analyzer/timeline/gap_cause.h"
#include "lib/analyzer/timeline/queue_owner.h"

namespace prof::analyzer {
namespace {

// A device during the sweep over its operations in the order of their starts.
struct Sweep {
  DeviceTimeline timeline;
  int64_t covered_until_ns = 0;      // the latest end so far
  int32_t latest = model::kNoIndex;  // the operation that has it
};

// The busy time of work that is set aside becomes prof's.
void SetAside(const model::Model& model, DeviceTimeline* device,
              std::vector<int64_t>* exclusive_ns) {
  if (device->set_aside.intervals().empty()) return;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op& op = model.ops[i];
    if (!op.timed || op.device != device->device || device->IsEvidence(op)) continue;
    device->busy_ns -= (*exclusive_ns)[i];
    device->profiler_ns += (*exclusive_ns)[i];
    (*exclusive_ns)[i] = 0;
  }
}

// Nobody can tell what the GPU did while the recording was paused, nor for how long what began
// meanwhile went on: a gap with a pause in it is no evidence.
void TakeOutPauses(const std::vector<model::Pause>& pauses, DeviceTimeline* device) {
  size_t next = 0;
  for (size_t i = 0; i < device->gaps.size(); ++i) {
    Gap gap = device->gaps[i];
    while (next < pauses.size() && pauses[next].end_ns <= gap.start_ns) ++next;
    if (next == pauses.size()) return;
    if (pauses[next].begin_ns >= gap.end_ns) continue;
    gap.disturbed_ns = gap.end_ns - gap.start_ns;
    device->paused_ns += gap.disturbed_ns;
    device->gaps.Set(i, gap);
  }
}

void FindCauses(const GapClassifier& classifier, const QueueOwners& owners,
                DeviceTimeline* device) {
  std::vector<GapClassifier::StepsOfThread> near = classifier.Steps();
  std::vector<QueueOwners::Lateness> late = owners.AllOnTime(device->start_ns);
  for (size_t i = 0; i < device->gaps.size(); ++i) {
    Gap gap = device->gaps[i];
    const GapParts parts = classifier.Parts(gap);
    classifier.Classify(parts, &gap, &near);
    owners.Assign(parts, &gap, &late);
    device->profiler_ns += gap.disturbed_ns;
    device->gaps.Set(i, gap);
  }
}

}  // namespace

const DeviceTimeline* Timeline::Find(uint32_t device) const {
  for (const DeviceTimeline& entry : devices) {
    if (entry.device == device) return &entry;
  }
  return nullptr;
}

Timeline BuildTimeline(const model::Model& model) {
  Timeline result;
  result.exclusive_ns.resize(model.ops.size());
  std::unordered_map<uint32_t, Sweep> devices;
  std::pair<const uint32_t, Sweep>* last = nullptr;  // most operations are on one device
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op& op = model.ops[i];
    if (!op.timed) break;  // they are last
    if (last == nullptr || last->first != op.device) last = &*devices.try_emplace(op.device).first;
    Sweep& sweep = last->second;
    DeviceTimeline& timeline = sweep.timeline;
    if (sweep.latest == model::kNoIndex) {
      timeline.device = op.device;
      timeline.start_ns = sweep.covered_until_ns = op.start_ns;
      sweep.latest = static_cast<int32_t>(i);
    } else if (op.start_ns > sweep.covered_until_ns) {
      Gap gap;
      gap.device = op.device;
      gap.start_ns = sweep.covered_until_ns;
      gap.end_ns = op.start_ns;
      gap.previous_op = sweep.latest;
      gap.next_op = static_cast<int32_t>(i);
      // Not for many devices, whose sum would be more than there is.
      if (timeline.gaps.empty() && devices.size() == 1) {
        timeline.gaps.Reserve(model.ops.size() - i);
      }
      timeline.gaps.push_back(gap);
    }
    // All operations that started earlier have ended by covered_until_ns: then this one is the
    // first.
    const int64_t own_ns =
        std::max<int64_t>(0, op.end_ns - std::max(op.start_ns, sweep.covered_until_ns));
    result.exclusive_ns[i] = own_ns;
    timeline.busy_ns += own_ns;
    if (op.end_ns >= sweep.covered_until_ns) {
      sweep.covered_until_ns = op.end_ns;
      sweep.latest = static_cast<int32_t>(i);
    }
  }

  const GapClassifier classifier(model);
  const Disturbances disturbances(model, classifier);
  const QueueOwners owners(model, classifier);
  for (auto& [id, sweep] : devices) {
    sweep.timeline.end_ns = sweep.covered_until_ns;
    sweep.timeline.set_aside = disturbances.Mark(&sweep.timeline);
    TakeOutPauses(model.pauses, &sweep.timeline);
    FindCauses(classifier, owners, &sweep.timeline);
    SetAside(model, &sweep.timeline, &result.exclusive_ns);
    result.devices.push_back(std::move(sweep.timeline));
  }
  std::sort(result.devices.begin(), result.devices.end(),
            [](const DeviceTimeline& a, const DeviceTimeline& b) { return a.device < b.device; });
  return result;
}

}  // namespace prof::analyzer
