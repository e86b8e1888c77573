// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/ceilings.h"

#include <cmath>

#include "lib/format/ceilings.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

struct Mix {
  double read_share;
  const char* kind;
};
// By the share of reads.
constexpr Mix kMixes[] = {{0, format::kCeilingDramWrite},
                          {1.0 / 2, format::kCeilingDramCopy},
                          {2.0 / 3, format::kCeilingDramTwoReads},
                          {1, format::kCeilingDramRead}};
constexpr double kSameMix = 0.02;  // [own] caches write back a little of what only reads

}  // namespace

const model::Ceiling* FindCeiling(const model::Device* device, std::string_view kind) {
  if (device == nullptr) return nullptr;
  for (const model::Ceiling& ceiling : device->ceilings) {
    if (ceiling.kind == kind && ceiling.per_s > 0) return &ceiling;
  }
  return nullptr;
}

double AtSmClock(const model::Ceiling& ceiling, double sm_clock_hz) {
  if (!(ceiling.sm_clock_hz > 0) || !(sm_clock_hz > 0)) return ceiling.per_s;
  return ceiling.per_s * sm_clock_hz / ceiling.sm_clock_hz;
}

std::string DescribeCeiling(const model::Ceiling& ceiling) {
  return "measured: " + ceiling.kind + ", n=" + text::Count(ceiling.n);
}

MixCeiling DramCeiling(const model::Device* device, double read_share) {
  const model::Ceiling *below = nullptr, *above = nullptr;
  double below_share = 0, above_share = 0;
  for (const Mix& mix : kMixes) {
    const model::Ceiling* const ceiling = FindCeiling(device, mix.kind);
    if (ceiling == nullptr) continue;
    if (std::abs(mix.read_share - read_share) <= kSameMix) {
      return {ceiling->per_s, DescribeCeiling(*ceiling)};
    }
    if (mix.read_share < read_share) {
      below = ceiling;
      below_share = mix.read_share;
    } else if (above == nullptr) {
      above = ceiling;
      above_share = mix.read_share;
    }
  }
  if (below == nullptr && above == nullptr) return {};
  if (below == nullptr) return {above->per_s, DescribeCeiling(*above)};
  if (above == nullptr) return {below->per_s, DescribeCeiling(*below)};
  // The time of a byte is that of the parts of both mixes.
  const double part = (read_share - below_share) / (above_share - below_share);
  const double per_s = 1 / ((1 - part) / below->per_s + part / above->per_s);
  return {per_s, "between " + below->kind + " and " + above->kind + " (measured), for " +
                     text::ShortPercent(read_share) + " reads"};
}

MixCeiling HighestDramCeiling(const model::Device* device) {
  MixCeiling highest;
  for (const Mix& mix : kMixes) {
    const model::Ceiling* const ceiling = FindCeiling(device, mix.kind);
    if (ceiling == nullptr || ceiling->per_s <= highest.per_s) continue;
    highest = {ceiling->per_s, DescribeCeiling(*ceiling)};
  }
  return highest;
}

double CopyCeiling(const model::Device* device, model::CopyKind kind) {
  const char* name = "";
  if (kind == model::CopyKind::kHostToDevice) name = format::kCeilingHostToDevice;
  if (kind == model::CopyKind::kDeviceToHost) name = format::kCeilingDeviceToHost;
  if (kind == model::CopyKind::kPeerToPeer) name = format::kCeilingPeer;
  const model::Ceiling* const ceiling = FindCeiling(device, name);
  return ceiling != nullptr ? ceiling->per_s : 0;
}

}  // namespace prof::analyzer
