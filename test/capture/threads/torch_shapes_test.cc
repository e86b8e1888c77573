// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/torch_shapes.h"

#include <string>
#include <vector>

#include "lib/capture/threads/torch_ops.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::torch_shapes_test {
namespace {

// An op with one input of these sizes.
void RunOp(const std::vector<int64_t>& sizes) {
  InputShapes inputs;
  inputs.Add(sizes.data(), sizes.size());
  const char event = 0;
  PushTorchOp({TorchScope::kFunction, "aten::relu", &event, -1, &inputs});
  PopTorchOp(&event);
}

std::vector<std::string> Shapes(const Recording& recording) {
  std::vector<std::string> shapes;
  for (const Recording::Step& step : recording.steps) {
    if (!step.shapes.empty()) shapes.push_back(step.shapes);
  }
  return shapes;
}

TEST_CASE("Equal lists of shapes are stored once, and others are told apart") {
  static TorchShapes table;
  const auto id = [](const std::vector<std::vector<int64_t>>& inputs) {
    InputShapes shapes;
    for (const std::vector<int64_t>& sizes : inputs) shapes.Add(sizes.data(), sizes.size());
    return table.IdOf(shapes);
  };
  CHECK(id({{2, 3}, {}}) == 0);  // there is no memory yet
  table.Prepare();
  const uint32_t first = id({{2, 3}, {}});
  table.Prepare();
  CHECK(first != 0);
  CHECK(id({{2, 3}, {}}) == first);
  CHECK(id({{2}, {3}}) != first);
  CHECK(id({{}, {2, 3}}) != first);
  CHECK(table.TextOf(id({})) == "[]");
  CHECK(table.TextOf(id({{}})) == "[[]]");
  CHECK(table.TextOf(first) == "[[2, 3], []]");
  CHECK(table.TextOf(id({{int64_t{1} << 40}})) == "[[1099511627776]]");
}

TEST_CASE("A table of shapes that is full is counted, keeps what it has, and loses no op") {
  Recording recording;
  PrepareTorchShapes();
  constexpr int kMore = 100;
  const auto most = static_cast<int64_t>(TorchShapes::kMostLists);
  for (int64_t i = 0; i < most + kMore; ++i) {
    RunOp({i});
    if (i % 1000 == 0) recording.Drain();
  }
  recording.Drain();
  CHECK(Shapes(recording).size() == TorchShapes::kMostLists);
  CHECK(recording.reader.torch_shapes_dropped() == kMore);
  CHECK(recording.reader.events_dropped() == 0);
  recording.steps.clear();
  RunOp({most + kMore});
  RunOp({7});
  recording.Drain();
  CHECK(Shapes(recording) == std::vector<std::string>{"[[7]]"});
  CHECK(recording.steps.size() == 4);  // both begin and end
  CHECK(recording.reader.torch_shapes_dropped() == kMore + 1);
}

}  // namespace
}  // namespace prof::capture::torch_shapes_test
