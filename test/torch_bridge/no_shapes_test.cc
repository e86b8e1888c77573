// SPDX-License-Identifier: Apache-2.0
//
// By itself, because prof tests the inputs of a PyTorch once in a process.
#include <chrono>
#include <string>
#include <thread>

#include "test/capture/threads/recording.h"
#include "test/support/catch.h"
#include "test/torch_bridge/loaded_torch.h"
#include "torch_bridge/bridge.h"

namespace prof::torch::no_shapes_test {
namespace {

constexpr int kFunction = 0;
constexpr capture::TorchWish kWithShapes{false, true};

TEST_CASE("A PyTorch whose tensors are not as expected is heard without shapes, with a notice") {
  const test::FakeTorch torch("2.13.0");
  torch.set_fault(test::Fault::kOtherFlags);
  for (int i = 0; i < 2; ++i) {  // the second recording does not test again, and says it again
    Begin(kWithShapes);
    std::string said;
    for (int tries = 0; tries < 5000 && (said.empty() || !Listening()); ++tries) {
      if (const auto notice = Look()) said = notice->what;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(said ==
          "the shapes of inputs of PyTorch's ops are not recorded: its tensors keep their sizes in "
          "another way");
    REQUIRE(Listening());
    CHECK_FALSE(torch.wants_inputs());
    capture::Recording recording;
    torch.Run(kFunction, "aten::relu");
    recording.Drain();
    int ops = 0;
    for (const capture::Recording::Step& step : recording.steps) {
      CHECK(step.shapes.empty());
      if (step.path.find("aten::relu") != std::string::npos) ++ops;
    }
    CHECK(ops == 1);
    End();
  }
  CHECK(torch.callbacks() == 0);
}

}  // namespace
}  // namespace prof::torch::no_shapes_test
