// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/perfetto.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/export/base/json_text.h"
#include "test/export/example_recording.h"
#include "test/export/wire_reader.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::exporting::perfetto_test {
namespace {

using test::FieldsOf;
using test::IntegerAt;
using test::TextAt;
using test::WireField;

// A packet, with its time as a reader derives it from the clock of its sequence.
struct Packet {
  std::string bytes;
  uint64_t time_ns = 0;
};

std::vector<Packet> PacketsOf(const std::string& trace) {
  std::vector<Packet> packets;
  std::map<uint64_t, uint64_t> last;  // by sequence, of those with a clock of differences
  for (const WireField& batch : FieldsOf(trace)) {
    const std::string inner = test::Inflate(TextAt(batch.bytes, {50}));
    for (const WireField& field : FieldsOf(inner)) {
      Packet packet{field.bytes, 0};
      const uint64_t sequence = IntegerAt(packet.bytes, {10});
      if (test::Find(packet.bytes, 59)) last[sequence] = IntegerAt(packet.bytes, {8});
      if (test::Find(packet.bytes, 8)) {
        packet.time_ns = IntegerAt(packet.bytes, {8});
        const bool whole = IntegerAt(packet.bytes, {58}) == 6 || last.count(sequence) == 0;
        if (!whole) packet.time_ns = last[sequence] += packet.time_ns;
      }
      packets.push_back(std::move(packet));
    }
  }
  return packets;
}

std::vector<Packet> Packets() { return PacketsOf(test::Exported(ExportFormat::kPerfetto)); }

// The interned messages of a field, by id, of all sequences that have the field.
std::map<uint64_t, std::string> Interned(const std::vector<Packet>& packets, uint32_t number,
                                         uint64_t sequence) {
  std::map<uint64_t, std::string> found;
  for (const Packet& packet : packets) {
    if (IntegerAt(packet.bytes, {10}) != sequence) continue;
    for (const WireField& field : FieldsOf(TextAt(packet.bytes, {12}))) {
      if (field.number == number) found[IntegerAt(field.bytes, {1})] = field.bytes;
    }
  }
  return found;
}

constexpr uint64_t kGpu = 2, kHost = 3;  // sequences

std::vector<Packet> With(const std::vector<Packet>& packets, uint32_t number) {
  std::vector<Packet> found;
  for (const Packet& packet : packets) {
    if (test::Find(packet.bytes, number)) found.push_back(packet);
  }
  return found;
}

// An argument of an interned kernel, by name.
std::optional<std::string> Argument(const std::string& kernel, const std::string& name) {
  for (const WireField& field : FieldsOf(kernel)) {
    if (field.number != 5 || TextAt(field.bytes, {2}) != name) continue;
    if (test::Find(field.bytes, 6)) return TextAt(field.bytes, {6});
    return std::to_string(IntegerAt(field.bytes, {3}));
  }
  return std::nullopt;
}

TEST_CASE("A kernel is a render stage with its time, stream, launch and arguments") {
  const std::vector<Packet> packets = Packets();
  const std::vector<Packet> stages = With(packets, 53);
  REQUIRE(stages.size() == 6);
  const std::string event = TextAt(stages[0].bytes, {53});
  CHECK(stages[0].time_ns == 20'000);
  CHECK(IntegerAt(event, {2}) == 10'000);
  CHECK(IntegerAt(event, {21, 1, 1}) == 132);
  CHECK(IntegerAt(event, {21, 1, 2}) == 2);
  CHECK(IntegerAt(event, {21, 2, 1}) == 256);
  const auto specifications = Interned(packets, 24, kGpu);
  CHECK(TextAt(specifications.at(IntegerAt(event, {13})), {2}) == "Stream 7");
  CHECK(TextAt(specifications.at(IntegerAt(event, {14})), {2}) == "Kernel");
  CHECK(IntegerAt(specifications.at(IntegerAt(event, {14})), {4}) == 2);  // COMPUTE
  CHECK(TextAt(Interned(packets, 2, kGpu).at(IntegerAt(event, {20})), {2}) == "saxpy");
  const std::string kernel = Interned(packets, 1000, kGpu).at(IntegerAt(event, {19}));
  CHECK(TextAt(kernel, {2}) == "_Z5saxpyPf");
  CHECK(TextAt(kernel, {3}) == "saxpy(float*)");
  CHECK(TextAt(kernel, {4}) == "sm_90");
  CHECK(Argument(kernel, "registers_per_thread") == "40");
  CHECK(Argument(kernel, "shared_mem_static") == "1024");
  CHECK(Argument(kernel, "shared_mem_dynamic") == "2048");
  CHECK(Argument(kernel, "thread_count") == std::to_string(132 * 2 * 256));
  CHECK(Argument(kernel, "grid_size") == "132x2x1");
  CHECK(Argument(kernel, "device") == "0");
  CHECK(Argument(kernel, "stream") == "7");
  CHECK(Argument(kernel, "nvtx") == "step");
  CHECK(Argument(kernel, "limiter"));
  CHECK(Interned(packets, 23, kGpu).count(IntegerAt(event, {5})) == 1);  // its context
}

TEST_CASE("Ids of operations differ, each has its interned data, and one call leads to each") {
  const std::vector<Packet> packets = Packets();
  std::set<uint64_t> ids;
  const auto specifications = Interned(packets, 24, kGpu);
  for (const Packet& packet : With(packets, 53)) {
    const std::string event = TextAt(packet.bytes, {53});
    CHECK(ids.insert(IntegerAt(event, {1})).second);
    CHECK(IntegerAt(event, {1}) != 0);
    CHECK(specifications.count(IntegerAt(event, {13})) == 1);
    CHECK(specifications.count(IntegerAt(event, {14})) == 1);
  }
  std::set<uint64_t> submitted;
  for (const Packet& packet : With(packets, 11)) {
    const uint64_t id = IntegerAt(packet.bytes, {11, 3000, 1});
    if (id == 0) continue;
    CHECK(IntegerAt(packet.bytes, {11, 3001}) == 4);  // CUDA
    submitted.insert(id);
  }
  CHECK(submitted == ids);
}

TEST_CASE("A graph's operations share a call, and its flow leads to the first of them") {
  test::SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  test::Launch launch;
  launch.graph = 9;
  launch.graph_node = 1;
  launch.api = "cudaGraphLaunch";
  launch.correlation = 77;
  b.Kernel(shape, "", 20'000, 21'000, launch);
  launch.graph_node = 2;
  launch.no_api = true;
  b.Kernel(shape, "", 22'000, 23'000, launch);
  const std::vector<Packet> packets = PacketsOf(test::Exported(b.Snapshot(), {}));
  const std::vector<Packet> stages = With(packets, 53);
  REQUIRE(stages.size() == 2);
  uint64_t submitted = 0;
  for (const Packet& packet : With(packets, 11)) {
    submitted = std::max(submitted, IntegerAt(packet.bytes, {11, 3000, 1}));
  }
  CHECK(IntegerAt(stages[0].bytes, {53, 1}) == submitted);
  CHECK(IntegerAt(stages[1].bytes, {53, 1}) != submitted);
}

TEST_CASE("Slices of a thread nest: an end closes what began last") {
  const std::vector<Packet> packets = Packets();
  const auto names = Interned(packets, 2, kHost);
  std::map<uint64_t, std::vector<std::string>> open;  // by track
  std::vector<std::string> closed;
  uint64_t last_ns = 0;
  for (const Packet& packet : With(packets, 11)) {
    if (IntegerAt(packet.bytes, {10}) != kHost) continue;
    CHECK(packet.time_ns >= last_ns);
    last_ns = packet.time_ns;
    auto& stack = open[IntegerAt(packet.bytes, {11, 11})];
    if (IntegerAt(packet.bytes, {11, 9}) == 1) {
      stack.push_back(TextAt(names.at(IntegerAt(packet.bytes, {11, 10})), {2}));
    } else {
      REQUIRE_FALSE(stack.empty());
      closed.push_back(stack.back());
      stack.pop_back();
    }
  }
  CHECK(open.size() == 1);
  CHECK(open.begin()->second.empty());
  REQUIRE(closed.size() == 8);
  CHECK(closed.back() == "step");
  CHECK(closed.front() == "cudaLaunchKernel");
}

// A counter as Perfetto reads it: each value is set on the sample before, and is 0 at first.
std::vector<std::pair<uint64_t, double>> Samples(const std::vector<Packet>& packets,
                                                 const std::string& name) {
  uint64_t wanted = 0;
  for (const auto& [gpu, descriptor] : Interned(packets, 47, 4)) {
    for (const WireField& field : FieldsOf(TextAt(descriptor, {2}))) {
      if (TextAt(field.bytes, {2}) == name) wanted = IntegerAt(field.bytes, {1});
    }
  }
  REQUIRE(wanted != 0);
  std::vector<std::pair<uint64_t, double>> samples;
  for (const Packet& packet : With(packets, 52)) {
    for (const WireField& field : FieldsOf(TextAt(packet.bytes, {52}))) {
      if (field.number != 2 || IntegerAt(field.bytes, {1}) != wanted) continue;
      if (!samples.empty()) samples.back().second = test::Find(field.bytes, 3)->real();
      samples.emplace_back(packet.time_ns, 0);
    }
  }
  return samples;
}

double MeanWithin(const std::vector<std::pair<uint64_t, double>>& samples, uint64_t start_ns,
                  uint64_t end_ns) {
  double sum = 0;
  int n = 0;
  for (const auto& [time_ns, value] : samples) {
    if (time_ns < start_ns || time_ns >= end_ns) continue;
    sum += value;
    ++n;
  }
  return n == 0 ? -1 : sum / n;
}

TEST_CASE("Counters of kernels that touch are read as they were measured") {
  const auto samples = Samples(Packets(), "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  CHECK(MeanWithin(samples, 20'000, 30'000) == 40);
  CHECK(MeanWithin(samples, 30'000, 45'000) == 60);
  CHECK(samples.back() == std::pair<uint64_t, double>(45'000, 0));
}

TEST_CASE("PM samples have their intervals, and gaps are 0") {
  const auto samples = Samples(Packets(), "PM dram");
  using Expected = std::vector<std::pair<uint64_t, double>>;
  CHECK(samples == Expected{{20'000, 10}, {30'000, 20}, {40'000, 0}, {60'000, 30}, {70'000, 0}});
}

TEST_CASE("Names are valid UTF-8, whatever the recording has") {
  const std::vector<Packet> packets = Packets();
  bool found = false;
  for (const auto& [id, message] : Interned(packets, 2, kGpu)) {
    const std::string name = TextAt(message, {2});
    CHECK(name == ValidUtf8(name));
    found |= name.find("b\\c") != std::string::npos;
  }
  CHECK(found);
}

TEST_CASE("Tracks that fill several batches come before all that is on them") {
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "step", 20'000, 21'000);
  for (uint32_t tid = 100; tid < 106; ++tid) b.Thread(tid, std::string(700'000, 't'));
  const std::vector<Packet> packets = PacketsOf(test::Exported(b.Snapshot(), {}));
  const auto has = [](uint32_t number) {
    return [number](const Packet& packet) { return bool(test::Find(packet.bytes, number)); };
  };
  constexpr uint32_t kTrackDescriptor = 60, kTrackEvent = 11, kRenderStage = 53;
  const auto first = std::find_if(packets.begin(), packets.end(), [&](const Packet& packet) {
    return has(kTrackEvent)(packet) || has(kRenderStage)(packet);
  });
  CHECK(std::count_if(packets.begin(), first, has(kTrackDescriptor)) == 8);  // with the process
  CHECK(std::count_if(packets.begin(), packets.end(), has(kRenderStage)) == 1);
  CHECK(std::none_of(first, packets.end(), has(kTrackDescriptor)));
}

TEST_CASE("Spans that overlap are on tracks of their own") {
  const std::vector<Packet> packets = Packets();
  std::map<uint64_t, int> begins;
  for (const Packet& packet : With(packets, 11)) {
    if (TextAt(packet.bytes, {11, 23}) == "request") ++begins[IntegerAt(packet.bytes, {11, 11})];
  }
  CHECK(begins.size() == 2);
}

TEST_CASE("Allocated memory is a counter of the process in bytes") {
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "", 100'000, 110'000);
  b.Allocate(0x1000, 3'000, "", 20'000);
  b.Allocate(0x2000, 500, "", 30'000);
  b.Free(0x1000, 40'000);
  ExportOptions options;
  options.format = ExportFormat::kPerfetto;
  const std::vector<Packet> packets = PacketsOf(test::Exported(b.Snapshot(), options));
  uint64_t track = 0;
  for (const Packet& packet : With(packets, 60)) {
    if (TextAt(packet.bytes, {60, 2}) != "GPU 0 allocated memory") continue;
    track = IntegerAt(packet.bytes, {60, 1});
    CHECK(IntegerAt(packet.bytes, {60, 8, 3}) == 3);  // bytes
    CHECK(IntegerAt(packet.bytes, {60, 5}) != 0);
  }
  REQUIRE(track != 0);
  std::vector<std::pair<uint64_t, uint64_t>> levels;
  for (const Packet& packet : With(packets, 11)) {
    if (IntegerAt(packet.bytes, {11, 11}) != track) continue;
    CHECK(IntegerAt(packet.bytes, {11, 9}) == 4);
    levels.emplace_back(packet.time_ns, IntegerAt(packet.bytes, {11, 30}));
  }
  using Expected = std::vector<std::pair<uint64_t, uint64_t>>;
  CHECK(levels == Expected{{20'000, 3'000}, {30'000, 3'500}, {40'000, 500}});
}

TEST_CASE("What prof, CUPTI and the driver did is on a track of its own") {
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "", 100'000, 110'000);
  b.Overhead("driver compiler", 20'000, 50'000);
  b.Profiler(model::ProfilerWork::kSample, 60'000, 80'000);
  ExportOptions options;
  options.format = ExportFormat::kPerfetto;
  const std::vector<Packet> packets = PacketsOf(test::Exported(b.Snapshot(), options));
  uint64_t track = 0;
  for (const Packet& packet : With(packets, 60)) {
    if (TextAt(packet.bytes, {60, 2}) != "work of prof, CUPTI and the driver") continue;
    CHECK(track == 0);  // they do not overlap
    track = IntegerAt(packet.bytes, {60, 1});
  }
  std::vector<std::pair<uint64_t, std::string>> begins;
  for (const Packet& packet : With(packets, 11)) {
    if (IntegerAt(packet.bytes, {11, 11}) != track) continue;
    const std::string name = TextAt(packet.bytes, {11, 23});
    if (!name.empty()) begins.emplace_back(packet.time_ns, name);
  }
  using Expected = std::vector<std::pair<uint64_t, std::string>>;
  CHECK(begins == Expected{{20'000, "driver compiler"}, {60'000, "prof: sample"}});
}

// The slices of a track as "name begin end", in microseconds, in the order in which they end.
std::map<uint64_t, std::vector<std::string>> Slices(const std::vector<Packet>& packets) {
  std::map<uint64_t, std::vector<std::string>> found, open;
  const auto names = Interned(packets, 2, kHost);
  for (const Packet& packet : With(packets, 11)) {
    const std::string event = TextAt(packet.bytes, {11});
    std::vector<std::string>& track = open[IntegerAt(event, {11})];
    const std::string time = " " + std::to_string(packet.time_ns / 1000);
    if (IntegerAt(event, {9}) == 1) {
      const auto name = names.find(IntegerAt(event, {10}));
      track.push_back((name != names.end() ? TextAt(name->second, {2}) : TextAt(event, {23})) +
                      time);
    } else if (IntegerAt(event, {9}) == 2) {
      REQUIRE(!track.empty());
      found[IntegerAt(event, {11})].push_back(track.back() + time);
      track.pop_back();
    }
  }
  return found;
}

TEST_CASE("Ops of PyTorch are slices among the ranges and calls of their thread") {
  test::SnapshotBuilder b;
  const uint32_t fc = b.TorchOp(0, "fc", model::TorchScope::kModule);
  const uint32_t mul = b.TorchOp(fc, "aten::mul");
  b.Range("step", 1'000, 90'000);
  b.TorchStep(2'000, fc);
  b.TorchStep(3'000, mul);
  b.Kernel(b.Shape("k", {1}, {32}), "", 20'000, 21'000);  // called from 10 to 14
  b.TorchStep(30'000, fc);
  b.TorchStep(31'000, 0);
  const auto slices = Slices(PacketsOf(test::Exported(b.Snapshot(), {})));
  REQUIRE(slices.size() == 1);
  CHECK(slices.begin()->second == std::vector<std::string>{"cudaLaunchKernel 10 14",
                                                           "aten::mul 3 30", "nn.Module: fc 2 31",
                                                           "step 1 90"});
}

TEST_CASE("A range and an op of PyTorch that do not nest are on two tracks") {
  test::SnapshotBuilder b;
  const uint32_t scope = b.TorchOp(0, "scope", model::TorchScope::kUser);
  const bool range_first = GENERATE(false, true);
  b.Range("range", range_first ? 1'000 : 5'000, range_first ? 9'000 : 20'000);
  b.TorchStep(range_first ? 5'000 : 1'000, scope);
  b.TorchStep(range_first ? 20'000 : 9'000, 0);
  b.Range("next", 30'000, 31'000);
  const auto slices = Slices(PacketsOf(test::Exported(b.Snapshot(), {})));
  std::set<std::vector<std::string>> tracks;
  for (const auto& [track, of_track] : slices) tracks.insert(of_track);
  const std::string first = range_first ? "range" : "scope",
                    second = range_first ? "scope" : "range";
  CHECK(tracks ==
        std::set<std::vector<std::string>>{{first + " 1 9", "next 30 31"}, {second + " 5 20"}});
}

TEST_CASE("An arrow leads from an op of PyTorch to the node that it made") {
  test::SnapshotBuilder b;
  const uint32_t mul = b.TorchOp(0, "aten::mul"), sum = b.TorchOp(0, "aten::sum");
  const uint32_t node = b.TorchOp(0, "MulBackward0", model::TorchScope::kBackward);
  b.TorchStep(1'000, mul, test::kMainTid, "[[4]]");
  b.TorchSequence(1'000, mul, 7);
  b.TorchStep(2'000, sum);
  b.TorchSequence(2'000, sum, 8);
  b.TorchStep(3'000, node);
  b.TorchSequence(3'000, node, 7);
  b.TorchStep(4'000, 0);
  std::map<uint64_t, std::vector<uint64_t>> flows;  // times, by id
  std::vector<std::string> texts;
  for (const Packet& packet : With(PacketsOf(test::Exported(b.Snapshot(), {})), 11)) {
    const std::string event = TextAt(packet.bytes, {11});
    if (const auto flow = test::Find(event, 47)) flows[flow->integer].push_back(packet.time_ns);
    for (const WireField& field : FieldsOf(event)) {
      if (field.number != 4) continue;
      const std::string text = TextAt(field.bytes, {6});
      texts.push_back(TextAt(field.bytes, {10}) + "=" +
                      (text.empty() ? std::to_string(IntegerAt(field.bytes, {4})) : text));
    }
  }
  REQUIRE(flows.size() == 1);
  CHECK(flows.begin()->second == std::vector<uint64_t>{1'000, 3'000});
  CHECK(texts ==
        std::vector<std::string>{"Sequence number=7", "Input Dims=[[4]]", "Sequence number=7"});
}

}  // namespace
}  // namespace prof::exporting::perfetto_test
