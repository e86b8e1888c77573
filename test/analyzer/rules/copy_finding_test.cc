// SPDX-License-Identifier: Apache-2.0
//
// Findings about copies, on runs whose trouble is known.
#include <algorithm>
#include <string>

#include "test/analyzer/rules/finding_run.h"
#include "test/support/catch.h"

namespace prof::test::copy_finding_test {
namespace {

TEST_CASE("Copies from pageable memory are named, also through the asynchronous call") {
  Run run;
  for (int i = 0; i < 10; ++i) {
    run.Kernel(0, GapCause::kUnknown, 1000 * kUs);
    run.Copy(0, 1000 * kUs, 6'300'000, MemoryKind::kPageable);
  }
  const auto findings = run.Find();
  const Finding* pageable = Get(findings, "pageable-copy");
  REQUIRE(pageable != nullptr);
  // 100 us each at 63 GB/s, and these may run under kernels, as the copies do not hold up the host.
  CHECK(pageable->gain_at_most_ns == Approx(10 * 1000 * kUs));
  CHECK(Says(*pageable, "6.3 GB/s"));
  CHECK(Get(findings, "copy-not-overlapped") == nullptr);
}

TEST_CASE("Pinned copies on the kernels' stream could overlap; their gain is no more than either") {
  Run run;
  for (int i = 0; i < 10; ++i) {
    run.Kernel(0, GapCause::kUnknown, 400 * kUs);
    run.Copy(0, 1000 * kUs, 50'000'000, MemoryKind::kPinned);
  }
  const auto findings = run.Find();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].id == "copy-not-overlapped");
  CHECK(findings[0].gain_at_most_ns == Approx(10 * 400 * kUs));
}

TEST_CASE("Copies under kernels are no finding, pinned or not") {
  const MemoryKind host = GENERATE(MemoryKind::kPinned, MemoryKind::kPageable);
  Run run;
  for (int i = 0; i < 10; ++i) {
    const int64_t start_ns = run.Kernel(0, GapCause::kUnknown, 1000 * kUs).start_ns;
    model::Op& copy = run.Copy(0, 0, 5'000'000, host);
    copy.start_ns = start_ns + 50 * kUs;
    copy.end_ns = start_ns + 950 * kUs;
  }
  CHECK(run.Find().empty());
}

TEST_CASE("Copies that the kernels hide are the limit where the link never rests") {
  const uint64_t bytes = GENERATE(uint64_t{48'000'000}, uint64_t{20'000'000});
  Run run;
  for (int i = 0; i < 10; ++i) {
    model::Op& kernel = run.Kernel(0, GapCause::kUnknown, 900 * kUs);
    kernel.stream = static_cast<uint32_t>(i % 2);
    const int64_t start_ns = kernel.start_ns;
    model::Op& copy = run.Copy(0, 100 * kUs, bytes, MemoryKind::kPinned);
    copy.start_ns = start_ns + 20 * kUs;
    copy.stream = 7;
  }
  const auto findings = run.Find();
  const Finding* link = Get(findings, "link-bound");
  if (bytes == 20'000'000) {  // at 20 GB/s something else is the limit
    CHECK(link == nullptr);
    return;
  }
  REQUIRE(link != nullptr);
  CHECK(findings.size() == 1);
  CHECK(Says(*link, "49.0 GB/s"));
  // Each of both streams has kernels for 4.5 ms.
  CHECK(link->gain_at_most_ns == Approx(10 * 1000 * kUs - 5 * 900 * kUs));
}

// A run on a device that a calibration measured.
struct CalibratedRun : Run {
  CalibratedRun(const char* kind, double bytes_per_s) {
    model::Device& device = model().devices.emplace_back();
    device.ceilings.push_back({kind, bytes_per_s, 5, bytes_per_s, bytes_per_s, 0});
  }
};

TEST_CASE("Where a calibration measured the link its rate decides, in its direction") {
  const double measured = GENERATE(55e9, 110e9);
  CalibratedRun run("h2d", measured);
  for (int i = 0; i < 10; ++i) {
    model::Op& kernel = run.Kernel(0, GapCause::kUnknown, 500 * kUs);
    const int64_t start_ns = kernel.start_ns;
    model::Op& copy = run.Copy(0, 500 * kUs, 48'000'000, MemoryKind::kPinned);
    copy.start_ns = start_ns + 20 * kUs;  // 49 GB/s
    copy.stream = 7;
  }
  const auto findings = run.Find();
  const Finding* link = Get(findings, "link-bound");
  if (measured == 110e9) {  // the link could do more than twice of that
    CHECK(link == nullptr);
    return;
  }
  REQUIRE(link != nullptr);
  CHECK(Says(*link, "the link: 55 GB/s (measured)"));
  CHECK(link->title.find("of the link's rate") != std::string::npos);
}

TEST_CASE("Copies between devices are the limit where it is known what their link can do") {
  const std::string kind = GENERATE("peer", "h2d");
  CalibratedRun run(kind.c_str(), 300e9);
  for (int i = 0; i < 10; ++i) {
    model::Op& kernel = run.Kernel(0, GapCause::kUnknown, 500 * kUs);
    const int64_t start_ns = kernel.start_ns;
    model::Op& copy = run.Copy(0, 500 * kUs, 240'000'000, MemoryKind::kDevice);
    copy.copy = model::CopyKind::kPeerToPeer;
    copy.start_ns = start_ns + 20 * kUs;
    copy.stream = 7;
  }
  const auto findings = run.Find();
  const Finding* link = Get(findings, "link-bound");
  CHECK((link != nullptr) == (kind == "peer"));
  if (link != nullptr) CHECK(link->title.find("Copies between devices take") == 0);
}

TEST_CASE("Pageable copies are compared with what pinned ones reached in a calibration") {
  CalibratedRun run("h2d", 50e9);
  for (int i = 0; i < 10; ++i) {
    run.Kernel(0, GapCause::kUnknown, 1000 * kUs);
    run.Copy(0, 1000 * kUs, 5'000'000, MemoryKind::kPageable);
  }
  const auto findings = run.Find();
  const Finding* pageable = Get(findings, "pageable-copy");
  REQUIRE(pageable != nullptr);
  CHECK(Says(*pageable, "pinned, they would take 1.00 ms at 50 GB/s (measured)"));
}

TEST_CASE("Fewer bytes save nothing where the kernels of one stream take all of the time as well") {
  Run run;
  for (int i = 0; i < 10; ++i) {
    const int64_t start_ns = run.Kernel(0, GapCause::kUnknown, 1000 * kUs).start_ns;
    model::Op& copy = run.Copy(0, 0, 48'000'000, MemoryKind::kPinned);
    copy.start_ns = start_ns + 20 * kUs;
    copy.end_ns = start_ns + 970 * kUs;
    copy.stream = 7;
  }
  CHECK(run.Find().empty());
}

TEST_CASE("A thousand copies of 4 KB cost more than their bytes") {
  Run run;
  for (int i = 0; i < 1000; ++i) run.Copy(2 * kUs, 2 * kUs, 4096, MemoryKind::kPinned);
  const auto findings = run.Find();
  const Finding* small = Get(findings, "small-copies");
  REQUIRE(small != nullptr);
  CHECK(small->gain_at_most_ns == Approx(999 * 2 * kUs + 1000 * 2 * kUs));
  CHECK(Get(findings, "transfer-bound") != nullptr);
}

TEST_CASE("What the host does between copies is not theirs, but for as long as a call takes") {
  for (const int64_t host_ns : {100 * kUs, 50'000 * kUs}) {
    Run run;
    for (int i = 0; i < 40; ++i) {
      model::Op& copy = run.Add(OpKind::kCopy, host_ns, GapCause::kHostWork, 2 * kUs);
      copy.copy = CopyKind::kHostToDevice;
      copy.source = MemoryKind::kPinned;
      copy.destination = MemoryKind::kDevice;
      copy.bytes = 4096;
    }
    const auto findings = run.Find();
    const bool is_long = host_ns > 500 * kUs;
    for (const char* id : {"small-copies", "sync-copy"}) {
      INFO(id);
      const Finding* const found = Get(findings, id);
      REQUIRE((found == nullptr) == is_long);
      if (found != nullptr) CHECK(found->gain_at_most_ns <= Approx(40 * (host_ns + 2 * kUs)));
    }
  }
}

TEST_CASE("A few small copies in a long run are no finding") {
  Run run;
  for (int i = 0; i < 40; ++i) {
    run.Kernel(0, GapCause::kUnknown, 1000 * kUs);
    run.Copy(0, 2 * kUs, 4096, MemoryKind::kPinned);
  }
  CHECK(run.Find().empty());
}

TEST_CASE("Idle time after synchronous copies is theirs") {
  Run run;
  for (int i = 0; i < 20; ++i) {
    run.Kernel(200 * kUs, GapCause::kSync, 1000 * kUs);
    run.Copy(0, 10 * kUs, 600'000, MemoryKind::kPinned).async = false;
  }
  const auto findings = run.Find();
  const Finding* sync = Get(findings, "sync-copy");
  REQUIRE(sync != nullptr);
  CHECK(sync->gain_at_most_ns == Approx(19 * 200 * kUs + 20 * 10 * kUs));  // and the copies
}

}  // namespace
}  // namespace prof::test::copy_finding_test
