// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/timeline/planted_program.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "prof/analyzer.h"

namespace prof::test {
namespace {

constexpr uint32_t kProfTid = 9000;
constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;
constexpr int64_t kLaunchCallNs = 4 * kUs;
constexpr int64_t kArrivalNs = 2 * kUs;   // from the launch's return to the GPU
constexpr int64_t kBackToBackNs = 1'000;  // between two operations of a stream
constexpr double kLinkBytesPerNs = 50, kPageableBytesPerNs = 10;

}  // namespace

PlantedProgram::PlantedProgram(uint32_t seed, const PlantedProf& prof)
    : prof_(prof), random_(seed), prof_random_(seed + 1) {
  if (prof.setup) holds_.push_back({host_ns_ + 50 * kUs, 300 * kMs, model::ProfilerWork::kSetup});
  int64_t at_ns = host_ns_ + (prof.setup ? 300 * kMs : 0);
  for (int i = 0; i < prof.changes; ++i) {
    at_ns += 10 * kMs + static_cast<int64_t>(prof_random_() % (30 * kMs));
    const int64_t length_ns = 7 * kMs + static_cast<int64_t>(prof_random_() % (53 * kMs));
    holds_.push_back({at_ns, length_ns, model::ProfilerWork::kRotate});
    at_ns += length_ns;
  }
}

int64_t PlantedProgram::Draw(int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random_() % static_cast<uint32_t>(most - least + 1));
}

// 5 % up or down.
int64_t PlantedProgram::Jitter(int64_t ns) { return ns + ns * Draw(-50, 50) / 1000; }

int64_t PlantedProgram::Idle() const {
  int64_t idle_ns = not_before_ns_;
  for (const auto& [stream, until_ns] : streams_) idle_ns = std::max(idle_ns, until_ns);
  return idle_ns;
}

// A launch during prof's work returns after it; where prof works in the launch, it begins there.
void PlantedProgram::HoldLaunch() {
  for (Hold& hold : holds_) {
    if (hold.done || hold.begin_ns > host_ns_) continue;
    hold.done = true;
    const int64_t begin_ns = prof_.own_thread ? hold.begin_ns : host_ns_;
    const int64_t end_ns = begin_ns + hold.length_ns;
    builder_.Profiler(hold.work, begin_ns, end_ns, prof_.own_thread ? kProfTid : kMainTid);
    host_ns_ = std::max(host_ns_, end_ns);
  }
}

PlantedProgram::Started PlantedProgram::Begin(const char* api, int64_t call_ns, uint32_t stream,
                                              bool may_be_sampled) {
  Started started;
  started.how.api = api;
  started.how.stream = stream;
  started.how.api_start_ns = host_ns_;
  int64_t own_ns = Jitter(call_ns);
  const bool sampling = !holds_.empty() && holds_.front().done && !holds_.back().done;
  if (sampling && may_be_sampled) own_ns += prof_.slower_launch_ns;
  const bool draw = std::uniform_real_distribution<>(0, 1)(prof_random_) < prof_.sampled_share;
  HoldLaunch();
  if (may_be_sampled && draw && host_ns_ >= next_sample_ns_) {
    started.sampled = true;
    started.sample_begin_ns = host_ns_;
    if (prof_.waits) {
      host_ns_ = std::max(host_ns_, Idle()) + 400 * kUs;
    } else {
      host_ns_ += 25 * kUs;
      not_before_ns_ = Idle() + 20 * kUs;
    }
  }
  host_ns_ += own_ns;
  const int64_t stream_ns = streams_.count(stream) != 0 ? streams_[stream] + kBackToBackNs : 0;
  started.earliest_ns = std::max({host_ns_ + kArrivalNs, stream_ns, not_before_ns_});
  return started;
}

void PlantedProgram::End(const Started& started, uint32_t correlation, int64_t op_end_ns) {
  streams_[started.how.stream] = op_end_ns;
  if (!started.sampled) return;
  if (prof_.waits) {
    host_ns_ = std::max(host_ns_, op_end_ns) + 500 * kUs;
  } else {
    host_ns_ += 25 * kUs;
    not_before_ns_ = op_end_ns + 20 * kUs;
  }
  next_sample_ns_ = host_ns_ + prof_.pause_ns;
  builder_.Profiler(model::ProfilerWork::kSample, started.sample_begin_ns, host_ns_);
  const std::map<std::string, double> metrics = {{"gpc__cycles_elapsed.avg.per_second", 1.755e9}};
  if (started.how.graph != 0) {
    builder_.GraphSample(correlation, metrics);
  } else {
    builder_.Sample(correlation, metrics);
  }
}

void PlantedProgram::Kernel(uint32_t shape, int64_t length_ns, uint32_t stream) {
  Started started = Begin("cudaLaunchKernel", kLaunchCallNs, stream, true);
  const int64_t end_ns = started.earliest_ns + Jitter(length_ns);
  started.how.api_end_ns = host_ns_;
  const uint32_t id = builder_.Kernel(shape, "", started.earliest_ns, end_ns, started.how);
  End(started, id, end_ns);
}

void PlantedProgram::Graph(uint32_t shape, int64_t node_ns, int nodes) {
  Started started = Begin("cudaGraphLaunch", 2 * kLaunchCallNs, 7, true);
  started.how.api_end_ns = host_ns_;
  started.how.graph = 1;
  int64_t at_ns = started.earliest_ns;
  for (int i = 0; i < nodes; ++i) {
    const int64_t end_ns = at_ns + Jitter(node_ns);
    started.how.graph_node = static_cast<uint64_t>(i) + 1;
    started.how.no_api = i > 0;
    started.how.correlation = builder_.Kernel(shape, "", at_ns, end_ns, started.how);
    if (i + 1 == nodes) End(started, started.how.correlation, end_ns);
    at_ns = end_ns + kBackToBackNs;
  }
}

void PlantedProgram::Copy(model::CopyKind kind, uint64_t bytes, CopyHow how, uint32_t stream) {
  const bool sync = how == CopyHow::kSync, pageable = how == CopyHow::kPageable;
  Started started = Begin(sync ? "cudaMemcpy" : "cudaMemcpyAsync", 3 * kUs, stream, false);
  const double rate = pageable ? kPageableBytesPerNs : kLinkBytesPerNs;
  const int64_t length_ns = 1'500 + std::llround(static_cast<double>(bytes) / rate);
  const int64_t end_ns = started.earliest_ns + length_ns;
  if (sync || pageable) host_ns_ = end_ns + 3 * kUs;
  started.how.api_end_ns = host_ns_;
  started.how.synchronous = sync;
  const bool to_host = kind == model::CopyKind::kDeviceToHost;
  const auto host = pageable ? model::MemoryKind::kPageable : model::MemoryKind::kPinned;
  const auto device = model::MemoryKind::kDevice;
  const uint32_t id = builder_.Copy(kind, to_host ? device : host, to_host ? host : device, bytes,
                                    "", started.earliest_ns, end_ns, started.how);
  End(started, id, end_ns);
}

void PlantedProgram::Wait(const char* name, int64_t more_ns, uint32_t stream) {
  const int64_t begin_ns = host_ns_;
  host_ns_ = std::max(host_ns_, std::max(streams_[stream], not_before_ns_)) + Jitter(more_ns);
  builder_.Api(name, begin_ns, host_ns_);
}

void PlantedProgram::WaitOnDevice(uint32_t stream, uint32_t other) {
  builder_.Api("cudaStreamWaitEvent", host_ns_, host_ns_ + 500);
  host_ns_ += 500;
  streams_[stream] = std::max(streams_[stream], streams_[other] + kUs);
}

void PlantedProgram::Enter(const std::string& range) { ranges_.emplace_back(range, host_ns_); }

void PlantedProgram::Leave() {
  builder_.Range(ranges_.back().first, ranges_.back().second, host_ns_);
  ranges_.pop_back();
}

Report PlantedProgram::Analyzed() {
  Wait("cudaDeviceSynchronize");
  return Analyze(builder_.Snapshot());
}

namespace {

using CopyHow = PlantedProgram::CopyHow;
using model::CopyKind;

constexpr int64_t kRunNs = 120 * kMs;

// Runs `step` until the clean program has run for kRunNs: as often with prof as without.
template <typename Step>
void Repeat(int64_t step_ns, Step step) {
  for (int64_t i = 0; i < kRunNs / step_ns; ++i) step();
}

void WaitAfterEach(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t length_ns = p->Draw(20, 80) * kUs, host_ns = p->Draw(2, 6) * kUs;
  Repeat(length_ns + host_ns + 10 * kUs, [&] {
    p->Kernel(k, length_ns);
    p->Wait("cudaStreamSynchronize");
    p->Work(host_ns);
  });
}

void AllocateAroundEach(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t length_ns = p->Draw(30, 90) * kUs, alloc_ns = p->Draw(30, 60) * kUs;
  Repeat(length_ns + 2 * alloc_ns, [&] {
    p->Wait("cudaMalloc", alloc_ns);
    p->Kernel(k, length_ns);
    p->Wait("cudaFree", alloc_ns);
  });
}

void CopyBackAfterEach(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t length_ns = p->Draw(20, 60) * kUs;
  const auto bytes = static_cast<uint64_t>(p->Draw(4'000, 40'000));
  Repeat(length_ns + 20 * kUs, [&] {
    p->Kernel(k, length_ns);
    p->Copy(CopyKind::kDeviceToHost, bytes, CopyHow::kSync);
    p->Work(3 * kUs);
  });
}

void TinyKernels(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t length_ns = p->Draw(1'800, 2'600), host_ns = p->Draw(500, 2'000);
  Repeat(4 * kUs + host_ns, [&] {
    p->Kernel(k, length_ns);
    p->Work(host_ns);
  });
}

void Graphs(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t node_ns = p->Draw(4, 10) * kUs;
  const auto nodes = static_cast<int>(p->Draw(6, 12));
  Repeat(nodes * (node_ns + kUs) + 30 * kUs, [&] {
    p->Graph(k, node_ns, nodes);
    p->Wait("cudaStreamSynchronize");
    p->Work(10 * kUs);
  });
}

void TwoStreamsInTurns(PlantedProgram* p) {
  const uint32_t a = p->Shape("a"), b = p->Shape("b");
  const int64_t length_ns = p->Draw(40, 90) * kUs;
  int i = 0;
  Repeat(2 * length_ns, [&] {
    p->Kernel(a, length_ns, 7);
    p->WaitOnDevice(8, 7);
    p->Kernel(b, length_ns, 8);
    p->WaitOnDevice(7, 8);
    if (++i % 64 == 0) p->Wait("cudaStreamSynchronize", 2 * kUs, 7);
  });
}

void DataLoader(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t load_ns = p->Draw(2'000, 5'000) * kUs, length_ns = p->Draw(40, 80) * kUs;
  const int64_t kernels = p->Draw(20, 60);
  Repeat(load_ns + kernels * 5 * kUs, [&] {
    p->Enter("step");
    p->Enter("step/load");
    p->Work(load_ns);
    p->Leave();
    for (int64_t i = 0; i < kernels; ++i) p->Kernel(k, length_ns);
    p->Leave();
  });
}

void ItemPerStep(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t length_ns = p->Draw(20, 50) * kUs, kernels = p->Draw(4, 10);
  Repeat(kernels * length_ns + 80 * kUs, [&] {
    p->Enter("step");
    for (int64_t i = 0; i < kernels; ++i) p->Kernel(k, length_ns);
    p->Copy(CopyKind::kDeviceToHost, 4, CopyHow::kPageable);
    p->Wait("cudaStreamSynchronize");
    p->Work(60 * kUs);
    p->Leave();
  });
}

void AllocationInTheLoop(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t length_ns = p->Draw(20, 50) * kUs, kernels = p->Draw(10, 30);
  const int64_t alloc_ns = p->Draw(150, 300) * kUs;
  Repeat(kernels * length_ns + 2 * alloc_ns, [&] {
    p->Enter("step");
    p->Wait("cudaMalloc", alloc_ns);
    for (int64_t i = 0; i < kernels; ++i) p->Kernel(k, length_ns);
    p->Wait("cudaFree", alloc_ns / 2);
    p->Leave();
  });
}

void PageableCopies(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t length_ns = p->Draw(200, 400) * kUs;
  const auto bytes = static_cast<uint64_t>(p->Draw(1, 4)) << 20;
  Repeat(length_ns + 200 * kUs, [&] {
    p->Copy(CopyKind::kHostToDevice, bytes, CopyHow::kPageable);
    p->Kernel(k, length_ns);
  });
}

void OverlappedCopies(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t length_ns = p->Draw(100, 200) * kUs;
  int i = 0;
  Repeat(length_ns, [&] {
    p->Copy(CopyKind::kHostToDevice, 2'000'000, CopyHow::kAsync, 8);
    p->Kernel(k, length_ns);
    if (++i % 50 == 0) p->Wait("cudaDeviceSynchronize");
  });
}

void NothingWrong(PlantedProgram* p) {
  const uint32_t k = p->Shape("k");
  const int64_t length_ns = p->Draw(30, 90) * kUs;
  int i = 0;
  Repeat(length_ns, [&] {
    p->Kernel(k, length_ns);
    if (++i % 100 == 0) p->Wait("cudaDeviceSynchronize");
  });
}

}  // namespace

const std::vector<PlantedKind>& PlantedKinds() {
  static const std::vector<PlantedKind> kinds = {
      {"a wait after each launch", WaitAfterEach},
      {"cudaMalloc and cudaFree around each launch", AllocateAroundEach},
      {"a copy back after each launch", CopyBackAfterEach},
      {"tiny kernels", TinyKernels},
      {"graphs", Graphs},
      {"two streams in turns", TwoStreamsInTurns},
      {"a data loader", DataLoader},
      {"a value read in each step", ItemPerStep},
      {"allocations in the loop", AllocationInTheLoop},
      {"pageable copies", PageableCopies},
      {"overlapped copies", OverlappedCopies},
      {"nothing wrong", NothingWrong}};
  return kinds;
}

}  // namespace prof::test
