// SPDX-License-Identifier: Apache-2.0
#include "lib/report/info.h"

#include <regex>
#include <sstream>
#include <string>

#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::info_test {
namespace {

using test::Contains;

model::Model ExampleModel() {
  model::Model model;
  model.process.prof_version = "0.1.0";
  model.process.command = "./app --fast";
  model.process.host = "node7";
  model.process.pid = 4242;
  model.process.format_version = 1;
  model.process.cuda_driver_version = 13010;
  model.process.cupti_version = 130001;
  model.stopped_in_order = true;
  model::Device device;
  device.name = "NVIDIA H200";
  device.chip = "GH100";
  device.sm_count = 132;
  model.devices.push_back(device);
  model.groups.push_back({"sol", {"gpu__time_duration.sum", "dram__bytes.sum"}});
  for (uint32_t i = 0; i < 10; ++i) {
    model::Op op;
    op.kind = i < 8 ? model::OpKind::kKernel : model::OpKind::kCopy;
    op.shape = 1 + i % 2;
    op.sampled = i == 0;
    model.ops.push_back(op);
  }
  model::CounterSample sample;
  sample.group = 1;
  model.samples.push_back(sample);
  return model;
}

std::string Info(const model::Model& model) {
  std::ostringstream out;
  WriteInfo(out, model, 420, {});
  return out.str();
}

TEST_CASE("Info has the program, the versions and the size of the recording") {
  const std::string text = Info(ExampleModel());
  CHECK_THAT(text, Contains("./app --fast") && Contains("pid 4242 on node7"));
  CHECK_THAT(text, Contains("CUDA 13.1") && Contains("CUPTI 130001"));
  CHECK_THAT(text, Contains("420 B, 42.0 B a GPU operation"));
  CHECK_THAT(text, Contains("NVIDIA H200, GH100, 132 SMs\n"));
  CHECK_THAT(text, Contains("gpu__time_duration.sum, dram__bytes.sum"));
}

TEST_CASE("Info names the CUDA version of a CUPTI whose number does not") {
  model::Model model = ExampleModel();
  model.process.cupti_version = 26;
  CHECK_THAT(Info(model), Contains("CUPTI 12.8 (version 26)"));
  model.process.cupti_version = 0;
  CHECK_THAT(Info(model), Contains("CUPTI not loaded"));
}

TEST_CASE("Info counts what was recorded about memory, where anything was") {
  model::Model model = ExampleModel();
  CHECK(Info(model).find("allocations") == std::string::npos);
  model.allocations.resize(1'234);
  model.pool_states.resize(7);
  model.unified_memory.resize(3);
  const std::string text = Info(model);
  CHECK(std::regex_search(text, std::regex("allocations and frees +1,234\n")));
  CHECK(std::regex_search(text, std::regex("states of memory pools +7\n")));
  CHECK(std::regex_search(text, std::regex("unified memory events +3\n")));
}

TEST_CASE("Info counts operations by kind, and launch shapes in a range path once") {
  const std::string text = Info(ExampleModel());
  CHECK(std::regex_search(text, std::regex("\nkernels +8\n")));
  CHECK(std::regex_search(text, std::regex("\nkernels by launch shape and range path +2\n")));
  // The report has signatures, which are fewer where ranges differ in numbers only.
  CHECK_THAT(text, !Contains("signatures"));
  CHECK(std::regex_search(text, std::regex("\ncopies +2\n")));
}

TEST_CASE("Info leaves out unknown properties of a device") {
  CHECK_THAT(Info(ExampleModel()), !Contains(" 0 B") && !Contains("0 Hz"));
}

TEST_CASE("Info names each loss, or that there is none") {
  model::Model model = ExampleModel();
  CHECK_THAT(Info(model), Contains("nothing was lost") && !Contains("LOST"));
  model.integrity.dropped_by_cupti = 1234;
  model.integrity.clock_stepped = true;
  CHECK_THAT(Info(model), Contains("LOST  records dropped by CUPTI: 1,234") &&
                              Contains("DOUBT  a step of the system clock") &&
                              !Contains("nothing was lost"));
}

TEST_CASE("Info reports a file that was cut off") {
  model::Model model = ExampleModel();
  model.stopped_in_order = false;
  model.truncation = "Block 7 is damaged.";
  CHECK_THAT(Info(model), Contains("ends without its last block. Block 7 is damaged."));
}

}  // namespace
}  // namespace prof::info_test
