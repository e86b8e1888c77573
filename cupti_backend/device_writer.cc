// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/device_writer.h"

#include <algorithm>

#include "cupti_backend/api/device_info.h"
#include "cupti_backend/kept_ceilings.h"

namespace prof::cupti {

bool DeviceWriter::AddPeak(const PeakEvent& peak) {
  bool added = false;
  for (capture::DeviceEvent& device : devices_) {
    if (static_cast<int>(device.id) != peak.device) continue;
    const auto known = [&](const auto& entry) { return entry.first == peak.metric; };
    if (std::any_of(device.peaks.begin(), device.peaks.end(), known)) continue;
    device.peaks.emplace_back(peak.metric, peak.value);
    added = true;
  }
  return added;
}

void DeviceWriter::Write(const std::vector<PeakEvent>& peaks, bool used, capture::EventSink& sink) {
  bool changed = false;
  if (devices_.empty() && used) {
    devices_ = ReadDevices(*api_, *driver_);
    changed = true;
    const std::string problem = AddKeptCeilings(ceilings_, &devices_);
    if (!problem.empty()) {
      sink.Add(capture::NoticeEvent{capture::Severity::kInfo, capture::Subsystem::kTimeline, 0,
                                    problem, "measure them again: ceilings --keep"});
    }
  }
  for (const PeakEvent& peak : peaks) changed |= AddPeak(peak);
  if (!changed) return;
  for (const capture::DeviceEvent& device : devices_) sink.Add(device);
}

}  // namespace prof::cupti
