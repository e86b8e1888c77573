// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/code/code_scanner.h"

#include <array>

#include "cupti_backend/code/code_loops.h"
#include "cupti_backend/code/instruction.h"

namespace prof::cupti {
namespace {

using format::CodeCensus;
using format::CodeClass;

constexpr uint32_t kFirstArchitecture = 70, kLastArchitecture = 121;
// From here on a branch has the low 8 bits of its distance in a place of their own.
constexpr uint32_t kSplitDistance = 90;

constexpr std::array<CodeClass, kMaskOfOperation + 1> kClasses = [] {
  std::array<CodeClass, kMaskOfOperation + 1> classes{};  // kOther
  classes[0x181] = CodeClass::kGlobalLoad;                // LDG
  classes[0x1a5] = CodeClass::kGlobalLoad;                // LDGMC: multimem.ld_reduce
  classes[0x186] = CodeClass::kGlobalStore;               // STG
  classes[0x183] = CodeClass::kLocalLoad;                 // LDL
  classes[0x187] = CodeClass::kLocalStore;                // STL
  classes[0x184] = CodeClass::kSharedLoad;                // LDS
  classes[0x03b] = CodeClass::kSharedLoad;                // LDSM: ldmatrix
  classes[0x188] = CodeClass::kSharedStore;               // STS
  classes[0x044] = CodeClass::kSharedStore;               // STSM: stmatrix
  classes[0x1bd] = CodeClass::kSharedStore;               // STAS: st.async
  classes[0x180] = CodeClass::kGenericAccess;             // LD
  classes[0x185] = CodeClass::kGenericAccess;             // ST
  classes[0x18a] = CodeClass::kGlobalAtomic;              // ATOM
  classes[0x18b] = CodeClass::kGlobalAtomic;              // ATOM.CAS
  classes[0x18e] = CodeClass::kGlobalAtomic;              // RED
  classes[0x1a6] = CodeClass::kGlobalAtomic;              // REDG
  classes[0x1a8] = CodeClass::kGlobalAtomic;              // ATOMG
  classes[0x1a9] = CodeClass::kGlobalAtomic;              // ATOMG.CAS
  classes[0x18c] = CodeClass::kSharedAtomic;              // ATOMS
  classes[0x18d] = CodeClass::kSharedAtomic;              // ATOMS.CAS
  classes[0x1be] = CodeClass::kSharedAtomic;              // REDAS: red.async
  classes[0x1ae] = CodeClass::kAsyncCopy;                 // LDGSTS
  classes[0x1b4] = CodeClass::kBulkCopy;                  // UTMALDG
  classes[0x1b5] = CodeClass::kBulkCopy;                  // UTMASTG
  classes[0x1b6] = CodeClass::kBulkCopy;                  // UTMAREDG
  classes[0x1ba] = CodeClass::kBulkCopy;                  // UBLKCP
  classes[0x1bb] = CodeClass::kBulkCopy;                  // UBLKRED
  classes[0x037] = CodeClass::kWarpMma;                   // IMMA
  classes[0x03c] = CodeClass::kWarpMma;                   // HMMA
  classes[0x03d] = CodeClass::kWarpMma;                   // BMMA
  classes[0x03f] = CodeClass::kDoubleMma;                 // DMMA
  classes[0x07a] = CodeClass::kWarpMma;                   // QMMA
  classes[0x07f] = CodeClass::kWarpMma;                   // OMMA
  classes[0x1f0] = CodeClass::kGroupMma;                  // HGMMA
  classes[0x1f1] = CodeClass::kGroupMma;                  // IGMMA
  classes[0x1f2] = CodeClass::kGroupMma;                  // BGMMA
  classes[0x1f3] = CodeClass::kGroupMma;                  // QGMMA
  classes[0x1ea] = CodeClass::kTensorMemMma;              // UTCHMMA, UTCIMMA, UTCQMMA, UTCOMMA
  classes[0x028] = CodeClass::kFp64;                      // DMUL
  classes[0x029] = CodeClass::kFp64;                      // DADD
  classes[0x02a] = CodeClass::kFp64;                      // DSETP
  classes[0x02b] = CodeClass::kFp64;                      // DFMA
  classes[0x108] = CodeClass::kSpecial;                   // MUFU
  return classes;
}();

}  // namespace

bool CanScan(uint32_t architecture) {
  return architecture >= kFirstArchitecture && architecture <= kLastArchitecture;
}

CodeClass ClassOf(uint64_t instruction) { return kClasses[instruction & kMaskOfOperation]; }

CodeCensus Scan(const uint8_t* bytes, size_t size, uint32_t architecture) {
  const Code code(bytes, size, architecture >= kSplitDistance);
  CodeCensus census;
  if (code.size() > kMostInstructions) return census;
  const CodeLoops loops(code);
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction instruction = code[i];
    const uint32_t operation = instruction.operation();
    if (operation == kNop) continue;
    if (operation == kCallAbsolute || (operation == kCall && instruction.in_register())) {
      census.calls_others = true;
    }
    const bool looped = loops.Contain(i);
    ++census.instructions;
    census.looped += looped ? 1 : 0;
    CodeCensus::Count& count = census.counts[static_cast<size_t>(ClassOf(instruction.low))];
    ++count.all;
    count.looped += looped ? 1 : 0;
  }
  return census;
}

}  // namespace prof::cupti
