// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a step is the chain of work on the host and the GPU that made it last: each
// moment of the step belongs to one thing. It is walked from the end of the step backwards: from an
// operation to the call that launched it where that came too late, otherwise to the operation that
// it waited for; on the host from call to call, until one had waited for the GPU.
#ifndef PROF_LIB_ANALYZER_STEPS_STEP_PATH_H_
#define PROF_LIB_ANALYZER_STEPS_STEP_PATH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/steps/step_parts.h"
#include "lib/analyzer/timeline/gap_cause.h"
#include "lib/analyzer/timeline/operation_links.h"
#include "lib/snapshot/model/model.h"
#include "prof/step_report.h"

namespace prof::analyzer {

// What a stretch of a path is.
enum class PathWork : uint8_t {
  kHostCode,      // between two CUDA calls
  kCall,          // in `call`, which does not launch kernels
  kLoading,       // in `call`, which launches, and in which the driver loads or compiles code
  kLaunch,        // from the begin of the launch `call` on
  kOperation,     // `op` runs
  kNextInStream,  // `op` follows the one before it in its stream, or in its graph
  kOtherStream,   // `op` follows one of another stream
  kReturn,        // `call` had waited for work that has ended, and returns
  kNoCause        // before `op`: nothing that was recorded held it back
};

struct PathPiece {
  PathWork work = PathWork::kHostCode;
  int64_t from_ns = 0, to_ns = 0;
  int32_t op = model::kNoIndex;    // that runs, is launched or waits; index into Model::ops
  int32_t call = model::kNoIndex;  // that runs, or the next one of the thread; of Model::api_calls
  uint32_t thread = 0;             // of the host
};

// How the walks got from one stretch to the one before.
struct PathEdges {
  int64_t recorded = 0;
  // By time alone: a stream that waited for another one, a call that waited for an event or for
  // what is not known, a thread that waited for PyTorch's engine or the other way round.
  int64_t streams = 0, waits = 0, threads = 0;
  int64_t unknown = 0;

  void Add(const PathEdges& other);
};

class StepPaths {
 public:
  using Sink = std::function<void(const PathPiece&)>;

  // Keeps references. Takes n log n in operations and calls.
  StepPaths(const model::Model& model, const StepParts& parts, uint32_t thread);

  // Hands the stretches of the path that ends with `last` to `sink`, from the end to `begin_ns`.
  // They are not empty and sum to the time between. Linear in the operations and calls meanwhile,
  // each times a logarithm.
  PathEdges Walk(int32_t last, int64_t begin_ns, const Sink& sink);

 private:
  // Where a walk is: at an operation, or on the host between two calls.
  struct Place {
    int64_t until_ns = 0;
    int32_t op = model::kNoIndex;  // kNoIndex: on the host
    uint32_t thread = 0;
    int32_t before = model::kNoIndex, next = model::kNoIndex;  // calls of the thread
  };
  // An operation by its end.
  struct Ended {
    int64_t end_ns = 0;
    int32_t op = model::kNoIndex;
  };
  using EndList = std::vector<Ended>;
  using StreamId = std::pair<uint32_t, uint32_t>;  // context, stream
  void FindEnds();
  void FindWaits();
  static EndList::const_iterator After(const EndList& list, int64_t time_ns);
  static Ended LastEnded(const EndList& list, int64_t time_ns);
  int64_t EndOf(int32_t op) const { return model_.ops[static_cast<size_t>(op)].end_ns; }

  bool Emit(PathPiece piece, int64_t begin_ns, const Sink& sink) const;
  Place BeforeOperation(const Place& place, int64_t begin_ns, const Sink& sink);
  Place BeforeCall(const Place& place, int64_t begin_ns, const Sink& sink);
  Place AtLaunch(const Place& place, int32_t call, int64_t begin_ns, const Sink& sink);
  int32_t InGraph(const model::Op& op, int32_t in_stream) const;
  int32_t OtherStream(const model::Op& op, int32_t index) const;
  Ended LastEndedIn(uint32_t context, int64_t time_ns) const;
  Ended WaitedFor(int32_t call, const model::ApiCall& waited, bool* recorded) const;
  static PathWork WorkOf(const model::ApiCall& call);
  Place OnHost(int32_t call, int64_t until_ns) const;
  Place OtherThread(const Place& place, int64_t from_ns) const;
  bool InOp(uint32_t thread, int64_t time_ns) const;
  int32_t CallBefore(uint32_t thread, int64_t time_ns) const;

  const model::Model& model_;
  const StepParts& parts_;
  const uint32_t thread_;
  const GapClassifier calls_;
  const OperationLinks links_;
  std::unordered_map<uint32_t, EndList> device_ends_;
  std::map<StreamId, EndList> stream_ends_;
  std::unordered_map<uint32_t, size_t> syncs_;     // by correlation, index into Model::syncs
  std::unordered_map<int32_t, int32_t> own_work_;  // of calls that wait for an op of their own
  std::vector<uint32_t> engine_threads_;
  std::vector<std::vector<int32_t>> calls_of_;  // by thread; filled where the engine has threads
  PathEdges edges_;                             // of the walk
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_STEPS_STEP_PATH_H_
