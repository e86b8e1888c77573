// SPDX-License-Identifier: Apache-2.0
//
// Memory that grows from step to step.
#include "lib/analyzer/findings/finding_memory_growth.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

constexpr size_t kMostGrowing = 3;

constexpr const char* kTensors = "tensors";

std::string PlaceText(const MemoryGrowth& growth) {
  if (growth.device && growth.memory == kTensors) {
    return "memory of tensors on GPU " + std::to_string(*growth.device);
  }
  return growth.device ? "memory of GPU " + std::to_string(*growth.device)
                       : growth.memory + " memory";
}

// Ranges that hold more, and how much all others hold more or less.
std::string GrowingText(const MemoryGrowth& growth) {
  std::vector<std::string> parts;
  double rest = static_cast<double>(growth.last_bytes) - static_cast<double>(growth.first_bytes);
  for (const GrowingHolder& holder : growth.holders) {
    if (parts.size() == kMostGrowing || holder.bytes <= 0) break;
    parts.push_back(holder.range + " " + text::Bytes(static_cast<double>(holder.bytes)));
    rest -= static_cast<double>(holder.bytes);
  }
  if (rest != 0) {
    parts.push_back(std::string("all others ") + (rest < 0 ? "less by " : "") +
                    text::Bytes(std::abs(rest)));
  }
  return "held more at the end: " + text::Join(parts, ", ");
}

// The lines that hold most of the growth; empty where no call has a stack.
std::string LinesText(const MemoryGrowth& growth) {
  std::vector<std::string> parts;
  for (const GrowingLine& line : growth.lines) {
    if (parts.size() == kMostGrowing || line.bytes <= 0) break;
    parts.push_back(ToString(line.place) + " " + text::Bytes(static_cast<double>(line.bytes)));
  }
  return parts.empty() ? "" : "allocated from: " + text::Join(parts, ", ");
}

// When the device is full; empty where that is not known.
std::string LimitText(const model::Model& model, const MemoryGrowth& growth) {
  const model::Device* device = growth.device ? model.FindDevice(*growth.device) : nullptr;
  if (device == nullptr || device->memory_bytes <= growth.last_bytes) return "";
  const double steps =
      std::floor(static_cast<double>(device->memory_bytes - growth.last_bytes) / growth.at_least);
  if (!(steps < 1e9)) return "";
  return "the device's " + text::Bytes(static_cast<double>(device->memory_bytes)) + " last for " +
         text::Count(static_cast<int64_t>(steps)) +
         " more steps at most; what was allocated before the recording leaves fewer";
}

}  // namespace

MaybeFinding MemoryGrows(const MemoryInputs& inputs) {
  const MemoryGrowth* most = nullptr;
  for (const MemoryGrowth& growth : inputs.memory.growth) {
    if (!growth.grows || growth.last_bytes <= growth.first_bytes) continue;
    const auto bytes = [](const MemoryGrowth& g) { return g.last_bytes - g.first_bytes; };
    // The blocks that PyTorch takes from CUDA grow with its tensors, and say less.
    const bool says_more = most != nullptr && growth.memory == kTensors &&
                           most->memory != kTensors && most->device == growth.device &&
                           bytes(growth) >= bytes(*most) / 2;
    if (most == nullptr || says_more || bytes(growth) > bytes(*most)) most = &growth;
  }
  if (most == nullptr || most->holders.empty()) return std::nullopt;
  const MemoryGrowth& growth = *most;
  const std::string& range = growth.holders.front().range;
  const bool has_line = !growth.lines.empty() && growth.lines.front().place.known();
  const std::string from =
      has_line ? "from " + ToString(growth.lines.front().place) : "in range " + range;
  const int64_t largest = has_line ? growth.lines.front().bytes : growth.holders.front().bytes;
  const bool most_of_it =
      2 * largest > static_cast<int64_t>(growth.last_bytes - growth.first_bytes);
  Finding finding;
  finding.title = "The " + PlaceText(growth) + " grows by " + text::Bytes(growth.bytes_per_step) +
                  " a step, " + (most_of_it ? "most of it " : "the largest part ") + from + ".";
  finding.evidence = {"from " + text::Bytes(static_cast<double>(growth.first_bytes)) + " to " +
                          text::Bytes(static_cast<double>(growth.last_bytes)) + " over " +
                          text::Count(growth.steps) + " steps of " +
                          (growth.by_launches ? "" : "range ") + growth.step + "; " +
                          text::Bytes(growth.at_least) + " to " + text::Bytes(growth.at_most) +
                          " a step (interval at 95 %)",
                      GrowingText(growth)};
  const std::string lines = LinesText(growth);
  if (!lines.empty()) finding.evidence.push_back(lines);
  const std::string limit = LimitText(inputs.model, growth);
  if (!limit.empty()) finding.evidence.push_back(limit);
  finding.action = "Find what " + (has_line ? "this line" : "range " + range) +
                   " keeps from step to step, and free it, reuse it or bound it: a list of "
                   "results, a cache, buffers of another size in each step.";
  finding.check = "a longer run: a cache that is filled once stops growing";
  finding.confidence = Confidence::kMedium;  // no record shows whether it is meant
  finding.withheld_why = inputs.Lost();
  return finding;
}

}  // namespace prof::analyzer
