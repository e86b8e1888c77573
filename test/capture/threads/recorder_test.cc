// SPDX-License-Identifier: Apache-2.0
//
// Tests of push and pop: paths, steps, depths.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_reader.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_registry.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::recorder_test {
namespace {

using Paths = std::vector<std::string>;

TEST_CASE("A push and a pop are one step each, with the time between them") {
  Recording recording;
  const int64_t before_ns = RealtimeNs();
  CHECK(PushRange({"step", ""}) == 0);
  CHECK(PopRange("") == 0);
  const int64_t after_ns = RealtimeNs();
  CHECK(recording.MyPaths() == Paths{"step", ""});
  CHECK(recording.steps[0].time_ns >= before_ns - kClockErrorNs);
  CHECK(recording.steps[1].time_ns >= recording.steps[0].time_ns);
  CHECK(recording.steps[1].time_ns <= after_ns + kClockErrorNs);
  CHECK(recording.reader.events_dropped() == 0);
  CHECK(recording.reader.paths_dropped() == 0);
  CHECK(recording.reader.unbalanced_pops() == 0);
}

TEST_CASE("Nested ranges give nested paths and depths") {
  Recording recording;
  CHECK(PushRange({"step", ""}) == 0);
  CHECK(PushRange({"layer", ""}) == 1);
  CHECK(PushRange({"layer", ""}) == 2);
  CHECK(PopRange("") == 2);
  CHECK(PopRange("") == 1);
  CHECK(PopRange("") == 0);
  CHECK(recording.MyPaths() ==
        Paths{"step", "step/layer", "step/layer/layer", "step/layer", "step", ""});
}

TEST_CASE("A pop takes the innermost range of its own domain and leaves the others open") {
  Recording recording;
  CHECK(PushRange({"outer", ""}) == 0);
  CHECK(PushRange({"allreduce", "NCCL"}) == 0);
  CHECK(PushRange({"inner", ""}) == 1);
  CHECK(PopRange("NCCL") == 0);
  CHECK(PopRange("") == 1);
  CHECK(PopRange("") == 0);
  CHECK(recording.MyPaths() == Paths{"outer", "outer/NCCL:allreduce", "outer/NCCL:allreduce/inner",
                                     "outer/inner", "outer", ""});
}

TEST_CASE("A pop without a push returns -1 and is counted") {
  Recording recording;
  CHECK(PopRange("") == -1);
  PushRange({"open", "other"});
  CHECK(PopRange("") == -1);
  CHECK(PopRange("other") == 0);
  CHECK(recording.reader.unbalanced_pops() == 2);
  CHECK(recording.MyPaths() == Paths{"other:open", ""});
}

TEST_CASE("The same name in another domain or below another parent is another path") {
  Recording recording;
  PushRange({"same", ""});
  const uint32_t outer = CurrentPath();
  PushRange({"same", ""});
  const uint32_t inner = CurrentPath();
  PopRange("");
  PopRange("");
  PushRange({"same", "other"});
  const uint32_t other = CurrentPath();
  PopRange("other");
  PushRange({"same", ""});
  CHECK(CurrentPath() == outer);
  PopRange("");
  CHECK(outer != inner);
  CHECK(outer != other);
  CHECK(inner != other);
  CHECK(CurrentPath() == 0);
}

TEST_CASE("Names differ by their content, not by their address") {
  Recording recording;
  char name[] = "name-a";
  PushRange({name, ""});
  PopRange("");
  name[5] = 'b';
  PushRange({name, ""});
  PopRange("");
  name[3] = '_';
  PushRange({name, ""});
  PopRange("");
  CHECK(recording.MyPaths() == Paths{"name-a", "", "name-b", "", "nam_-b", ""});
}

TEST_CASE("A range opened before the recording is its thread's first step, at its start") {
  PushRange({"setup", ""});
  PushRange({"early", "dom"});
  Recording recording;
  PopRange("dom");
  PopRange("");
  CHECK(recording.MyPaths() == Paths{"setup/dom:early", "setup", ""});
  CHECK(recording.steps[0].time_ns == recording.start_ns);
  CHECK(recording.order_errors == 0);
}

TEST_CASE("Outside a recording nothing is written, but the stack is kept") {
  PushRange({"unseen", ""});
  PopRange("");
  {
    Recording recording;
    PushRange({"seen", ""});
    recording.reader.Stop();
    PushRange({"late", ""});
    CHECK(recording.MyPaths() == Paths{"seen"});
  }
  Recording recording;
  CHECK(recording.MyPaths() == Paths{"seen/late"});
  PopRange("");
  PopRange("");
}

TEST_CASE("A second recording gets all paths again and no event of the first") {
  {
    Recording first;
    PushRange({"first", ""});
    PopRange("");
    PushRange({"never drained", ""});
    PopRange("");
  }
  Recording second;
  PushRange({"second", ""});
  PopRange("");
  CHECK(second.MyPaths() == Paths{"second", ""});
  CHECK(std::find(second.texts.begin(), second.texts.end(), "first") != second.texts.end());
  CHECK(second.order_errors == 0);
}

TEST_CASE("A reader that was replaced gets nothing") {
  Recording old;
  Recording current;
  PushRange({"for the new one", ""});
  PopRange("");
  CHECK(old.MyPaths().empty());
  CHECK(current.MyPaths() == Paths{"for the new one", ""});
}

TEST_CASE("A mark is a child of the range it is made in") {
  Recording recording;
  Mark({"top", ""});
  PushRange({"step", ""});
  const int64_t before_ns = RealtimeNs();
  Mark({"loss", "train"});
  PopRange("");
  recording.Drain();
  REQUIRE(recording.marks.size() == 2);
  CHECK(recording.marks[0].path == "top");
  CHECK(recording.marks[1].path == "step/train:loss");
  CHECK(recording.marks[1].event.tid == CurrentThreadId());
  CHECK(recording.marks[1].event.time_ns >= before_ns - kClockErrorNs);
  CHECK(recording.MyPaths() == Paths{"step", ""});
}

TEST_CASE("Colour and category are those of the first use") {
  Recording recording;
  PushRange({"coloured", "", 0xFF00FF00, 7});
  PopRange("");
  PushRange({"coloured", "", 0xFFFFFFFF, 8});
  PopRange("");
  recording.Drain();
  REQUIRE(recording.infos.size() >= 2);
  const auto at = std::find(recording.texts.begin(), recording.texts.end(), "coloured");
  REQUIRE(at != recording.texts.end());
  const RangePathInfo& info = recording.infos[at - recording.texts.begin()];
  CHECK(info.color == 0xFF00FF00);
  CHECK(info.category == 7);
}

TEST_CASE("A name of any length is kept up to 4096 bytes, cut between characters") {
  Recording recording;
  std::string longest(kMaxNameBytes - 1, 'x');
  longest += "\xC3\xA9 and more";  // the character would end at byte 4097
  for (const size_t size : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{9}, size_t{4000}}) {
    PushRange({std::string_view(longest).substr(0, size), ""});
    PopRange("");
  }
  PushRange({longest, ""});
  PopRange("");
  const Paths paths = recording.MyPaths();
  REQUIRE(paths.size() == 14);
  CHECK(paths[0].empty());
  CHECK(paths[4].size() == 7);
  CHECK(paths[10].size() == 4000);
  CHECK(paths[12] == std::string(kMaxNameBytes - 1, 'x'));
}

std::atomic<int> wakeups{0};

TEST_CASE("A ring that is half full wakes the collector, once until it is read") {
  Recording recording;
  wakeups = 0;
  SetRangeWakeup([] { ++wakeups; });
  for (uint64_t i = 0; i < kLargeRing / 4; ++i) {
    PushRange({"step", ""});
    PopRange("");
  }
  CHECK(wakeups == 0);
  PushRange({"step", ""});
  CHECK(wakeups == 1);
  PopRange("");
  CHECK(wakeups == 1);
  recording.Drain();
  for (uint64_t i = 0; i < kLargeRing / 4 + 1; ++i) {
    PushRange({"step", ""});
    PopRange("");
  }
  CHECK(wakeups == 2);
  SetRangeWakeup(nullptr);
  CHECK(recording.reader.events_dropped() == 0);
}

TEST_CASE("A full ring drops events and counts them, and the next one is right again") {
  Recording recording;
  for (uint64_t i = 0; i < kLargeRing; ++i) {
    PushRange({"step", ""});
    PopRange("");
  }
  CHECK(recording.MyPaths().size() == kLargeRing);
  CHECK(recording.reader.events_dropped() == kLargeRing);
  PushRange({"after", ""});
  PushRange({"inner", ""});
  CHECK(recording.MyPaths().back() == "after/inner");
  PopRange("");
  PopRange("");
}

TEST_CASE("Ranges beyond the deepest level are counted and still balance") {
  Recording recording;
  for (int i = 0; i < 600; ++i) CHECK(PushRange({"deep", ""}) == i);
  CHECK(recording.reader.events_dropped() == 600 - 512);
  const uint32_t deepest = CurrentPath();
  for (int i = 599; i >= 512; --i) CHECK(PopRange("") == i);
  CHECK(CurrentPath() == deepest);
  for (int i = 511; i >= 0; --i) CHECK(PopRange("") == i);
  CHECK(PopRange("") == -1);
  CHECK(recording.MyPaths().back().empty());
}

TEST_CASE("Names are handed out once, in order, and not again when they are given again") {
  uint32_t seen = thread_registry.names.Read(0, [](const NameEvent&) {});
  GiveName({NameKind::kThread, 17, "", "loader", 0, 0});
  GiveName({NameKind::kCategory, 17, "lib", "loader", 0, 0});
  GiveName({NameKind::kThread, 17, "", "loader", 0, 0});
  GiveName({NameKind::kThread, 17, "", "trainer", 0, 0});
  Paths names;
  const auto keep = [&](const NameEvent& event) {
    names.push_back(std::to_string(static_cast<int>(event.kind)) + std::string(event.domain) +
                    std::to_string(event.id) + " " + std::string(event.name));
  };
  seen = thread_registry.names.Read(seen, keep);
  CHECK(names == Paths{"117 loader", "2lib17 loader", "117 trainer"});
  CHECK(thread_registry.names.Read(seen, keep) == seen);
  CHECK(names.size() == 3);
  CHECK(thread_registry.names.dropped() == 0);
}

TEST_CASE("A payload comes with its range, mark or span, at the same time") {
  Recording recording;
  RangeName name{"step", ""};
  Payload payload = {PayloadType::kUint64, 7};
  name.payloads = {&payload, 1};
  PushRange(name);
  name.name = "mark";
  payload = {PayloadType::kInt32, 0xffffffff};
  Mark(name);
  name.name = "span";
  payload = {PayloadType::kDouble, 99};
  const uint64_t id = StartRange(name);
  EndRange(id);
  PopRange("");
  recording.Drain();
  REQUIRE(recording.payloads.size() == 3);
  CHECK(recording.payloads[0].path == "step");
  CHECK(recording.payloads[0].event.payload.type == PayloadType::kUint64);
  CHECK(recording.payloads[0].event.payload.bits == 7);
  CHECK(recording.payloads[0].event.time_ns == recording.steps.at(0).time_ns);
  CHECK(recording.payloads[1].path == "step/mark");
  CHECK(recording.payloads[1].event.time_ns == recording.marks.at(0).event.time_ns);
  CHECK(recording.payloads[2].path == "step/span");
  CHECK(recording.payloads[2].event.payload.type == PayloadType::kDouble);
  CHECK(recording.payloads[2].event.time_ns == recording.spans.at(0).event.start_ns);
}

TEST_CASE("A path that its maker never fills is passed over, and those after it keep their names") {
  Recording recording;
  const uint64_t dropped = recording.reader.paths_dropped();
  thread_registry.paths.GiveUp(thread_registry.paths.last() + 1);
  PushRange({"comes too late c01d", ""});
  PopRange("");
  PushRange({"in time c01d", ""});
  PopRange("");
  CHECK(recording.MyPaths() == Paths{"in time c01d", ""});
  CHECK(recording.order_errors == 0);
  CHECK(recording.reader.paths_dropped() == dropped + 1);
}

TEST_CASE("Ranges that a thread leaves open when it ends are counted") {
  Recording recording;
  std::thread([] {
    PushRange({"left open", ""});
    PushRange({"this one too", ""});
  }).join();
  CHECK(recording.reader.left_open() == 2);
  CHECK(recording.reader.unbalanced_pops() == 0);
}

}  // namespace
}  // namespace prof::capture::recorder_test
