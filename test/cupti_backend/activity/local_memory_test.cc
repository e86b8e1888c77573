// SPDX-License-Identifier: Apache-2.0
//
// How much local memory a kernel has: CUPTI's records have 0 for each kernel, so the driver is
// asked at the first launch, and the record gets the answer.
#include <string>

#include "cupti_backend/schedule/record_watch.h"
#include "test/cupti_backend/activity/activity_buffer.h"
#include "test/cupti_backend/sampling/sampler_program.h"

namespace prof::cupti::test::local_memory_test {
namespace {

KernelKey KeyOf(const char* name, uint32_t blocks) {
  return KernelKeyOf(name, {blocks, 1, 1}, {256, 1, 1}, 0);
}

model::Model Decoded(RecordWatch* watch) {
  const CuptiApi api = DecodingApi();
  Decoding decoding(api);
  ActivityBuffer buffer;
  for (const auto& [name, blocks] : {std::pair("spills", 132U), std::pair("unknown", 132U)}) {
    CUpti_ActivityKernel10 record = {};
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.name = name;
    record.gridX = static_cast<int32_t>(blocks);
    record.gridY = record.gridZ = record.blockY = record.blockZ = 1;
    record.blockX = 256;
    record.start = 1000;
    record.end = 2000;
    buffer.Add(record);
  }
  ActivityDecoder decoder(&decoding.api, watch);
  decoder.Decode(buffer.data(), buffer.size(), decoding.encoder);
  return decoding.Model();
}

const model::Shape& ShapeOf(const model::Model& model, const std::string& name) {
  for (const model::Shape& shape : model.shapes) {
    if (shape.name == name) return shape;
  }
  FAIL("no shape of " << name);
  return model.shapes[0];
}

TEST_CASE("A kernel has the local memory that the driver said at its first launch") {
  RecordWatch watch;
  watch.local_memory.Set(KeyOf("spills", 132), 24);
  watch.local_memory.Set(KeyOf("spills", 132), 8);  // another function of the same name
  watch.local_memory.Set(KeyOf("unknown", 1), 40);  // with another grid
  const model::Model model = Decoded(&watch);
  CHECK(ShapeOf(model, "spills").local_bytes_per_thread == 24);
  CHECK(ShapeOf(model, "spills").local_known);
  CHECK_FALSE(ShapeOf(model, "unknown").local_known);
}

TEST_CASE("A kernel without local memory is known to have none only where the driver said so") {
  RecordWatch watch;
  watch.local_memory.Set(KeyOf("spills", 132), 0);
  CHECK(ShapeOf(Decoded(&watch), "spills").local_known);
  CHECK(ShapeOf(Decoded(&watch), "spills").local_bytes_per_thread == 0);
  CHECK_FALSE(ShapeOf(Decoded(nullptr), "spills").local_known);
}

TEST_CASE("The first launch of each signature asks the driver, and no later one") {
  static int asked = 0;
  asked = 0;
  Program program;
  program.cupti.driver.kernel_get_attribute = [](int* value, CUfunction_attribute which, CUkernel,
                                                 CUdevice) {
    CHECK(which == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    ++asked;
    *value = 24;
    return CUDA_SUCCESS;
  };
  for (uint32_t i = 1; i <= 50; ++i) program.Launch(i, "kernel", 1, 7);
  CHECK(asked == 1);
  for (uint32_t i = 51; i <= 100; ++i) program.Launch(i, "ncclDevKernel_AllGather", 1, 8);
  CHECK(asked == 2);  // also of what is never sampled
  CHECK(program.LaunchUntilComplete());
  CHECK(asked == 3);  // another function, also once; nor later, when all samples are there
}

TEST_CASE("Where the driver does not answer the local memory of a kernel is not known") {
  FakeCupti cupti;
  Launch launch;
  CHECK(LocalBytesOf(launch, cupti.driver) == 24U);
  cupti.driver.kernel_get_attribute = [](int*, CUfunction_attribute, CUkernel, CUdevice) {
    return CUDA_ERROR_INVALID_HANDLE;
  };
  CHECK_FALSE(LocalBytesOf(launch, cupti.driver).has_value());
}

}  // namespace
}  // namespace prof::cupti::test::local_memory_test
