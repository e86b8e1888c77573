// SPDX-License-Identifier: Apache-2.0
//
// These tests read files that were cut off, damaged, or made to do harm.
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "lib/format/framing.h"
#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::damage_test {
namespace {

using Catch::Contains;
using test::SnapshotBuilder;

// Four samples of two metrics: a merged row, a gap, a missing value.
model::PmSeries SmallPm() {
  model::PmSeries pm;
  pm.interval_ns = 100;
  pm.metrics = {"dram", "l2"};
  pm.scales = {0.5, 0.05};
  pm.begin_ns = {1000, 1100, 1300, 1500};
  pm.end_ns = {1100, 1300, 1403, 1600};
  pm.samples = {1, 2, 1, 1};
  pm.values = {50, 1, 50.5, 2, std::nanf(""), 3, 49, 4};
  return pm;
}

// Three blocks with about one kernel, call, step and sample each.
std::string SmallFile() {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("saxpy", {132}, {256});
  for (int i = 1; i <= 3; ++i) {
    const uint32_t launch = b.Kernel(shape, "step", i * 100'000, i * 100'000 + 50'000);
    b.Sample(launch, {{"dram__bytes.sum", 1e6}});
  }
  b.Copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPinned, model::MemoryKind::kDevice, 4,
         "", 400'000, 410'000);
  b.Span("request", 0, 500'000);
  b.Profiler(model::ProfilerWork::kSample, 90'000, 95'000);
  b.Pm(SmallPm());
  return b.Bytes(3);
}

// One of a pass group that has no metrics.
wire::CounterSample* AddSample(wire::Block& block) {
  block.add_pass_groups();
  wire::CounterSample* sample = block.add_samples();
  sample->set_group(1);
  return sample;
}

std::string Message(const absl::StatusOr<model::Model>& model) {
  return std::string(model.status().message());
}

// Reads a file of one block after an edit.
absl::StatusOr<model::Model> ReadEdited(std::function<void(wire::Block&)> edit) {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "step", 100'000, 110'000);
  b.Copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPinned, model::MemoryKind::kDevice, 4,
         "", 200'000, 210'000);
  b.Pm(SmallPm());
  b.edit = std::move(edit);
  return ReadSnapshot(b.Bytes());
}

TEST_CASE(
    "A file cut at any byte yields the blocks before the cut, or the error that there are none",
    "[long]") {
  const std::string bytes = SmallFile();
  const absl::StatusOr<model::Model> whole = ReadSnapshot(bytes);
  REQUIRE(whole.ok());
  size_t last_ops = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    INFO("cut after " << size << " of " << bytes.size() << " bytes");
    const absl::StatusOr<model::Model> model = ReadSnapshot(bytes.substr(0, size));
    if (!model.ok()) {
      CHECK(absl::IsDataLoss(model.status()));
      CHECK(last_ops == 0);
      continue;
    }
    CHECK_FALSE(model->stopped_in_order);
    CHECK(model->ops.size() >= last_ops);
    last_ops = model->ops.size();
    REQUIRE(last_ops < whole->ops.size());
    for (size_t i = 0; i < last_ops; ++i) {
      CHECK(model->ops[i].start_ns == whole->ops[i].start_ns);
      CHECK(model->ops[i].path == whole->ops[i].path);
    }
  }
  CHECK(last_ops > 1);
}

TEST_CASE(
    "A cut inside a block is reported with the block, the byte and the blocks that were read") {
  const std::string bytes = SmallFile();
  const absl::StatusOr<model::Model> model = ReadSnapshot(bytes.substr(0, bytes.size() - 1));
  REQUIRE(model.ok());
  CHECK_THAT(model->truncation, Contains("Block 3 at byte "));
  CHECK_THAT(model->truncation, Contains("The 2 before it were read"));
}

TEST_CASE("A file that ends between two blocks is complete, but was not stopped in order") {
  const std::string bytes = SmallFile();
  const size_t second = bytes.find("PBLK", bytes.find("PBLK") + 1);
  const absl::StatusOr<model::Model> model = ReadSnapshot(bytes.substr(0, second));
  REQUIRE(model.ok());
  CHECK(model->truncation.empty());
  CHECK_FALSE(model->stopped_in_order);
}

TEST_CASE("No single damaged byte goes unnoticed", "[long]") {
  const std::string bytes = SmallFile();
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (at >= 12 && at < 16) continue;  // reserved: has no meaning yet
    for (const int mask : {0x01, 0x80, 0xff}) {
      INFO("byte " << at << " of " << bytes.size() << " xor " << mask);
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      const absl::StatusOr<model::Model> model = ReadSnapshot(damaged);
      if (model.ok()) {
        CHECK_FALSE(model->truncation.empty());
      } else {
        CHECK_FALSE(model.status().message().empty());
      }
    }
  }
}

TEST_CASE("Any payload with a right checksum is read or refused, never trusted", "[long]") {
  // The checksum is right, as if a faulty writer had made the damage.
  wire::Block block;
  std::string payload;
  {
    SnapshotBuilder b;
    const uint32_t shape = b.Shape("saxpy", {132}, {256});
    b.Sample(b.Kernel(shape, "step/a", 100'000, 150'000), {{"dram__bytes.sum", 1e6}});
    b.Copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPinned, model::MemoryKind::kDevice,
           4, "", 400'000, 410'000);
    b.Span("request", 0, 500'000);
    b.Profiler(model::ProfilerWork::kSample, 90'000, 95'000);
    b.Overhead("x", 1, 2);
    b.Pm(SmallPm());
    b.edit = [&](wire::Block& whole) { payload = whole.SerializeAsString(); };
    b.Bytes();
  }
  int read = 0, refused = 0;
  for (size_t at = 0; at < payload.size(); ++at) {
    for (const int mask : {0x01, 0x02, 0x40, 0x80, 0xff}) {
      std::string damaged = payload;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      const bool ok = ReadSnapshot(test::FileHeader() + test::Frame(damaged)).ok();
      ++(ok ? read : refused);
    }
  }
  CHECK(read > 0);
  CHECK(refused > 0);
}

TEST_CASE("A file that is no snapshot is refused, and the error says what to give instead") {
  const absl::StatusOr<model::Model> model = ReadSnapshot(
      "\x7f"
      "ELF, a program of 64 bits");
  CHECK(absl::IsInvalidArgument(model.status()));
  CHECK_THAT(Message(model), Contains("not a recording of prof"));
  CHECK(absl::IsDataLoss(ReadSnapshot("").status()));
}

TEST_CASE("A newer format is refused with both versions, in the file header and in the block") {
  const absl::StatusOr<model::Model> by_file =
      ReadSnapshot(test::FileHeader(format::kFormatVersion + 1));
  CHECK(absl::IsFailedPrecondition(by_file.status()));
  CHECK_THAT(Message(by_file), Contains("version 3") && Contains("up to 2"));

  const absl::StatusOr<model::Model> by_block = ReadEdited([](wire::Block& block) {
    block.mutable_header()->set_format_version(7);
    block.mutable_header()->set_prof_version("9.1");
  });
  CHECK(absl::IsFailedPrecondition(by_block.status()));
  CHECK_THAT(Message(by_block), Contains("version 7") && Contains("prof 9.1"));
}

TEST_CASE("A block that claims more bytes than any block has gets no memory") {
  std::string bytes = SmallFile();
  bytes.resize(format::kFileHeaderSize + format::kFrameHeaderSize);
  for (const uint32_t size : {0xffffffffu, format::kMaxPayload + 1}) {
    format::PutU32(&bytes[format::kFileHeaderSize + 4], size);
    CHECK_THAT(Message(ReadSnapshot(bytes)), Contains("more than a block has"));
  }
  format::PutU32(&bytes[format::kFileHeaderSize + 4], format::kMaxPayload);
  CHECK_THAT(Message(ReadSnapshot(bytes)), Contains("ends after 0 of its"));
}

TEST_CASE("Columns of different lengths are refused by name") {
  CHECK_THAT(
      Message(ReadEdited([](wire::Block& block) { block.mutable_kernels()->add_duration_ns(1); })),
      Contains("kernels") && Contains("duration_ns has 2"));
  CHECK_THAT(Message(ReadEdited([](wire::Block& block) { block.mutable_copies()->clear_async(); })),
             Contains("copies") && Contains("async has 0"));
  CHECK_THAT(
      Message(ReadEdited([](wire::Block& block) { block.mutable_api_calls()->add_error_row(0); })),
      Contains("error_code"));
  CHECK_THAT(
      Message(ReadEdited([](wire::Block& block) { block.mutable_kernels()->add_graph_row(0); })),
      Contains("graph_id"));
}

TEST_CASE("Ids beyond their table and rows beyond their columns are refused by name") {
  const auto refuses = [](std::function<void(wire::Block&)> edit, const std::string& what) {
    const absl::StatusOr<model::Model> model = ReadEdited(std::move(edit));
    CHECK_FALSE(model.ok());
    CHECK_THAT(Message(model), Contains(what));
  };
  refuses([](wire::Block& b) { b.mutable_kernels()->set_shape(0, 99); }, "shape 99 of 1");
  refuses([](wire::Block& b) { b.mutable_kernels()->set_lane(0, 99); }, "lane 99");
  refuses([](wire::Block& b) { b.mutable_kernels()->add_untimed_row(1); }, "row 1 of 1");
  refuses([](wire::Block& b) { b.mutable_kernels()->add_untraced_row(1); }, "row 1 of 1");
  refuses([](wire::Block& b) { b.add_launch_counts()->set_shape(99); }, "shape 99 of");
  refuses([](wire::Block& b) { b.mutable_api_calls()->set_name(0, 99); }, "string 99");
  refuses([](wire::Block& b) { b.mutable_api_calls()->set_thread(0, 99); }, "thread 99");
  refuses([](wire::Block& b) { b.mutable_ranges()->set_path(0, 99); }, "path 99");
  refuses([](wire::Block& b) { b.mutable_ranges()->set_thread(0, 99); }, "thread 99");
  refuses([](wire::Block& b) { b.mutable_range_paths(0)->set_parent(1); }, "parent 1");
  refuses([](wire::Block& b) { b.mutable_kernel_shapes(0)->set_name(99); }, "string 99");
  refuses([](wire::Block& b) { b.add_samples()->set_group(4); }, "pass group 4");
  refuses([](wire::Block& b) { b.add_samples(); }, "pass group 0");
  refuses([](wire::Block& b) { AddSample(b)->set_shape(99); }, "shape 99");
  refuses([](wire::Block& b) { AddSample(b)->set_lane(99); }, "lane 99");
  refuses([](wire::Block& b) { b.mutable_pm_samples(0)->set_series(2); }, "series 2 of 1");
  refuses([](wire::Block& b) { b.mutable_pm_samples(0)->set_series(0); }, "series 0 of 1");
  refuses([](wire::Block& b) { b.mutable_pm_samples(0)->set_gap_row(0, 4); }, "a row of 4");
  refuses([](wire::Block& b) { b.mutable_pm_samples(0)->set_merged_row(0, 4); }, "a row of 4");
  refuses([](wire::Block& b) { b.mutable_pm_samples(0)->mutable_values(0)->set_missing_row(0, 4); },
          "a row of 4");
  refuses([](wire::Block& b) { b.mutable_pm_series(0)->set_metric(0, 99); }, "string 99");
  refuses([](wire::Block& b) { b.add_profiler_intervals()->set_thread(77); }, "thread 77");
}

TEST_CASE("A sample whose values do not match its pass group is refused") {
  CHECK_THAT(Message(ReadEdited([](wire::Block& block) {
               block.add_pass_groups()->add_metric(1);
               wire::CounterSample* sample = block.add_samples();
               sample->set_group(1);
               sample->add_value(1);
               sample->add_value(2);
             })),
             Contains("2 values for the 1 metrics"));
}

TEST_CASE("PM columns that do not fit their series or each other are refused") {
  const auto refuses = [](std::function<void(wire::PmColumns*)> edit, const std::string& what) {
    CHECK_THAT(Message(ReadEdited([&](wire::Block& block) { edit(block.mutable_pm_samples(0)); })),
               Contains(what));
  };
  refuses([](wire::PmColumns* pm) { pm->add_values(); }, "3 columns of values for the 2 metrics");
  refuses([](wire::PmColumns* pm) { pm->add_duration_delta_ns(0); }, "4 values for 5 rows");
  refuses([](wire::PmColumns* pm) { pm->add_gap_ns(1); }, "differ in length");
  refuses([](wire::PmColumns* pm) { pm->clear_merged_count(); }, "differ in length");
  refuses([](wire::PmColumns* pm) { pm->set_merged_count(0, 0); }, "impossible time");
  refuses([](wire::PmColumns* pm) { pm->set_duration_delta_ns(2, -100); }, "impossible time");
  refuses([](wire::PmColumns* pm) { pm->set_duration_delta_ns(2, INT64_MAX); }, "impossible time");
  refuses([](wire::PmColumns* pm) { pm->set_base_ns(INT64_MIN); }, "impossible time");
  refuses([](wire::PmColumns* pm) { pm->set_gap_ns(0, INT64_MIN); }, "impossible time");
}

TEST_CASE("A PM series without a usable scale is refused") {
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    CHECK_THAT(Message(ReadEdited(
                   [&](wire::Block& block) { block.mutable_pm_series(0)->set_scale(1, scale); })),
               Contains("scale"));
  }
  CHECK_THAT(Message(ReadEdited([](wire::Block& b) { b.mutable_pm_series(0)->clear_scale(); })),
             Contains("0 scales for 2 metrics"));
  CHECK_THAT(Message(ReadEdited(
                 [](wire::Block& b) { b.mutable_pm_series(0)->set_interval_ns(UINT64_MAX); })),
             Contains("interval"));
  CHECK_THAT(Message(ReadEdited([](wire::Block& block) {
               for (int i = 0; i < 2000; ++i) block.add_pm_series();
             })),
             Contains("more than 1024 series"));
}

TEST_CASE("PM values that no number can hold are missing, not wrong") {
  const absl::StatusOr<model::Model> model = ReadEdited([](wire::Block& block) {
    block.mutable_pm_series(0)->set_scale(1, 1e300);
    block.mutable_pm_samples(0)->mutable_values(1)->set_delta(0, INT64_MAX);
  });
  REQUIRE(model.ok());
  CHECK(std::isnan(model->pm_series.at(0).row(0)[1]));
}

TEST_CASE("Impossible times are refused before anything computes with them") {
  for (const int64_t time_ns : {INT64_MAX, INT64_MIN, int64_t{1} << 62}) {
    CHECK_THAT(
        Message(ReadEdited([&](wire::Block& b) { b.mutable_kernels()->set_base_ns(time_ns); })),
        Contains("impossible time"));
    CHECK_THAT(
        Message(ReadEdited([&](wire::Block& b) { b.mutable_ranges()->set_base_ns(time_ns); })),
        Contains("impossible time"));
  }
  CHECK_THAT(Message(ReadEdited([](wire::Block& block) {
               block.mutable_copies()->set_duration_ns(0, UINT64_MAX);
             })),
             Contains("impossible time"));
}

TEST_CASE("A damaged block leaves nothing in the model") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  for (int i = 1; i <= 4; ++i) b.Kernel(shape, "", i * 100'000, i * 100'000 + 1);
  b.Pm(SmallPm());
  int block_number = 0;
  b.edit = [&](wire::Block& block) {
    if (++block_number != 2) return;
    block.add_strings("new");
    block.add_range_paths()->set_name(1);
    block.mutable_notices()->Add()->set_what("new");
    block.add_pm_series()->set_interval_ns(1);
    block.mutable_pm_samples(0)->clear_values();  // noticed after everything else was added
  };
  const absl::StatusOr<model::Model> model = ReadSnapshot(b.Bytes(2));
  REQUIRE(model.ok());
  CHECK(model->ops.size() == 2);
  CHECK(model->api_calls.size() == 2);
  CHECK(model->paths.size() == 1);
  CHECK(model->notices.empty());
  REQUIRE(model->pm_series.size() == 1);
  CHECK(model->pm_series[0].rows() == 2);
  CHECK(model->pm_series[0].values.size() == 4);
  CHECK_THAT(model->truncation, Contains("columns of values"));
}

TEST_CASE("A small file cannot ask for much memory by repeating a long name") {
  wire::Block block;
  block.mutable_header()->set_format_version(1);
  block.add_strings(std::string(1 << 20, 'x'));
  for (int i = 0; i < 10'000; ++i) block.add_kernel_shapes()->set_name(1);
  const std::string bytes = test::FileHeader() + test::Frame(block.SerializeAsString());
  CHECK_THAT(Message(ReadSnapshot(bytes)), Contains("names and tables are longer"));
}

TEST_CASE("Ranges that nest too deep are refused") {
  wire::Block block;
  block.mutable_header()->set_format_version(1);
  block.add_strings("r");
  for (uint32_t i = 0; i < 5'000; ++i) {
    wire::RangePath* path = block.add_range_paths();
    path->set_name(1);
    path->set_parent(i);
  }
  CHECK_THAT(Message(ReadSnapshot(test::FileHeader() + test::Frame(block.SerializeAsString()))),
             Contains("nest deeper"));
}

TEST_CASE("A trailer that counts more blocks than the file has is reported") {
  SnapshotBuilder b;
  b.edit = [](wire::Block& block) { block.mutable_trailer()->set_blocks(3); };
  const absl::StatusOr<model::Model> model = ReadSnapshot(b.Bytes());
  REQUIRE(model.ok());
  CHECK_THAT(model->truncation, Contains("counts 3 blocks"));
}

}  // namespace
}  // namespace prof::damage_test
