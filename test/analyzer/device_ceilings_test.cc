// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/device_ceilings.h"

#include <string>

#include "lib/analyzer/analyzer.h"
#include "test/report/contains.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::analyzer::device_ceilings_test {
namespace {

using format::ParseCeilings;
using test::Contains;

const std::string kHead = "device,sm_count,kind,per_s,n,min,max,sm_clock_hz\n";

TEST_CASE("A file of ceilings has rates by device and kind") {
  const format::CeilingsCsv ceilings =
      ParseCeilings(kHead +
                    "NVIDIA H200,132,dram-read,4.5e12,5,4.4e12,4.6e12,0\r\n\n"
                    "NVIDIA H200,132,flops fp16 tensor,8e14,5,7e14,9e14,1.7e9\n");
  CHECK(ceilings.error.empty());
  REQUIRE(ceilings.rows.size() == 2);
  CHECK(ceilings.rows[0].device == "NVIDIA H200");
  CHECK(ceilings.rows[0].sm_count == 132);
  CHECK(ceilings.rows[0].per_s == 4.5e12);
  CHECK(ceilings.rows[1].kind == "flops fp16 tensor");
  CHECK(ceilings.rows[1].n == 5);
  CHECK(ceilings.rows[1].max == 9e14);
  CHECK(ceilings.rows[1].sm_clock_hz == 1.7e9);
}

TEST_CASE("A text that is no file of ceilings is an error with its line") {
  CHECK_THAT(ParseCeilings("").error, Contains("first line"));
  CHECK_THAT(ParseCeilings("{}").error, Contains("first line"));
  CHECK_THAT(ParseCeilings(kHead).error, Contains("no ceilings"));
  const std::string good = "H200,132,l2,6e12,5,6e12,6e12,0\n";
  for (const char* bad :
       {"H200,132,l2,6e12,5,6e12,6e12", "H200,132,l2,-6e12,5,6e12,6e12,0", "H200,132,l2,,5,1,1,0",
        "H200,132,l2,nan,5,1,1,0", "H200,132,l2,inf,5,1,1,0", "H200,0,l2,1,5,1,1,0",
        "H200,132,l2,1,0,1,1,0", "H200,132,l2,1,5,2,1,0", ",132,l2,1,5,1,1,0",
        "H200,1e99,l2,1,5,1,1,0", "H200,132,l2,1,5,1,1,0,0", "H200,132,l2,1x,5,1,1,0"}) {
    CAPTURE(bad);
    const format::CeilingsCsv ceilings = ParseCeilings(kHead + good + bad);
    CHECK(ceilings.error == "line 3 is no ceiling");
    CHECK(ceilings.rows.empty());
  }
}

TEST_CASE("Devices of the same name and size get the ceilings that their recording lacks") {
  model::Model model;
  model.devices.resize(3);
  for (model::Device& device : model.devices) {
    device.name = "NVIDIA H200";
    device.sm_count = 132;
  }
  model.devices[1].sm_count = 66;  // a part of it
  model.devices[2].ceilings = {{"l2", 5e12, 3, 5e12, 5e12, 0}};
  const format::CeilingsCsv file = ParseCeilings(kHead +
                                                 "NVIDIA H200,132,l2,6e12,5,6e12,6e12,0\n"
                                                 "NVIDIA A100,108,l2,4e12,5,4e12,4e12,0\n");
  CHECK(AddCeilings(file.rows, &model) == 1);
  REQUIRE(model.devices[0].ceilings.size() == 1);
  CHECK(model.devices[0].ceilings[0].per_s == 6e12);
  CHECK(model.devices[1].ceilings.empty());
  REQUIRE(model.devices[2].ceilings.size() == 1);
  CHECK(model.devices[2].ceilings[0].per_s == 5e12);  // its own
}

TEST_CASE("The roofline of a report has the ceilings of the file") {
  test::SnapshotBuilder builder;
  const uint32_t shape = builder.Shape("copy", {1320, 1, 1}, {256, 1, 1});
  const uint32_t launch = builder.Kernel(shape, "", 10'000, 110'000);
  builder.Sample(launch, {{"gpu__time_duration.sum", 100'000},
                          {"dram__bytes_read.sum", 2e8},
                          {"dram__bytes_write.sum", 2e8}});
  const Snapshot snapshot = builder.Snapshot();
  const Report report = AnalyzeAmended(snapshot, [](model::Model* model) {
    REQUIRE(model->devices.size() == 1);
    const model::Device& device = model->devices[0];
    const format::CeilingsCsv file =
        ParseCeilings(kHead + device.name + "," + std::to_string(device.sm_count) +
                      ",dram-copy,4.1e12,5,4e12,4.2e12,0\n");
    CHECK(AddCeilings(file.rows, model) == 1);
  });
  REQUIRE(report.error.empty());
  REQUIRE(report.kernels.size() == 1);
  bool found = false;
  for (const RooflineLevel& level : report.kernels[0].roofline.levels) {
    if (level.level != "dram") continue;
    found = true;
    CHECK(level.ceiling == "measured: dram-copy, n=5");
    CHECK(level.ceiling_bytes_per_s == 4.1e12);
  }
  CHECK(found);
}

}  // namespace
}  // namespace prof::analyzer::device_ceilings_test
