// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/host_stack_writer.h"

#include <string>
#include <vector>

#include "lib/capture/collector/memory_output.h"
#include "test/capture/wire/blocks.h"
#include "test/support/catch.h"

namespace prof::capture::test::host_stack_writer_test {
namespace {

using prof::test::Blocks;

class FakeStacks final : public StackSource {
 public:
  FakeStacks() { RegisterStackSource(StackKind::kPython, this); }
  ~FakeStacks() override { RegisterStackSource(StackKind::kPython, nullptr); }
  FakeStacks(const FakeStacks&) = delete;
  FakeStacks& operator=(const FakeStacks&) = delete;

  void Start(bool at_calls) override {
    running = true;
    walks = at_calls;
  }
  void Stop() override { running = walks = false; }
  HostLook LookAt(const ThreadNumbers&) override { return {}; }
  std::string problem() const override { return why; }
  uint64_t dropped() const override { return lost; }

  bool running = false, walks = false;
  std::string why;
  uint64_t lost = 0;
};

uint32_t NewStack(uint32_t line) {
  HostStacks& stacks = ProcessHostStacks();
  return stacks.StackOf(0, stacks.FrameOf({"writer_test", "a.py", 1, line}));
}

TEST_CASE("The file has a stack before the call that names it, in each recording") {
  FakeStacks source;
  for (const uint32_t line : {10, 20}) {
    const uint32_t first = NewStack(line);
    MemoryOutput output;
    Encoder encoder(&output);
    encoder.Add(HeaderEvent{});
    {
      HostStackWriter writer({true, false, false}, &encoder);
      CHECK_FALSE(source.running);
      writer.Start();
      CHECK(source.running);
      writer.WriteUpTo(first);
      encoder.Add(ApiEvent{"cuLaunchKernel", 7, 1, 0, 100, 200, 0, first});
      encoder.WriteBlock({});
      const uint32_t second = NewStack(line + 1);
      encoder.Add(ApiEvent{"cuLaunchKernel", 7, 2, 0, 300, 400, 0, second});  // not written yet
      writer.WriteUpTo(first);
      writer.WriteUpTo(second);
      encoder.Add(ApiEvent{"cuLaunchKernel", 7, 3, 0, 500, 600, 0, second});
    }
    CHECK_FALSE(source.running);
    encoder.WriteLastBlock({}, 700);
    const std::vector<wire::Block> blocks = Blocks(output.TakeBytes());
    REQUIRE(blocks.size() == 2);
    CHECK(blocks[0].host_stacks_size() == static_cast<int>(first));
    CHECK(blocks[0].api_calls().stack_guess(1) == first);
    CHECK(blocks[1].host_stacks_size() == 1);
    CHECK(blocks[1].api_calls().stack_guess(0) == 1);  // the row before has none
    CHECK(blocks[1].api_calls().stack_guess(1) == first + 1);
  }
}

TEST_CASE("Why there are no stacks is written once, and losses are those of the recording") {
  FakeStacks source;
  source.lost = 5;
  MemoryOutput output;
  Encoder encoder(&output);
  encoder.Add(HeaderEvent{});
  HostStackWriter writer({true, false, false}, &encoder);
  writer.Start();
  writer.WriteProblem();
  source.why = "another Python";
  source.lost = 7;
  CHECK(writer.dropped() == 2);
  writer.WriteProblem();
  writer.WriteProblem();
  encoder.WriteLastBlock({}, 700);
  const std::vector<wire::Block> blocks = Blocks(output.TakeBytes());
  REQUIRE(blocks.at(0).notices_size() == 1);
  CHECK(blocks[0].notices(0).what() == "another Python");
}

TEST_CASE("Stacks that are not wanted cost nothing and write nothing") {
  FakeStacks source;
  source.why = "another Python";
  (void)NewStack(30);
  MemoryOutput output;
  Encoder encoder(&output);
  encoder.Add(HeaderEvent{});
  HostStackWriter writer({}, &encoder);
  writer.Start();
  writer.Write();
  writer.WriteProblem();
  CHECK_FALSE(source.running);
  CHECK(writer.dropped() == 0);
  encoder.WriteLastBlock({}, 700);
  const std::vector<wire::Block> blocks = Blocks(output.TakeBytes());
  CHECK(blocks.at(0).host_stacks_size() == 0);
  CHECK(blocks.at(0).notices_size() == 0);
}

TEST_CASE("Stacks for samples alone do not turn the walk at calls on") {
  FakeStacks source;
  MemoryOutput output;
  Encoder encoder(&output);
  HostStackWriter writer({false, false, true}, &encoder);
  writer.Start();
  CHECK(source.running);
  CHECK_FALSE(source.walks);
  writer.Stop();
  HostStackWriter both({true, false, true}, &encoder);
  both.Start();
  CHECK(source.walks);
}

class FakeNative final : public StackSource {
 public:
  FakeNative() { RegisterStackSource(StackKind::kNative, this); }
  ~FakeNative() override { RegisterStackSource(StackKind::kNative, nullptr); }
  FakeNative(const FakeNative&) = delete;
  FakeNative& operator=(const FakeNative&) = delete;

  void Start(bool at_calls) override { walks = at_calls; }
  void Stop() override { walks = false; }
  std::string FunctionOf(const HostFrameEvent& frame) override {
    return "function_at_" + std::to_string(frame.offset);
  }
  std::string problem() const override { return "no native frames"; }
  uint64_t dropped() const override { return 3; }

  bool walks = false;
};

TEST_CASE("Native frames get their functions while they are written, and their own notice") {
  FakeStacks python;
  FakeNative native;
  HostStacks& stacks = ProcessHostStacks();
  HostFrameEvent frame;
  frame.module = "/app/solver";
  frame.offset = 4711;
  const uint32_t id = stacks.StackOf(0, stacks.FrameOf(frame));
  MemoryOutput output;
  Encoder encoder(&output);
  encoder.Add(HeaderEvent{});
  HostStackWriter writer({false, true, false}, &encoder);
  writer.Start();
  CHECK(native.walks);
  CHECK_FALSE(python.running);
  CHECK(writer.source() == nullptr);
  CHECK(writer.dropped() == 0);
  writer.WriteUpTo(id);
  writer.WriteProblem();
  writer.Stop();
  CHECK_FALSE(native.walks);
  encoder.WriteLastBlock({}, 700);
  const wire::Block block = Blocks(output.TakeBytes()).at(0);
  const wire::HostFrame& written = block.host_frames(block.host_frames_size() - 1);
  CHECK(block.strings(static_cast<int>(written.function()) - 1) == "function_at_4711");
  CHECK(block.strings(static_cast<int>(written.module()) - 1) == "/app/solver");
  REQUIRE(block.notices_size() == 1);
  CHECK(block.notices(0).what() == "no native frames");
}

}  // namespace
}  // namespace prof::capture::test::host_stack_writer_test
