// SPDX-License-Identifier: Apache-2.0
//
// The machine code of a function, instruction by instruction, and where its branches go.
//
// NVIDIA documents the names of the instructions, not their encoding. The numbers here are those
// that the assembler of CUDA 13.0 writes for sm_75 to sm_120 (test/cupti_backend/code compares them
// with NVIDIA's disassembler): an instruction has 16 bytes, and its low 9 bits are what it does;
// the 3 bits above have the form of its operands.
#ifndef PROF_CUPTI_BACKEND_CODE_INSTRUCTION_H_
#define PROF_CUPTI_BACKEND_CODE_INSTRUCTION_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::cupti {

inline constexpr size_t kInstructionBytes = 16;

// What is done, without the form of the operands.
enum Operation : uint32_t {
  kMaskOfOperation = 0x1ff,
  kNop = 0x118,
  kBranch = 0x147,  // BRA, and BRA.U
  kCallAbsolute = 0x143,
  kCall = 0x144,  // CALL.REL
  kExit = 0x14d,
  kReturn = 0x150,
};

struct Instruction {
  uint64_t low = 0, high = 0;

  [[nodiscard]] uint32_t operation() const { return static_cast<uint32_t>(low) & kMaskOfOperation; }
  // Its target is in a register.
  [[nodiscard]] bool in_register() const { return (low & 0xe00U) == 0x200U; }
  // No predicate decides whether it is executed.
  [[nodiscard]] bool always() const { return (low & 0xf000U) == 0x7000U; }
  // What comes next in the code does not follow it.
  [[nodiscard]] bool ends_path() const {
    if (operation() == kExit || operation() == kReturn) return always();
    // BRA without a second predicate. Others (BRA.DIV, BRA.CONV, BRA.U) have conditions.
    return (low & 0xfffU) == 0x947U && always() && (high >> 18U & 0xffffU) == 0xe0U;
  }
};

class Code {
 public:
  // `split_distance`: a branch has the low 8 bits of its distance in a place of their own.
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
    int64_t distance = static_cast<int64_t>(raw << 16U) >> 16U;
    if (split_distance_) distance = distance * 256 + static_cast<int64_t>(from.low >> 16U & 0xffU);
    if (distance % 4 != 0) return count_;
    const auto limit = static_cast<int64_t>(count_);
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

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CODE_INSTRUCTION_H_
