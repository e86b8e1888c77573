// SPDX-License-Identifier: Apache-2.0
//
// These tests read correct files.
#include "lib/snapshot/read/reader.h"

#include <string>

#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"
#include "test/support/temp_folder.h"

namespace prof::reader_test {
namespace {

using test::Launch;
using test::SnapshotBuilder;

model::Model Read(SnapshotBuilder& builder, int blocks = 1) {
  absl::StatusOr<model::Model> model = ReadSnapshot(builder.Bytes(blocks));
  INFO(model.status().ToString());
  REQUIRE(model.ok());
  return *std::move(model);
}

TEST_CASE("Every kind of record comes back as it was written") {
  SnapshotBuilder b;
  b.process.command = "./train --steps 3";
  b.process.rank = 5;
  b.process.injected = true;
  b.Device(test::H200(2));
  b.Thread(test::kMainTid, "main");
  model::Shape shape;
  shape.name = "_Z5saxpyfPf";
  shape.grid = {132, 2, 3};
  shape.block = {256, 1, 1};
  shape.cluster = {2, 1, 1};
  shape.static_shared_bytes = 1024;
  shape.dynamic_shared_bytes = 2048;
  shape.shared_executed_bytes = 65536;
  shape.registers_per_thread = 40;
  shape.local_bytes_per_thread = 16;
  shape.launch_type = 1;
  Launch on_two;
  on_two.device = 2;
  on_two.stream = 13;
  b.Kernel(b.Shape(shape), "step/forward", 100'000, 150'000, on_two);
  b.Copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPageable, model::MemoryKind::kDevice,
         4096, "", 200'000, 210'000);
  b.Memset(512, "", 220'000, 221'000);
  b.Sync(model::SyncKind::kStream, 230'000, 240'000, 9);
  b.Span("request", 50'000, 250'000, test::kMainTid, 2000);
  b.Overhead("driver compiler", 10'000, 20'000);
  b.Profiler(model::ProfilerWork::kRotate, 300'000, 310'000);
  b.Notice(model::Severity::kWarning, model::Subsystem::kCounters, "counters are unavailable",
           "run as root");

  const model::Model m = Read(b);
  CHECK(m.process.command == "./train --steps 3");
  CHECK(m.process.rank == 5);
  CHECK(m.process.injected);
  CHECK(m.stopped_in_order);
  CHECK(m.truncation.empty());
  REQUIRE(m.devices.size() == 1);
  CHECK(m.devices[0].name == "NVIDIA H200");
  CHECK(m.devices[0].peaks.at("dram__bytes.sum.peak_sustained") == 1536);
  CHECK(m.threads[1].name == "main");

  REQUIRE(m.ops.size() == 3);
  const model::Op& kernel = m.ops[0];
  CHECK(kernel.kind == model::OpKind::kKernel);
  CHECK(kernel.timed);
  CHECK(kernel.device == 2);
  CHECK(kernel.stream == 13);
  CHECK(kernel.start_ns == 100'000);
  CHECK(kernel.end_ns == 150'000);
  const model::Shape& read = m.shapes[kernel.shape];
  CHECK(read.name == shape.name);
  CHECK(read.grid == shape.grid);
  CHECK(read.block == shape.block);
  CHECK(read.cluster == shape.cluster);
  CHECK(read.static_shared_bytes == 1024);
  CHECK(read.dynamic_shared_bytes == 2048);
  CHECK(read.shared_executed_bytes == 65536);
  CHECK(read.registers_per_thread == 40);
  CHECK(read.local_bytes_per_thread == 16);
  CHECK(read.launch_type == 1);
  CHECK(m.ops[1].copy == model::CopyKind::kHostToDevice);
  CHECK(m.ops[1].source == model::MemoryKind::kPageable);
  CHECK(m.ops[1].destination == model::MemoryKind::kDevice);
  CHECK(m.ops[1].bytes == 4096);
  CHECK(m.ops[1].async);
  CHECK(m.ops[2].kind == model::OpKind::kMemset);
  CHECK(m.ops[2].bytes == 512);
  REQUIRE(m.syncs.size() == 1);
  CHECK(m.syncs[0].kind == model::SyncKind::kStream);
  CHECK(m.syncs[0].correlation == 9);
  REQUIRE(m.spans.size() == 1);
  CHECK(m.paths[m.spans[0].path].full == "request");
  CHECK(m.spans[0].end_ns == 250'000);
  REQUIRE(m.overheads.size() == 1);
  CHECK(m.overheads[0].kind == "driver compiler");
  REQUIRE(m.profiler_intervals.size() == 1);
  CHECK(m.profiler_intervals[0].work == model::ProfilerWork::kRotate);
  REQUIRE(m.notices.size() == 1);
  CHECK(m.notices[0].fix == "run as root");
  CHECK(m.integrity.kernels == 1);
}

TEST_CASE("Operations are sorted by start over all blocks, untimed ones last") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  Launch untimed;
  untimed.untimed = true;
  b.Kernel(shape, "", 15'000, 15'000, untimed);
  b.Kernel(shape, "", 300'000, 310'000);
  b.Kernel(shape, "", 100'000, 110'000);
  b.Copy(model::CopyKind::kDeviceToHost, model::MemoryKind::kDevice, model::MemoryKind::kPinned, 8,
         "", 200'000, 210'000);
  const model::Model m = Read(b, 3);
  REQUIRE(m.ops.size() == 4);
  CHECK(m.ops[0].start_ns == 100'000);
  CHECK(m.ops[1].start_ns == 200'000);
  CHECK(m.ops[2].start_ns == 300'000);
  CHECK_FALSE(m.ops[3].timed);
}

TEST_CASE("A launch that was not traced but has a record is one launch") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  Launch untraced;
  untraced.untraced = true;
  untraced.correlation = 7;
  b.Kernel(shape, "", 15'000, 15'000, untraced);
  untraced.correlation = 8;
  b.Kernel(shape, "", 16'000, 16'000, untraced);
  Launch recorded;
  recorded.correlation = 8;
  recorded.no_api = true;
  b.Kernel(shape, "", 100'000, 110'000, recorded);
  const model::Model m = Read(b, 2);
  REQUIRE(m.ops.size() == 2);
  CHECK(m.ops[0].correlation == 8);
  CHECK(m.ops[0].timed);
  CHECK(m.ops[1].correlation == 7);
  CHECK(m.ops[1].untraced);
}

TEST_CASE("Tables that grow from block to block keep counting their ids") {
  std::string bytes = test::FileHeader();
  for (int i = 1; i <= 3; ++i) {
    wire::Block block;
    if (i == 1) block.mutable_header()->set_format_version(1);
    block.add_strings("kernel" + std::to_string(i));
    block.add_kernel_shapes()->set_name(static_cast<uint32_t>(i));
    block.add_lanes()->set_stream(static_cast<uint32_t>(i));
    wire::KernelColumns* columns = block.mutable_kernels();
    columns->set_base_ns(i * 1000);
    columns->add_shape(static_cast<uint32_t>(i));
    columns->add_lane(static_cast<uint32_t>(i));
    columns->add_start_delta_ns(0);
    columns->add_duration_ns(10);
    columns->add_correlation_delta(i);
    bytes += test::Frame(block.SerializeAsString());
  }
  const absl::StatusOr<model::Model> m = ReadSnapshot(bytes);
  REQUIRE(m.ok());
  REQUIRE(m->ops.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(m->shapes[m->ops[i].shape].name == "kernel" + std::to_string(i + 1));
    CHECK(m->ops[i].stream == i + 1);
  }
  CHECK_FALSE(m->stopped_in_order);
  CHECK(m->truncation.empty());
}

TEST_CASE("A file gives the same model as its bytes in memory") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "step", 100'000, 110'000);
  const test::TempFolder folder;
  test::WriteFile(folder / "a.prof", b.Bytes(2));
  const absl::StatusOr<model::Model> m = ReadSnapshot(Snapshot::FromFile(folder / "a.prof"));
  REQUIRE(m.ok());
  REQUIRE(m->ops.size() == 1);
  CHECK(m->paths[m->ops[0].path].full == "step");
}

TEST_CASE("A missing file is an error that names it") {
  const absl::Status status = ReadSnapshotFile("no/such/file.prof").status();
  CHECK(absl::IsNotFound(status));
  CHECK_THAT(std::string(status.message()), Catch::Contains("no/such/file.prof"));
}

TEST_CASE("A directory is an error that says that reading failed, not an empty snapshot") {
  const absl::Status status = ReadSnapshotFile(".").status();
  CHECK(absl::IsUnavailable(status));
  CHECK_THAT(std::string(status.message()), Catch::Contains("reading failed"));
}

TEST_CASE("Losses that only the session knows of are added to those of the file") {
  SnapshotBuilder b;
  b.integrity = Integrity{};
  b.integrity->dropped_by_cupti = 7;
  Integrity live;
  live.dropped_by_cupti = 5;
  live.bytes_not_written = 100;
  live.incomplete = true;
  const absl::StatusOr<model::Model> m = ReadSnapshot(Snapshot::FromBytes(b.Bytes(), live));
  REQUIRE(m.ok());
  CHECK(m->integrity.dropped_by_cupti == 7);
  CHECK(m->integrity.bytes_not_written == 100);
  CHECK(m->integrity.incomplete);
}

TEST_CASE("Path names have a domain only where it changes to one with a name") {
  SnapshotBuilder b;
  const uint32_t outer = b.Path(0, "step", "torch");
  const uint32_t same = b.Path(outer, "forward", "torch");
  const uint32_t other = b.Path(same, "allreduce", "nccl");
  const uint32_t plain = b.Path(other, "inner");
  const model::Model m = Read(b);
  CHECK(m.paths[outer].full == "torch:step");
  CHECK(m.paths[same].full == "torch:step/forward");
  CHECK(m.paths[other].full == "torch:step/forward/nccl:allreduce");
  CHECK(m.paths[plain].full == "torch:step/forward/nccl:allreduce/inner");
}

TEST_CASE("A notice with the severity of a newer version counts as an error") {
  SnapshotBuilder b;
  b.Notice(static_cast<model::Severity>(9), model::Subsystem::kCounters, "something new", "");
  const model::Model m = Read(b);
  REQUIRE(m.notices.size() == 1);
  CHECK(m.notices[0].severity == model::Severity::kError);
}

}  // namespace
}  // namespace prof::reader_test
