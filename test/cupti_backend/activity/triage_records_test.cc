// SPDX-License-Identifier: Apache-2.0
//
// Which kernels' records triage gets, and as what: a collective needs no verdict.
#include <cstdint>

#include "cupti_backend/schedule/record_watch.h"
#include "test/cupti_backend/activity/activity_buffer.h"
#include "test/support/catch.h"

namespace prof::cupti::test::triage_records_test {
namespace {

constexpr int64_t kBeginNs = 1'000'000;
constexpr int kSamples = 100;
constexpr int64_t kSampleNs = 5'000;

// A burst while a kernel of this name runs; its record is decoded.
void RunBurst(RecordWatch* watch, const char* name) {
  TriageCoverage& coverage = *watch->triage.Of(0);
  coverage.ExpectBurst(kBeginNs);
  const CuptiApi api = DecodingApi();
  Decoding decoding(api);
  ActivityBuffer buffer;
  CUpti_ActivityKernel10 record = {};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = name;
  record.gridX = record.gridY = record.gridZ = 1;
  record.blockX = record.blockY = record.blockZ = 1;
  record.start = kBeginNs;
  record.end = kBeginNs + kSamples * kSampleNs;
  buffer.Add(record);
  ActivityDecoder decoder(&decoding.api, watch);
  decoder.Decode(buffer.data(), buffer.size(), decoding.encoder);
  TriageCoverage::Burst burst;
  for (int64_t i = 0; i < kSamples; ++i) {
    burst.begin_ns.push_back(kBeginNs + i * kSampleNs);
    burst.end_ns.push_back(kBeginNs + (i + 1) * kSampleNs);
    burst.use.emplace_back();
  }
  coverage.AddBurst(std::move(burst), kBeginNs);
  coverage.Resolve(kBeginNs + TriageCoverage::kLongestSettleNs + 1);
}

TEST_CASE("Triage gets a collective of NCCL as work that needs no verdict, other kernels by name") {
  for (const auto& [name, waiting_share] :
       {std::pair("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1.0),
        std::pair("_Z4gemmPf", 0.0), std::pair<const char*, double>(nullptr, 0.0)}) {
    RecordWatch watch;
    RunBurst(&watch, name);
    INFO((name != nullptr ? name : "no name"));
    CHECK(watch.triage.Of(0)->bursts_resolved() == 1);
    CHECK(watch.triage.Of(0)->waiting_share() == Approx(waiting_share));
  }
}

}  // namespace
}  // namespace prof::cupti::test::triage_records_test
