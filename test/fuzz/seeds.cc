// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/seeds.h"

#include <cmath>

#include "test/support/guess_columns.h"
#include "test/support/snapshot_builder.h"

namespace prof::test {
namespace {

constexpr const char* kDram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kWindow = "gpu__time_duration.sum";
constexpr const char* kFfma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
constexpr const char* kActive = "sm__warps_active.avg.pct_of_peak_sustained_active";

// Ops of PyTorch around the first kernels of a step: a forward op, and the node that it made.
void AddOps(SnapshotBuilder& builder, int64_t at_ns) {
  const uint32_t mul = builder.TorchOp(0, "aten::mul");
  const uint32_t node = builder.TorchOp(0, "MulBackward0", model::TorchScope::kBackward);
  const auto number = static_cast<uint64_t>(at_ns / 1'000);
  builder.TorchStep(at_ns + 5'000, mul, test::kMainTid, "[[8, 16], []]");
  builder.TorchSequence(at_ns + 5'000, mul, number);
  builder.TorchStep(at_ns + 12'000, 0);
  builder.TorchStep(at_ns + 13'000, mul);
  builder.TorchSequence(at_ns + 13'000, mul, number + 1);
  builder.TorchStep(at_ns + 14'000, 0);
  builder.TorchStep(at_ns + 20'000, node);
  builder.TorchSequence(at_ns + 20'000, node, number);
  builder.TorchStep(at_ns + 26'000, 0);
}

void AddStep(SnapshotBuilder& builder, int64_t at_ns) {
  const uint32_t saxpy = builder.Shape("_Z5saxpyifPKfPf", {132, 8, 1}, {256, 1, 1});
  const uint32_t gemm = builder.Shape("gemm", {16, 16, 1}, {128, 1, 1}, 168, 0, 98'304);
  builder.Range("step", at_ns, at_ns + 90'000);
  const uint32_t sampled = builder.Kernel(saxpy, "", at_ns + 20'000, at_ns + 30'000);
  builder.Sample(sampled, {{kDram, 91.0}, {kActive, 63.5}});
  builder.Profiler(model::ProfilerWork::kSample, at_ns + 15'000, at_ns + 18'000);
  Launch in_graph;
  in_graph.api = "cudaGraphLaunch";
  in_graph.graph = 3;
  in_graph.graph_node = 17;
  Launch whole;
  whole.graph = 5;
  builder.GraphRun("step", at_ns + 40'500, at_ns + 40'900, whole);
  builder.GraphNode(17, "capture/layer 3", builder.TorchOp(0, "aten::mul"));
  builder.Stream({1, 7, -5, model::StreamFlag::kNonBlocking});
  builder.GraphSample(
      builder.Kernel(gemm, "step/torch:forward", at_ns + 31'000, at_ns + 40'000, in_graph),
      {{kDram, 40.0}, {kWindow, 12'000}});
  builder.RangeSample("step", at_ns + 1'000, at_ns + 89'000, {{kDram, 30.0}, {kWindow, 80'000}});
  Launch untraced;
  untraced.untraced = true;
  builder.Sample(builder.Kernel(builder.Shape("once", {4, 1, 1}, {32, 1, 1}, 0), "step",
                                at_ns + 82'000, at_ns + 82'000, untraced),
                 {{kWindow, 3'000}, {kFfma, 1e6}});
  builder.OlderSample(gemm, "step", 9'000, {{kDram, 41.0}});
  builder.Launches({0, saxpy, 0, 1000});
  builder.Launches({0, 0, 3, 70});
  builder.Profiler(model::ProfilerWork::kPause, at_ns + 91'000, at_ns + 95'000);
  Launch untimed;
  untimed.untimed = true;
  builder.Kernel(gemm, "step", at_ns + 41'000, at_ns + 41'000, untimed);
  builder.Copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPageable,
               model::MemoryKind::kDevice, 1 << 20, "step", at_ns + 45'000, at_ns + 60'000);
  builder.Memset(4096, "step", at_ns + 61'000, at_ns + 62'000);
  const uint32_t wait = builder.Api("cudaStreamSynchronize", at_ns + 63'000, at_ns + 80'000);
  builder.Sync(model::SyncKind::kStream, at_ns + 63'500, at_ns + 79'500, wait);
  builder.Span("transfer", at_ns + 5'000, at_ns + 85'000);
  builder.Overhead("driver compiler", at_ns + 1'000, at_ns + 2'000);
  AddOps(builder, at_ns);
}

// Allocations of each kind, with and without a pool, freed or not, and migrations.
void AddMemory(SnapshotBuilder& builder, int64_t at_ns) {
  builder.Allocate(0x7f00'0000'0000, 1 << 20, "step", at_ns + 3'000);
  MemoryUse pinned;
  pinned.memory = model::MemoryKind::kPinned;
  builder.Allocate(0x7e00'0000'0000, 4'096, "", at_ns + 3'500, pinned);
  model::PoolState state;
  state.operation = model::PoolOperation::kCreated;
  state.type = model::PoolType::kLocal;
  state.address = 0x5555'0000;
  state.threshold = ~uint64_t{0};
  state.time_ns = at_ns + 3'600;
  builder.Pool(state);
  state.reserved = 32 << 20;
  state.used = 512;
  MemoryUse pooled;
  pooled.pool = state;
  builder.Allocate(0x7d00'0000'0000, 512, "step/torch:forward", at_ns + 3'700, pooled);
  builder.Free(0x7d00'0000'0000, at_ns + 3'800, pooled);
  builder.Free(0x7f00'0000'0000, at_ns + 3'900);
  builder.Free(0x1000, at_ns + 3'950);
  builder.Unified({model::UnifiedMemoryKind::kHostToDevice, 0, 1, 3, 65'536, at_ns, at_ns + 700});
  builder.Unified({model::UnifiedMemoryKind::kGpuFault, 1, 0, 1, 4, at_ns + 90, at_ns + 800});
  builder.State({model::GpuStateKind::kClocks, 0, 1'335, 2'619, 0x4, at_ns + 100});
  builder.State({model::GpuStateKind::kPower, 0, 698'500, 700'000, 0, at_ns + 100});
}

// PM samples around all steps, with a merged row, a gap and a missing value.
void AddPm(SnapshotBuilder& builder, uint32_t device) {
  model::PmSeries series;
  series.device = device;
  series.interval_ns = 20'000;
  series.metrics = {"FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed",
                    "LTS.TriageCompute.lts__t_sector_throughput.avg.pct_of_peak_sustained_elapsed"};
  series.scales = {0.05, 0.05};
  int64_t begin_ns = 980'000;
  for (int i = 0; i < 40; ++i) {
    const uint32_t samples = i == 7 ? 3 : 1;
    series.begin_ns.push_back(begin_ns);
    series.end_ns.push_back(begin_ns + 20'000 * samples + i % 3);
    series.samples.push_back(samples);
    series.values.push_back(static_cast<float>(i % 11) * 7);
    series.values.push_back(i == 9 ? std::nanf("") : 25);
    begin_ns = series.end_ns.back() + (i == 20 ? 30'000 : 0);
  }
  builder.Pm(series);
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  seeds.push_back(SnapshotBuilder().Bytes());
  SnapshotBuilder one_step;
  AddStep(one_step, 1'000'000);
  one_step.Notice(model::Severity::kWarning, model::Subsystem::kCounters,
                  "counters are unavailable", "run as root");
  seeds.push_back(one_step.Bytes());
  SnapshotBuilder steps;
  steps.Device(H200(0));
  steps.Device(H200(1));
  for (int i = 0; i < 4; ++i) AddStep(steps, 1'000'000 + i * 200'000);
  for (int i = 0; i < 3; ++i) AddMemory(steps, 1'000'000 + i * 200'000);
  AddPm(steps, 0);
  AddPm(steps, 1);
  steps.trailer = false;
  seeds.push_back(steps.Bytes(3));
  steps.edit = &GuessColumns;
  seeds.push_back(steps.Bytes(3));
  return seeds;
}

}  // namespace prof::test
