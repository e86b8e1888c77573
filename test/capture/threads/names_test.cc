// SPDX-License-Identifier: Apache-2.0
//
// Tests names without end: nodes are bounded by the structure of the program, events keep numbers.
#include <string>
#include <vector>

#include "lib/capture/threads/name_families.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_registry.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::names_test {
namespace {

using Strings = std::vector<std::string>;

std::string Folded(const std::string& name) {
  std::string text(FoldedName(name).view());
  for (char& c : text) c = c == format::kNumberMark ? '*' : c;
  return text;
}

std::vector<uint64_t> Numbers(const std::string& name) {
  const FoldedName folded(name);
  std::vector<uint64_t> values;
  for (uint32_t i = 0; i < folded.numbers().count; ++i) {
    values.push_back(folded.numbers().number[i].value);
  }
  return values;
}

void Once(const std::string& name) {
  PushRange({name, ""});
  PopRange("");
}

uint32_t PathOf(const std::string& name) {
  PushRange({name, ""});
  const uint32_t path = CurrentPath();
  PopRange("");
  return path;
}

}  // namespace

TEST_CASE("A name is taken apart into its numbers and the text around them") {
  CHECK(Folded("step 123") == "step *");
  CHECK(Folded("layer12/mlp") == "layer*/mlp");
  CHECK(Folded("aten::mul, seq = 123, op_id = 4567") == "aten::mul, seq = *, op_id = *");
  CHECK(Folded("lr = 0.5") == "lr = *.*");
  CHECK(Folded("at 0x7f3A") == "at *x*f*A");  // two cases: no hexadecimal number
  CHECK(Folded("at 0x7f3a") == "at 0x*");
  CHECK(Folded("req-7f3a9c01") == "req-*");
  CHECK(Folded("req-12345678") == "req-*");
  CHECK(Folded("chatcmpl-0123456789abcdef0123456789abcdef") == "chatcmpl-*");
  CHECK(Folded("id 550e8400-e29b-41d4-a716-446655440000 done") == "id * done");
  CHECK(Folded("decade") == "decade");
  CHECK(Folded("conv2d") == "conv*d");
  CHECK(Folded("") == "");
  CHECK(Numbers("aten::mul, seq = 123, op_id = 4567") == std::vector<uint64_t>{123, 4567});
  CHECK(Numbers("1 2 3 4 5") == std::vector<uint64_t>{1, 2, 3, 4});
  CHECK(Numbers("x18446744073709551616") == std::vector<uint64_t>{1844674407370955161U});
  CHECK(Numbers("req-7f3a9c01") == std::vector<uint64_t>{0x7f3a9c01});
}

TEST_CASE("From the 129th sibling of a family on, a range has the node of the family") {
  Recording recording;
  for (int i = 0; i < 200; ++i) Once("family of 200: " + std::to_string(i));
  const Strings paths = recording.MyPaths();
  REQUIRE(paths.size() == 400);
  CHECK(paths[2 * 127] == "family of 200: 127");
  CHECK(paths[2 * 128] == "family of \x01: \x01");
  CHECK(paths[2 * 199] == "family of \x01: \x01");
  REQUIRE(recording.numbers.size() == 2 * 72);
  for (size_t i = 0; i < 72; ++i) {
    CHECK(recording.numbers[2 * i].value == 200);
    CHECK(recording.numbers[2 * i + 1].value == 128 + i);
    CHECK(recording.numbers[2 * i + 1].owner == NumberOwner::kStep);
  }
  // Those that have a node keep it, and the sampler takes all of them for one.
  CHECK(PathOf("family of 200: 3") != PathOf("family of 200: 4"));
  CHECK(PathOf("family of 200: 300") == PathOf("family of 200: 301"));
  CHECK(thread_registry.paths.At(PathOf("family of 200: 300")).NameOrExample() ==
        "family of 200: 128");  // what filters see
  CHECK(PathFamily(PathOf("family of 200: 300")) == PathFamily(PathOf("family of 200: 5")));
  CHECK(recording.reader.paths_dropped() == 0);
  CHECK(recording.order_errors == 0);
}

TEST_CASE("A mark and a span keep the numbers of their names") {
  for (int i = 0; i < 128; ++i) {
    Once("span of names " + std::to_string(i));
    Once("mark of names " + std::to_string(i));
  }
  Recording recording;
  Mark({"mark of names 888", ""});
  const uint64_t span = StartRange({"span of names 777", ""});
  EndRange(span);
  recording.Drain();
  REQUIRE(recording.numbers.size() == 3);
  CHECK(recording.numbers[0].owner == NumberOwner::kMark);
  CHECK(recording.numbers[0].value == 888);
  CHECK(recording.numbers[1].owner == NumberOwner::kStep);
  CHECK(recording.numbers[1].value == 777);
  CHECK(recording.numbers[2].owner == NumberOwner::kSpan);
  CHECK(recording.numbers[2].value == 777);
}

TEST_CASE("A range that stays open when one around it ends keeps its number") {
  for (int i = 0; i < 128; ++i) Once("overlap " + std::to_string(i));
  Recording recording;
  const uint64_t first = StartRange({"overlap 1001", ""});
  const uint64_t second = StartRange({"overlap 1002", ""});
  EndRange(first);
  EndRange(second);
  recording.Drain();
  const Strings paths = recording.MyPaths();
  REQUIRE(paths.size() >= 3);
  CHECK(paths.front() == "overlap \x01");
  CHECK(paths[paths.size() - 2] == "overlap \x01");
  std::vector<uint64_t> values;
  for (const NumberEvent& number : recording.numbers) {
    if (number.owner == NumberOwner::kStep) values.push_back(number.value);
  }
  CHECK(values.front() == 1001);
  CHECK(values.back() == 1002);
}

TEST_CASE("Numbers whose range a full ring dropped are not taken for another range's") {
  for (int i = 0; i < 128; ++i) Once("dropped " + std::to_string(i));
  Recording recording;
  for (int i = 0; i < 40'000; ++i) Once("dropped " + std::to_string(1000 + i));
  CHECK(recording.reader.events_dropped() > 0);
  recording.Drain();
  Once("dropped 99999");
  recording.numbers.clear();
  recording.steps.clear();
  const Strings paths = recording.MyPaths();
  REQUIRE(paths.size() == 2);
  REQUIRE(recording.numbers.size() == 1);
  CHECK(recording.numbers[0].value == 99999);
}

TEST_CASE("2,000 steps of 100 layers each lose nothing") {
  Recording recording;
  const uint32_t before = thread_registry.paths.last();
  for (int step = 0; step < 2'000; ++step) {
    PushRange({"loop step " + std::to_string(step), ""});
    for (int layer = 0; layer < 100; ++layer) Once("loop layer " + std::to_string(layer));
    PopRange("");
    if (step % 20 == 0) recording.Drain();
  }
  // 17 steps with 101 nodes fill... at most a quarter of the table, then a step is one node.
  CHECK(thread_registry.paths.last() - before < kMaxPaths / 2);
  CHECK(recording.reader.paths_dropped() == 0);
  CHECK(recording.reader.names_dropped() == 0);
  CHECK(recording.reader.events_dropped() == 0);
  Once("what comes late");
  CHECK(recording.MyPaths()[recording.steps.size() - 2] == "what comes late");
}

TEST_CASE("The ranges of emit_nvtx lose nothing") {
  Recording recording;
  const uint32_t before = thread_registry.paths.last();
  uint64_t op_id = 0;
  for (int iteration = 0; iteration < 300; ++iteration) {
    for (int op = 0; op < 300; ++op) {
      const std::string tail =
          ", seq = " + std::to_string(op_id / 2) + ", op_id = " + std::to_string(op_id);
      ++op_id;
      PushRange({"aten::op_" + std::string(1 + op / 26, 'a') + char('a' + op % 26) + tail, ""});
      Once("aten::inner" + tail);
      PopRange("");
    }
    recording.Drain();
    recording.steps.clear();
    recording.numbers.clear();
  }
  CHECK(thread_registry.paths.last() - before < kMaxPaths / 2);
  CHECK(recording.reader.paths_dropped() == 0);
  CHECK(recording.reader.names_dropped() == 0);
  PushRange({"what comes later", ""});
  CHECK(thread_registry.paths.At(CurrentPath()).name->view() == "what comes later");
  PopRange("");
}

TEST_CASE("Thousands of names that share no pattern become other names, and are counted") {
  Recording recording;
  PushRange({"files", ""});
  const auto letters = [](int i) {
    std::string name;
    for (int digit = 0; digit < 5; ++digit, i /= 16) name += static_cast<char>('g' + i % 16);
    return name;
  };
  for (int i = 0; i < 20'000; ++i) Once(letters(i) + ".txt");
  CHECK(recording.reader.names_dropped() > 10'000);
  CHECK(recording.reader.paths_dropped() == 0);
  PushRange({letters(19'999) + ".txt", ""});
  CHECK(thread_registry.paths.At(CurrentPath()).name->view() == "(other names)");
  PopRange("");
  PopRange("");
  // Elsewhere there is room.
  PushRange({"behind the files", ""});
  CHECK(thread_registry.paths.At(CurrentPath()).name->view() == "behind the files");
  PopRange("");
}

}  // namespace prof::capture::names_test
