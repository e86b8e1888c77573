// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/code/code_loops.h"

#include <algorithm>

namespace prof::cupti {

CodeLoops::CodeLoops(const Code& code) : block_of_(code.size()) {
  FindBlocks(code);
  looped_.resize(blocks_.size());
  MarkCycles();
  MarkCalled();
}

void CodeLoops::FindBlocks(const Code& code) {
  std::vector<uint8_t> begins(code.size() + 1);
  begins[0] = 1;
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction instruction = code[i];
    const uint32_t operation = instruction.operation();
    const bool goes = operation == kBranch || (operation == kCall && !instruction.in_register());
    if (goes) begins[code.TargetOf(i, instruction)] = 1;
    if (operation == kBranch || instruction.ends_path()) begins[i + 1] = 1;
  }
  uint32_t count = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    count += begins[i];
    block_of_[i] = count - 1;
  }
  blocks_.resize(count);
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction instruction = code[i];
    const uint32_t operation = instruction.operation();
    Block& block = blocks_[block_of_[i]];
    const size_t target = code.TargetOf(i, instruction);
    if (operation == kBranch && target < code.size()) {
      block.target = block_of_[target];
      block.is_end_of_code = target == i;
    }
    if (operation == kCall && !instruction.in_register() && target < code.size()) {
      calls_.emplace_back(block_of_[i], block_of_[target]);
    }
    const bool is_last = i + 1 < code.size() && block_of_[i + 1] != block_of_[i];
    if (is_last && !instruction.ends_path()) block.next = block_of_[i + 1];
  }
}

void CodeLoops::MarkCycles() {
  const auto count = static_cast<uint32_t>(blocks_.size());
  std::vector<uint32_t> order(count, kNone), low(count, 0), open;  // open: not yet in a component
  std::vector<uint8_t> is_open(count), step(count);
  std::vector<uint32_t> path;  // from the root of the search
  uint32_t visited = 0;
  for (uint32_t root = 0; root < count; ++root) {
    if (order[root] != kNone) continue;
    path.push_back(root);
    while (!path.empty()) {
      const uint32_t at = path.back();
      if (order[at] == kNone) {
        order[at] = low[at] = visited++;
        open.push_back(at);
        is_open[at] = 1;
      }
      const Block& block = blocks_[at];
      if (step[at] < 2) {
        const uint32_t to = step[at]++ == 0 ? block.next : block.target;
        if (to == kNone) continue;
        if (order[to] == kNone) {
          path.push_back(to);
        } else if (is_open[to] != 0) {
          low[at] = std::min(low[at], order[to]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[at]);
      if (low[at] != order[at]) continue;
      const bool alone = open.back() == at;
      const bool to_itself = block.target == at && !block.is_end_of_code;
      uint32_t member = kNone;
      while (member != at) {
        member = open.back();
        open.pop_back();
        is_open[member] = 0;
        looped_[member] = !alone || to_itself ? 1 : 0;
      }
    }
  }
}

void CodeLoops::MarkCalled() {
  std::vector<uint32_t> work;
  const auto call_from = [&](uint32_t block) {
    auto call = std::lower_bound(calls_.begin(), calls_.end(), std::pair(block, uint32_t{0}));
    for (; call != calls_.end() && call->first == block; ++call) work.push_back(call->second);
  };
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    if (looped_[i] != 0) call_from(i);
  }
  std::vector<uint8_t> done(blocks_.size());
  while (!work.empty()) {
    const uint32_t at = work.back();
    work.pop_back();
    if (at == kNone || done[at] != 0) continue;
    done[at] = looped_[at] = 1;
    work.push_back(blocks_[at].next);
    work.push_back(blocks_[at].target);
    call_from(at);
  }
}

}  // namespace prof::cupti
