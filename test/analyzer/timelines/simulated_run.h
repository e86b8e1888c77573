// SPDX-License-Identifier: Apache-2.0
//
// A simulated run has a host and a GPU. Host threads have clocks, and each call costs time. The GPU
// has streams in order, SMs that kernels share, copy engines, a queue that fills up, and calls that
// wait for it. Nothing here knows a rule of the analyzer: what is recorded follows from the costs.
//
// A launch reaches an idle GPU within 5 us, as on the machine that gap_cause.cc has it from. The
// other costs of the machine are drawn more freely, from a seed. The same seed gives the same
// machine.
#ifndef PROF_TEST_ANALYZER_TIMELINES_SIMULATED_RUN_H_
#define PROF_TEST_ANALYZER_TIMELINES_SIMULATED_RUN_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "prof/analyzer.h"
#include "prof/report.h"
#include "test/support/snapshot_builder.h"

namespace prof::test {

// What the machine's calls and hand-overs cost, in nanoseconds; rates in bytes per nanosecond.
struct Machine {
  int64_t launch_call, graph_call, graph_node_call, copy_call, event_call;
  int64_t arrival;          // from a call's return to the GPU
  int64_t back_to_back;     // between two operations of a stream
  int64_t across_streams;   // from an event to a stream that waits for it
  int64_t node_edge;        // between two nodes of a graph
  int64_t wake_up;          // from the end of the work to the return of the call that waits for it
  int64_t allocate, free;   // of the calls themselves
  double pinned, pageable;  // rates of the link
  double jitter;            // of each cost and length: half of a uniform interval
  size_t queue = 1024;      // launches that wait before the next one blocks
};

struct SimulatedKernel {
  uint32_t shape = 0;
  int64_t length_ns = 0;
  double sms = 1;  // the part of the SMs that it fills
};

// prof reads counters of single launches.
struct SimulatedProf {
  double sampled_share = 0;  // of the launches
  int64_t pause_ns = 2'000'000;
};

class SimulatedRun {
 public:
  explicit SimulatedRun(uint32_t seed, const SimulatedProf& prof = {});

  // --- Numbers -----------------------------------------------------------------------------------
  int64_t Draw(int64_t least, int64_t most);
  int64_t DrawUs(int64_t least, int64_t most) { return 1000 * Draw(least, most); }
  const Machine& machine() const { return machine_; }

  // --- The program -------------------------------------------------------------------------------
  // A kernel with a grid that reaches `sms` of the SMs.
  SimulatedKernel Plan(const std::string& name, int64_t length_ns, double sms = 1);
  void DeclareStream(uint32_t stream, model::StreamFlag flag, uint32_t device = 0);

  // Calls that follow are those of this thread. A new one begins where the current one stands.
  void OnThread(uint32_t tid);
  // Runs one turn of the thread that is furthest behind, until each has had `turns`.
  void Interleave(const std::map<uint32_t, std::function<void()>>& turn_of_thread, int turns);

  void Work(int64_t ns);  // code outside CUDA
  void Enter(const std::string& range);
  void Leave();
  void Kernel(const SimulatedKernel& kernel, uint32_t stream = 7);
  // The driver loads the kernel's code within the launch.
  void LoadAndLaunch(const SimulatedKernel& kernel, int64_t loading_ns, uint32_t stream = 7);
  void Graph(const std::vector<SimulatedKernel>& nodes, uint32_t stream = 7);
  void Copy(model::CopyKind kind, uint64_t bytes, bool pinned, bool async, uint32_t stream = 7);
  void DeviceCopy(uint64_t bytes, uint32_t stream = 7);
  void Memset(uint64_t bytes, uint32_t stream = 7);
  void SyncStream(uint32_t stream = 7);
  void SyncDevice();
  void Allocate();  // cudaMalloc and cudaFree wait for the device
  void Free();
  int64_t Record(uint32_t stream);  // an event: the moment in which the stream gets there
  void WaitEvent(uint32_t stream, int64_t event_ns);
  void SyncEvent(int64_t event_ns);
  void AskUntil(int64_t event_ns);  // cudaEventQuery until the answer is yes: one call
  // Another process has the GPU for so long, from the end of what runs now.
  void LoseGpu(int64_t ns, uint32_t device = 0);
  // Lengths of kernels are multiplied by it from here on: a clock that falls.
  void SetSlowness(double factor) { slowness_ = factor; }

  // Both end the program with a wait for the device. The bytes are those of a file.
  std::string Recorded();
  Report Analyzed(const AnalyzeOptions& options = {});

 private:
  struct StreamState {
    uint32_t device = 0;
    model::StreamFlag flag = model::StreamFlag::kNonBlocking;
    int64_t until_ns = 0;       // its last operation has ended
    int64_t not_before_ns = 0;  // events that it waits for
  };
  struct Running {
    int64_t start_ns = 0, end_ns = 0;
    double sms = 0;
  };
  struct DeviceState {
    std::deque<Running> running;
    int64_t to_device_ns = 0, to_host_ns = 0, on_device_ns = 0;  // engines are free then
    int64_t until_ns = 0, not_before_ns = 0;
    std::deque<int64_t> starts;  // of what was launched, the latest `queue` of them
  };

  int64_t Jitter(int64_t ns);
  int64_t& clock() { return clocks_[tid_]; }
  StreamState& Stream(uint32_t stream) { return streams_[stream]; }
  DeviceState& DeviceOf(uint32_t stream) { return devices_[Stream(stream).device]; }
  Launch Call(const char* api, int64_t cost_ns, uint32_t stream);
  int64_t Earliest(const Launch& call);
  int64_t FitSms(const DeviceState& device, int64_t from_ns, int64_t length_ns, double sms) const;
  void Ran(uint32_t stream, int64_t start_ns, int64_t end_ns, double sms);
  void Wait(const char* api, int64_t until_ns, int64_t own_ns);
  bool BeginSample(int64_t* begin_ns);
  void EndSample(uint32_t correlation, int64_t begin_ns, int64_t op_end_ns);
  int64_t EndOfDevice() const;

  std::mt19937 random_, jitter_random_, prof_random_;
  SimulatedProf prof_;
  Machine machine_;
  SnapshotBuilder builder_;
  uint32_t tid_ = kMainTid;
  std::map<uint32_t, int64_t> clocks_;  // by thread
  std::map<uint32_t, StreamState> streams_;
  std::map<uint32_t, DeviceState> devices_;
  std::map<uint32_t, std::vector<std::pair<std::string, int64_t>>> ranges_;  // by thread
  double slowness_ = 1;
  int64_t next_sample_ns_ = 0;
};

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_TIMELINES_SIMULATED_RUN_H_
