// SPDX-License-Identifier: Apache-2.0
//
// These tests read guessed columns: correct ones give the same model as listed ones, and wrong ones
// are damage.
#include "lib/format/framing.h"
#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/guess_columns.h"
#include "test/support/snapshot_builder.h"

namespace prof::guess_test {
namespace {

using Catch::Matchers::Contains;

// Twenty steps of two kernels in two ranges, on two threads; the last kernel has no time.
void Fill(test::SnapshotBuilder& builder) {
  const uint32_t shapes[] = {builder.Shape("a", {1}, {32}), builder.Shape("b", {2}, {64})};
  for (int i = 0; i < 40; ++i) {
    test::Launch how;
    how.tid = test::kMainTid + static_cast<uint32_t>(i / 30);
    how.stream = 7 + static_cast<uint32_t>(i % 3 / 2);
    how.untimed = i == 39;
    const int64_t at_ns = 1'000'000 + 20'000 * i + 37 * (i % 5);
    builder.Kernel(shapes[i % 2], i % 2 == 0 ? "step" : "step/inner", at_ns, at_ns + 4'000 + i % 7,
                   how);
  }
}

// Reads what Fill() makes, after its columns were guessed and then edited.
template <typename Edit>
absl::StatusOr<model::Model> ReadGuessed(Edit edit, int blocks = 1) {
  test::SnapshotBuilder builder;
  Fill(builder);
  builder.edit = [&](wire::Block& block) {
    test::GuessColumns(block);
    edit(block);
  };
  return ReadSnapshot(builder.Bytes(blocks));
}

// Returns why the only block cannot be read.
template <typename Edit>
std::string Refusal(Edit edit) {
  return std::string(ReadGuessed(edit).status().message());
}

TEST_CASE("Guessed columns give the same model as listed ones, in one block and in several") {
  for (const int blocks : {1, 3, 20}) {
    test::SnapshotBuilder builder;
    Fill(builder);
    const absl::StatusOr<model::Model> listed = ReadSnapshot(builder.Bytes(blocks));
    const absl::StatusOr<model::Model> guessed = ReadGuessed([](wire::Block&) {}, blocks);
    REQUIRE(listed.ok());
    REQUIRE(guessed.ok());
    CHECK(guessed->truncation.empty());
    REQUIRE(guessed->ops.size() == 40);
    REQUIRE(listed->ops.size() == 40);
    for (size_t i = 0; i < 40; ++i) {
      const model::Op &a = listed->ops[i], &b = guessed->ops[i];
      CHECK(a.shape == b.shape);
      CHECK(a.stream == b.stream);
      CHECK(a.correlation == b.correlation);
      CHECK(a.path == b.path);
      CHECK(a.api == b.api);
      CHECK(a.timed == b.timed);
      if (!a.timed) continue;
      CHECK(a.start_ns == b.start_ns);
      CHECK(a.end_ns == b.end_ns);
    }
    REQUIRE(guessed->steps.size() == listed->steps.size());
    for (size_t thread = 0; thread < listed->steps.size(); ++thread) {
      const model::StepTable &a = listed->steps[thread], &b = guessed->steps[thread];
      REQUIRE(a.size() == b.size());
      for (size_t i = 0; i < a.size(); ++i) {
        CHECK(a[i].time_ns() == b[i].time_ns());
        CHECK(a[i].path() == b[i].path());
      }
    }
  }
}

TEST_CASE("Rows that repeat take one byte for each time and almost none for ids") {
  (void)ReadGuessed([](wire::Block& block) {
    CHECK(block.kernels().start_guess_ns_size() == 40);
    CHECK(block.kernels().shape_guess_size() < 16);
    CHECK(block.api_calls().name_guess_size() < 10);
  });
}

TEST_CASE("A guessed column with more rows than the others is damage") {
  CHECK_THAT(Refusal([](wire::Block& b) {
               b.mutable_kernels()->add_shape_guess(4'000'000'000);
               b.mutable_kernels()->add_shape_guess(1);
             }),
             Contains("shape has more rows"));
  CHECK_THAT(Refusal([](wire::Block& b) { b.mutable_kernels()->add_lane_guess(0); }),
             Contains("lane has more rows"));
  CHECK_THAT(Refusal([](wire::Block& b) {
               b.mutable_api_calls()->add_correlation_guess(1000);
               b.mutable_api_calls()->add_correlation_guess(0);
             }),
             Contains("correlation has more rows"));
  CHECK_THAT(Refusal([](wire::Block& b) {
               b.mutable_ranges()->add_path_guess(1000);
               b.mutable_ranges()->add_path_guess(1);
             }),
             Contains("path has more rows"));
}

TEST_CASE("A guessed id that no table has is damage") {
  const auto first = [](auto* misses) { misses->Set(1, 999); };
  CHECK_THAT(Refusal([&](wire::Block& b) { first(b.mutable_kernels()->mutable_shape_guess()); }),
             Contains("kernels row 0 names shape 999"));
  CHECK_THAT(Refusal([&](wire::Block& b) { first(b.mutable_kernels()->mutable_lane_guess()); }),
             Contains("kernels row 0 names lane 999"));
  CHECK_THAT(Refusal([&](wire::Block& b) { first(b.mutable_api_calls()->mutable_name_guess()); }),
             Contains("API calls row 0 names string 999"));
  CHECK_THAT(Refusal([&](wire::Block& b) { first(b.mutable_api_calls()->mutable_thread_guess()); }),
             Contains("API calls row 0 names thread 999"));
  CHECK_THAT(Refusal([&](wire::Block& b) { first(b.mutable_ranges()->mutable_thread_guess()); }),
             Contains("ranges row 0 names thread 999"));
  CHECK_THAT(Refusal([&](wire::Block& b) { first(b.mutable_ranges()->mutable_path_guess()); }),
             Contains("ranges row 0 names path 999"));
}

TEST_CASE("Guessed times that are impossible, and columns of different length, are damage") {
  CHECK_THAT(Refusal([](wire::Block& b) {
               b.mutable_kernels()->mutable_start_guess_ns()->Set(0, INT64_MAX);
             }),
             Contains("kernels row 0 has an impossible time"));
  CHECK_THAT(Refusal([](wire::Block& b) {
               b.mutable_api_calls()->mutable_duration_guess_ns()->Set(0, -1'000'000);
             }),
             Contains("API calls row 0 has an impossible time"));
  CHECK_THAT(Refusal([](wire::Block& b) {
               b.mutable_ranges()->mutable_time_guess_ns()->Set(0, INT64_MIN);
             }),
             Contains("ranges row 0 has an impossible time"));
  CHECK_THAT(Refusal([](wire::Block& b) { b.mutable_kernels()->add_duration_guess_ns(1); }),
             Contains("differ in length"));
  CHECK_THAT(Refusal([](wire::Block& b) { b.mutable_api_calls()->add_start_guess_ns(1); }),
             Contains("differ in length"));
}

}  // namespace
}  // namespace prof::guess_test
