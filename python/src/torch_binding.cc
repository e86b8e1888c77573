// SPDX-License-Identifier: Apache-2.0
#include "prof/torch_report.h"
#include "python/src/bindings.h"
#include "python/src/values.h"

namespace prof::python {

void BindTorch(nb::module_& module) {
  Struct<LimiterTime>(module, "LimiterTime", "GPU time of kernels with one limiter.")
      .Has("limiter", &LimiterTime::limiter)
      .Has("time_ns", &LimiterTime::time_ns)
      .Shows({"limiter", "time_ns"});
  Struct<TorchOp>(module, "Op",
                  "All calls of one op of PyTorch in one pass. Times are sums over its calls; "
                  "\"self\" leaves the ops out that it called.")
      .Has("name", &TorchOp::name)
      .Has("kind", &TorchOp::kind,
           "\"function\", \"node\" (of the autograd graph), \"user\" (record_function).")
      .Has("backward", &TorchOp::backward, "It is a node, or was called for one.")
      .Has("forward", &TorchOp::forward, "Of a node: the op that made it. Empty: not known.")
      .Has("shapes", &TorchOp::shapes, "Of `Report.shapes`: the list; empty: not known.")
      .Has("calls", &TorchOp::calls)
      .Has("launches", &TorchOp::launches, "Kernels, copies, memsets; of its inner ops too.")
      .Has("cpu_ns", &TorchOp::cpu_ns)
      .Has("cpu_self_ns", &TorchOp::cpu_self_ns)
      .Has("gpu_ns", &TorchOp::gpu_ns, "Of what was launched in it.")
      .Has("gpu_self_ns", &TorchOp::gpu_self_ns)
      .Has("backward_gpu_ns", &TorchOp::backward_gpu_ns,
           "Of the backward pass that belongs to it, as far as known.")
      .Has("limiters", &TorchOp::limiters, "Of the kernels in gpu_ns, most time first.")
      .Shows({"name", "backward", "calls", "gpu_ns"});
  Struct<TorchModule>(module, "Module",
                      "All calls of one torch.nn.Module. Times are with the modules in it, but for "
                      "gpu_self_ns.")
      .Has("name", &TorchModule::name, "\"Net.layers.3.mlp\"; Net is a class.")
      .Derives(
          "parent",
          [](const TorchModule& self) {
            return self.parent < 0 ? std::nullopt : std::optional<int32_t>(self.parent);
          },
          "Index of the module around it in `Report.modules`. None: there is none.")
      .Has("calls", &TorchModule::calls)
      .Has("launches", &TorchModule::launches)
      .Has("cpu_ns", &TorchModule::cpu_ns)
      .Has("forward_ns", &TorchModule::forward_ns, "GPU time outside of the backward pass.")
      .Has("backward_ns", &TorchModule::backward_ns, "GPU time of its backward pass.")
      .Has("gpu_self_ns", &TorchModule::gpu_self_ns, "Of both: in no module in it.")
      .Has("gain_at_most_ns", &TorchModule::gain_at_most_ns, "The sum of its kernels' bounds.")
      .Has("limiters", &TorchModule::limiters, "Of the kernels in these times.")
      .Shows({"name", "calls", "forward_ns", "backward_ns"});
  Struct<KernelOp>(module, "KernelOp", "The launches of a kernel in one op of PyTorch.")
      .Has("name", &KernelOp::name)
      .Has("forward", &KernelOp::forward, "The op whose backward pass it is; empty: not known.")
      .Has("backward", &KernelOp::backward)
      .Has("time_ns", &KernelOp::time_ns)
      .Has("launches", &KernelOp::launches)
      .Shows({"name", "backward", "time_ns"});
  Struct<KernelModule>(module, "KernelModule", "The launches of a kernel in one torch.nn.Module.")
      .Has("name", &KernelModule::name)
      .Has("backward", &KernelModule::backward)
      .Has("time_ns", &KernelModule::time_ns)
      .Has("launches", &KernelModule::launches)
      .Shows({"name", "backward", "time_ns"});
}

}  // namespace prof::python
