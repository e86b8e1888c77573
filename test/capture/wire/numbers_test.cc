// SPDX-License-Identifier: Apache-2.0
//
// Tests the numbers of names without end, from the program's calls to the reader's model.
#include <string>
#include <tuple>
#include <vector>

#include "lib/capture/collector/memory_output.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_registry.h"
#include "lib/capture/wire/encoder.h"
#include "lib/snapshot/model/range_names.h"
#include "lib/snapshot/read/reader.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"

namespace prof::capture::numbers_test {
namespace {

// What the collector does with the threads.
class Recorded {
 public:
  explicit Recorded(BlockSink* sink) : encoder_(sink) {
    encoder_.Add(test::AHeader());
    reader_.Start(RealtimeNs());
  }
  void Drain() {
    ThreadReader::Sink sink;
    sink.path = [this](const RangePathInfo& path) { encoder_.Add(path); };
    sink.step = [this](uint32_t tid, const RangeEvent& event) {
      encoder_.Add(tid, event);
      encoder_.WriteIfLarge();
    };
    sink.span = [this](const SpanEvent& event) { encoder_.Add(event); };
    sink.mark = [this](const MarkEvent& event) { encoder_.Add(event); };
    sink.number = [this](const NumberEvent& event) { encoder_.Add(event); };
    reader_.Drain(sink);
  }
  void End() {
    Drain();
    reader_.Stop();
    encoder_.WriteLastBlock({}, RealtimeNs());
  }
  const ThreadReader& reader() const { return reader_; }

 private:
  Encoder encoder_;
  ThreadReader reader_;
};

std::string NameOf(const model::Model& model, const model::RangeInstance& instance) {
  return model::InstanceName(model, instance.path, instance.thread, instance.start_ns);
}

TEST_CASE("Ranges whose names never end come back from the file with their names") {
  MemoryOutput output;
  Recorded recorded(&output);
  std::vector<std::string> names;
  const std::string hex = "0123456789abcdef";
  for (uint32_t i = 0; i < 300; ++i) {
    const std::string id = {hex[i % 16], hex[i / 16 % 16], hex[i / 256], 'c', '0', 'f', 'f', 'e'};
    for (const std::string& name :
         {"numbered step " + std::to_string(i),
          "img_" + std::string(i < 10 ? "0000" : "000") + std::to_string(i) + ".jpg", "req-" + id,
          "op, seq = " + std::to_string(i * 7) + ", id = " + std::to_string(1000 - i),
          "uuid 550e8400-e29b-41d4-a716-" + std::to_string(446655440000 + i)}) {
      names.push_back(name);
      PushRange({name, ""});
      PushRange({"inside", ""});
      PopRange("");
      PopRange("");
    }
    recorded.Drain();
  }
  recorded.End();
  const absl::StatusOr<model::Model> model = ReadSnapshot(output.TakeBytes());
  REQUIRE(model.ok());
  CHECK(model->truncation.empty());
  REQUIRE(model->instances.size() == 2 * names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    std::string expected = names[i];
    // Only the first 16 digits of a UUID are kept, where the family has a node.
    const bool folded = !model->paths[model->instances[2 * i].path].stars.empty();
    if (folded && i % 5 == 4) expected = "uuid 550e8400-e29b-41d4-...";
    CHECK(NameOf(*model, model->instances[2 * i]) == expected);
    CHECK(NameOf(*model, model->instances[2 * i + 1]) == expected + "/inside");
    CHECK(folded == (i / 5 >= 128));
  }
}

TEST_CASE("A range that replaces one of the same path in one step is a range of its own") {
  for (int i = 0; i < 128; ++i) {
    PushRange({"replaced " + std::to_string(i), ""});
    PopRange("");
  }
  MemoryOutput output;
  Recorded recorded(&output);
  const uint64_t first = StartRange({"replaced 1001", ""});
  const uint64_t second = StartRange({"replaced 1002", ""});
  EndRange(first);
  EndRange(second);
  recorded.End();
  const absl::StatusOr<model::Model> model = ReadSnapshot(output.TakeBytes());
  REQUIRE(model.ok());
  REQUIRE(model->spans.size() == 2);
  CHECK(NameOf(*model, model->spans[0]) == "replaced 1001");
  CHECK(NameOf(*model, model->spans[1]) == "replaced 1001/replaced 1002");  // where it began
  std::vector<std::string> names;
  for (const model::RangeInstance& instance : model->instances) {
    names.push_back(NameOf(*model, instance));
  }
  // While the first is open the second lies within it; then it is on its own.
  CHECK(names ==
        std::vector<std::string>{"replaced 1001", "replaced 1001/replaced 1002", "replaced 1002"});
}

// Counts what it is given and keeps nothing.
class CountingSink final : public BlockSink {
 public:
  void Append(const EncodedBlock& block) override {
    bytes += block.tables.size() + block.events.size();
    ++blocks_;
  }
  [[nodiscard]] uint64_t blocks() const override { return blocks_; }
  [[nodiscard]] bool drops_blocks() const override { return false; }
  uint64_t bytes = 0;

 private:
  uint64_t blocks_ = 0;
};

TEST_CASE("A million ranges with names of their own cost what their events cost") {
  CountingSink sink;
  Recorded recorded(&sink);
  constexpr uint64_t kRanges = 1'000'000;
  const uint32_t before = thread_registry.paths.last();
  for (uint64_t i = 0; i < kRanges; ++i) {
    PushRange({"request 42, item " + std::to_string(5'000'000 + i), ""});
    PopRange("");
    if (i % 2'000 == 0) recorded.Drain();
  }
  recorded.End();
  CHECK(recorded.reader().events_dropped() == 0);
  CHECK(recorded.reader().paths_dropped() == 0);
  CHECK(recorded.reader().names_dropped() == 0);
  CHECK(thread_registry.paths.last() - before <= 129);
  // A push, a pop, and two numbers.
  CHECK(sink.bytes < 12 * kRanges);
}

}  // namespace
}  // namespace prof::capture::numbers_test
