// SPDX-License-Identifier: Apache-2.0
//
// The ops of PyTorch in the report: what each cost on the host and on the GPU, and which op of the
// forward pass the work of the backward pass belongs to.
#ifndef PROF_TORCH_REPORT_H_
#define PROF_TORCH_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "prof/kernel_report.h"

namespace prof {

/// GPU time of kernels with one limiter.
struct LimiterTime {
  Limiter limiter = Limiter::kNotMeasured;
  double time_ns = 0;
};

/// All calls of one op: of "aten::mm" in the forward pass, or of those in the backward pass. Times
/// are sums over its calls. "self" leaves the ops out that it called.
struct TorchOp {
  enum class Kind {
    kFunction,  ///< An op, or what the autograd engine does around a node.
    kNode,      ///< A node of the autograd graph: "AddmmBackward0".
    kUser       ///< torch.profiler.record_function(), and what PyTorch marks in the same way.
  };
  std::string name;
  Kind kind = Kind::kFunction;
  bool backward = false;  ///< It is a node of the autograd graph, or was called for one.
  int64_t calls = 0;      ///< Those that began in the recording.
  double cpu_ns = 0, cpu_self_ns = 0;
  /// GPU time of what was launched in it, as in RangeRow::time_ns: all ops' self times and what was
  /// launched in no op sum to the GPU time of the run.
  double gpu_ns = 0, gpu_self_ns = 0;
  int64_t launches = 0;  ///< Operations of the GPU: kernels, copies, memsets; of its inner ops too.
  /// GPU time of the backward pass that belongs to it: of nodes which it made, as far as known.
  double backward_gpu_ns = 0;
  /// Of a node: the op that made it, of several the one with most GPU time. Empty: not known.
  std::string forward;
  std::vector<LimiterTime> limiters;  ///< Of the kernels in `gpu_ns`, most time first.
  /// In TorchReport::ops_by_shapes: the sizes of its inputs, "[[8, 1024], [1024, 4096], []]". [] is
  /// an input that is no tensor. Empty: not known.
  std::string shapes;
};

/// An NVTX range in the forward pass, and the backward pass that belongs to it.
struct TorchRange {
  std::string label;  ///< As RangeRow::label.
  double forward_ns = 0, backward_ns = 0;
};

/// All calls of one torch.nn.Module: of "Net.layers.3.mlp", where Net is the class of the outermost
/// module. Times and launches are of the modules in it as well, but for `gpu_self_ns`.
struct TorchModule {
  std::string name;
  /// The module around it, by its name: index in TorchReport::modules; -1: none.
  int32_t parent = -1;
  int64_t calls = 0;      ///< Those that began in the recording.
  double cpu_ns = 0;      ///< On the host, from the begin to the end of each call.
  double forward_ns = 0;  ///< GPU time of what was launched in it outside of the backward pass.
  /// GPU time of the backward pass that belongs to it: of nodes that its ops made, as far as known,
  /// and of its calls in the backward pass (a checkpoint's).
  double backward_ns = 0;
  double gpu_self_ns = 0;             ///< Of both: what belongs to no module in it.
  int64_t launches = 0;               ///< Kernels, copies and memsets in these times.
  std::vector<LimiterTime> limiters;  ///< Of the kernels in these times, most time first.
  /// What its kernels could save at most: the sum of their known bounds (Verdict::gain_at_most),
  /// each for its time in here.
  double gain_at_most_ns = 0;
};

struct TorchReport {
  bool recorded = false;     ///< False: no op was recorded; all else is empty.
  std::vector<TorchOp> ops;  ///< By GPU time of its own, then by host time; descending.
  /// Likewise, with a row for each list of shapes of the inputs of an op. Empty: no shapes were
  /// recorded (SessionOptions::torch_shapes).
  std::vector<TorchOp> ops_by_shapes;
  std::vector<TorchRange> ranges;  ///< By the sum, descending. Only where a backward pass is known.
  /// In the order of their first calls; a module stands behind the one around it. Empty: no module
  /// was recorded.
  std::vector<TorchModule> modules;
  double gpu_in_modules_ns = 0;  ///< GPU time of the run that belongs to a module.
  double gpu_ns = 0;             ///< GPU time of the run, as in the rows of the report.
  double gpu_in_ops_ns = 0;      ///< Of that: launched in an op.
  double backward_ns = 0;        ///< Of that: launched for a node of the autograd graph.
  double forward_known_ns = 0;   ///< Of that: the op that made the node is known.
  /// Of that: work between nodes, by the order in which PyTorch runs the nodes.
  double forward_inferred_ns = 0;
};

/// "function", "node", "user": stable in JSON.
const char* ToString(TorchOp::Kind kind);

}  // namespace prof

#endif  // PROF_TORCH_REPORT_H_
