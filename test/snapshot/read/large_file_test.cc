// SPDX-License-Identifier: Apache-2.0
//
// These tests read files of several megabytes, where one thread parses blocks while another
// decodes.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/format/framing.h"
#include "lib/snapshot/model/reserve.h"
#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/rounds.h"
#include "test/support/snapshot_builder.h"
#include "test/support/temp_folder.h"

namespace prof::large_file_test {
namespace {

using Catch::Contains;

constexpr int kBlocks = 40, kLaunches = 4000;  // in each block
constexpr int64_t kPeriodNs = 5000;            // from one launch to the next

// Each launch has a range of its own, and its kernel starts 3 us after its call.
wire::Block OfLaunches(int index) {
  wire::Block block;
  if (index == 0) {
    block.mutable_header()->set_format_version(1);
    for (const char* text : {"layer", "kernel", "cudaLaunchKernel"}) block.add_strings(text);
    block.add_range_paths()->set_name(1);
    block.add_kernel_shapes()->set_name(2);
    block.add_lanes()->set_stream(7);
    block.add_threads()->set_tid(test::kMainTid);
  }
  if (index == kBlocks - 1) block.mutable_trailer()->set_blocks(kBlocks);
  const int64_t begin_ns = int64_t{index} * kLaunches * kPeriodNs;
  wire::KernelColumns* kernels = block.mutable_kernels();
  wire::ApiColumns* calls = block.mutable_api_calls();
  wire::RangeColumns* steps = block.mutable_ranges();
  kernels->set_base_ns(begin_ns + 4000);
  calls->set_base_ns(begin_ns + 1000);
  steps->set_base_ns(begin_ns);
  for (int i = 0; i < kLaunches; ++i) {
    const int64_t since_last_ns = i == 0 ? 0 : kPeriodNs;
    const int correlation = i == 0 ? index * kLaunches + 1 : 1;
    kernels->add_shape(1);
    kernels->add_lane(1);
    kernels->add_start_delta_ns(since_last_ns);
    kernels->add_duration_ns(2000);
    kernels->add_correlation_delta(correlation);
    calls->add_name(3);
    calls->add_thread(1);
    calls->add_start_delta_ns(since_last_ns);
    calls->add_duration_ns(1500);
    calls->add_correlation_delta(correlation);
    for (const uint32_t path : {1, 0}) {
      steps->add_thread(1);
      steps->add_time_delta_ns(path == 0 ? 3000 : i == 0 ? 0 : kPeriodNs - 3000);
      steps->add_path(path);
    }
  }
  return block;
}

// The file, and the place where each of its frames begins.
struct LargeFile {
  LargeFile() : bytes(test::FileHeader()) {
    for (int i = 0; i < kBlocks; ++i) {
      begins.push_back(bytes.size());
      bytes += test::Frame(OfLaunches(i).SerializeAsString());
    }
  }
  std::string bytes;
  std::vector<size_t> begins;
};

const LargeFile& Large() {
  static const LargeFile file;
  return file;
}

void CheckLaunches(const model::Model& model, size_t blocks) {
  const size_t launches = blocks * kLaunches;
  REQUIRE(model.ops.size() == launches);
  REQUIRE(model.api_calls.size() == launches);
  REQUIRE(model.steps.at(1).size() == 2 * launches);
  REQUIRE(model.instances.size() == launches);
  size_t wrong = 0;
  for (size_t i = 0; i < launches; ++i) {
    const int64_t begin_ns = static_cast<int64_t>(i) * kPeriodNs;
    const model::Op op = model.ops[i];
    const model::RangeInstance range = model.instances[i];
    const bool right = op.start_ns == begin_ns + 4000 && op.end_ns == begin_ns + 6000 &&
                       op.api == static_cast<int32_t>(i) && op.path == 1 && op.stream == 7 &&
                       range.start_ns == begin_ns && range.end_ns == begin_ns + 3000 &&
                       range.path == 1 && range.thread == 1 && range.closed;
    if (!right) ++wrong;
  }
  CHECK(wrong == 0);
}

absl::StatusOr<model::Model> ReadAsFile(const std::string& bytes) {
  const test::TempFolder folder;
  test::WriteFile(folder / "a.prof", bytes);
  return ReadSnapshotFile(folder / "a.prof");
}

TEST_CASE("A large file reads as it was written, from memory and from a file", "[long]") {
  REQUIRE(Large().bytes.size() > size_t{3} << 20);
  for (const bool from_file : {false, true}) {
    const absl::StatusOr<model::Model> model =
        from_file ? ReadAsFile(Large().bytes) : ReadSnapshot(Large().bytes);
    REQUIRE(model.ok());
    CHECK(model->truncation.empty());
    CHECK(model->stopped_in_order);
    CheckLaunches(*model, kBlocks);
  }
}

TEST_CASE("A large file that is cut in any of its blocks yields the blocks before it", "[long]") {
  for (size_t block = 1; block < kBlocks; block += test::Rounds(1, 5)) {
    INFO("cut in block " << block + 1);
    const absl::StatusOr<model::Model> model =
        ReadSnapshot(std::string_view(Large().bytes).substr(0, Large().begins[block] + 100));
    REQUIRE(model.ok());
    CHECK_FALSE(model->stopped_in_order);
    CHECK_THAT(model->truncation,
               Contains("Block " + std::to_string(block + 1) + " at byte " +
                        std::to_string(Large().begins[block]) + " cannot be read"));
    CheckLaunches(*model, block);
  }
}

TEST_CASE("A large file with a damaged block yields the blocks before it") {
  for (const size_t damaged : {1, 9, 17, 38}) {
    INFO("damage in block " << damaged + 1);
    std::string bytes = Large().bytes.substr(0, Large().begins[damaged]);
    wire::Block block = OfLaunches(static_cast<int>(damaged));
    block.mutable_ranges()->set_path(kLaunches, 99);
    bytes += test::Frame(block.SerializeAsString());
    bytes += Large().bytes.substr(Large().begins[damaged + 1]);
    const absl::StatusOr<model::Model> model = ReadSnapshot(bytes);
    REQUIRE(model.ok());
    CHECK_THAT(model->truncation, Contains("names path 99 of 1 known so far"));
    CheckLaunches(*model, damaged);
  }
}

TEST_CASE(
    "Bytes after the trailer of a large file are not read, and the model has a note of them") {
  const absl::StatusOr<model::Model> model =
      ReadSnapshot(Large().bytes + std::string(size_t{2} << 20, 'x'));
  REQUIRE(model.ok());
  CHECK(model->truncation.empty());
  CHECK_THAT(model->after_end, Contains("other bytes"));
  CheckLaunches(*model, kBlocks);
  CHECK_THAT(ReadSnapshot(Large().bytes + Large().bytes)->after_end, Contains("another recording"));
}

TEST_CASE("A block of a newer version is reported, wherever it is in the file") {
  wire::Block block;
  block.mutable_header()->set_format_version(format::kFormatVersion + 1);
  std::string bytes = Large().bytes.substr(0, Large().begins[kBlocks - 1]);
  bytes += test::Frame(block.SerializeAsString());
  CHECK(absl::IsFailedPrecondition(ReadSnapshot(bytes).status()));
}

TEST_CASE("Pages are complete, begin in their part of the memory and end within all of it") {
  std::vector<char> memory(5 * model::kLargePage);
  const model::LargePages room = model::FreeRoom(&memory);
  CHECK(room.bytes == memory.capacity() - memory.size());
  const model::LargePages all = model::PagesOf({memory.data(), memory.size()}, 0, SIZE_MAX);
  CHECK(reinterpret_cast<uintptr_t>(all.begin) % model::kLargePage == 0);
  CHECK(all.bytes >= 4 * model::kLargePage);
  const model::LargePages whole = {all.begin, 4 * model::kLargePage};
  const size_t page = model::kLargePage;
  CHECK(model::PagesOf(whole, 0, 1).bytes == page);
  CHECK(model::PagesOf(whole, 1, page - 1).bytes == 0);
  CHECK(model::PagesOf(whole, 1, page).bytes == page);
  CHECK(model::PagesOf(whole, page / 2, 2 * page).begin == all.begin + page);
  CHECK(model::PagesOf(whole, page / 2, 2 * page).bytes == 2 * page);
  CHECK(model::PagesOf(whole, 3 * page, SIZE_MAX).bytes == page);
  CHECK(model::PagesOf(whole, SIZE_MAX, SIZE_MAX).bytes == 0);
  CHECK(model::PagesOf({whole.begin + 1, page - 2}, 0, SIZE_MAX).bytes == 0);
}

}  // namespace
}  // namespace prof::large_file_test
