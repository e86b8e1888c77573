// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/timelines/timelines.h"

#include <algorithm>

namespace prof::test {
namespace {

using model::CopyKind;
using model::StreamFlag;

constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;

// As many steps of about `step_ns` as make a run of some 60 ms.
int64_t Steps(int64_t step_ns) { return std::max<int64_t>(20, 60 * kMs / step_ns); }

void Repeat(int64_t steps, const std::function<void()>& step) {
  for (int64_t i = 0; i < steps; ++i) step();
}

// T01, T02. Kernels that are shorter than a launch; the fix launches them in graphs.
void TinyKernels(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("tiny", p->machine().launch_call / 3 + p->Draw(0, 300));
  const std::vector<SimulatedKernel> nodes(50, k);
  Repeat(60, [&] {
    if (fixed) return p->Graph(nodes);
    Repeat(50, [&] { p->Kernel(k); });
  });
}
void TinyKernelsInGraphs(SimulatedRun* p, bool) { TinyKernels(p, true); }

void WaitAfterEachKernel(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(15, 60));
  Repeat(Steps(k.length_ns), [&] {
    p->Kernel(k);
    if (!fixed) p->SyncStream();
  });
}

void HostWorkWithoutWait(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(100, 300));
  const int64_t work_ns = k.length_ns + p->DrawUs(200, 600);
  Repeat(Steps(work_ns), [&] {
    p->Enter("prep");
    if (!fixed) p->Work(work_ns);
    p->Leave();
    p->Kernel(k);
  });
}

void PageableInput(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(200, 400));
  const auto bytes = static_cast<uint64_t>(p->Draw(1, 4)) << 20;
  Repeat(Steps(2 * k.length_ns), [&] {
    p->Copy(CopyKind::kHostToDevice, bytes, fixed, true);
    p->Kernel(k);
  });
}

void PinnedInput(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(150, 400));
  const auto bytes = static_cast<uint64_t>(static_cast<double>(k.length_ns) * p->machine().pinned *
                                           0.01 * static_cast<double>(p->Draw(50, 90)));
  Repeat(Steps(2 * k.length_ns), [&] {
    p->Copy(CopyKind::kHostToDevice, bytes, true, true, fixed ? 8 : 7);
    p->Kernel(k);
  });
}
void OverlappedInput(SimulatedRun* p, bool) { PinnedInput(p, true); }

void ManySmallCopies(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(100, 200));
  const int64_t copies = p->Draw(60, 120);
  Repeat(60, [&] {
    if (fixed) {
      p->Copy(CopyKind::kHostToDevice, 4096 * static_cast<uint64_t>(copies), true, true);
    } else {
      Repeat(copies, [&] { p->Copy(CopyKind::kHostToDevice, 4096, true, true); });
    }
    p->Kernel(k);
  });
}

// T09, T10. Two kernels on a quarter of the SMs that do not depend on each other.
void TwoSmallGrids(SimulatedRun* p, bool fixed) {
  const SimulatedKernel a = p->Plan("a", p->DrawUs(30, 80), 0.25);
  const SimulatedKernel b = p->Plan("b", a.length_ns, 0.25);
  Repeat(Steps(a.length_ns + b.length_ns), [&] {
    p->Kernel(a, 7);
    p->Kernel(b, fixed ? 8 : 7);
  });
}
void TwoSmallGridsOnTwoStreams(SimulatedRun* p, bool) { TwoSmallGrids(p, true); }

void TwoFullGrids(SimulatedRun* p, bool) {
  const SimulatedKernel a = p->Plan("a", p->DrawUs(40, 90)), b = p->Plan("b", p->DrawUs(40, 90));
  Repeat(Steps(a.length_ns + b.length_ns), [&] {
    p->Kernel(a);
    p->Kernel(b);
  });
}

// T12, T13. Elementwise kernels, one after the other, that the host launches in time.
void ElementwiseChain(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("add", p->DrawUs(150, 250));
  Repeat(Steps(k.length_ns), [&] { p->Kernel(k); });
}
void ShortElementwiseChain(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("add", p->DrawUs(35, 50));
  Repeat(Steps(k.length_ns), [&] { p->Kernel(k); });
}

// T14, T24. A gradient's all-reduce behind the backward pass, or beside it; one rank may be late.
void AllReduce(SimulatedRun* p, bool overlapped, int64_t late_ns) {
  const SimulatedKernel k = p->Plan("gemm", p->DrawUs(100, 200), 0.8);
  const int64_t comm_ns = p->DrawUs(120, 300);
  Repeat(Steps(4 * k.length_ns), [&] {
    Repeat(3, [&] { p->Kernel(k, 7); });
    const int64_t wait_ns = p->Draw(0, 9) == 0 ? late_ns : 0;
    const SimulatedKernel comm = p->Plan("ncclDevKernel_AllReduce", comm_ns + wait_ns, 0.15);
    if (!overlapped) p->WaitEvent(8, p->Record(7));
    p->Kernel(comm, 8);
    if (!overlapped) p->WaitEvent(7, p->Record(8));
  });
}
void ExposedAllReduce(SimulatedRun* p, bool fixed) { AllReduce(p, fixed, 0); }
void LateRank(SimulatedRun* p, bool) { AllReduce(p, false, 2 * kMs); }
void OverlappedAllReduce(SimulatedRun* p, bool) { AllReduce(p, true, 0); }

void AllocationInEachStep(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(20, 60));
  const int64_t kernels = p->Draw(3, 8);
  Repeat(Steps(kernels * k.length_ns), [&] {
    if (!fixed) p->Allocate();
    Repeat(kernels, [&] { p->Kernel(k); });
    if (!fixed) p->Free();
  });
}

void LongGemms(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("gemm", p->DrawUs(200, 900));
  Repeat(Steps(k.length_ns), [&] { p->Kernel(k); });
}

// T17. A layer of kernels, none of them tiny, with a wait behind each layer.
void WaitAfterEachLayer(SimulatedRun* p, bool fixed) {
  std::vector<SimulatedKernel> layer;
  for (const int64_t us : {11, 13, 10, 12, 14, 12}) {
    layer.push_back(p->Plan("k" + std::to_string(us), us * kUs + p->Draw(0, 1'500)));
  }
  Repeat(400, [&] {
    p->Enter("layer");
    for (const SimulatedKernel& k : layer) p->Kernel(k);
    p->Leave();
    if (!fixed) p->SyncDevice();
  });
}

void GraphOfTinyNodes(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("node", p->Draw(900, 1'500));
  const std::vector<SimulatedKernel> nodes(static_cast<size_t>(p->Draw(60, 120)), k);
  Repeat(100, [&] { p->Graph(nodes); });
}

// T19, T20. A value read in each step, and work of the host behind it.
void ItemAndWork(SimulatedRun* p, bool fixed, int64_t gpu_ns, int64_t host_ns, int64_t steps) {
  const SimulatedKernel k = p->Plan("k", gpu_ns / 4);
  Repeat(steps, [&] {
    p->Enter("step");
    Repeat(4, [&] { p->Kernel(k); });
    if (!fixed) p->Copy(CopyKind::kDeviceToHost, 4, false, true);
    p->Work(host_ns);
    p->Leave();
  });
}
void ItemWithFastHost(SimulatedRun* p, bool fixed) {
  const int64_t host_ns = p->DrawUs(120, 180);
  const int64_t gpu_ns = host_ns + p->DrawUs(80, 150);
  ItemAndWork(p, fixed, gpu_ns, host_ns, Steps(gpu_ns + host_ns));
}
// The fix is a host that does its work elsewhere.
void ItemWithSlowHost(SimulatedRun* p, bool fixed) {
  const int64_t gpu_ns = p->DrawUs(60, 100);
  const int64_t host_ns = gpu_ns + p->DrawUs(200, 300);
  ItemAndWork(p, false, gpu_ns, fixed ? 0 : host_ns, Steps(gpu_ns + host_ns));
}
void ItemBehindTheQueue(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(50, 90));
  int64_t last_ns = 0;
  Repeat(Steps(4 * k.length_ns), [&] {
    Repeat(4, [&] { p->Kernel(k); });
    if (last_ns > 0) p->SyncEvent(last_ns);  // of the step before
    last_ns = p->Record(7);
  });
}

void ClockFalls(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("gemm", p->DrawUs(100, 300));
  for (int i = 0; i < 200; ++i) {
    if (i == 100) p->SetSlowness(1.3);
    p->Enter("step");
    p->Kernel(k);
    p->Leave();
  }
}

void OneStepIn50(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(80, 160));
  for (int i = 0; i < 300; ++i) {
    p->Enter("step");
    Repeat(i % 50 == 49 && !fixed ? 20 : 2, [&] { p->Kernel(k); });
    p->Leave();
  }
}

void SlowerEachStep(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(80, 160));
  for (int i = 0; i < 400; ++i) {
    if (!fixed) p->SetSlowness(1 + 0.001 * i);
    p->Enter("step");
    Repeat(2, [&] { p->Kernel(k); });
    p->Leave();
  }
}

void LegacyDefaultStream(SimulatedRun* p, bool fixed) {
  p->DeclareStream(7, StreamFlag::kNull);
  p->DeclareStream(8, fixed ? StreamFlag::kNonBlocking : StreamFlag::kDefault);
  const SimulatedKernel a = p->Plan("a", p->DrawUs(80, 160), 0.5);
  const SimulatedKernel b = p->Plan("b", p->DrawUs(80, 160), 0.5);
  Repeat(Steps(a.length_ns + b.length_ns), [&] {
    p->Kernel(a, 7);
    p->Kernel(b, 8);
  });
}

void EventPingPong(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(27, 35));
  Repeat(Steps(2 * k.length_ns), [&] {
    p->Kernel(k, 7);
    if (!fixed) p->WaitEvent(8, p->Record(7));
    p->Kernel(k, fixed ? 7 : 8);
    if (!fixed) p->WaitEvent(7, p->Record(8));
  });
}

void AllocationInWarmUp(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(40, 90));
  Repeat(12, [&] {
    p->Allocate();
    p->Kernel(k);
  });
  Repeat(Steps(k.length_ns), [&] { p->Kernel(k); });
}

void LazyLoading(SimulatedRun* p, bool fixed) {
  for (int i = 0; i < 60; ++i) {
    const SimulatedKernel k = p->Plan("k" + std::to_string(i), p->DrawUs(20, 60));
    const int64_t loading_ns = p->DrawUs(200, 600);
    if (fixed) {
      p->Kernel(k);
    } else {
      p->LoadAndLaunch(k, loading_ns);
    }
    Repeat(4, [&] { p->Kernel(k); });
  }
}

// T29. Page faults make kernels longer; the host has launched long before.
void PageFaults(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(80, 160));
  Repeat(Steps(2 * k.length_ns), [&] {
    p->SetSlowness(p->Draw(0, 3) == 0 ? 4 : 1);
    p->Kernel(k);
  });
}

// T30. Another process takes the GPU for 2 ms at a time.
void OtherProcess(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(80, 160));
  Repeat(60, [&] {
    Repeat(20, [&] { p->Kernel(k); });
    p->LoseGpu(2 * kMs);
  });
}

// T32. Two threads keep the GPU busy together; one of them may wait behind each of its kernels.
void TwoThreads(SimulatedRun* p, bool waits) {
  const SimulatedKernel a = p->Plan("a", p->DrawUs(200, 300), 0.6);
  const SimulatedKernel b = p->Plan("b", p->DrawUs(60, 100), 0.35);
  p->Interleave({{kMainTid, [&] { p->Kernel(a, 7); }},
                 {2000,
                  [&] {
                    p->Kernel(b, 8);
                    if (waits) p->SyncStream(8);
                  }}},
                250);
}
void TwoThreadsLaunch(SimulatedRun* p, bool) { TwoThreads(p, false); }
void OneOfTwoThreadsWaits(SimulatedRun* p, bool) { TwoThreads(p, true); }

void UnevenDevices(SimulatedRun* p, bool fixed) {
  p->DeclareStream(7, StreamFlag::kNonBlocking, 0);
  p->DeclareStream(8, StreamFlag::kNonBlocking, 1);
  const int64_t length_ns = p->DrawUs(150, 300);
  const SimulatedKernel a = p->Plan("a", fixed ? length_ns * 3 / 4 : length_ns);
  const SimulatedKernel b = p->Plan("b", fixed ? length_ns * 3 / 4 : length_ns / 2);
  Repeat(Steps(length_ns), [&] {
    p->Kernel(a, 7);
    p->Kernel(b, 8);
    p->WaitEvent(8, p->Record(7));
  });
}

void CopiesOnTheDevice(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(80, 160));
  const auto bytes = static_cast<uint64_t>(p->Draw(64, 128)) << 20;
  Repeat(Steps(2 * k.length_ns), [&] {
    p->Kernel(k);
    if (fixed) return;
    p->DeviceCopy(bytes);
    p->Memset(bytes / 4);
  });
}

// --- Stretches: a run of two to three seconds, and a phase of it in the middle -------------------

constexpr int64_t kPhaseNs = 130 * kMs;

void LongRun(SimulatedRun* p, const std::function<void()>& phase) {
  const SimulatedKernel k = p->Plan("gemm", p->DrawUs(900, 1'100));
  Repeat(1'700, [&] { p->Kernel(k); });
  phase();
  Repeat(1'700, [&] { p->Kernel(k); });
}

// T35. Kernels that are shorter than a launch; the fix is one kernel.
void LaunchBoundPhase(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("tiny", p->machine().launch_call / 3 + p->Draw(0, 300));
  const int64_t count = kPhaseNs / p->machine().launch_call;
  LongRun(p, [&] {
    if (fixed) return p->Kernel(p->Plan("all", k.length_ns * count));
    Repeat(count, [&] { p->Kernel(k); });
  });
}

void WaitingPhase(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(9, 12));
  LongRun(p, [&] {
    Repeat(kPhaseNs / (2 * k.length_ns), [&] {
      p->Kernel(k);
      if (!fixed) p->SyncStream();
    });
  });
}

// T37 to T40. What is no phase: a short one, waits over all of the run, one stall, the warm-up.
void ShortBadPhase(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("tiny", p->machine().launch_call / 3);
  LongRun(p, [&] { Repeat(20 * kMs / p->machine().launch_call, [&] { p->Kernel(k); }); });
}
void WaitsAllOver(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("gemm", p->DrawUs(450, 550));
  Repeat(4'000, [&] {
    p->Kernel(k);
    p->SyncStream();
  });
}
void OneLongStall(SimulatedRun* p, bool) {
  LongRun(p, [&] {
    p->SyncDevice();
    p->Work(100 * kMs);
  });
}
void AllocationInLongWarmUp(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(20, 40));
  Repeat(100 * kMs / (p->machine().allocate + k.length_ns), [&] {
    p->Allocate();
    p->Kernel(k);
  });
  LongRun(p, [] {});
}

// T41. The finding about the whole run has the phase.
void HalfLaunchBound(SimulatedRun* p, bool) {
  const SimulatedKernel k = p->Plan("tiny", p->machine().launch_call / 3);
  const SimulatedKernel gemm = p->Plan("gemm", p->DrawUs(900, 1'100));
  Repeat(200, [&] { p->Kernel(gemm); });
  Repeat(150 * kMs / p->machine().launch_call, [&] { p->Kernel(k); });
}

// --- Steps of programs without ranges ------------------------------------------------------------

// T42. A value is read in each step, and one step in 50 evaluates.
void EvaluationIn50(SimulatedRun* p, bool fixed) {
  const SimulatedKernel forward = p->Plan("forward", p->DrawUs(100, 160));
  const SimulatedKernel backward = p->Plan("backward", p->DrawUs(150, 250));
  const SimulatedKernel update = p->Plan("update", p->DrawUs(60, 90));
  const SimulatedKernel score = p->Plan("score", p->DrawUs(80, 160));
  for (int i = 0; i < 300; ++i) {
    for (const SimulatedKernel& k : {forward, backward, update}) p->Kernel(k);
    if (i % 50 == 24 && !fixed) Repeat(20, [&] { p->Kernel(score); });
    p->Copy(CopyKind::kDeviceToHost, 4, true, true);
  }
}

void SlowerEachTurn(SimulatedRun* p, bool fixed) {
  const SimulatedKernel a = p->Plan("a", p->DrawUs(80, 160)), b = p->Plan("b", p->DrawUs(80, 160));
  for (int i = 0; i < 400; ++i) {
    if (!fixed) p->SetSlowness(1 + 0.001 * i);
    p->Kernel(a);
    p->Kernel(b);
    p->Copy(CopyKind::kDeviceToHost, 4, true, true);
  }
}

// T44. Nothing repeats, and now and then a kernel is long.
void RandomOrder(SimulatedRun* p, bool) {
  std::vector<SimulatedKernel> kernels;
  for (const char* name : {"a", "b", "c", "d"})
    kernels.push_back(p->Plan(name, p->DrawUs(80, 120)));
  kernels.push_back(p->Plan("long", 2 * kMs));
  Repeat(1'000, [&] {
    p->Kernel(kernels[static_cast<size_t>(p->Draw(0, 39) == 0 ? 4 : p->Draw(0, 3))]);
    if (p->Draw(0, 9) == 0) p->SyncStream();
  });
}

// T45. Too few steps to know any, and many layers; the head takes longer than a layer.
void FewStepsOfManyLayers(SimulatedRun* p, bool) {
  const SimulatedKernel norm = p->Plan("norm", p->DrawUs(20, 40));
  const SimulatedKernel attention = p->Plan("attention", p->DrawUs(60, 90));
  const SimulatedKernel mlp = p->Plan("mlp", p->DrawUs(80, 120));
  const SimulatedKernel head = p->Plan("head", p->DrawUs(900, 1'100));
  Repeat(12, [&] {
    Repeat(32, [&] {
      for (const SimulatedKernel& k : {norm, attention, mlp}) p->Kernel(k);
    });
    p->Kernel(head);
  });
}

// T46. Each phase has its own steps, and none of them is long.
void TrainingAndInference(SimulatedRun* p, bool) {
  const SimulatedKernel forward = p->Plan("forward", p->DrawUs(100, 160));
  const SimulatedKernel backward = p->Plan("backward", p->DrawUs(150, 250));
  Repeat(150, [&] {
    p->Kernel(forward);
    p->Kernel(backward);
    p->Copy(CopyKind::kDeviceToHost, 4, true, true);
  });
  const SimulatedKernel large = p->Plan("large", p->DrawUs(1'000, 1'400));
  Repeat(100, [&] {
    p->Kernel(large);
    p->Copy(CopyKind::kDeviceToHost, 4, true, true);
  });
}

// T47. The host asks until each kernel is done. Now and then it does something before that, and the
// first answer is yes.
void QuestionsAfterEachKernel(SimulatedRun* p, bool fixed) {
  const SimulatedKernel k = p->Plan("k", p->DrawUs(15, 60));
  Repeat(Steps(k.length_ns), [&] {
    p->Kernel(k);
    const int64_t done_ns = p->Record(7);
    if (p->Draw(0, 19) == 0) p->Work(k.length_ns + 5 * kUs);
    if (!fixed) p->AskUntil(done_ns);
  });
}

const std::vector<std::string> kLaunching = {"launch-bound", "cuda-graph"};
const std::vector<std::string> kHost = {"launch-bound", "cuda-graph", "sync-bound", "host-work",
                                        "allocation"};

}  // namespace

const std::vector<TimelineCase>& TimelineCases() {
  static const std::vector<TimelineCase> cases = {
      {"T01",
       "tiny kernels, launched one by one",
       TinyKernels,
       true,
       {"launch-bound"},
       {"sync-bound", "host-work"}},
      {"T02", "the same in CUDA graphs", TinyKernelsInGraphs, false, {"dependency-idle"}, kHost},
      {"T03", "a wait behind each kernel", WaitAfterEachKernel, true, {"sync-bound"}, kLaunching},
      {"T04",
       "host work that the queue does not cover",
       HostWorkWithoutWait,
       true,
       {"host-work"},
       {"sync-bound", "launch-bound", "cuda-graph"}},
      {"T05", "input from pageable memory", PageableInput, true, {"pageable-copy"}, kLaunching},
      {"T06",
       "input on the stream of the kernels",
       PinnedInput,
       true,
       {"copy-not-overlapped"},
       kHost},
      {"T07", "input on a stream of its own", OverlappedInput, false, {}, {}},
      {"T08",
       "many small copies",
       ManySmallCopies,
       true,
       {"small-copies", "launch-bound"},
       {"sync-bound"}},
      {"T09", "two small grids on one stream", TwoSmallGrids, true, {"serialization"}, kHost},
      {"T10", "two small grids on two streams", TwoSmallGridsOnTwoStreams, false, {}, {}},
      {"T11", "two full grids on one stream", TwoFullGrids, false, {}, {}},
      {"T12", "long elementwise kernels", ElementwiseChain, false, {}, {}},
      {"T13",
       "short elementwise kernels that are launched in time",
       ShortElementwiseChain,
       false,
       {},
       {}},
      {"T14",
       "an all-reduce behind the backward pass",
       ExposedAllReduce,
       true,
       {"exposed-communication"},
       kHost},
      {"T14b", "an all-reduce beside the backward pass", OverlappedAllReduce, false, {}, {}},
      {"T15",
       "cudaMalloc and cudaFree in each step",
       AllocationInEachStep,
       true,
       {"allocation"},
       kLaunching},
      {"T16", "long GEMMs back to back", LongGemms, false, {}, {}},
      {"T17", "a wait behind each layer", WaitAfterEachLayer, true, {"sync-bound"}, kLaunching},
      {"T18",
       "graphs of tiny nodes",
       GraphOfTinyNodes,
       false,
       {"dependency-idle", "small-kernels"},
       kHost},
      {"T19a",
       "a value read in each step; the host is fast enough",
       ItemWithFastHost,
       true,
       {"sync-bound"},
       {"launch-bound", "cuda-graph", "host-work"}},
      {"T19b",
       "a value read in each step; the host is too slow",
       ItemWithSlowHost,
       true,
       {"host-work"},
       kLaunching},
      {"T20", "a value of the step before", ItemBehindTheQueue, false, {}, {}},
      {"T21", "a clock that falls", ClockFalls, false, {}, {}},
      {"T22",
       "one step in 50 takes ten times as long",
       OneStepIn50,
       true,
       {"outlier-steps"},
       kHost},
      {"T23", "each step takes 0.1 % longer", SlowerEachStep, true, {"step-drift"}, kHost},
      {"T24",
       "an all-reduce that waits for a late rank",
       LateRank,
       false,
       {"exposed-communication"},
       kHost},
      {"T25", "the legacy default stream", LegacyDefaultStream, true, {"default-stream"}, kHost},
      {"T26", "two streams in turns by events", EventPingPong, true, {"dependency-idle"}, kHost},
      {"T27", "cudaMalloc in the warm-up only", AllocationInWarmUp, false, {}, {}},
      {"T28",
       "code that is loaded at first launches",
       LazyLoading,
       true,
       {"code-loading"},
       {"launch-bound", "cuda-graph", "sync-bound"}},
      {"T29", "page faults within kernels", PageFaults, false, {}, {}},
      {"T30", "another process on the GPU", OtherProcess, false, {"dependency-idle"}, kHost, false},
      {"T32a", "two threads that launch", TwoThreadsLaunch, false, {}, {}, false},
      {"T32b", "two threads, one of them waits", OneOfTwoThreadsWaits, false, {}, {}, false},
      {"T33",
       "one of two devices has twice the work",
       UnevenDevices,
       true,
       {"busiest-device", "dependency-idle"},
       kHost},
      {"T34",
       "copies and memsets on the device",
       CopiesOnTheDevice,
       true,
       {"device-copies"},
       kHost},
      // Not with counters: launches are slower while they are sampled.
      {"T35",
       "a phase of tiny kernels in a good run",
       LaunchBoundPhase,
       true,
       {"idle-stretch"},
       kHost,
       false},
      {"T36", "a phase of waits in a good run", WaitingPhase, true, {"idle-stretch"}, kHost},
      {"T37", "a bad phase of 20 ms", ShortBadPhase, false, {}, {}},
      {"T38", "short waits over all of the run", WaitsAllOver, false, {}, {}},
      // Not with counters: one stall has a larger share of the time that prof has left undisturbed.
      {"T39", "one long stall of the host", OneLongStall, false, {}, {}, false},
      {"T40", "allocations in a long warm-up", AllocationInLongWarmUp, false, {}, {}},
      // Not with counters: the host never waits, and stays as late as prof has made it.
      {"T41",
       "half of the run is launch-bound",
       HalfLaunchBound,
       false,
       {"launch-bound"},
       {"idle-stretch", "sync-bound"},
       false},
      {"T42",
       "an evaluation every 50 steps, without ranges",
       EvaluationIn50,
       true,
       {"outlier-steps"},
       kHost},
      {"T43",
       "each step takes 0.1 % longer, without ranges",
       SlowerEachTurn,
       true,
       {"step-drift"},
       kHost},
      {"T44", "kernels in a random order", RandomOrder, false, {}, {}},
      {"T45", "few steps of many layers, without ranges", FewStepsOfManyLayers, false, {}, {}},
      {"T46", "training and then inference, without ranges", TrainingAndInference, false, {}, {}},
      {"T47",
       "a host that asks behind each kernel until it is done",
       QuestionsAfterEachKernel,
       true,
       {"sync-bound"},
       kLaunching},
  };
  return cases;
}

}  // namespace prof::test
