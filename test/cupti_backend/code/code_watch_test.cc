// SPDX-License-Identifier: Apache-2.0
//
// From the module that is loaded to the kernel in the recording.
#include "cupti_backend/code/code_watch.h"

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "test/cupti_backend/activity/activity_buffer.h"
#include "test/support/temp_folder.h"

namespace prof::cupti::test::code_watch_test {
namespace {

using format::CodeClass;

const std::string& Cubin() {
  static const std::string cubin = prof::test::ReadFile(PROF_TEST_CODE "/sm_90a.cubin");
  return cubin;
}

model::Model Decoded(const CodeWatch* code, const std::vector<const char*>& names) {
  const CuptiApi api = DecodingApi();
  Decoding decoding(api);
  ActivityBuffer buffer;
  for (const char* name : names) {
    CUpti_ActivityKernel10 record = {};
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.name = name;
    record.gridX = record.gridY = record.gridZ = record.blockX = record.blockY = record.blockZ = 1;
    record.start = 1000;
    record.end = 2000;
    buffer.Add(record);
  }
  ActivityDecoder decoder(&decoding.api, nullptr, code);
  decoder.Decode(buffer.data(), buffer.size(), decoding.encoder);
  return decoding.Model();
}

TEST_CASE("A recorded kernel has what stands in the code that was loaded for it") {
  CodeWatch code;
  code.Add(Cubin().data(), Cubin().size());
  const model::Model model = Decoded(&code, {"reductions", "of_another_module"});
  REQUIRE(model.shapes.size() == 3);  // the first one is none
  REQUIRE(model.shapes[1].code);
  const format::CodeCensus& census = *model.shapes[1].code;
  CHECK(census == *code.Find("reductions"));
  CHECK(census.instructions > 20);
  CHECK(census.Of(CodeClass::kGlobalAtomic).looped > 0);
  CHECK(census.Of(CodeClass::kGlobalAtomic).all > census.Of(CodeClass::kGlobalAtomic).looped);
  CHECK(census.Of(CodeClass::kGlobalLoad).all == 0);
  CHECK_FALSE(census.calls_others);
  CHECK(code.Find("calls_by_pointer")->calls_others);
  CHECK_FALSE(model.shapes[2].code);
  CHECK_FALSE(Decoded(nullptr, {"reductions"}).shapes[1].code);
}

TEST_CASE("Of two kernels with one name and different code neither is known") {
  CodeWatch code;
  code.Add(Cubin().data(), Cubin().size());
  const std::optional<format::CodeCensus> before = code.Find("one_pass");
  code.Add(Cubin().data(), Cubin().size());  // the same module, for another context
  REQUIRE(code.Find("one_pass"));
  CHECK(*code.Find("one_pass") == *before);
  const std::string other = prof::test::ReadFile(PROF_TEST_CODE "/sm_75.cubin");
  code.Add(other.data(), other.size());
  CHECK_FALSE(code.Find("one_pass"));
}

TEST_CASE("Modules that several threads load are all looked into") {
  CodeWatch code;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { code.Add(Cubin().data(), Cubin().size()); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(code.Find("local_array")->Of(CodeClass::kLocalLoad).looped > 0);
}

}  // namespace
}  // namespace prof::cupti::test::code_watch_test
