// SPDX-License-Identifier: Apache-2.0
#include "test/report/example_report.h"

#include <limits>
#include <string>

#include "lib/analyzer/decide.h"
#include "lib/analyzer/kernels/roofline.h"
#include "lib/analyzer/kernels/unit_use.h"

namespace prof::test {

const char* const kAwfulName =
    "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, int>, "
    "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<7, "
    "cute::tuple<cute::C<2>, cute::C<1>, cute::C<1>>, "
    "cutlass::gemm::KernelTmaWarpSpecializedPingpong>, "
    "cute::tuple<cute::C<64>, cute::C<128>, cute::C<64>>, cutlass::half_t, "
    "cute::tuple<long, cute::C<1>, long>>>>";

namespace {

constexpr const char* kDram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kL2 = "lts__t_sectors.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kXbar = "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kL1 = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kTensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kFma = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed";

Statistic Of(int64_t n, double median, double min, double max) {
  return {n, median, min, max, median * static_cast<double>(n)};
}

KernelReport Saxpy() {
  KernelReport kernel;
  kernel.name = "saxpy";
  kernel.full_name = "saxpy(int, float, float const*, float*)";
  kernel.range = "step/axpy";
  kernel.grid = {262144, 1, 1};
  kernel.block = {256, 1, 1};
  kernel.registers_per_thread = 16;
  kernel.launches = 40;
  kernel.duration_ns = Of(37, 178'400, 177'900, 181'200);
  kernel.total_ns = 7'141'000;
  kernel.share = 7'141'000 / 12'345'678.0;
  kernel.metrics[kDram] = Of(3, 91.3, 91.0, 91.4);
  kernel.metrics[kL2] = Of(3, 38.2, 38.0, 38.9);
  kernel.metrics[kXbar] = Of(3, 44.1, 44.0, 44.6);
  kernel.metrics[kL1] = Of(3, 21.0, 20.9, 21.1);
  kernel.metrics[kTensor] = Of(3, 0, 0, 0);
  kernel.metrics[kFma] = Of(3, 4.2, 4.2, 4.3);
  kernel.samples_used = 12;
  kernel.samples_rejected = 1;
  kernel.occupancy = {true, 8, 32, 8, 16, 64, {"warps"}, 1.0, 0.874, 248.24, 0.003};
  kernel.roofline = {4.39e12, 4.81e12, 0.73e12, 0.17, 60.3e12, "fp32"};
  kernel.roofline.levels = {
      {"l1", 805.3e6, "sectors x 32 B", 4.51e12, 33.4e12, "peak of the chip"},
      {"l2", 805.3e6, "lts__t_sectors.sum x 32 B", 4.51e12, 7.33e12, "measured: l2, n=11"},
      {"dram", 783.2e6, "dram__bytes_read.sum + dram__bytes_write.sum", 4.39e12, 4.5e12,
       "measured: dram-2to1, n=11"}};
  analyzer::FindBound(&kernel.roofline);
  kernel.flops = {{"fp32", 130.2e6, 0.73e12, 60.3e12, 0.0121}, {"fp64", 0, 0, 30.1e12, 0}};
  kernel.speed_of_light.sm_sol = 0.138;
  kernel.speed_of_light.memory_sol = 0.913;
  kernel.speed_of_light.throughputs = {
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed",
       0.138,
       "sm__issue_active.avg.pct_of_peak_sustained_elapsed",
       {"sm__mio_inst_issued.avg.pct_of_peak_sustained_elapsed"}},
      {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 0.913, kDram, {}}};
  Verdict& verdict = kernel.verdict;
  verdict.limiter = Limiter::kDram;
  verdict.confidence = Confidence::kHigh;
  verdict.source = Source::kCounters;
  verdict.decided = true;
  verdict.rule = "dram-throughput";
  verdict.summary = "The memory is the limit";
  verdict.evidence = {"DRAM 91 % of its peak (gpu__dram_throughput, n = 3)",
                      "4.39 TB/s of 4.81 TB/s"};
  verdict.action = "Move fewer bytes: fuse it with its neighbours, or use a smaller type";
  verdict.gain_at_most = 0.087;
  verdict.gain_formula = "1 - 91.3 / 100";
  verdict.runner_up = "L2 at 44 %";
  verdict.notes = {"occupancy is high enough: more of it does not help"};
  return kernel;
}

KernelReport Gemm() {
  KernelReport kernel;
  kernel.name = kAwfulName;
  kernel.full_name = kAwfulName;
  kernel.range = "step/attention/qkv_proj";
  kernel.grid = {32, 16, 1};
  kernel.block = {128, 3, 1};
  kernel.cluster = {2, 1, 1};
  kernel.registers_per_thread = 168;
  kernel.static_shared_bytes = 1024;
  kernel.dynamic_shared_bytes = 213'000;
  kernel.local_bytes_per_thread = 8;
  kernel.launches = 1'240;
  kernel.duration_ns = Of(1'240, 1'520, 1'408, 2'016);
  kernel.total_ns = 1'900'000;
  kernel.share = 1'900'000 / 12'345'678.0;
  kernel.in_graph = true;
  kernel.captured_in = "capture/attention";
  kernel.occupancy = {true, 1, 32, 5, 1, 1, {"registers", "shared memory"}, 0.1875, {}, 3.88, 0.03};
  kernel.verdict.missing =
      "it was launched by a CUDA graph only, and counters cannot be read from single graph nodes";
  return kernel;
}

RegionReport Decode() {
  RegionReport region;
  region.label = "CUDA graph 2 in decode";
  region.range = "decode";
  region.graph = 2;
  region.instances = 1'200;
  region.samples_used = 20;
  region.samples_rejected = 1;
  region.duration_ns = Of(1'179, 142'000, 139'000, 151'000);
  region.counted_ns = Of(21, 166'000, 158'000, 206'000);
  region.total_ns = 1'700'000;
  region.share = 0.138;
  region.metrics[kDram] = Of(5, 71.4, 71.0, 72.2);
  region.metrics[kTensor] = Of(5, 12.0, 11.9, 12.1);
  region.parts = {{"nvjet_hsh_256x128", 4, 96'000, 0.7}, {"rms_norm", 8.5, 41'000, 0.3}};
  region.verdict.limiter = Limiter::kDram;
  region.verdict.confidence = Confidence::kMedium;
  region.verdict.source = Source::kCounters;
  region.verdict.decided = true;
  region.verdict.rule = "dram-throughput";
  region.verdict.summary = "As a whole: Limited by DRAM at 71.4 % of its peak";
  region.verdict.action = "Move fewer bytes";
  region.verdict.gain_at_most = 0.23;
  return region;
}

KernelReport Reduce() {
  KernelReport kernel;
  kernel.name = "reduce<float, 4>";
  kernel.full_name = "void reduce<float, 4>(float const*, float*)";
  kernel.grid = {16, 1, 1};
  kernel.block = {512, 1, 1};
  kernel.registers_per_thread = 40;
  kernel.launches = 40;
  kernel.duration_ns = Of(38, 12'300, 12'100, 12'900);
  kernel.total_ns = 492'000;
  kernel.share = 492'000 / 12'345'678.0;
  kernel.metrics[kDram] = Of(2, 3.1, 3.0, 3.2);
  kernel.metrics[kL2] = Of(2, 114.0, 113.0, 115.0);  // two passes can disagree
  kernel.metrics[kFma] = Of(0, std::numeric_limits<double>::quiet_NaN(), 0, 0);
  kernel.samples_used = 2;
  Verdict& verdict = kernel.verdict;
  verdict.limiter = Limiter::kSmallGrid;
  verdict.source = Source::kCounters;
  verdict.decided = true;
  verdict.confidence = Confidence::kMedium;
  verdict.rule = "small-grid";
  verdict.summary = "16 blocks leave 116 of 132 SMs without work";
  verdict.evidence = {"0.03 waves (grid 16, 4 blocks fit an SM)"};
  verdict.action = "Use more, smaller blocks";
  verdict.gain_at_most = 0.88;
  verdict.gain_formula = "1 - 16 / 132";
  return kernel;
}

void AddRows(Report* report) {
  RangeRow axpy;
  axpy.label = "step/axpy";
  axpy.time_ns = 7'141'000;
  axpy.instances = 40;
  axpy.operations = 40;
  axpy.limiter = Limiter::kDram;
  axpy.dominant = "saxpy";
  axpy.evidence = "saxpy: DRAM 91 % of its peak, 4.39 TB/s";
  axpy.verdict = "at the memory's limit: move fewer bytes";
  axpy.gain_at_most_ns = 621'267;

  RangeRow attention;
  attention.label = "step/attention/qkv_proj";
  attention.time_ns = 1'900'000;
  attention.instances = 40;
  attention.operations = 1'240;
  attention.dominant = kAwfulName;
  attention.evidence = "31 launches each time, by a CUDA graph";
  attention.verdict = "not measured: graph nodes cannot be sampled one by one";

  RangeRow outside;
  outside.kind = RangeRow::Kind::kOutside;
  outside.label = "(no range)";
  outside.time_ns = 1'204'678;
  outside.instances = 1;
  outside.operations = 84;
  outside.limiter = Limiter::kSmallGrid;
  outside.dominant = "reduce<float, 4>";
  outside.evidence = "0.03 waves";
  outside.verdict = "use more blocks";
  outside.gain_at_most_ns = 432'960;

  RangeRow gaps;
  gaps.kind = RangeRow::Kind::kGap;
  gaps.label = "gaps";
  gaps.time_ns = 2'100'000;
  gaps.instances = 81;
  gaps.evidence = "sync 71 %, launch 29 %";
  gaps.verdict = "keep work queued: see finding 1";
  gaps.gain_at_most_ns = 1'491'000;

  RangeRow ours;
  ours.kind = RangeRow::Kind::kProfiler;
  ours.label = "prof (sampling)";
  ours.time_ns = report->profiler_ns;
  ours.evidence = "on the host: samples 1.73 ms";
  ours.verdict = "Not the program's: no evidence for shares and findings.";

  report->rows = {axpy, attention, outside, gaps};
  for (RangeRow& row : report->rows) row.share = row.time_ns / report->undisturbed_ns;
  ours.share = ours.time_ns / report->span_ns;
  report->rows.push_back(ours);
}

void AddFindings(Report* report) {
  Finding sync;
  sync.id = "sync-bound";
  sync.title = "The GPU waits for the host after each cudaStreamSynchronize";
  sync.evidence = {"40 gaps of 37.3 us follow a cudaStreamSynchronize in range step",
                   "they sum to 1.49 ms, 12 % of the span"};
  sync.action = "Synchronize once after the loop, or wait for an event on another thread";
  sync.gain_at_most_ns = 1'491'000;
  sync.confidence = Confidence::kHigh;

  Finding graph;
  graph.id = "launch-bound";
  graph.title = "Launching would be the limit of range step/attention";
  graph.evidence = {"1,240 launches"};
  graph.withheld = true;
  graph.withheld_why = "12 kernel records were lost, so gaps may be kernels";
  report->findings = {sync, graph};
}

std::vector<RangeNode> Ranges() {
  RangeNode step{"step", "step", -1, 0, 1, 40, 12'900'000, 390'000, 0, 9'041'000, 0, {}, {}};
  RangeNode axpy{"axpy", "step/axpy",   0, 1, 1, 40, 400'000, 21'000, 7'141'000, 7'141'000,
                 40,     {"step/axpy"}, {}};
  RangeNode attention{"attention", "step/attention", 0, 1,  1, 40, 2'000'000, 61'000,
                      0,           1'900'000,        0, {}, {}};
  RangeNode projections{"qkv_proj",
                        "step/attention/qkv_proj",
                        2,
                        2,
                        2,
                        80,
                        900'000,
                        20'000,
                        1'900'000,
                        1'900'000,
                        1'240,
                        {"step/attention/qkv_proj"},
                        {{"step/attention/qkv_proj 0", 40, 1'000'000, 500'000},
                         {"step/attention/qkv_proj 1", 40, 900'000, 400'000}}};
  return {step, axpy, attention, projections};
}

std::vector<RankedAction> Actions() {
  RankedAction wait;
  wait.action = {"sync-bound",
                 GainKind::kIdleTime,
                 "Synchronize once after the loop, or wait for an event on another thread",
                 std::nullopt,
                 "the time that the records show: 1.49 ms",
                 ""};
  wait.target = "the run";
  wait.target_ns = wait.saves_at_most_ns.emplace(1'491'000);
  wait.confidence = Confidence::kHigh;
  wait.evidence = "The GPU waits for the host after each cudaStreamSynchronize";
  RankedAction fuse;
  fuse.action = {"dram-throughput",
                 GainKind::kSameWork,
                 "Move fewer bytes: fuse it with its neighbours, or use a smaller type",
                 0.087,
                 "1 - 91.3 / 100",
                 ""};
  fuse.target = "saxpy in step/axpy";
  fuse.target_ns = 7'141'000;
  fuse.saves_at_most_ns = 621'267;
  fuse.confidence = Confidence::kLow;
  fuse.evidence = "DRAM 91 % of its peak";
  fuse.check = "--counters all: whether all moved bytes are used";
  RankedAction tensor;
  tensor.action = {"wgmma",
                   GainKind::kSameWork,
                   "Use wgmma",
                   std::nullopt,
                   "no ceiling of mma.sync was measured",
                   ""};
  tensor.target = "reduce<float, 4>";
  tensor.target_ns = 492'000;
  return {wait, fuse, tensor};
}

const SourcePlace kProjection = {"/app/model.py", "Attention.forward", "", 31};

std::vector<MemoryGrowth> Growth() {
  MemoryGrowth growth;
  growth.memory = "device";
  growth.device = 0;
  growth.step = "step";
  growth.steps = 58;
  growth.first_bytes = 396'000'000;
  growth.last_bytes = 510'000'000;
  growth.bytes_per_step = 2'000'000;
  growth.at_least = 1'990'000;
  growth.at_most = 2'010'000;
  growth.grows = true;
  growth.holders = {{"step/attention/qkv_proj", 116'000'000}, {"(no range)", -2'000'000}};
  growth.lines = {{kProjection, 116'000'000}, {{}, -2'000'000}};
  MemoryGrowth pinned;
  pinned.memory = "pinned";
  pinned.step = "step";
  pinned.steps = 58;
  pinned.last_bytes = 64'000'000;
  pinned.why_not = "it settles";
  return {growth, pinned};
}

MemoryReport Memory() {
  MemoryReport memory;
  memory.devices = {
      {0,
       3'200'000'000,
       1.2e9,
       512'000'000,
       {{"step/attention/qkv_proj", 3, 1'900'000'000}, {"(no range)", 2, 1'300'000'000}},
       {{kProjection, 3, 1'900'000'000}, {{}, 2, 1'300'000'000}},
       {{"aten::linear", 3, 1'900'000'000}, {"", 2, 1'300'000'000}},
       {{"activations", 1'500'000'000},
        {"weights", 1'100'000'000},
        {"unused by PyTorch", 400'000'000},
        {"not PyTorch's", 200'000'000}},
       {{650'000'000, 4}, {600'000'000, 1}},
       5}};
  AllocationSummary device;
  device.memory = "device";
  device.allocations = 40;
  device.bytes = 2'412'000'000;
  device.frees = 36;
  device.bytes_freed = 2'000'000'000;
  device.frees_of_earlier = 2;
  device.peak_bytes = device.bytes_at_device_peak = 2'100'000'000;
  device.peak_at_ns = 1.2e9;
  device.at_end = 4;
  device.bytes_at_end = 412'000'000;
  AllocationSummary pooled;
  pooled.memory = "device";
  pooled.pooled = true;
  pooled.allocations = 1'200;
  pooled.bytes = 88'000'000'000;
  pooled.frees = 1'199;
  pooled.bytes_freed = 87'900'000'000;
  pooled.peak_bytes = 1'300'000'000;
  pooled.peak_at_ns = 0.7e9;
  pooled.bytes_at_device_peak = 1'100'000'000;
  pooled.at_end = 1;
  pooled.bytes_at_end = 100'000'000;
  AllocationSummary pinned;
  pinned.memory = "pinned";
  pinned.allocations = pinned.at_end = 3;
  pinned.bytes = pinned.peak_bytes = pinned.bytes_at_end = 67'108'864;
  pinned.bytes_at_device_peak = 67'108'864;
  memory.kinds = {pooled, device, pinned};
  memory.pools = {{0, 0x7f00c0de1000, false, false, 2'399, 1, 1'610'612'736, 1'300'000'000,
                   1'073'741'824, 100'000'000, 0},
                  {0, 0x7f00c0de2000, true, false, 4, 0, 0, 0, 0, 0, 0}};
  memory.ranges = {{"step/attention/qkv_proj", 1'200, 88'000'000'000, 88'000'000'000, 100'000'000},
                   {"(no range)", 43, 2'479'108'864, 2'412'000'000, 479'108'864}};
  memory.ranges[0].blocks_at_end = 50;
  memory.ranges[0].instances = 60;
  memory.ranges[0].instances_left = 50;
  memory.ranges[0].first_left_ns = 2e8;
  memory.ranges[0].last_left_ns = 1.4e9;
  memory.ranges[1].blocks_at_end = 2;
  memory.growth = Growth();
  memory.failures = {{"cudaMalloc",
                      "step/attention/qkv_proj",
                      kProjection,
                      "aten::linear",
                      2,
                      1.1e9,
                      0,
                      3'100'000'000,
                      {{"step/attention/qkv_proj", 2, 3'100'000'000}},
                      {{kProjection, 2, 3'100'000'000}},
                      310'612'736}};
  const TensorSegments segments = {12, 3'000'000'000, 400'000'000, 31, 150'000'000, 4'096};
  TensorMemory tensors;
  tensors.peak_bytes = 2'600'000'000;
  tensors.peak_at_ns = 1.15e9;
  tensors.bytes_at_end = 1'100'000'000;
  tensors.allocations = 48'211;
  tensors.blocks_at_peak = 310;
  tensors.roles = {{TensorRole::kActivation, 250, 1'500'000'000},
                   {TensorRole::kWeight, 60, 1'100'000'000}};
  tensors.holders = {{"step/attention/qkv_proj", 310, 2'600'000'000}};
  tensors.lines = {{kProjection, 310, 2'600'000'000}};
  tensors.ops = {{"aten::linear", 310, 2'600'000'000}};
  tensors.segments = segments;
  tensors.roles_named = true;
  memory.tensors = {tensors};
  TensorFailure refused;
  refused.bytes = 320'000'000;
  refused.range = "step/attention/qkv_proj";
  refused.place = kProjection;
  refused.op = "aten::linear";
  refused.count = 1;
  refused.first_at_ns = 1.16e9;
  refused.allocated = 2'600'000'000;
  refused.roles = tensors.roles;
  refused.lines = tensors.lines;
  refused.segments = segments;
  memory.tensor_failures = {refused};
  memory.frees_missing = 1;
  memory.records_lost = true;
  memory.unified = {{"host to device", "prefetch", 0, 32, 67'108'864, 0, 2'200'000},
                    {"GPU page faults", "read", 0, 12, 0, 480, 900'000},
                    {"CPU page faults", "write", {}, 7, 0, 0, 0}};
  return memory;
}

}  // namespace

Report ExampleReport() {
  Report report;
  report.command = "./train --steps 40 --data /data/set";
  report.host = "node7";
  report.prof_version = "0.1.0";
  report.nvidia_driver = "580.159.04";
  report.pid = 4242;
  report.start_ns = 1'796'000'000'123'456'789;
  report.rank = 3;
  report.span_ns = 13'157'678;
  report.profiler_ns = 812'000;
  report.undisturbed_ns = 12'345'678;
  report.counter_cost_ns = 1'730'000;
  report.totals = {1'320, 43, 1, 1'500, 80, 14};
  DeviceReport device;
  device.name = "NVIDIA H200";
  device.chip = "GH100";
  device.sm_count = 132;
  device.busy_ns = 10'245'678;
  device.idle_ns = 2'100'000;
  device.sm_clock_hz = Of(14, 1.755e9, 1.74e9, 1.755e9);
  device.dram_clock_hz = Of(14, 3.2e9, 3.2e9, 3.2e9);
  device.dram_peak_bytes_per_s = 4.81e12;
  report.devices = {device};
  report.kernels = {Saxpy(), Gemm(), Reduce()};
  report.regions = {Decode()};
  for (KernelReport& kernel : report.kernels) {
    kernel.units = analyzer::FindUnits(kernel.metrics, analyzer::MayUseShared(kernel));
  }
  report.verdicts = analyzer::CoverVerdicts(report.kernels);
  report.kernels[0].busy_ns = report.kernels[0].critical_ns = 7'141'000;
  report.kernels[1].busy_ns = report.kernels[1].critical_ns = 1'900'000;
  report.kernels[2].busy_ns = report.kernels[2].critical_ns = 492'000;
  report.ranges = Ranges();
  report.actions = Actions();
  report.api_calls = {{"cudaStreamSynchronize", 40, 2'890'000, 91'000, 0},
                      {"cudaLaunchKernel_v7000", 80, 402'000, 41'000, 1}};
  for (RegionReport& region : report.regions) {
    region.units = analyzer::FindUnits(region.metrics, true);
  }
  AddRows(&report);
  report.gaps = {{0, GapCause::kSync, 40, 1'491'000, 52'100, "step",
                  "52.1 us after cudaStreamSynchronize in step, before saxpy"},
                 {0, GapCause::kLaunch, 41, 609'000, 17'900, "step/attention",
                  "17.9 us while the host prepared the launch of reduce<float, 4>"}};
  report.copies = {{0, "host to device", "pageable to device", 40, 167'772'160, 690'000, 0, 320e9},
                   {0, "device to host", "device to pinned", 3, 12'288, 22'678, 11'339}};
  report.streams = {{0, 1, 7, "compute", "null", 0, 1'310, 9'533'000, 1},
                    {0, 1, 13, "", "non-blocking", -5, 54, 712'678, 2},
                    {0, 1, 14, "", "", std::nullopt, 1, 2'100, 0}};
  AddFindings(&report);
  Statistic losses;
  losses.n = 41;
  losses.median = 2.25;
  losses.min = 1.96875;
  losses.max = 10.8125;
  losses.sum = 118.5;
  Statistic sizes;
  sizes.n = 20;
  sizes.min = 1024;
  sizes.median = 25165824;
  sizes.max = 67108864;
  sizes.sum = 503316480;
  report.nvtx.annotations = {{"step/loss", "", "metrics", 0xff76b900, 41, losses},
                             {"step/checkpoint", "", "", 0, 2, {}},
                             {"ncclAllReduce", "Message size [bytes]", "", 0, 0, sizes}};
  report.nvtx.threads = {{4243, "data loader"}};
  report.nvtx.streams = {{"compute", true, 1, 7, 0x7f00c0de0000, 1310},
                         {"copies", false, 0, 0, 0x7f00c0de0040, 0}};
  report.nvtx.open_at_end = 1;
  report.memory = Memory();
  report.notices = {{"warning", "counters", "the stall counters are unavailable (CUPTI error 35)",
                     "run as root, or load the nvidia module with "
                     "NVreg_RestrictProfilingToAdminUsers=0"}};
  report.integrity = {"12 kernel records were dropped by CUPTI: times are lower bounds."};
  return report;
}

}  // namespace prof::test
