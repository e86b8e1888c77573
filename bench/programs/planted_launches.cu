// SPDX-License-Identifier: Apache-2.0
//
// How kernels are launched: one by one, in graphs, from two threads.
#include <memory>
#include <thread>

#include "planted.h"

namespace {

// A part of the time is enough where most is launched: recordings stay small.
constexpr double kLaunchesPart = 0.6, kNodesPart = 0.4;

class Graph {
 public:
  Graph(const Machine& machine, const std::function<void()>& work) {
    cudaGraph_t graph = nullptr;
    CUDA_CHECK(cudaStreamBeginCapture(machine.streams[0], cudaStreamCaptureModeThreadLocal));
    work();
    CUDA_CHECK(cudaStreamEndCapture(machine.streams[0], &graph));
    CUDA_CHECK(cudaGraphInstantiate(&made_, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { CUDA_CHECK(cudaGraphExecDestroy(made_)); }

  void Launch(cudaStream_t stream) const { CUDA_CHECK(cudaGraphLaunch(made_, stream)); }

 private:
  cudaGraphExec_t made_ = nullptr;
};

Step GraphSteps(Machine* m, const std::function<void()>& work) {
  const auto graph = std::make_shared<Graph>(*m, work);
  return [=](int64_t) { graph->Launch(m->streams[0]); };
}

Step Launches(Machine* m) {
  const double us = m->Draw("kernel_us", 0.1, 0.3);
  return [=](int64_t) { m->ShortKernels(us); };
}

Step TinyNodes(Machine* m) {
  const double us = m->Draw("kernel_us", 0.1, 0.3);
  return GraphSteps(m, [=] { m->ShortKernels(us); });
}

// Nodes are so long that the gaps between them cost little.
Step LargeNodes(Machine* m) {
  const double us = m->Draw("kernel_us", 60, 100);
  return GraphSteps(m, [=] {
    for (int i = 0; i < 10; ++i) m->Work(us);
  });
}

// The host is ahead of the GPU all the time.
Step Queued(Machine* m) {
  const double us = m->Draw("kernel_us", 50, 80);
  return [=](int64_t) {
    for (int i = 0; i < 10; ++i) m->Work(us);
  };
}

Step TwoThreads(Machine* m) {
  const double us = m->Draw("kernel_us", 80, 120);
  const auto launch = [=](int stream) {
    for (int i = 0; i < 10; ++i) m->Work(us, 0.4, stream);
  };
  return [=](int64_t) {
    std::thread other(launch, 1);
    launch(0);
    other.join();
  };
}

Step Clean(Machine* m) {
  const double us = m->Draw("kernel_us", 200, 280);
  return [=](int64_t) { m->Work(us, 8); };
}

}  // namespace

Timelines LaunchTimelines() {
  return {{"launches", Launches, kLaunchesPart}, {"graph", TinyNodes, kNodesPart},
          {"graph-large", LargeNodes},           {"queued", Queued},
          {"two-threads", TwoThreads},           {"clean", Clean}};
}
