// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/left_out.h"

#include <algorithm>

#include "lib/text/numbers.h"

namespace prof::exporting {

std::map<uint32_t, uint32_t> DevicesOfContexts(const Events& events) {
  std::map<uint32_t, uint32_t> devices;
  for (const OperationEvent& op : events.operations()) devices.emplace(op.context, op.device);
  return devices;
}

void NoteSamplesWithoutKernel(const Events& events, const Selection& selection,
                              std::vector<std::string>* notes) {
  int64_t count = 0;
  for (const CounterEvent& sample : events.counters()) {
    if (sample.operation < 0 && selection.HasAt(sample.path, sample.start_ns)) ++count;
  }
  if (count == 0) return;
  notes->push_back(text::Plural(count, "sample of counters is", "samples of counters are") +
                   " not in the file, which has counters of kernels only: of ranges, of graphs, or "
                   "of launches without a record. --to csv --table counters and --to sqlite have "
                   "them");
}

void NoteSyncs(const Events& events, const Selection& selection, std::vector<std::string>* notes) {
  const std::map<uint32_t, uint32_t> devices = DevicesOfContexts(events);
  int64_t count = 0;
  for (const SyncEvent& sync : events.syncs()) {
    const auto device = devices.find(sync.context);
    const bool known = device != devices.end();
    if (!known || selection.HasOn(device->second, sync.start_ns, sync.end_ns)) ++count;
  }
  if (count == 0) return;
  notes->push_back(text::Plural(count, "record of a wait is", "records of waits are") +
                   " not in the file; the calls that waited are");
}

std::vector<std::string> LossesOf(const Report& report) {
  std::vector<std::string> losses = report.integrity;
  const bool has_it = report.incomplete.empty() ||
                      std::find(losses.begin(), losses.end(), report.incomplete) != losses.end();
  if (!has_it) losses.insert(losses.begin(), report.incomplete);
  return losses;
}

void NoteSyncsWithoutDevice(const Events& events, std::vector<std::string>* notes) {
  const std::map<uint32_t, uint32_t> devices = DevicesOfContexts(events);
  int64_t count = 0;
  for (const SyncEvent& sync : events.syncs()) count += devices.count(sync.context) == 0 ? 1 : 0;
  if (count == 0) return;
  notes->push_back(text::Plural(count, "record of a wait is", "records of waits are") +
                   " not in the file: no operation shows the device of the context");
}

}  // namespace prof::exporting
