// SPDX-License-Identifier: Apache-2.0
//
// The builder makes valid snapshots in a few lines, for tests of the reader and everything behind
// it:
//
//   SnapshotBuilder b;
//   const uint32_t saxpy = b.Shape("saxpy", {132}, {256});
//   b.Range("step", 0, 90'000);
//   const uint32_t launch = b.Kernel(saxpy, "", 10'000, 20'000);   // in "step": launched at 0
//   b.Sample(launch, {{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 91.0}});
//   prof::Report report = prof::Analyze(b.Snapshot());
#ifndef PROF_TEST_SUPPORT_SNAPSHOT_BUILDER_H_
#define PROF_TEST_SUPPORT_SNAPSHOT_BUILDER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/snapshot.h"

namespace prof::wire {
class Block;
class CounterSample;
}  // namespace prof::wire

namespace prof::test {

constexpr uint32_t kMainTid = 1000;

// Where and how an operation was launched. Unset API times: the call lasts 4 us and begins 10 us
// before the operation does.
struct Launch {
  std::string api;  // empty: "cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync"
  uint32_t tid = kMainTid;
  std::optional<int64_t> api_start_ns, api_end_ns;
  uint32_t device = 0, context = 1, stream = 7;
  uint32_t channel = 0;      // a compute channel; 0: not known
  uint32_t correlation = 0;  // 0: the next free one
  uint32_t graph = 0;
  uint64_t graph_node = 0;
  bool untimed = false;      // kernels: CUPTI gave no valid time
  bool untraced = false;     // kernels: tracing was paused around the launch
  bool no_api = false;       // the API call was not recorded (or was added by another operation)
  bool synchronous = false;  // copies: Op::async is false, the API is "cudaMemcpy"
};

// The kind of memory, and the pool that it comes from.
struct MemoryUse {
  model::MemoryKind memory = model::MemoryKind::kDevice;
  uint32_t device = 0;
  std::optional<model::PoolState> pool;  // the state of the pool that serves it
  bool no_api = false;                   // the API call was not recorded
};

// The properties of an H200, with `id`.
model::Device H200(uint32_t id = 0);

class SnapshotBuilder {
 public:
  // Starts with one process (pid 4242, "./app"). Bytes() adds H200(0) when no device was given.
  SnapshotBuilder();
  ~SnapshotBuilder();
  SnapshotBuilder(const SnapshotBuilder&) = delete;
  SnapshotBuilder& operator=(const SnapshotBuilder&) = delete;

  // --- Tables: each returns an id, the same one for the same content -----------------------------
  uint32_t String(std::string_view text);
  // "outer/inner"; a part may name its domain: "torch:forward/nccl:allreduce". "": 0.
  uint32_t Path(std::string_view full);
  uint32_t Path(uint32_t parent, std::string_view name, std::string_view domain = "");
  uint32_t Shape(const model::Shape& shape);
  uint32_t Shape(std::string_view name, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                 uint32_t registers_per_thread = 32, uint32_t static_shared_bytes = 0,
                 uint32_t dynamic_shared_bytes = 0);
  void Thread(uint32_t tid, std::string_view name);  // names it
  void Device(const model::Device& device);
  void Stream(const model::Stream& stream);
  void GraphNode(uint64_t node, std::string_view captured_in, uint32_t torch_op = 0);
  // An op of PyTorch; `parent` is another one, or 0. Returns the id of its path.
  uint32_t TorchOp(uint32_t parent, std::string_view name,
                   model::TorchScope scope = model::TorchScope::kFunction);

  // --- GPU work: each returns the correlation id -------------------------------------------------
  // The launching thread enters `path` at the call and stays there until its next one. "": it stays
  // in the path in which Range() or Step() put it.
  uint32_t Kernel(uint32_t shape, std::string_view path, int64_t start_ns, int64_t end_ns,
                  const Launch& how = {});
  uint32_t Copy(model::CopyKind kind, model::MemoryKind source, model::MemoryKind destination,
                uint64_t bytes, std::string_view path, int64_t start_ns, int64_t end_ns,
                const Launch& how = {});
  uint32_t Memset(uint64_t bytes, std::string_view path, int64_t start_ns, int64_t end_ns,
                  const Launch& how = {});
  // A launch of a graph that was recorded as one operation; how.graph names the graph.
  uint32_t GraphRun(std::string_view path, int64_t start_ns, int64_t end_ns, const Launch& how);

  // --- Memory: calls of kMainTid, which stays in `path` as with GPU work -------------------------
  // Returns the correlation id.
  uint32_t Allocate(uint64_t address, uint64_t bytes, std::string_view path, int64_t time_ns,
                    const MemoryUse& how = {});
  void Free(uint64_t address, int64_t time_ns, const MemoryUse& how = {});
  // What happened to a tensor of PyTorch, on `how.tid`.
  struct TensorPlace {
    uint32_t device = 0, tid = kMainTid;
    uint32_t stack = 0;  // of PythonStacks
  };
  void Tensor(model::TensorChange change, uint64_t address, uint64_t bytes, int64_t time_ns,
              const TensorPlace& how);
  void Tensor(model::TensorChange change, uint64_t address, uint64_t bytes, int64_t time_ns) {
    Tensor(change, address, bytes, time_ns, {});
  }
  void Pool(const model::PoolState& state);  // an operation on a pool
  void Unified(const model::UnifiedMemory& event);
  void State(const model::GpuState& reading);

  // --- Host --------------------------------------------------------------------------------------
  // A call that starts no operation: "cudaDeviceSynchronize", "cudaMalloc". Returns its
  // correlation.
  uint32_t Api(std::string_view name, int64_t start_ns, int64_t end_ns, uint32_t tid = kMainTid);
  void Sync(model::SyncKind kind, int64_t start_ns, int64_t end_ns, uint32_t correlation = 0);
  void Range(std::string_view path, int64_t start_ns, int64_t end_ns, uint32_t tid = kMainTid);
  void Step(uint32_t tid, int64_t time_ns, std::string_view path);  // one raw row
  // The thread is in this op from now on; 0: in none. `shapes`: of its inputs, where it begins.
  void TorchStep(int64_t time_ns, uint32_t op, uint32_t tid = kMainTid,
                 std::string_view shapes = "");
  // The number that came with an op.
  void TorchSequence(int64_t time_ns, uint32_t op, uint64_t number, uint32_t tid = kMainTid);
  void Span(std::string_view path, int64_t start_ns, int64_t end_ns, uint32_t start_tid = kMainTid,
            uint32_t end_tid = kMainTid);
  void Overhead(std::string_view kind, int64_t start_ns, int64_t end_ns, uint32_t tid = kMainTid);

  // --- Counters ----------------------------------------------------------------------------------
  void Sample(uint32_t correlation, const std::map<std::string, double>& metrics,
              std::string_view level = "sol", uint32_t context = 1);
  // Samples of a launch of a graph, and of the instance of the range `path` around
  // [begin_ns, end_ns].
  void GraphSample(uint32_t correlation, const std::map<std::string, double>& metrics);
  // Of a launch of `shape` in `path` that is older than the recording.
  void OlderSample(uint32_t shape, std::string_view path, uint64_t duration_ns,
                   const std::map<std::string, double>& metrics);
  void RangeSample(std::string_view path, int64_t begin_ns, int64_t end_ns,
                   const std::map<std::string, double>& metrics);
  void Launches(const model::LaunchCount& count);
  void Profiler(model::ProfilerWork work, int64_t begin_ns, int64_t end_ns,
                uint32_t tid = kMainTid);

  // Samples of one device at a fixed interval. Rows with several `samples` are written as merged;
  // `samples` may be left empty: one each. Values are rounded to multiples of `scales`.
  void Pm(const model::PmSeries& series);

  // --- The rest ----------------------------------------------------------------------------------
  void Notice(model::Severity severity, model::Subsystem subsystem, std::string_view what,
              std::string_view fix);
  model::Process process;                    // written as the header
  std::optional<prof::Integrity> integrity;  // unset: kernels and launches counted, no loss
  bool trailer = true;
  // Edits each block before it is framed, to build what a correct writer would not.
  std::function<void(wire::Block&)> edit;

  // Encodes the file. Event rows are spread over `blocks` blocks; all tables are in the first one.
  std::string Bytes(int blocks = 1);
  prof::Snapshot Snapshot(int blocks = 1) { return prof::Snapshot::FromBytes(Bytes(blocks)); }

 private:
  struct Records;

  wire::CounterSample& AddSample(uint32_t correlation, const std::map<std::string, double>& metrics,
                                 std::string_view level, uint32_t context);
  uint32_t ThreadId(uint32_t tid);
  uint32_t LaneId(const Launch& how);
  uint32_t AddMemory(const model::Allocation& allocation, const char* api, std::string_view path,
                     const MemoryUse& how);
  uint32_t AddLaunch(std::string_view api, std::string_view path, int64_t op_start_ns,
                     const Launch& how);

  std::unique_ptr<Records> records_;
};

// The parts of a file, for tests that build one by hand.
std::string FileHeader(uint32_t version = 1);
std::string Frame(std::string_view payload);

}  // namespace prof::test

#endif  // PROF_TEST_SUPPORT_SNAPSHOT_BUILDER_H_
