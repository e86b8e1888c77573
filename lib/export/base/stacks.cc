// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/stacks.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lib/export/base/labels.h"
#include "lib/export/base/signatures.h"

namespace prof::exporting {
namespace {

class Names {
 public:
  uint32_t Add(const std::string& name) {
    const auto [entry, is_new] = ids_.emplace(name, static_cast<uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return entry->second;
  }
  std::vector<std::string> Take() { return std::move(names_); }

 private:
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<std::string> names_;
};

Stack MakeStack(const Events& events, const OperationEvent& op, Names* names) {
  Stack stack;
  for (uint32_t path = op.path; path != 0; path = events.paths()[path].parent) {
    const RangePathInfo& info = events.paths()[path];
    stack.frames.push_back(
        names->Add(info.domain.empty() ? info.name : info.domain + ":" + info.name));
  }
  std::reverse(stack.frames.begin(), stack.frames.end());
  stack.frames.push_back(names->Add(OperationName(events, op)));
  return stack;
}

}  // namespace

StackTable SumStacks(const Events& events, const Selection& selection) {
  Names names;
  std::vector<Stack> stacks;
  Signatures<size_t> signatures;  // index into `stacks`
  const EventTable<OperationEvent> operations = events.operations();
  for (size_t row = 0; row < operations.size(); ++row) {
    const OperationEvent op = operations[row];
    if (!selection.Has(op, row)) continue;
    Stack& stack = stacks[signatures.Of(op, [&](const OperationEvent& first, size_t number) {
      stacks.push_back(MakeStack(events, first, &names));
      return number - 1;
    })];
    ++stack.operations;
    stack.time_ns += op.end_ns - op.start_ns;
  }
  // Signatures differ in what a stack does not show, such as the stream.
  std::sort(stacks.begin(), stacks.end(),
            [](const Stack& a, const Stack& b) { return a.frames < b.frames; });
  std::vector<Stack> sums;
  for (Stack& stack : stacks) {
    if (sums.empty() || sums.back().frames != stack.frames) {
      sums.push_back(std::move(stack));
    } else {
      sums.back().operations += stack.operations;
      sums.back().time_ns += stack.time_ns;
    }
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const Stack& a, const Stack& b) { return a.time_ns > b.time_ns; });
  return {names.Take(), std::move(sums)};
}

}  // namespace prof::exporting
