// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/code/code_scanner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace prof::cupti {
namespace {

using format::CodeCensus;
using format::CodeClass;

constexpr size_t kInstructionBytes = 16;
constexpr uint32_t kFirstArchitecture = 70, kLastArchitecture = 121;
// From here on a branch has the low 8 bits of its distance in a place of their own.
constexpr uint32_t kSplitDistance = 90;

// What is done, without the form of the operands.
enum Operation : uint32_t {
  kMaskOfOperation = 0x1ff,
  kNop = 0x118,
  kBranch = 0x147,  // BRA, and BRA.U
  kCall = 0x144,    // CALL.REL
  kCallAbsolute = 0x143,
  kReturn = 0x150,
};
// The form in which a call has its target in a register.
constexpr uint32_t kMaskOfForm = 0xe00, kTargetInRegister = 0x200;

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

struct Instruction {
  uint64_t low = 0, high = 0;
  [[nodiscard]] uint32_t operation() const { return static_cast<uint32_t>(low) & kMaskOfOperation; }
};

class Code {
 public:
  Code(const uint8_t* code, size_t bytes, bool split_distance)
      : code_(code), count_(bytes / kInstructionBytes), split_distance_(split_distance) {}

  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] Instruction operator[](size_t index) const {
    Instruction instruction;
    std::memcpy(&instruction, code_ + index * kInstructionBytes, kInstructionBytes);
    return instruction;
  }
  // Where a relative branch or call at `index` goes; size(): not into this code.
  [[nodiscard]] size_t TargetOf(size_t index, const Instruction& from) const {
    // 48 bits with a sign, from bit 34 on, in units of 4 bytes.
    const uint64_t raw = (from.low >> 34U) | ((from.high & 0x3ffffU) << 30U);
    auto distance = static_cast<int64_t>(raw << 16U) >> 16U;
    if (split_distance_) distance = distance * 256 + static_cast<int64_t>(from.low >> 16U & 0xffU);
    if (distance % 4 != 0) return count_;
    const int64_t limit = static_cast<int64_t>(count_);
    distance = distance / 4 + 1;  // from the next instruction
    if (distance > limit || distance < -limit) return count_;
    const int64_t target = static_cast<int64_t>(index) + distance;
    return target < 0 || target > limit ? count_ : static_cast<size_t>(target);
  }

 private:
  const uint8_t* code_;
  size_t count_;
  bool split_distance_;
};

// Which instructions are in a loop.
class Loops {
 public:
  explicit Loops(const Code& code) : code_(code), starts_(code.size() + 1) {}

  // A branch that goes back closes a loop. One to itself is where the code ends.
  void Branch(size_t at, size_t target) {
    if (target < at) Mark(target, at);
  }
  void Call(size_t at, size_t target) {
    if (target < code_.size()) calls_.emplace_back(at, target);
  }
  // From here on Contains() may be asked.
  void Finish() {
    Sum();
    // Functions that are called in a loop. They may call others: those follow them.
    size_t steps = kMostSteps * code_.size();
    for (const auto& [at, target] : calls_) {
      if (!Contains(at) || Contains(target)) continue;
      for (size_t i = target; i < code_.size() && steps > 0; ++i, --steps) {
        starts_[i] = 1;
        if (code_[i].operation() == kReturn) break;
      }
    }
  }
  [[nodiscard]] bool Contains(size_t index) const { return starts_[index] > 0; }

 private:
  static constexpr size_t kMostSteps = 4;  // for an instruction: functions may lie in one another

  void Mark(size_t first, size_t last) {
    ++starts_[first];
    --starts_[last + 1];
  }
  void Sum() {
    int32_t depth = 0;
    for (int32_t& start : starts_) start = depth += start;
  }

  const Code& code_;
  std::vector<int32_t> starts_;  // loops that begin less those that end; after Sum(): how deep
  std::vector<std::pair<size_t, size_t>> calls_;
};

}  // namespace

bool CanScan(uint32_t architecture) {
  return architecture >= kFirstArchitecture && architecture <= kLastArchitecture;
}

CodeClass ClassOf(uint64_t instruction) { return kClasses[instruction & kMaskOfOperation]; }

CodeCensus Scan(const uint8_t* bytes, size_t size, uint32_t architecture) {
  const Code code(bytes, size, architecture >= kSplitDistance);
  CodeCensus census;
  if (code.size() > std::numeric_limits<uint32_t>::max()) return census;
  Loops loops(code);
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction instruction = code[i];
    const uint32_t operation = instruction.operation();
    const bool in_register = (instruction.low & kMaskOfForm) == kTargetInRegister;
    if (operation == kBranch) {
      loops.Branch(i, code.TargetOf(i, instruction));
    } else if (operation == kCall && !in_register) {
      loops.Call(i, code.TargetOf(i, instruction));
    } else if (operation == kCall || operation == kCallAbsolute) {
      census.calls_others = true;
    }
  }
  loops.Finish();
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction instruction = code[i];
    if (instruction.operation() == kNop) continue;
    const bool looped = loops.Contains(i);
    ++census.instructions;
    census.looped += looped ? 1 : 0;
    CodeCensus::Count& count = census.counts[static_cast<size_t>(ClassOf(instruction.low))];
    ++count.all;
    count.looped += looped ? 1 : 0;
  }
  return census;
}

}  // namespace prof::cupti
