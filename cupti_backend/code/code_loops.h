// SPDX-License-Identifier: Apache-2.0
//
// The code loops say which instructions of a function are in a loop: those from which a path leads
// back to themselves, and those of the functions that such an instruction calls.
#ifndef PROF_CUPTI_BACKEND_CODE_CODE_LOOPS_H_
#define PROF_CUPTI_BACKEND_CODE_CODE_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cupti_backend/code/instruction.h"

namespace prof::cupti {

class CodeLoops {
 public:
  // Its time and memory grow with the code as its length does. May throw std::bad_alloc.
  explicit CodeLoops(const Code& code);

  [[nodiscard]] bool Contain(size_t instruction) const {
    return looped_[block_of_[instruction]] != 0;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  // A run of instructions that begins where a path may come in, and ends where one may go out.
  struct Block {
    uint32_t next = kNone;        // the block behind it, where a path goes on there
    uint32_t target = kNone;      // of its branch
    bool is_end_of_code = false;  // a single branch to itself
  };

  void FindBlocks(const Code& code);
  // The blocks of each cycle (Tarjan's strongly connected components).
  void MarkCycles();
  void MarkCalled();

  std::vector<uint32_t> block_of_;  // by instruction
  std::vector<Block> blocks_;
  std::vector<std::pair<uint32_t, uint32_t>> calls_;  // from a block to one, by the first
  std::vector<uint8_t> looped_;                       // by block
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CODE_CODE_LOOPS_H_
