// SPDX-License-Identifier: Apache-2.0
//
// Adds stacks, of Python or native, to a snapshot of one block that a SnapshotBuilder makes:
//
//   PythonStacks python;
//   const uint32_t main = python.Stack(0, "main", "/app/train.py", 10);
//   python.of_call[b.Kernel(...)] = python.Stack(main, "linear", "/x/site-packages/t/f.py", 5);
//   b.edit = [&](wire::Block& block) { python.AddTo(&block); };
#ifndef PROF_TEST_SUPPORT_PYTHON_STACKS_H_
#define PROF_TEST_SUPPORT_PYTHON_STACKS_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "prof/snapshot.pb.h"
#include "test/support/guess_columns.h"

namespace prof::test {

struct PythonStacks {
  // A frame called by the stack `caller`; 0: it is the outermost.
  uint32_t Stack(uint32_t caller, const std::string& function, const std::string& file,
                 uint32_t line) {
    stacks.push_back({caller, function, file, line, ""});
    return static_cast<uint32_t>(stacks.size());
  }
  // A native frame of a program or library; line 0: nobody knows its source.
  uint32_t Native(uint32_t caller, const std::string& function, const std::string& module,
                  const std::string& file = "", uint32_t line = 0) {
    stacks.push_back({caller, function, file, line, module});
    return static_cast<uint32_t>(stacks.size());
  }

  void AddTo(wire::Block* block) const {
    std::map<std::tuple<std::string, std::string, uint32_t, std::string>, uint32_t> frames;
    for (const Node& node : stacks) {
      uint32_t& frame = frames[{node.function, node.file, node.line, node.module}];
      if (frame == 0) frame = AddFrame(node, block);
      wire::HostStack* const stack = block->add_host_stacks();
      stack->set_parent(node.caller);
      stack->set_frame(frame);
    }
    std::vector<uint32_t> of_row;
    int64_t correlation = 0;
    for (const int64_t delta : block->api_calls().correlation_delta()) {
      correlation += delta;
      const auto stack = of_call.find(static_cast<uint32_t>(correlation));
      of_row.push_back(stack != of_call.end() ? stack->second : 0);
    }
    GuessIds(of_row, block->mutable_api_calls()->mutable_stack_guess());
    for (wire::GraphNodes& nodes : *block->mutable_graph_nodes()) {  // one in each
      const auto stack = of_node.find(static_cast<uint64_t>(nodes.node_delta(0)));
      nodes.add_stack_delta(stack != of_node.end() ? stack->second : 0);
    }
  }

  struct Node {
    uint32_t caller;
    std::string function, file;
    uint32_t line;
    std::string module;
  };
  static uint32_t AddFrame(const Node& node, wire::Block* block) {
    wire::HostFrame* const frame = block->add_host_frames();
    block->add_strings(node.function);
    frame->set_function(static_cast<uint32_t>(block->strings_size()));
    if (!node.file.empty()) {
      block->add_strings(node.file);
      frame->set_file(static_cast<uint32_t>(block->strings_size()));
    }
    if (!node.module.empty()) {
      block->add_strings(node.module);
      frame->set_module(static_cast<uint32_t>(block->strings_size()));
      frame->set_offset(1);
    }
    frame->set_first_line(1);
    frame->set_line(node.line);
    return static_cast<uint32_t>(block->host_frames_size());
  }

  std::vector<Node> stacks;
  std::map<uint32_t, uint32_t> of_call;  // by correlation id
  std::map<uint64_t, uint32_t> of_node;
};

}  // namespace prof::test

#endif  // PROF_TEST_SUPPORT_PYTHON_STACKS_H_
