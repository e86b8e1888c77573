// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/idle_meter.h"

#include <algorithm>

namespace prof::capture {

LaunchId IdleMeter::IdOf(const KernelEvent& launch) {
  const LaunchId id = ForwardingSink::IdOf(launch);
  if (device_of_lane_.size() <= id.lane) device_of_lane_.resize(id.lane + 1, 0);
  device_of_lane_[id.lane] = launch.device;
  return id;
}

void IdleMeter::Add(const KernelEvent& event) {
  Busy(event.device, event.start_ns, event.end_ns);
  ForwardingSink::Add(event);
}

void IdleMeter::Add(const KnownKernelEvent& event) {
  const uint32_t device = event.lane < device_of_lane_.size() ? device_of_lane_[event.lane] : 0;
  Busy(device, event.start_ns, event.end_ns);
  ForwardingSink::Add(event);
}

void IdleMeter::Add(const CopyEvent& event) {
  Busy(event.device, event.start_ns, event.end_ns);
  ForwardingSink::Add(event);
}

void IdleMeter::Add(const MemsetEvent& event) {
  Busy(event.device, event.start_ns, event.end_ns);
  ForwardingSink::Add(event);
}

void IdleMeter::Add(const GraphRunEvent& event) {
  Busy(event.device, event.start_ns, event.end_ns);
  ForwardingSink::Add(event);
}

void IdleMeter::Busy(uint32_t device, int64_t start_ns, int64_t end_ns) {
  if (end_ns <= start_ns) return;
  Intervals& busy = devices_[device].busy;
  if (!busy.empty() && start_ns >= busy.back().first && start_ns <= busy.back().second) {
    busy.back().second = std::max(busy.back().second, end_ns);
    return;
  }
  busy.emplace_back(start_ns, end_ns);
  if (busy.size() >= kMostIntervals) Join(&busy);
}

// Sorts and joins what overlaps; while that is still more than half of the room, also what lies
// close to its neighbour. Then the GPU counts as busier than it was.
void IdleMeter::Join(Intervals* busy) {
  std::sort(busy->begin(), busy->end());
  for (int64_t gap_ns = 0;; gap_ns = 2 * gap_ns + 1000) {
    Intervals joined;
    for (const auto& [start_ns, end_ns] : *busy) {
      if (!joined.empty() && start_ns <= joined.back().second + gap_ns) {
        joined.back().second = std::max(joined.back().second, end_ns);
      } else {
        joined.emplace_back(start_ns, end_ns);
      }
    }
    *busy = std::move(joined);
    if (busy->size() <= kMostIntervals / 2) return;
  }
}

std::optional<double> IdleMeter::IdlePercent(int64_t begin_ns, int64_t end_ns) {
  std::optional<double> least;
  for (auto& [id, device] : devices_) {
    Join(&device.busy);
    int64_t busy_ns = 0;
    for (const auto& [start, end] : device.busy) {
      if (start < begin_ns) device.ran = true;
      busy_ns += std::max<int64_t>(0, std::min(end, end_ns) - std::max(start, begin_ns));
    }
    const auto past = [&](const auto& interval) { return interval.second <= begin_ns; };
    device.busy.erase(std::remove_if(device.busy.begin(), device.busy.end(), past),
                      device.busy.end());
    if (!device.ran) continue;
    const double idle =
        100.0 * (1.0 - static_cast<double>(busy_ns) / static_cast<double>(end_ns - begin_ns));
    least = std::min(least.value_or(100.0), idle);
  }
  return least;
}

}  // namespace prof::capture
