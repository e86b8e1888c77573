// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/step_names.h"

#include "test/support/catch.h"

namespace prof::analyzer::step_names_test {
namespace {

TEST_CASE("PyTorch's own names tell the part of a step") {
  CHECK(PartOfScope("Optimizer.step#AdamW.step") == StepPart::kOptimizer);
  CHECK(PartOfScope("Optimizer.zero_grad#SGD.zero_grad") == StepPart::kOptimizer);
  CHECK(PartOfScope("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__") ==
        StepPart::kData);
  CHECK(PartOfScope("autograd::engine::evaluate_function: MmBackward0") == StepPart::kBackward);
  CHECK(PartOfScope("c10d::allreduce_") == StepPart::kCommunication);
  CHECK(PartOfScope("aten::mm") == std::nullopt);
  CHECK(PartOfScope("forward") == std::nullopt);  // a word of the program is no scope of PyTorch
}

TEST_CASE("A word in the name of a range tells its part, however it is written") {
  CHECK(PartOfRange("forward", "") == StepPart::kForward);
  CHECK(PartOfRange("Model.Forward pass", "") == StepPart::kForward);
  CHECK(PartOfRange("layer_3_bwd", "") == StepPart::kBackward);
  CHECK(PartOfRange("optimizer_step", "") == StepPart::kOptimizer);
  CHECK(PartOfRange("load data", "") == StepPart::kData);
  CHECK(PartOfRange("all_reduce grads", "") == StepPart::kCommunication);
  CHECK(PartOfRange("ncclAllReduce", "NCCL") == StepPart::kCommunication);
}

TEST_CASE("A name that only contains such a word within another one tells nothing") {
  CHECK(PartOfRange("metadata", "") == std::nullopt);
  CHECK(PartOfRange("forwarding", "") == std::nullopt);
  CHECK(PartOfRange("reduce", "") == std::nullopt);
  CHECK(PartOfRange("", "") == std::nullopt);
}

}  // namespace
}  // namespace prof::analyzer::step_names_test
