// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/torch_version.h"

#include <filesystem>
#include <fstream>

#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::torch::torch_version_test {
namespace {

TEST_CASE("A version is read from the line that PyTorch writes") {
  const TorchVersion of_python = ParseTorchVersion("__version__ = '2.13.0+cpu'");
  CHECK(of_python.major == 2);
  CHECK(of_python.minor == 13);
  CHECK(of_python.text == "2.13.0+cpu");
  CHECK(ParseTorchVersion("__version__ = \"2.5.1\"").minor == 5);
  CHECK(ParseTorchVersion("2.6.0a0+git1234\n").text == "2.6.0a0+git1234");
}

TEST_CASE("What is no version is not known") {
  for (const char* line : {"", "from typing import Optional", "__version__ = '2.13", "2", "2.x.1",
                           "__all__ = ['__version__', '2.5.1']", "__version__ = 2.5.1"}) {
    INFO(line);
    CHECK(ParseTorchVersion(line).text.empty());
  }
}

TEST_CASE("Versions whose types are not known are refused") {
  for (const char* text : {"2.5.0", "2.13.1"}) CHECK(IsKnownVersion(ParseTorchVersion(text)));
  for (const char* text : {"1.13.1", "2.4.1", "2.14.0", "3.5.0", ""}) {
    CHECK_FALSE(IsKnownVersion(ParseTorchVersion(text)));
  }
}

TEST_CASE("The version is in a file beside the library") {
  const test::TempFolder folder;
  const std::string library = (folder / "torch/lib/libtorch_cpu.so");
  CHECK(ReadTorchVersion(library).text.empty());
  std::filesystem::create_directories((folder / "torch/lib"));
  std::ofstream((folder / "torch/build-version")) << "2.7.1+cu126\n";
  CHECK(ReadTorchVersion(library).text == "2.7.1+cu126");
  std::ofstream((folder / "torch/version.py")) << "debug = False\n__version__ = '2.8.0'\n";
  CHECK(ReadTorchVersion(library).text == "2.8.0");
}

}  // namespace
}  // namespace prof::torch::torch_version_test
