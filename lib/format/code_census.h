// SPDX-License-Identifier: Apache-2.0
//
// The code census counts the instructions of a kernel's machine code by what they do. They stand in
// the code: how often one is executed is not known, but what is not there is never executed.
#ifndef PROF_LIB_FORMAT_CODE_CENSUS_H_
#define PROF_LIB_FORMAT_CODE_CENSUS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace prof::format {

// Recordings have these numbers: new classes go to the end.
enum class CodeClass : uint8_t {
  kOther,
  kGlobalLoad,
  kGlobalStore,
  kLocalLoad,
  kLocalStore,
  kSharedLoad,
  kSharedStore,
  kGenericAccess,  // a load or store whose address decides at run time: global, local or shared
  kGlobalAtomic,   // atomics and reductions; those of generic addresses, which may be shared, too
  kSharedAtomic,
  kAsyncCopy,     // cp.async: from global to shared memory
  kBulkCopy,      // TMA and bulk copies and reductions
  kWarpMma,       // mma.sync: matrix operations of a warp
  kGroupMma,      // wgmma
  kTensorMemMma,  // tcgen05.mma
  kFp64,
  kSpecial,    // MUFU
  kDoubleMma,  // mma.sync in double precision
};
inline constexpr size_t kCodeClasses = 18;

struct CodeCensus {
  struct Count {
    uint32_t all = 0;
    uint32_t looped = 0;  // of them: in a loop of the kernel, or in a function that one calls
  };
  uint32_t instructions = 0;  // without padding; 0: the code was not seen
  uint32_t looped = 0;
  // It calls functions that are not in its own code: what they do is not counted.
  bool calls_others = false;
  std::array<Count, kCodeClasses> counts{};

  [[nodiscard]] constexpr const Count& Of(CodeClass which) const {
    return counts[static_cast<size_t>(which)];
  }
};

[[nodiscard]] constexpr bool operator==(const CodeCensus::Count& a, const CodeCensus::Count& b) {
  return a.all == b.all && a.looped == b.looped;
}
[[nodiscard]] constexpr bool operator==(const CodeCensus& a, const CodeCensus& b) {
  for (size_t i = 0; i < kCodeClasses; ++i) {
    if (!(a.counts[i] == b.counts[i])) return false;
  }
  return a.instructions == b.instructions && a.looped == b.looped &&
         a.calls_others == b.calls_others;
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_CODE_CENSUS_H_
