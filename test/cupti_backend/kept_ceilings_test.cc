// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/kept_ceilings.h"

#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::cupti::kept_ceilings_test {
namespace {

std::vector<capture::DeviceEvent> Devices() {
  std::vector<capture::DeviceEvent> devices(2);
  devices[0].name = devices[1].name = "NVIDIA H200";
  devices[0].sm_count = 132;
  devices[1].sm_count = 66;  // a part of it
  return devices;
}

const std::string kHead = "device,sm_count,kind,per_s,n,min,max,sm_clock_hz\n";

std::string Written(const test::TempFolder& folder, const std::string& text) {
  std::string path = folder / "kept_ceilings.csv";
  std::ofstream(path) << text;
  return path;
}

TEST_CASE("A device gets the kept ceilings of its name and number of SMs") {
  const test::TempFolder folder;
  std::vector<capture::DeviceEvent> devices = Devices();
  CHECK(
      AddKeptCeilings(Written(folder, kHead + "NVIDIA H200,132,dram-copy,3.9e12,11,3.8e12,4e12,0\n"
                                              "NVIDIA H200,132,flops fp32,6e13,11,6e13,6e13,1.9e9\n"
                                              "NVIDIA A100,108,l2,4e12,11,4e12,4e12,0\n"),
                      &devices)
          .empty());
  REQUIRE(devices[0].ceilings.size() == 2);
  CHECK(devices[0].ceilings[0].kind == "dram-copy");
  CHECK(devices[0].ceilings[0].per_s == 3.9e12);
  CHECK(devices[0].ceilings[1].sm_clock_hz == 1.9e9);
  CHECK(devices[1].ceilings.empty());
}

TEST_CASE("Without kept ceilings nothing happens, and a file that is none is told") {
  std::vector<capture::DeviceEvent> devices = Devices();
  CHECK(AddKeptCeilings("", &devices).empty());
  CHECK(AddKeptCeilings("no_such_folder/ceilings.csv", &devices).empty());
  CHECK(AddKeptCeilings(".", &devices).empty());
  CHECK(AddKeptCeilings("/dev/zero", &devices).empty());
  const test::TempFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(AddKeptCeilings(pipe, &devices).empty());  // nobody writes into it
  const std::string no_table = Written(folder, "{}");
  CHECK(AddKeptCeilings(no_table, &devices) ==
        no_table +
            " has no ceilings: its first line is not "
            "\"device,sm_count,kind,per_s,n,min,max,sm_clock_hz\"");
  const std::string no_row = Written(folder, kHead + "H200,132");
  CHECK(AddKeptCeilings(no_row, &devices) == no_row + " has no ceilings: line 2 is no ceiling");
  CHECK(devices[0].ceilings.empty());
}

}  // namespace
}  // namespace prof::cupti::kept_ceilings_test
