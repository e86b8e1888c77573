// SPDX-License-Identifier: Apache-2.0
//
// What a device reached in a calibration, as the model has it.
#ifndef PROF_LIB_ANALYZER_BASE_CEILINGS_H_
#define PROF_LIB_ANALYZER_BASE_CEILINGS_H_

#include <string>
#include <string_view>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// nullptr: the recording has none of this kind (lib/format/ceilings.h). `device` may be null.
[[nodiscard]] const model::Ceiling* FindCeiling(const model::Device* device, std::string_view kind);
// The ceiling of an SM unit at another clock; as measured where a clock is not known.
[[nodiscard]] double AtSmClock(const model::Ceiling& ceiling, double sm_clock_hz);
// "measured: dram-copy, n=5"
[[nodiscard]] std::string DescribeCeiling(const model::Ceiling& ceiling);

// Bytes per second of DRAM for traffic of which this share is read, 0..1, and what it comes from:
// the ceiling with that mix, or between the two next to it. A mix outside of them has the nearest
// one. 0: there is none.
struct MixCeiling {
  double per_s = 0;
  std::string from;
};
[[nodiscard]] MixCeiling DramCeiling(const model::Device* device, double read_share);
// The highest of all mixes.
[[nodiscard]] MixCeiling HighestDramCeiling(const model::Device* device);

// Bytes per second of a copy from pinned memory to the device, back, or between two devices, as a
// calibration measured it; 0: none did, or another kind of copy.
[[nodiscard]] double CopyCeiling(const model::Device* device, model::CopyKind kind);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_CEILINGS_H_
