// SPDX-License-Identifier: Apache-2.0
//
// Tests how many bytes of a snapshot a launch takes.
#include <string>

#include "lib/capture/collector/memory_output.h"
#include "lib/capture/wire/encoder.h"
#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"
#include "test/support/launch_storm.h"

namespace prof::capture::test::size_test {
namespace {

template <typename To, typename From>
To As(From value) {
  return static_cast<To>(value);
}

KernelEvent KernelOf(const model::Op& op, const model::Shape& shape) {
  KernelEvent event;
  event.name = shape.name;
  event.grid = shape.grid;
  event.block = shape.block;
  event.cluster = shape.cluster;
  event.static_shared_bytes = shape.static_shared_bytes;
  event.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  event.shared_executed_bytes = shape.shared_executed_bytes;
  event.registers_per_thread = shape.registers_per_thread;
  event.local_bytes_per_thread = shape.local_bytes_per_thread;
  event.local_known = shape.local_known;
  event.launch_type = shape.launch_type;
  event.device = op.device;
  event.context = op.context;
  event.stream = op.stream;
  event.correlation = op.correlation;
  event.graph = op.graph;
  event.graph_node = op.graph_node;
  event.start_ns = op.timed ? op.start_ns : 0;
  event.end_ns = op.timed ? op.end_ns : 0;
  return event;
}

UntracedKernelEvent UntracedOf(const model::Op& op, const model::Shape& shape) {
  UntracedKernelEvent event;
  event.name = shape.name;
  event.grid = shape.grid;
  event.block = shape.block;
  event.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  event.static_shared_bytes = shape.static_shared_bytes;
  event.registers_per_thread = shape.registers_per_thread;
  event.local_bytes_per_thread = shape.local_bytes_per_thread;
  event.local_known = shape.local_known;
  event.device = op.device;
  event.context = op.context;
  event.stream = op.stream;
  event.correlation = op.correlation;
  event.launch_ns = op.start_ns;
  return event;
}

// Writes the timeline of `model` as a capture would: kernels, calls, waits and ranges.
std::string Replay(const model::Model& model) {
  MemoryOutput output;
  Encoder encoder(&output);
  encoder.Add(HeaderEvent{});
  for (uint32_t id = 1; id < model.paths.size(); ++id) {
    const model::RangePath& path = model.paths[id];
    encoder.Add(RangePathInfo{id, path.parent, path.name, path.domain, 0, 0});
  }
  for (const model::Op& op : model.ops) {
    if (op.untraced) {
      encoder.Add(UntracedOf(op, model.shapes[op.shape]));
    } else if (op.kind == model::OpKind::kKernel) {
      encoder.Add(KernelOf(op, model.shapes[op.shape]));
    }
    encoder.WriteIfLarge();
  }
  for (const model::ApiCall& call : model.api_calls) {
    encoder.Add(ApiEvent{model.strings[call.name], model.threads[call.thread].tid, call.correlation,
                         call.error, call.start_ns, call.end_ns});
    encoder.WriteIfLarge();
  }
  for (const model::Sync& sync : model.syncs) {
    encoder.Add(SyncEvent{As<SyncKind>(sync.kind), sync.context, sync.stream, sync.correlation,
                          sync.start_ns, sync.end_ns});
    encoder.WriteIfLarge();
  }
  for (size_t thread = 0; thread < model.steps.size(); ++thread) {
    for (size_t i = 0; i < model.steps[thread].size(); ++i) {
      const model::RangeStep step = model.steps[thread][i];
      encoder.Add(model.threads[thread].tid, RangeEvent{step.time_ns(), step.path()});
      encoder.WriteIfLarge();
    }
  }
  encoder.WriteLastBlock({}, model.end_ns);
  return output.TakeBytes();
}

double BytesPerLaunch(const std::string& bytes, size_t launches) {
  return static_cast<double>(bytes.size()) / static_cast<double>(launches);
}

TEST_CASE("A storm of repeated kernels with a range each takes at most 12 bytes a launch") {
  constexpr size_t kLaunches = 100'000;
  for (const uint32_t kernels : {1u, 20u}) {
    MemoryOutput output;
    Encoder encoder(&output);
    prof::test::LaunchStorm storm(&encoder, kernels);
    for (size_t i = 0; i < kLaunches; ++i) {
      storm.Launch();
      if (i % 64 == 0) encoder.WriteIfLarge();
    }
    encoder.WriteLastBlock({}, storm.host_ns());
    const std::string bytes = output.TakeBytes();
    CAPTURE(kernels, BytesPerLaunch(bytes, kLaunches));
    CHECK(BytesPerLaunch(bytes, kLaunches) <= 12.0);

    const absl::StatusOr<model::Model> model = ReadSnapshot(bytes);
    REQUIRE(model.ok());
    CHECK(model->truncation.empty());
    REQUIRE(model->ops.size() == kLaunches);
    CHECK(model->instances.size() == kLaunches);
    size_t in_its_range = 0;
    for (const model::Op& op : model->ops) {
      in_its_range += op.path == (op.correlation - 1) % kernels + 1 ? 1 : 0;
    }
    CHECK(in_its_range == kLaunches);
  }
}

TEST_CASE("A recorded decode step takes at most 14 bytes a launch, and reads as it was") {
  absl::StatusOr<model::Model> recorded =
      ReadSnapshotFile(PROF_RECORDINGS "/transformer_layer_1.prof");
  REQUIRE(recorded.ok());
  const std::string bytes = Replay(*recorded);
  const double size = BytesPerLaunch(bytes, recorded->ops.size());
  CAPTURE(size);
  CHECK(size <= 14.0);

  const absl::StatusOr<model::Model> again = ReadSnapshot(bytes);
  REQUIRE(again.ok());
  CHECK(again->truncation.empty());
  REQUIRE(again->ops.size() == recorded->ops.size());
  size_t equal = 0;
  for (size_t i = 0; i < again->ops.size(); ++i) {
    const model::Op &a = recorded->ops[i], &b = again->ops[i];
    equal += a.start_ns == b.start_ns && a.end_ns == b.end_ns && a.correlation == b.correlation &&
                     a.path == b.path && a.api == b.api && a.stream == b.stream &&
                     recorded->shapes[a.shape].name == again->shapes[b.shape].name
                 ? 1
                 : 0;
  }
  CHECK(equal == again->ops.size());
  REQUIRE(again->api_calls.size() == recorded->api_calls.size());
  equal = 0;
  for (size_t i = 0; i < again->api_calls.size(); ++i) {
    const model::ApiCall &a = recorded->api_calls[i], &b = again->api_calls[i];
    equal += a.start_ns == b.start_ns && a.end_ns == b.end_ns && a.correlation == b.correlation &&
                     recorded->strings[a.name] == again->strings[b.name]
                 ? 1
                 : 0;
  }
  CHECK(equal == again->api_calls.size());
  CHECK(again->instances.size() == recorded->instances.size());
}

}  // namespace
}  // namespace prof::capture::test::size_test
