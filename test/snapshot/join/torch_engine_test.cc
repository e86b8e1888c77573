// SPDX-License-Identifier: Apache-2.0
//
// Recordings of PyTorch's own autograd engine (test/torch_bridge/real_engine.py, PyTorch 2.13.0 on
// a made-up device). The name of each kernel of the backward pass has the truth: "aten.add.Tensor
// behind made by AddmmBackward0 in first up" was launched behind that node and its hooks, and the
// node's forward op ran in the range "first up". "accumulate": that node completed the gradient.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"

namespace prof::snapshot::torch_engine_test {
namespace {

// How a kernel was launched, by its name.
struct Truth {
  std::string place;  // forward, node, behind, accumulate
  std::string node, range;
};

Truth TruthOf(const std::string& kernel) {
  constexpr char kMade[] = " made by ", kIn[] = " in ";
  Truth truth;
  const size_t place = kernel.find(' ') + 1;
  const size_t made = kernel.find(kMade);
  truth.place = kernel.substr(place, made - place);
  if (made == std::string::npos) return truth;
  const size_t node = made + sizeof(kMade) - 1;
  const size_t in = kernel.find(kIn, node);
  truth.node = kernel.substr(node, in - node);
  truth.range = kernel.substr(in + sizeof(kIn) - 1);
  return truth;
}

void Remove(const std::string& what, std::string* text) {
  const size_t at = text->find(what);
  if (at != std::string::npos) text->erase(at, what.size());
}

// "aten::_log_softmax" and "LogSoftmaxBackward0": "logsoftmax".
std::string Plain(std::string name) {
  for (const char* part : {"aten::", "_forward", "Backward0", "Backward"}) Remove(part, &name);
  name.erase(std::remove(name.begin(), name.end(), '_'), name.end());
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

// The kernels of the backward pass by their place. A known forward op is that of the truth, in its
// range.
std::string Known(const std::string& file) {
  const auto model = ReadSnapshot(Snapshot::FromFile(PROF_TEST_DATA "/" + file));
  REQUIRE(model.ok());
  CHECK(model->truncation.empty());
  std::map<std::string, int> known;
  for (size_t i = 0; i < model->ops.size(); ++i) {
    const std::string& kernel = model->shapes[model->ops[i].shape].name;
    const Truth truth = TruthOf(kernel);
    const model::TorchPlace place = model->torch.PlaceOf(i);
    INFO(kernel);
    if (truth.place == "forward") {
      CHECK(place.forward_op == 0);
      continue;
    }
    if (place.forward_op == 0) {
      ++known[truth.place + ", not known"];
      continue;
    }
    ++known[truth.place];
    CHECK(Plain(model->paths[place.forward_op].name) == Plain(truth.node));
    CHECK(model->paths[place.forward_range].name == truth.range);
    if (truth.place != "node") CHECK(place.forward_inferred);
  }
  std::string text;
  for (const auto& [what, kernels] : known) text += what + ": " + std::to_string(kernels) + "; ";
  return text;
}

TEST_CASE("Between nodes of PyTorch's engine each kernel has the forward op of the right node") {
  // Two passes. In the first one the engine keeps the gradients as they come.
  CHECK(Known("torch_engine_device.prof") == "accumulate: 16; behind: 18; node: 96; ");
}

TEST_CASE("A gradient that another thread of PyTorch's engine completed has no wrong forward op") {
  // The CPU's thread completed one of the two gradients while the device's ran other nodes.
  CHECK(Known("torch_engine_both.prof") == "accumulate: 2; accumulate, not known: 2; node: 120; ");
}

}  // namespace
}  // namespace prof::snapshot::torch_engine_test
