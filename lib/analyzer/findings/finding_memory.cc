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
  FindingRow text;
  MaybeFinding (*find)(const MemoryInputs&);
  bool first = false;  // before the findings about time
};

constexpr MemoryRule kMemoryFindings[] = {
    {{"out-of-memory", GainKind::kMemory,
      "a call returned cudaErrorMemoryAllocation or CUDA_ERROR_OUT_OF_MEMORY",
      "calls with their ranges, lines and ops; what was allocated then, by range and by line; "
      "what lay unused in pools",
      "free or shrink what these ranges hold, trim pools", "", "–",
      "the size of the call, which no record has"},
     OutOfMemory,
     true},
    {{"memory-growth", GainKind::kMemory,
      "of 20 or more steps (own), without their first quarter, the levels rise: medians of ten "
      "equal parts in 90 % of their pairs, equal ones counted half (Kendall); so many rises from "
      "part to part have a chance of 2 % at most if each were as likely a fall (own); the slope's "
      "interval at 95 % (Theil and Sen) is above zero; 1 MB or more in all, less than half of it "
      "between two parts, in the last third half as much as in the first or more, and some of it "
      "in the last two parts (own); confidence medium",
      "levels, slope and interval, the ranges and the lines that hold more, the steps until the "
      "device is full",
      "find what the range or the line keeps", "", "o, r",
      "a warm-up or a cache that is filled once called a leak"},
     MemoryGrows},
    {{"memory-left", GainKind::kMemory,
      "a range that allocated in 20 or more instances (own) and left 1 MB or more in all until "
      "the end, in 90 % of them (own), the first before half of the run and the last after 90 % "
      "of it (own); not if `memory-growth` names the range; confidence medium",
      "instances, blocks, times", "free in the range, reuse one buffer", "", "o, r",
      "what is prepared once called a leak"},
     MemoryIsLeft},
    {{"pool-unused", GainKind::kMemory,
      "a pool of the driver took more from the device while so much or more lay unused, 256 MB "
      "and 25 % of what it reserved at most or more (own); confidence medium",
      "sizes of the pool", "sizes that repeat, one stream, trim", "", "o",
      "a pool that is too small"},
     PoolLiesUnused},
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
    finding->id = rule.text.id;
    finding->kind = rule.text.kind;
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

std::vector<FindingRow> MemoryFindingRows() {
  std::vector<FindingRow> rows;
  for (const MemoryRule& rule : kMemoryFindings) rows.push_back(rule.text);
  return rows;
}

}  // namespace prof::analyzer
