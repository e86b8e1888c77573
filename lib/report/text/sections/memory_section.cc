// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/memory_section.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::report {
namespace {

constexpr size_t kMostKinds = 6;
constexpr size_t kMostRanges = 3;
constexpr int kRangeWidth = 40;

std::string Size(uint64_t bytes) { return text::Bytes(static_cast<double>(bytes)); }

std::string MemoryKindText(const AllocationSummary& kind) {
  return (kind.pooled ? "pooled " : "") + kind.memory;
}

// The first `most` parts, and the number of the others.
std::string ListMost(std::vector<std::string> parts, size_t most) {
  if (parts.size() > most) {
    const size_t more = parts.size() - most;
    parts.resize(most);
    parts.push_back(text::Count(static_cast<int64_t>(more)) + " more");
  }
  return text::Join(parts, ", ");
}

std::string PeakText(const MemoryReport& memory, const DeviceMemory& device) {
  std::vector<std::string> parts;
  for (const AllocationSummary& kind : memory.kinds) {
    const bool on_device = kind.memory == "device" || kind.memory == "array";
    if (kind.device != device.device || !on_device || kind.bytes_at_device_peak == 0) continue;
    parts.push_back(MemoryKindText(kind) + " " + Size(kind.bytes_at_device_peak));
  }
  return "peak " + Size(device.peak_bytes) + " " + text::Time(device.peak_at_ns) +
         " after the start" + (parts.empty() ? "" : " (" + ListMost(parts, kMostKinds) + ")") +
         ", " + Size(device.bytes_at_end) + " at the end";
}

// Empty when there were frees only.
std::string CountsText(const MemoryReport& memory) {
  int64_t allocations = 0, frees = 0, at_end = 0;
  double bytes = 0, freed = 0, left = 0;
  std::vector<std::string> parts;
  for (const AllocationSummary& kind : memory.kinds) {
    allocations += kind.allocations;
    frees += kind.frees;
    at_end += kind.at_end;
    bytes += static_cast<double>(kind.bytes);
    freed += static_cast<double>(kind.bytes_freed);
    left += static_cast<double>(kind.bytes_at_end);
    if (kind.allocations == 0) continue;
    parts.push_back(text::Count(kind.allocations) + " " + MemoryKindText(kind) + " " +
                    Size(kind.bytes));
  }
  if (allocations == 0) return "";
  return text::Plural(allocations, "allocation", "allocations") + " of " + text::Bytes(bytes) +
         " (" + ListMost(parts, kMostKinds) + "), " + text::Count(frees) + " freed (" +
         text::Bytes(freed) + "), " + text::Count(at_end) + " not (" + text::Bytes(left) + ")";
}

std::string NameOf(const MemoryHolder& holder, const TextOptions& options) {
  return ShortName(holder.range, kRangeWidth, options);
}

std::string NameOf(const OpHolder& holder, const TextOptions& options) {
  return holder.op.empty() ? "(no op)" : ShortName(holder.op, kRangeWidth, options);
}

// "train.py:42 step": file and line are whole.
std::string NameOf(const SourcePlace& place, const TextOptions& options) {
  if (!place.known()) return ToString(place);
  SourcePlace where = place;
  for (std::string* const path : {&where.file, &where.module}) {
    path->erase(0, path->rfind('/') + 1);
  }
  where.function.clear();
  constexpr int kLeast = 12;
  const std::string text = Printable(ToString(where));  // ends with a space
  const int room = std::max(kRangeWidth - DisplayWidth(text), kLeast);
  return text + ShortName(place.function, room, options);
}

std::string NameOf(const LineHolder& holder, const TextOptions& options) {
  return NameOf(holder.place, options);
}

// Who holds the most.
template <typename Holder>
std::string HoldersText(const std::vector<Holder>& holders, const TextOptions& options) {
  std::vector<std::string> parts;
  parts.reserve(holders.size());
  for (const Holder& holder : holders) {
    parts.push_back(NameOf(holder, options) + " " + Size(holder.bytes) + " in " +
                    text::Plural(holder.blocks, "block", "blocks"));
  }
  return ListMost(parts, options.details ? static_cast<size_t>(options.max_rows) : kMostRanges);
}

// "activations 40.1 GiB, weights 12.9 GiB": bytes, descending. All of them are few.
std::string PartsText(const std::vector<MemoryPart>& parts) {
  std::vector<std::string> texts;
  texts.reserve(parts.size());
  for (const MemoryPart& part : parts) texts.push_back(part.part + " " + Size(part.bytes));
  return text::Join(texts, ", ");
}

std::string RolesText(const std::vector<RoleHolder>& roles) {
  std::vector<std::string> texts;
  texts.reserve(roles.size());
  for (const RoleHolder& role : roles) {
    texts.push_back(ToString(role.role) + (" " + Size(role.bytes)) + " in " +
                    text::Count(role.blocks));
  }
  return text::Join(texts, ", ");
}

std::string SegmentsText(const TensorSegments& segments) {
  std::string text = Size(segments.bytes) + " from CUDA in " +
                     text::Plural(segments.segments, "segment", "segments") + ", " +
                     Size(segments.unused_bytes) + " of it unused";
  if (segments.gaps > 0) {
    text += " in " + text::Plural(segments.gaps, "gap", "gaps") + ", the largest " +
            Size(segments.largest_gap);
  }
  if (segments.outside_bytes > 0) {
    text += "; tensors of " + Size(segments.outside_bytes) + " are in memory without a record";
  }
  return text;
}

std::string SizesText(const DeviceMemory& device) {
  std::vector<std::string> parts;
  int64_t rest = device.blocks_at_peak;
  for (const BlocksOfSize& size : device.sizes) {
    parts.push_back(text::Count(size.blocks) + " of " + Size(size.bytes_each));
    rest -= size.blocks;
  }
  if (rest > 0) parts.push_back(text::Count(rest) + " of other sizes");
  return text::Join(parts, ", ");
}

std::string Signed(double bytes) { return (bytes < 0 ? "-" : "") + text::Bytes(std::abs(bytes)); }

std::string GrowthText(const MemoryGrowth& growth, const TextOptions& options) {
  const std::string levels = Size(growth.first_bytes) + " to " + Size(growth.last_bytes) +
                             " over " + text::Count(growth.steps) + " steps of " +
                             ShortName(growth.step, kRangeWidth, options);
  if (!growth.grows) {
    const std::string why = growth.why_not.empty() ? "" : ": " + growth.why_not;
    return "none that goes on" + why + " (" + levels + ")";
  }
  std::vector<std::string> parts;
  for (const GrowingHolder& holder : growth.holders) {
    parts.push_back(ShortName(holder.range, kRangeWidth, options) + " " +
                    Signed(static_cast<double>(holder.bytes)));
  }
  std::string text = Signed(growth.bytes_per_step) + " a step (" + Signed(growth.at_least) +
                     " to " + Signed(growth.at_most) + "), " + levels + "; " +
                     ListMost(parts, kMostRanges);
  parts.clear();
  for (const GrowingLine& line : growth.lines) {
    parts.push_back(NameOf(line.place, options) + " " + Signed(static_cast<double>(line.bytes)));
  }
  return parts.empty() ? text : text + "; from " + ListMost(parts, kMostRanges);
}

// "GPU 0", "tensors, GPU 0", "pinned".
std::string GrowingText(const MemoryGrowth& growth) {
  if (!growth.device) return growth.memory;
  const std::string gpu = "GPU " + std::to_string(*growth.device);
  return growth.memory == "tensors" ? growth.memory + ", " + gpu : gpu;
}

void WriteGrowth(const MemoryReport& memory, const TextOptions& options,
                 const std::function<void(const std::string&, const std::string&)>& line) {
  for (const MemoryGrowth& growth : memory.growth) {
    if (!growth.grows && !options.details) continue;
    line("growth, " + GrowingText(growth), GrowthText(growth, options));
  }
  if (options.details && !memory.growth_missing.empty() && !memory.kinds.empty()) {
    line("growth", "not known: " + memory.growth_missing);
  }
}

std::string LeftText(const RangeAllocations& range, const TextOptions& options) {
  std::string text = ShortName(range.range, kRangeWidth, options) + " " + Size(range.bytes_at_end) +
                     " in " + text::Plural(range.blocks_at_end, "block", "blocks");
  if (range.instances > 1) {
    text += " (" + text::Count(range.instances_left) + " of " + text::Count(range.instances) +
            " times)";
  }
  return text;
}

std::string LeftText(const MemoryReport& memory, const TextOptions& options) {
  std::vector<const RangeAllocations*> left;
  for (const RangeAllocations& range : memory.ranges) {
    if (range.blocks_at_end > 0) left.push_back(&range);
  }
  std::stable_sort(left.begin(), left.end(),
                   [](const auto* a, const auto* b) { return a->bytes_at_end > b->bytes_at_end; });
  std::vector<std::string> parts;
  parts.reserve(left.size());
  for (const RangeAllocations* range : left) parts.push_back(LeftText(*range, options));
  return ListMost(parts, options.details ? static_cast<size_t>(options.max_rows) : kMostRanges);
}

std::string FailureText(const AllocationFailure& failure, const TextOptions& options) {
  std::string text = failure.call + " in " + ShortName(failure.range, kRangeWidth, options) + ", ";
  if (failure.place.known()) text += "at " + NameOf(failure.place, options) + ", ";
  if (!failure.op.empty()) text += "in op " + ShortName(failure.op, kRangeWidth, options) + ", ";
  text += text::Plural(failure.count, "time", "times") + ", first " +
          text::Time(failure.first_at_ns) + " after the start";
  if (failure.device) {
    text +=
        ", with " + Size(failure.bytes) + " allocated on GPU " + std::to_string(*failure.device);
  }
  return text;
}

std::string FailureText(const TensorFailure& failure, const TextOptions& options) {
  std::string text = "a tensor of " + Size(failure.bytes) + " on GPU " +
                     std::to_string(failure.device) + ", in " +
                     ShortName(failure.range, kRangeWidth, options) + ", ";
  if (failure.place.known()) text += "at " + NameOf(failure.place, options) + ", ";
  if (!failure.op.empty()) text += "in op " + ShortName(failure.op, kRangeWidth, options) + ", ";
  return text + text::Plural(failure.count, "time", "times") + ", first " +
         text::Time(failure.first_at_ns) + " after the start, with " + Size(failure.allocated) +
         " in tensors: " + RolesText(failure.roles) + "; " + SegmentsText(failure.segments);
}

std::string TensorsText(const TensorMemory& tensors) {
  return "peak " + Size(tensors.peak_bytes) + " " + text::Time(tensors.peak_at_ns) +
         " after the start, " + Size(tensors.bytes_at_end) + " at the end, " +
         text::Plural(tensors.allocations, "allocation", "allocations");
}

void WriteTensors(const TensorMemory& tensors, const TextOptions& options,
                  const std::function<void(const std::string&, const std::string&)>& line) {
  line("tensors, GPU " + std::to_string(tensors.device), TensorsText(tensors));
  line("used as",
       RolesText(tensors.roles) +
           (tensors.roles_named ? "" : " (record with --torch modules to know weights)"));
  line("held by", HoldersText(tensors.holders, options));
  if (!tensors.lines.empty()) line("from lines", HoldersText(tensors.lines, options));
  if (!tensors.ops.empty()) line("in ops", HoldersText(tensors.ops, options));
  line("PyTorch has then", SegmentsText(tensors.segments));
}

std::string PoolText(const PoolReport& pool) {
  if (pool.imported)
    return text::Plural(pool.operations, "operation", "operations") + ", of another process";
  return "took at most " + Size(pool.reserved_peak) + " from the device, of which at most " +
         Size(pool.used_peak) + " were allocated; at the end " + Size(pool.reserved_at_end) +
         " and " + Size(pool.used_at_end) +
         (pool.unused_when_grown > 0
              ? "; it took more while " + Size(pool.unused_when_grown) + " lay unused"
              : "");
}

std::string RangesText(const MemoryReport& memory, const TextOptions& options) {
  std::vector<std::string> parts;
  for (const RangeAllocations& range : memory.ranges) {
    if (range.allocations == 0) continue;
    parts.push_back(ShortName(range.range, kRangeWidth, options) + " " + Size(range.bytes) +
                    " in " + text::Count(range.allocations));
  }
  return ListMost(parts, kMostRanges);
}

std::string NotSeenText(const MemoryReport& memory) {
  int64_t earlier = 0;
  for (const AllocationSummary& kind : memory.kinds) earlier += kind.frees_of_earlier;
  std::string text = "what was allocated before the recording began";
  if (earlier > 0) text += " (" + text::Plural(earlier, "free", "frees") + " of it)";
  if (memory.frees_missing > 0) {
    text += "; " + text::Plural(memory.frees_missing, "free", "frees") + " without a record";
  }
  return text;
}

std::string UnifiedText(const MemoryReport& memory) {
  std::vector<std::string> parts;
  for (const UnifiedMemorySummary& summary : memory.unified) {
    std::string part = text::Count(summary.count) + " " + summary.kind;
    if (!summary.cause.empty()) part += " (" + summary.cause + ")";
    if (summary.bytes > 0) part += " " + Size(summary.bytes);
    if (summary.time_ns > 0) part += " " + text::Time(summary.time_ns);
    parts.push_back(std::move(part));
  }
  return ListMost(parts, kMostKinds);
}

}  // namespace

void WriteMemory(std::ostream& out, const Report& report, const TextOptions& options) {
  const MemoryReport& memory = report.memory;
  if (memory.empty()) return;
  WriteHeading(out, "Memory", options);
  const auto line = [&](const std::string& head, const std::string& text) {
    WriteParagraph(out, "  " + head + ": ", text, options.width);
  };
  const auto gpu = [](uint32_t device) { return "GPU " + std::to_string(device); };
  for (const DeviceMemory& device : memory.devices) {
    line(gpu(device.device), PeakText(memory, device));
    if (!device.parts.empty()) line("used as", PartsText(device.parts));
    if (!device.holders.empty()) line("held by", HoldersText(device.holders, options));
    if (!device.lines.empty()) line("from lines", HoldersText(device.lines, options));
    if (!device.ops.empty()) line("in ops", HoldersText(device.ops, options));
    if (options.details && !device.sizes.empty()) line("in blocks", SizesText(device));
  }
  for (const TensorMemory& tensors : memory.tensors) WriteTensors(tensors, options, line);
  for (const TensorFailure& failure : memory.tensor_failures) {
    line("out of memory", FailureText(failure, options));
  }
  for (const AllocationFailure& failure : memory.failures) {
    line("out of memory", FailureText(failure, options));
  }
  WriteGrowth(memory, options, line);
  const std::string counts = CountsText(memory);
  if (!counts.empty()) line("allocated", counts);
  const size_t pools = std::min(memory.pools.size(), static_cast<size_t>(options.max_rows));
  for (size_t i = 0; i < pools; ++i) {
    line("pool on " + gpu(memory.pools[i].device), PoolText(memory.pools[i]));
  }
  const std::string ranges = RangesText(memory, options);
  if (!ranges.empty()) line("most in", ranges);
  const std::string left = LeftText(memory, options);
  if (options.details && !left.empty()) line("left at the end", left);
  if (!memory.kinds.empty()) line("not in these figures", NotSeenText(memory));
  if (!memory.unified.empty()) line("unified memory", UnifiedText(memory));
  if (memory.records_lost) {
    line("doubtful",
         "records were lost, allocations and frees may be among them: all of these "
         "figures may be too small or too large");
  }
}

}  // namespace prof::report
