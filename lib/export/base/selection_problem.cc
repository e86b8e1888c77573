// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/selection_problem.h"

#include <cstddef>
#include <cstdint>
#include <set>

#include "lib/export/base/time_span.h"
#include "lib/report/base/strings.h"
#include "lib/text/numbers.h"

namespace prof::exporting {
namespace {

constexpr size_t kMostListed = 400;  // characters of ranges' names in an error

std::string TimeText(int64_t ns) { return text::Time(static_cast<double>(ns)); }

// As doubles: a damaged file may have any begin.
std::string LengthText(int64_t begin_ns, int64_t end_ns) {
  return text::Time(static_cast<double>(end_ns) - static_cast<double>(begin_ns));
}

// Those that the recording describes, and those that operations name.
std::set<uint32_t> GpusOf(const Events& events) {
  std::set<uint32_t> gpus;
  for (const DeviceInfo& device : events.devices()) gpus.insert(device.id);
  for (const OperationEvent& op : events.operations()) gpus.insert(op.device);
  return gpus;
}

}  // namespace

std::string GpuProblem(const Events& events, const ExportOptions& options) {
  if (!options.gpu) return "";
  const std::set<uint32_t> gpus = GpusOf(events);
  if (gpus.count(*options.gpu) > 0) return "";
  std::string known;
  for (const uint32_t gpu : gpus) known += (known.empty() ? "" : ", ") + std::to_string(gpu);
  return "the recording has no GPU " + std::to_string(*options.gpu) +
         (known.empty() ? ", and no other" : ": it has " + known);
}

std::string TimeProblem(const Events& events, const ExportOptions& options) {
  if (options.from_ns && options.to_ns && *options.from_ns > *options.to_ns) {
    return "the time from " + TimeText(*options.from_ns) + " to " + TimeText(*options.to_ns) +
           " is empty: --from-time has to be the earlier one";
  }
  if (options.to_ns && TimeAfterBegin(events, *options.to_ns) < BeginOf(events)) {
    return "nothing was recorded up to " + TimeText(*options.to_ns) +
           ": times count from the begin of the recording";
  }
  if (!options.from_ns) return "";
  const int64_t from_ns = TimeAfterBegin(events, *options.from_ns);
  if (from_ns <= events.process().end_ns) return "";
  const int64_t end_ns = EndOf(events);
  if (from_ns <= end_ns) return "";
  return "nothing was recorded from " + TimeText(*options.from_ns) +
         " on: the recording ends after " + LengthText(events.process().start_ns, end_ns);
}

std::string NoRangeMatches(const Events& events, const std::string& expression) {
  std::string known;
  for (size_t id = 1; id < events.paths().size(); ++id) {
    if (events.paths()[id].torch_op || events.paths()[id].full.empty()) continue;
    if (known.size() > kMostListed) {
      known += ", ...";
      break;
    }
    known += (known.empty() ? ": " : ", ") + report::Printable(events.paths()[id].full);
  }
  return "no range matches '" + expression + "'" +
         (known.empty() ? ": the recording has no NVTX ranges" : known);
}

}  // namespace prof::exporting
