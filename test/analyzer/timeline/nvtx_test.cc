// SPDX-License-Identifier: Apache-2.0
//
// Marks, payloads, categories and names: from the file into the report.
#include <cmath>
#include <string>

#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::nvtx_test {
namespace {

using Catch::Contains;
using test::SnapshotBuilder;

uint32_t StringId(wire::Block& block, const std::string& text) {
  block.add_strings(text);
  return static_cast<uint32_t>(block.strings_size());
}

void AddName(wire::Block& block, wire::NameKind kind, uint64_t id, const std::string& name,
             const std::string& domain = "", uint32_t context = 0, uint32_t stream = 0) {
  const uint32_t name_id = StringId(block, name);
  const uint32_t domain_id = domain.empty() ? 0 : StringId(block, domain);
  wire::Name& wire = *block.add_names();
  wire.set_kind(kind);
  wire.set_id(id);
  wire.set_name(name_id);
  wire.set_domain(domain_id);
  wire.set_context(context);
  wire.set_stream(stream);
}

void AddMark(wire::Block& block, uint32_t path, int64_t delta_ns) {
  block.mutable_marks()->set_base_ns(1000);
  block.mutable_marks()->add_path(path);
  block.mutable_marks()->add_thread(1);
  block.mutable_marks()->add_time_delta_ns(delta_ns);
}

void AddPayload(wire::Block& block, uint32_t path, wire::PayloadType type, uint64_t bits) {
  wire::PayloadColumns& payloads = *block.mutable_payloads();
  payloads.set_base_ns(1000);
  payloads.add_path(path);
  payloads.add_thread(1);
  payloads.add_time_delta_ns(1);
  payloads.add_type(type);
  payloads.add_bits(bits);
}

// A kernel on stream 7 of context 1, in "step", and a mark "step/loss" of category 3.
struct Marked {
  SnapshotBuilder b;
  uint32_t step = b.Path("step"), loss = b.Path("step/loss");
  Marked() {
    b.Kernel(b.Shape("k", {132}, {256}), "step", 100'000, 200'000);
    b.edit = [this](wire::Block& block) {
      block.mutable_range_paths(static_cast<int>(loss) - 1)->set_category(3);
      block.mutable_range_paths(static_cast<int>(loss) - 1)->set_color(0xff00ff00);
      AddMark(block, loss, 0);
      AddMark(block, loss, 5);
      AddPayload(block, loss, wire::PAYLOAD_DOUBLE, 0x3fe0000000000000);  // 0.5
      AddPayload(block, loss, wire::PAYLOAD_FLOAT, 0x40000000);           // 2
      AddPayload(block, loss, wire::PAYLOAD_INT32, 0xfffffffa);           // -6
      AddPayload(block, step, wire::PAYLOAD_INT64, static_cast<uint64_t>(-7));
      AddName(block, wire::NAME_CATEGORY, 3, "metrics");
      AddName(block, wire::NAME_CATEGORY, 3, "another domain's", "lib");
      AddName(block, wire::NAME_THREAD, test::kMainTid, "trainer");
      AddName(block, wire::NAME_STREAM, 0xabc, "compute", "", 1, 7);
      AddName(block, wire::NAME_STREAM, 0xdef, "unmapped");
    };
  }
};

TEST_CASE("Marks and payloads are summed up by path, with the category's name") {
  Marked marked;
  const NvtxReport nvtx = Analyze(marked.b.Snapshot()).nvtx;
  REQUIRE(nvtx.annotations.size() == 2);
  const AnnotationReport& loss = nvtx.annotations[0];
  CHECK(loss.range == "step/loss");
  CHECK(loss.category == "metrics");
  CHECK(loss.color == 0xff00ff00);
  CHECK(loss.marks == 2);
  CHECK(loss.value.n == 3);
  CHECK(loss.value.min == -6);
  CHECK(loss.value.median == 0.5);
  CHECK(loss.value.max == 2);
  const AnnotationReport& step = nvtx.annotations[1];
  CHECK(step.range == "step");
  CHECK(step.category.empty());
  CHECK(step.marks == 0);
  CHECK(step.value.max == -7);
}

TEST_CASE("The fields of a payload with a schema are rows of their own") {
  SnapshotBuilder b;
  const uint32_t step = b.Path("ncclAllReduce");
  b.Kernel(b.Shape("k", {132}, {256}), "ncclAllReduce", 100'000, 200'000);
  b.edit = [&](wire::Block& block) {
    const uint32_t field = StringId(block, "Message size [bytes]");
    for (const uint64_t bytes : {1024, 4096, 2048}) {
      AddPayload(block, step, wire::PAYLOAD_UINT64, bytes);
      block.mutable_payloads()->add_field(field);
    }
    AddPayload(block, step, wire::PAYLOAD_INT32, 5);  // no field, which the column leaves out
  };
  const NvtxReport nvtx = Analyze(b.Snapshot()).nvtx;
  REQUIRE(nvtx.annotations.size() == 2);
  CHECK(nvtx.annotations[0].range == "ncclAllReduce");
  CHECK(nvtx.annotations[0].field == "Message size [bytes]");
  CHECK(nvtx.annotations[0].marks == 0);
  CHECK(nvtx.annotations[0].value.n == 3);
  CHECK(nvtx.annotations[0].value.median == 2048);
  CHECK(nvtx.annotations[1].field.empty());
  CHECK(nvtx.annotations[1].value.max == 5);
}

TEST_CASE("A payload whose field no table has is damage") {
  Marked marked;
  marked.b.edit = [&](wire::Block& block) {
    AddPayload(block, marked.step, wire::PAYLOAD_INT32, 1);
    block.mutable_payloads()->add_field(99'999);
  };
  const auto model = ReadSnapshot(marked.b.Bytes());
  REQUIRE(!model.ok());
  CHECK_THAT(std::string(model.status().message()), Contains("field"));
}

TEST_CASE("A thread's name may come later than its first event") {
  Marked marked;
  const NvtxReport nvtx = Analyze(marked.b.Snapshot()).nvtx;
  REQUIRE(nvtx.threads.size() == 1);
  CHECK(nvtx.threads[0].tid == test::kMainTid);
  CHECK(nvtx.threads[0].name == "trainer");
}

TEST_CASE("A named stream has its operations when its handle was mapped") {
  Marked marked;
  const NvtxReport nvtx = Analyze(marked.b.Snapshot()).nvtx;
  REQUIRE(nvtx.streams.size() == 2);
  CHECK(nvtx.streams[0].name == "unmapped");
  CHECK(!nvtx.streams[0].mapped);
  CHECK(nvtx.streams[0].handle == 0xdef);
  CHECK(nvtx.streams[1].name == "compute");
  CHECK(nvtx.streams[1].mapped);
  CHECK(nvtx.streams[1].operations == 1);
}

TEST_CASE("A mark or payload of a path that no table has is damage") {
  for (const bool payload : {false, true}) {
    Marked marked;
    marked.b.edit = [&](wire::Block& block) {
      if (payload) {
        AddPayload(block, 99, wire::PAYLOAD_INT32, 1);
      } else {
        AddMark(block, 99, 0);
      }
    };
    const auto model = ReadSnapshot(marked.b.Bytes());
    REQUIRE(!model.ok());
    CHECK_THAT(std::string(model.status().message()), Contains("99"));
  }
}

TEST_CASE("A payload of a type that this version does not know is no number") {
  SnapshotBuilder b;
  const uint32_t step = b.Path("step");
  b.Kernel(b.Shape("k", {132}, {256}), "step", 100'000, 200'000);
  b.edit = [&](wire::Block& block) {
    AddPayload(block, step, static_cast<wire::PayloadType>(77), 1);
  };
  const auto model = ReadSnapshot(b.Bytes());
  REQUIRE(model.ok());
  REQUIRE(model->payloads.size() == 1);
  CHECK(std::isnan(model->payloads[0].value));
}

TEST_CASE("Ranges that do not pair up are sentences of the report") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {132}, {256}), "", 100'000, 200'000);
  Integrity counts;
  counts.range_ends_unmatched = 3;
  counts.ranges_left_open = 1;
  CHECK(counts.complete());  // the program's, no loss
  counts.payloads_not_read = 2;
  CHECK(!counts.complete());
  b.integrity = counts;
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.integrity.size() == 3);
  CHECK_THAT(report.integrity[0], Contains("2 NVTX payloads"));
  CHECK_THAT(report.integrity[1], Contains("3 NVTX pops or ends"));
  CHECK_THAT(report.integrity[2], Contains("1 NVTX range was still open"));
}

}  // namespace
}  // namespace prof::nvtx_test
