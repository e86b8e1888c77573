// SPDX-License-Identifier: Apache-2.0
//
// These tests check that rows come out of the packed tables as they went in.
#include <cstdint>
#include <tuple>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "test/support/catch.h"

namespace prof::packed_test {
namespace {

constexpr int64_t kStartNs = 1'700'000'000'000'000'000;
constexpr int64_t kFourSecondsNs = int64_t{1} << 32;

bool Same(const model::Op& a, const model::Op& b) {
  return a.kind == b.kind && a.timed == b.timed && a.untraced == b.untraced &&
         a.sampled == b.sampled && a.async == b.async && a.copy == b.copy && a.source == b.source &&
         a.destination == b.destination && a.channel_type == b.channel_type &&
         a.channel == b.channel && a.device == b.device && a.context == b.context &&
         a.stream == b.stream && a.correlation == b.correlation && a.shape == b.shape &&
         a.path == b.path && a.api == b.api && a.graph == b.graph && a.graph_node == b.graph_node &&
         a.bytes == b.bytes && a.start_ns == b.start_ns && a.end_ns == b.end_ns;
}

bool Same(const model::ApiCall& a, const model::ApiCall& b) {
  return a.name == b.name && a.cls == b.cls && a.loads_code == b.loads_code &&
         a.thread == b.thread && a.correlation == b.correlation && a.error == b.error &&
         a.path == b.path && a.start_ns == b.start_ns && a.end_ns == b.end_ns;
}

bool Same(const model::RangeInstance& a, const model::RangeInstance& b) {
  return a.path == b.path && a.thread == b.thread && a.start_ns == b.start_ns &&
         a.end_ns == b.end_ns && a.closed == b.closed;
}

// 32 bits hold all of these except the last two. The first of those two is the mark for "longer".
const std::vector<int64_t> kDurations = {0, 1, kFourSecondsNs - 2, kFourSecondsNs - 1,
                                         int64_t{1} << 61};

model::Op Kernel(int64_t duration_ns) {
  model::Op op;
  op.device = 7;
  op.context = 0xffffffff;
  op.stream = 13;
  op.channel = 21;
  op.channel_type = model::ChannelType::kCopy;
  op.correlation = 0xfffffffe;
  op.shape = 5;
  op.path = 0xfffffffd;
  op.api = 1 << 30;
  op.start_ns = kStartNs;
  op.end_ns = kStartNs + duration_ns;
  return op;
}

TEST_CASE("An operation keeps all its fields, whatever is special about it") {
  std::vector<model::Op> ops;
  for (const int64_t duration_ns : kDurations) {
    const model::Op plain = Kernel(duration_ns);
    ops.push_back(plain);
    const auto add = [&](auto set) {
      model::Op op = plain;
      set(&op);
      ops.push_back(op);
    };
    add([](model::Op* op) { op->kind = model::OpKind::kGraph; });
    add([](model::Op* op) { op->timed = false; });
    add([](model::Op* op) { op->untraced = true; });
    add([](model::Op* op) { op->sampled = true; });
    add([](model::Op* op) { op->async = true; });
    add([](model::Op* op) { op->copy = model::CopyKind::kPeerToPeer; });
    add([](model::Op* op) { op->source = model::MemoryKind::kManaged; });
    add([](model::Op* op) { op->destination = model::MemoryKind::kArray; });
    add([](model::Op* op) { op->graph = 0xffffffff; });
    add([](model::Op* op) { op->graph_node = UINT64_MAX; });
    add([](model::Op* op) { op->bytes = UINT64_MAX; });
    add([](model::Op* op) { op->api = model::kNoIndex; });
    add([](model::Op* op) { op->channel_type = model::ChannelType::kUnknown; });
    add([](model::Op* op) { op->start_ns = -op->start_ns; });
  }
  model::OpTable table;
  for (const model::Op& op : ops) table.push_back(op);
  for (size_t i = 0; i < ops.size(); ++i) {
    CAPTURE(i);
    CHECK(Same(table[i], ops[i]));
  }
  for (size_t i = 0; i < ops.size(); ++i) {  // each becomes a different one
    const model::Op other = ops[(i + 1) % ops.size()];
    table.Edit(i, [&](model::Op* op) { *op = other; });
    CAPTURE(i);
    CHECK(Same(table[i], other));
  }
}

TEST_CASE("A call keeps all its fields, and gets its class from its name") {
  std::vector<model::ApiCall> calls;
  for (const int64_t duration_ns : kDurations) {
    model::ApiCall call;
    call.name = 3;
    call.thread = 0xffffffff;
    call.correlation = 0xfffffffe;
    call.path = 0xfffffffd;
    call.start_ns = kStartNs;
    call.end_ns = kStartNs + duration_ns;
    calls.push_back(call);
    call.error = 719;
    calls.push_back(call);
    call.loads_code = true;
    calls.push_back(call);
    call.cls = model::ApiClass::kLaunch;
    calls.push_back(call);
  }
  model::CallTable table;
  for (const model::ApiCall& call : calls) table.push_back(call);
  for (size_t i = 0; i < calls.size(); ++i) CHECK(Same(table[i], calls[i]));

  table.Classify([](uint32_t name) {
    CHECK(name == 3);
    return model::ApiClass::kSync;
  });
  for (const model::ApiCall& call : table) CHECK(call.cls == model::ApiClass::kSync);
}

TEST_CASE("A range keeps its end, whichever way the end was set") {
  model::InstanceTable table;
  std::vector<model::RangeInstance> instances;
  for (const int64_t duration_ns : kDurations) {
    for (const bool closed : {false, true}) {
      instances.push_back({0xffffffff, 0xfffffffe, kStartNs, kStartNs + duration_ns, closed});
      table.push_back(instances.back());
    }
  }
  for (size_t i = 0; i < instances.size(); ++i) CHECK(Same(table[i], instances[i]));
  for (size_t i = 0; i < instances.size(); ++i) {
    const model::RangeInstance& other = instances[instances.size() - 1 - i];
    table.SetEnd(i, other.end_ns, other.closed);
    CHECK(Same(table[i], other));
  }
}

TEST_CASE("A step keeps its time on both sides of zero") {
  for (const int64_t time_ns : {int64_t{0}, int64_t{-1}, int64_t{1}, kStartNs, -kStartNs,
                                kFourSecondsNs - 1, -kFourSecondsNs, INT64_MAX, INT64_MIN}) {
    const model::RangeStep step(time_ns, 0x7fffffff);
    CHECK(step.time_ns() == time_ns);
    CHECK(step.path() == 0x7fffffff);
    CHECK_FALSE(step.opens());
  }
}

struct Pair {
  uint64_t first = 0, second = 0;
  auto Key() const { return std::tuple(first, second); }
};

TEST_CASE("A value that repeats is kept once, also among many values") {
  model::Interned<Pair> pairs;
  std::vector<uint32_t> numbers;
  for (uint64_t round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < 20'000; ++i) {
      const uint32_t number = pairs.Add({i, i % 7});
      REQUIRE(pairs[number].first == i);
      REQUIRE(pairs[number].second == i % 7);
      if (round == 0) numbers.push_back(number);
      if (round > 0) REQUIRE(number == numbers[i]);
    }
  }
  CHECK(pairs.values().size() == 20'000);
}

struct Colliding {
  uint32_t value = 0;
  struct Part {
    uint32_t value = 0;
    explicit operator uint64_t() const { return 0; }  // the part that is hashed
    bool operator==(const Part& other) const { return value == other.value; }
  };
  auto Key() const { return std::tuple(Part{value}); }
};

TEST_CASE("Values that all collide are found or kept again, in little time") {
  model::Interned<Colliding> values;
  for (uint32_t round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < 20'000; ++i) REQUIRE(values[values.Add({i})].value == i);
  }
  CHECK(values.values().size() <= 40'000);
}

}  // namespace
}  // namespace prof::packed_test
