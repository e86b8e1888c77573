// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_memory.h"

#include <algorithm>
#include <utility>

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/findings/finding_memory_failed.h"
#include "lib/analyzer/findings/finding_memory_growth.h"
#include "lib/analyzer/findings/finding_memory_left.h"
#include "lib/analyzer/findings/finding_memory_pool.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

constexpr size_t kMostHolders = 3;

struct MemoryRule {
  std::string_view id;
  MaybeFinding (*find)(const MemoryInputs&);
  bool first = false;  // before the findings about time
};

constexpr MemoryRule kMemoryFindings[] = {
    {"out-of-memory", OutOfMemory, true},
    {"memory-growth", MemoryGrows},
    {"memory-left", MemoryIsLeft},
    {"pool-unused", PoolLiesUnused},
};

double LastRecordNs(const model::Model& model) {
  int64_t end_ns = model.process.start_ns;
  for (const model::Op& op : model.ops) {
    if (op.timed) end_ns = std::max(end_ns, op.end_ns);
  }
  for (const model::ApiCall& call : model.api_calls) end_ns = std::max(end_ns, call.end_ns);
  for (const model::RangeInstance& instance : model.instances) {
    end_ns = std::max(end_ns, instance.end_ns);
  }
  return static_cast<double>(end_ns) - static_cast<double>(model.process.start_ns);
}

// Frees in a pause are not recorded: what was allocated before it may be gone after it.
bool PausedBetween(const model::Model& model) {
  if (model.allocations.empty()) return false;
  const int64_t first_ns = model.allocations.front().time_ns;
  const int64_t last_ns = model.allocations.back().time_ns;
  return std::any_of(model.pauses.begin(), model.pauses.end(), [&](const model::Pause& pause) {
    return first_ns < pause.begin_ns && pause.end_ns < last_ns;
  });
}

MemoryInputs GatherMemoryInputs(const model::Model& model, const MemoryReport& memory) {
  MemoryInputs inputs{model, memory, LastRecordNs(model)};
  if (memory.records_lost) {
    inputs.lost_records = text::Enumerate(LostOperations(model)) +
                          ": records of allocations and frees may be among them";
  }
  if (inputs.lost_records.empty() && PausedBetween(model)) {
    inputs.lost_records = "the recording was paused between allocations: frees may be missing";
  }
  const uint64_t lost = LostRangeEvents(model);
  if (lost > 0) {
    inputs.lost_ranges = std::to_string(lost) + " range events or API calls were dropped";
  }
  return inputs;
}

std::string HolderName(const MemoryHolder& holder) { return holder.range; }
std::string HolderName(const LineHolder& holder) { return ToString(holder.place); }

template <typename Holder>
std::string TextOf(const std::vector<Holder>& holders) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(holders.size(), kMostHolders); ++i) {
    parts.push_back(HolderName(holders[i]) + " " +
                    text::Bytes(static_cast<double>(holders[i].bytes)));
  }
  if (holders.size() > kMostHolders) {
    parts.push_back(text::Count(static_cast<int64_t>(holders.size() - kMostHolders)) + " more");
  }
  return text::Join(parts, ", ");
}

}  // namespace

std::string HoldersText(const std::vector<MemoryHolder>& holders) { return TextOf(holders); }
std::string HoldersText(const std::vector<LineHolder>& holders) { return TextOf(holders); }

void AddMemoryFindings(const model::Model& model, const MemoryReport& memory,
                       std::vector<Finding>* findings) {
  if (memory.empty()) return;
  const MemoryInputs inputs = GatherMemoryInputs(model, memory);
  std::vector<Finding> first, others;
  for (const MemoryRule& rule : kMemoryFindings) {
    MaybeFinding finding = rule.find(inputs);
    if (!finding) continue;
    finding->id = rule.id;
    finding->kind = GainKind::kMemory;
    WithholdIfIncomplete(&*finding);
    (rule.first ? first : others).push_back(std::move(*finding));
  }
  findings->insert(findings->begin(), first.begin(), first.end());
  for (Finding& finding : others) {
    const auto place =
        finding.withheld
            ? findings->end()
            : std::find_if(findings->begin(), findings->end(), [](const Finding& other) {
                return other.withheld || other.confidence == Confidence::kLow;
              });
    findings->insert(place, std::move(finding));
  }
}

std::vector<std::string_view> MemoryFindingIds() {
  std::vector<std::string_view> ids;
  for (const MemoryRule& rule : kMemoryFindings) ids.push_back(rule.id);
  return ids;
}

}  // namespace prof::analyzer
