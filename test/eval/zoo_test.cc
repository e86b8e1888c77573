// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/zoo.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "lib/eval/forms.h"
#include "test/support/catch.h"

namespace prof::eval::zoo_test {
namespace {

// An empty folder beside the test program.
std::filesystem::path Folder(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(PROF_ZOO_FOLDER) / name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

TEST_CASE("A folder without kernels, and a file that is none, are errors with the name") {
  CHECK(ReadZoo("/nowhere").error.find("/nowhere") != std::string::npos);
  CHECK(ReadZoo(Folder("empty").string()).error.find("no *.json") != std::string::npos);
  for (const char* text : {"{", "[]", "{\"format\": 2}", "{\"format\": 1, \"device\": {}}"}) {
    const std::filesystem::path folder = Folder("broken");
    std::ofstream(folder / "kernels.json") << text;
    const Zoo zoo = ReadZoo(folder.string());
    CAPTURE(text);
    CHECK(zoo.error.find("kernels.json") != std::string::npos);
    CHECK(zoo.kernels.empty());
  }
}

TEST_CASE("The known kernels have labels, shapes and both tools' values") {
  const Zoo zoo = ReadZoo(PROF_TEST_DATA "/zoo");
  REQUIRE(zoo.error.empty());
  REQUIRE(zoo.kernels.size() == 26);
  for (const LabelledKernel& one : zoo.kernels) {
    CAPTURE(one.kernel.name);
    CHECK_FALSE(one.label.limiters.empty());
    CHECK_FALSE(one.label.helpful.empty());
    CHECK(one.kernel.metrics.size() > 100);
    CHECK(one.ncu.size() > 100);
    CHECK(one.kernel.duration_ns.median > 0);
  }
}

TEST_CASE("The default form has PM samples of the units, and counters only where they decide") {
  const Zoo zoo = ReadZoo(PROF_TEST_DATA "/zoo");
  REQUIRE_FALSE(zoo.kernels.empty());
  for (const LabelledKernel& one : zoo.kernels) {
    const KernelReport kernel = InForm(one.kernel, one.device, Form::kDefault);
    CAPTURE(kernel.name);
    CHECK(kernel.metrics.size() < one.kernel.metrics.size() / 2);
    CHECK(kernel.Find(Unit::kDram) != nullptr);
    CHECK(kernel.Find(Unit::kDram)->source == Source::kPmSamples);
    const bool copies = kernel.name == "stream_copy";
    if (copies) CHECK(kernel.Metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
  }
}

}  // namespace
}  // namespace prof::eval::zoo_test
