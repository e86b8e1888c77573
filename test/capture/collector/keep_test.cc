// SPDX-License-Identifier: Apache-2.0
//
// Tests of recordings that keep their last seconds: what is dropped, what stays, what a file holds.
#include <unistd.h>

#include <memory>
#include <string>

#include "lib/capture/capture.h"
#include "lib/capture/collector/kept_blocks.h"
#include "lib/capture/collector/memory_output.h"
#include "lib/capture/process/clock.h"
#include "lib/snapshot/read/reader.h"
#include "test/capture/collector/fake_source.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::capture::test::keep_test {
namespace {

using prof::test::TempFolder;
using std::chrono::milliseconds;

constexpr milliseconds kPatience(10'000);
constexpr int64_t kSecondNs = 1'000'000'000;

model::Model Read(const Snapshot& snapshot) {
  absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  INFO(model.status());
  REQUIRE(model.ok());
  CHECK(model->truncation.empty());
  CHECK(model->stopped_in_order);
  return *std::move(model);
}

struct Keeping {
  explicit Keeping(size_t cap_bytes = 1 << 20) : kept(10 * kSecondNs, cap_bytes) {
    encoder.Add(AHeader());
  }
  void Kernel(uint32_t correlation) {
    KernelEvent kernel = AKernel();
    kernel.correlation = correlation;
    kernel.graph = 0;
    encoder.Add(kernel);
    encoder.WriteBlock({});
  }
  model::Model Written() {
    Integrity integrity;
    integrity.rows_not_kept = kept.rows_dropped();
    MemoryOutput memory;
    kept.WriteTo(&memory, integrity, kStart + kSecondNs);
    return Read(Snapshot::FromBytes(memory.TakeBytes()));
  }

  KeptBlocks kept;
  Encoder encoder{&kept};
};

TEST_CASE("Events older than what is kept are dropped and counted, the names they used stay") {
  Keeping keeping;
  keeping.Kernel(1);
  keeping.Kernel(2);
  keeping.kept.Expire(MonotonicNs() + 9 * kSecondNs);
  CHECK(keeping.Written().ops.size() == 2);
  keeping.kept.Expire(MonotonicNs() + 11 * kSecondNs);
  CHECK(keeping.Written().ops.empty());
  keeping.Kernel(3);  // with the shape, the lane and the name of those that are gone
  const model::Model model = keeping.Written();
  REQUIRE(model.ops.size() == 1);
  CHECK(model.ops[0].correlation == 3);
  CHECK(model.ops[0].stream == AKernel().stream);
  CHECK(model.process.host == AHeader().host);
  CHECK(model.integrity.rows_not_kept == 2);
  CHECK(model.integrity.complete());  // on purpose is not lost
}

TEST_CASE("A counter sample stays when its launch is dropped, with what it needs of it") {
  Keeping keeping;
  keeping.encoder.Add(PassGroupEvent{1, "sol", {"dram__bytes.sum", "sm__cycles_active.avg"}, {}});
  CounterSampleEvent sample = ASample();
  sample.path = 0;
  sample.correlation = 5;
  keeping.encoder.Add(sample);  // before the record of its launch
  keeping.encoder.WriteBlock({});
  keeping.Kernel(5);
  CounterSampleEvent lost = sample;
  lost.correlation = 6;  // nothing is known of its launch
  keeping.encoder.Add(lost);
  keeping.encoder.WriteBlock({});
  keeping.kept.Expire(MonotonicNs() + 11 * kSecondNs);
  keeping.Kernel(7);
  const model::Model model = keeping.Written();
  REQUIRE(model.ops.size() == 1);
  CHECK(model.ops[0].correlation == 7);
  REQUIRE(model.samples.size() == 1);
  const model::CounterSample& kept = model.samples[0];
  CHECK(kept.correlation == 5);
  CHECK(kept.op == model::kNoIndex);
  CHECK(kept.shape == model.ops[0].shape);
  CHECK(kept.device == model.ops[0].device);
  CHECK(kept.duration_ns == static_cast<uint64_t>(AKernel().end_ns - AKernel().start_ns));
  CHECK(kept.values.size() == sample.values.size());
}

TEST_CASE(
    "A sample waits for the record of its launch, and for a launch that never comes no longer") {
  KeptSamples samples;
  std::string tables, events;
  samples.Add(ASample(), 1000);
  samples.WriteTo(&tables, &events, 1000 + KeptSamples::kWaitNs - 1, false);
  CHECK(tables.empty());
  CHECK(events.empty());
  samples.WriteTo(&tables, &events, 1000 + KeptSamples::kWaitNs, false);
  CHECK(tables.empty());
  CHECK_FALSE(events.empty());
  CHECK(samples.empty());
}

TEST_CASE("Samples that are kept take no more than their memory") {
  KeptSamples samples;
  CounterSampleEvent sample = ASample();
  sample.values.assign(1000, 1.5);
  std::string tables, events;
  constexpr uint32_t kMany = 2 * KeptSamples::kMostBytes / 8000;
  for (uint32_t i = 1; i <= kMany; ++i) {
    samples.AddLaunch(i, {1, 1, 100});
    sample.correlation = i;
    samples.Add(sample, 0);
    samples.WriteTo(&tables, &events, 0, false);
  }
  CHECK(samples.empty());
  CHECK(tables.size() < KeptSamples::kMostBytes + 10'000);
  CHECK(events.size() > KeptSamples::kMostBytes / 2);  // these go with their launches
}

TEST_CASE("Beyond the memory for what is kept the oldest goes first") {
  constexpr size_t kCap = 4000;
  Keeping keeping(kCap);
  for (uint32_t i = 1; i <= 1000; ++i) {
    keeping.Kernel(i);
    CHECK(keeping.kept.event_bytes() <= kCap);
  }
  const model::Model model = keeping.Written();
  REQUIRE(model.ops.size() > 10);
  CHECK(model.ops.size() + model.integrity.rows_not_kept == 1000);
  CHECK(model.ops.back().correlation == 1000);
}

TEST_CASE("A range that was opened before what is kept is still open in it, since it was opened") {
  Keeping keeping;
  keeping.encoder.Add(RangePathInfo{1, 0, "epoch", "", 0, 0});
  keeping.encoder.Add(kTid, RangeEvent{kStart + 5, 1});
  keeping.Kernel(1);
  keeping.kept.Expire(MonotonicNs() + 11 * kSecondNs);
  keeping.Kernel(2);
  keeping.encoder.Add(kTid, RangeEvent{kStart + 5000, 0});
  keeping.encoder.WriteBlock({});
  keeping.Kernel(3);
  const model::Model model = keeping.Written();
  REQUIRE(model.instances.size() == 1);
  CHECK(model.paths.at(model.instances[0].path).full == "epoch");
  CHECK(model.instances[0].start_ns == kStart + 5);
  CHECK(model.instances[0].end_ns == kStart + 5000);
  CHECK(model.integrity.rows_not_kept == 2);  // the step is not counted again
}

SessionOptions Keep(const std::string& output) {
  SessionOptions options;
  options.output = output;
  options.keep_last_seconds = 1;
  return options;
}

TEST_CASE("A recording drops what is older than it keeps, and writes the rest when it stops") {
  FakeGpu gpu;
  const TempFolder folder;
  Session session(Keep(folder / "a.prof"));
  gpu.Emit([](Encoder& encoder) { encoder.Add(AKernel()); });
  usleep(3'500'000);
  CHECK(access((folder / "a.prof").c_str(), F_OK) != 0);
  KernelEvent late = AKernel();
  late.correlation = 4711;
  gpu.Emit([late](Encoder& encoder) { encoder.Add(late); });
  const model::Model model = Read(session.Stop());
  REQUIRE(model.ops.size() == 1);
  CHECK(model.ops[0].correlation == 4711);
  CHECK(model.integrity.kernels == 2);
  CHECK(model.integrity.rows_not_kept == 1);
}

TEST_CASE("A dump is a recording of its own, and the session goes on") {
  FakeGpu gpu;
  const TempFolder folder;
  SessionOptions options = Keep("");
  options.keep_last_seconds = 60;
  Session session(options);
  gpu.Emit([](Encoder& encoder) { encoder.Add(AKernel()); });
  REQUIRE(session.Dump(folder / "%p.prof"));
  const std::string path = folder / (std::to_string(getpid()) + ".prof");
  CHECK(Read(Snapshot::FromFile(path)).ops.size() == 1);
  gpu.Emit([](Encoder& encoder) { encoder.Add(AKernel()); });
  REQUIRE(session.Dump(path));
  CHECK(Read(Snapshot::FromFile(path)).ops.size() == 2);
  CHECK_FALSE(session.Dump(folder / "missing/a.prof"));
  CHECK(session.status().output.state == State::kOff);
  CHECK(Read(session.Stop()).ops.size() == 2);
  CHECK_FALSE(session.Dump(path));
}

TEST_CASE("A session that keeps everything has nothing to dump") {
  FakeGpu gpu;
  const TempFolder folder;
  Session session;
  CHECK_FALSE(session.Dump(folder / "a.prof"));
  CHECK(access((folder / "a.prof").c_str(), F_OK) != 0);
}

TEST_CASE("A dump signal without anything kept is a complaint") {
  FakeGpu gpu;
  SessionOptions options;
  options.dump_signal = 10;
  Session session(options);
  CHECK(gpu.options().dump_signal == 0);
  CHECK(Read(session.Stop()).notices.size() == 1);
}

}  // namespace
}  // namespace prof::capture::test::keep_test
