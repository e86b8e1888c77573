// SPDX-License-Identifier: Apache-2.0
#include "test/html/training_recording.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "prof/snapshot.pb.h"
#include "test/support/python_stacks.h"
#include "test/support/snapshot_builder.h"

namespace prof::test {
namespace {

using model::TorchScope;

constexpr uint32_t kEngineTid = 2000;  // a thread of autograd
constexpr int kSteps = 24, kLayers = 4;
constexpr uint64_t kMiB = 1 << 20;
constexpr uint32_t kOutOfMemory = 2;
constexpr char kTrain[] = "/home/me/gpt/train.py";
constexpr char kModel[] = "/home/me/gpt/model.py";
constexpr char kTorch[] = "/venv/lib/python3.12/site-packages/torch/nn/modules/";

std::string Pct(const char* metric) {
  return std::string(metric) + ".avg.pct_of_peak_sustained_elapsed";
}

// What limits a kernel: the use of DRAM and of the tensor pipe, in percent.
struct Use {
  double dram, tensor;
};

class Training {
 public:
  Training() {
    b_.process.start_ns = 0;
    b_.process.command = "python train.py --layers 4";
    b_.Range("setup", 0, 900'000);
    Allocate("setup", 220, 500'000, main_);
    now_ns_ = 1'000'000;
    for (int step = 0; step < kSteps; ++step) Step(step);
    b_.Range("validate", now_ns_, now_ns_ + 400'000);
    failed_name_ = b_.String("cudaMallocAsync");
    b_.Api("cudaMallocAsync", now_ns_ + 100'000, now_ns_ + 130'000);
    b_.Api("cudaMallocAsync", now_ns_ + 200'000, now_ns_ + 225'000);
    b_.edit = [this](wire::Block& block) {
      python_.AddTo(&block);
      FailCalls(&block);
    };
  }

  std::string Bytes() { return b_.Bytes(); }

 private:
  // An op of PyTorch that launches one kernel.
  struct Op {
    uint32_t outer, inner, engine, node, node_inner;
    uint32_t shape, backward_shape;
    int64_t length_ns;
    Use use;
  };

  Op MakeOp(const std::string& outer, const std::string& inner, const std::string& node,
            const std::string& kernel, int64_t length_ns, Use use) {
    Op op{};
    op.outer = outer.empty() ? 0 : b_.TorchOp(0, outer);
    op.inner = b_.TorchOp(op.outer, inner);
    op.engine = b_.TorchOp(0, "autograd::engine::evaluate_function: " + node);
    op.node = b_.TorchOp(op.engine, node, TorchScope::kBackward);
    op.node_inner = b_.TorchOp(op.node, inner == "aten::addmm" ? "aten::mm" : inner + "_backward");
    op.shape = b_.Shape(kernel, {264}, {256}, 96);
    op.backward_shape = b_.Shape(kernel + "_backward", {264}, {256}, 128);
    op.length_ns = length_ns;
    op.use = use;
    return op;
  }

  void Launch(uint32_t shape, uint32_t stack, int64_t length_ns, Use use, uint32_t tid) {
    gpu_ns_ = std::max(gpu_ns_ + 700, now_ns_ + 6'000);
    test::Launch how;
    how.tid = tid;
    how.api_start_ns = now_ns_;
    how.api_end_ns = now_ns_ + 4'000;
    const uint32_t call = b_.Kernel(shape, "", gpu_ns_, gpu_ns_ + length_ns, how);
    gpu_ns_ += length_ns;
    now_ns_ += 5'000;
    if (stack != 0) python_.of_call[call] = stack;
    if (++sampled_[shape] > 3) return;
    b_.Sample(call, {{Pct("gpu__dram_throughput"), use.dram},
                     {Pct("sm__pipe_tensor_cycles_active"), use.tensor},
                     {Pct("lts__t_sectors"), use.dram / 2},
                     {Pct("lts__lts2xbar_cycles_active"), use.dram / 3},
                     {Pct("l1tex__data_bank_reads"), 21},
                     {Pct("sm__pipe_fma_cycles_active"), 8},
                     {Pct("sm__pipe_alu_cycles_active"), 11},
                     {Pct("sm__pipe_fp64_cycles_active"), 0},
                     {Pct("sm__inst_executed_pipe_xu"), 3},
                     {Pct("sm__inst_executed_pipe_lsu"), 14},
                     {Pct("sm__issue_active"), 18}});
  }

  // With the number of the thread's next node, where that has changed.
  void Enter(uint32_t op, int64_t time_ns) {
    b_.TorchStep(time_ns, op);
    if (std::exchange(told_, sequence_ + 1) != sequence_ + 1) {
      b_.TorchSequence(time_ns, op, sequence_ + 1);
    }
  }

  void Forward(const Op& op, uint32_t stack) {
    const uint32_t first = op.outer != 0 ? op.outer : op.inner;
    Enter(first, now_ns_);
    made_.emplace_back(&op, ++sequence_);
    if (op.outer != 0) b_.TorchStep(now_ns_ + 1'000, op.inner);
    now_ns_ += 2'000;
    Launch(op.shape, stack, op.length_ns, op.use, kMainTid);
    if (op.outer != 0) b_.TorchStep(now_ns_ + 500, op.outer);
    b_.TorchStep(now_ns_ + 1'000, 0);
    now_ns_ += 2'000;
  }

  void Backward() {
    for (; !made_.empty(); made_.pop_back()) {
      const auto [op, number] = made_.back();
      b_.TorchStep(now_ns_, op->engine, kEngineTid);
      b_.TorchStep(now_ns_ + 500, op->node, kEngineTid);
      b_.TorchSequence(now_ns_ + 500, op->node, number, kEngineTid);
      b_.TorchStep(now_ns_ + 1'000, op->node_inner, kEngineTid);
      now_ns_ += 2'000;
      Launch(op->backward_shape, 0, op->length_ns * 2, op->use, kEngineTid);
      b_.TorchStep(now_ns_ + 500, op->node, kEngineTid);
      b_.TorchStep(now_ns_ + 700, op->engine, kEngineTid);
      b_.TorchStep(now_ns_ + 1'000, 0, kEngineTid);
      now_ns_ += 2'000;
    }
  }

  void Step(int number) {
    const int64_t begin_ns = now_ns_;
    const std::string step = "step " + std::to_string(number);
    std::vector<uint64_t> activations;
    for (int layer = 0; layer < kLayers; ++layer) {
      const std::string name = step + "/forward/layer " + std::to_string(layer);
      const int64_t layer_ns = now_ns_;
      activations.push_back(Allocate(name, 48, now_ns_, qkv_stack_, linear_.outer));
      Forward(norm_, norm_stack_);
      Forward(linear_, qkv_stack_);
      Forward(attention_, attention_stack_);
      Forward(linear_, mlp_stack_);
      Forward(gelu_, gelu_stack_);
      b_.Range(name, layer_ns, now_ns_);
    }
    // Nobody frees it.
    Allocate(step + "/forward/loss", 6, now_ns_, loss_stack_, loss_.outer);
    Forward(loss_, loss_stack_);
    b_.Range(step + "/forward", begin_ns, now_ns_);
    const int64_t backward_ns = now_ns_;
    Backward();
    b_.Range(step + "/backward", backward_ns, now_ns_);
    for (const uint64_t address : activations) Free(address);
    b_.Range(step, begin_ns, now_ns_);
    b_.Api("cudaStreamSynchronize", now_ns_ + 1'000, std::max(gpu_ns_, now_ns_) + 20'000);
    now_ns_ = std::max(gpu_ns_, now_ns_) + 40'000;
  }

  MemoryUse PoolNow(int64_t change) {
    used_ = static_cast<uint64_t>(static_cast<int64_t>(used_) + change);
    reserved_ = std::max(reserved_, (used_ + 64 * kMiB - 1) / (64 * kMiB) * 64 * kMiB);
    MemoryUse use;
    use.pool.emplace();
    use.pool->type = model::PoolType::kLocal;
    use.pool->address = 0x5000;
    use.pool->reserved = reserved_;
    use.pool->used = used_;
    return use;
  }

  uint64_t Allocate(const std::string& range, uint64_t mib, int64_t time_ns, uint32_t stack,
                    uint32_t op = 0) {
    const uint64_t address = next_address_;
    next_address_ += 1ULL << 32;
    sizes_[address] = mib * kMiB;
    now_ns_ = time_ns + 6'000;
    b_.Range(range + "/allocate", time_ns, now_ns_ - 1'000);
    if (op != 0) Enter(op, time_ns);
    const MemoryUse use = PoolNow(static_cast<int64_t>(mib * kMiB));
    python_.of_call[b_.Allocate(address, mib * kMiB, "", time_ns + 3'000, use)] = stack;
    if (op != 0) b_.TorchStep(now_ns_ - 1'000, 0);
    return address;
  }

  void Free(uint64_t address) {
    b_.Free(address, now_ns_ + 2'000, PoolNow(-static_cast<int64_t>(sizes_[address])));
    now_ns_ += 4'000;
  }

  void FailCalls(wire::Block* block) const {
    wire::ApiColumns* const calls = block->mutable_api_calls();
    for (int row = 0; row < calls->name_size(); ++row) {
      if (calls->name(row) != failed_name_ || row < calls->name_size() - 2) continue;
      calls->add_error_row(static_cast<uint32_t>(row));
      calls->add_error_code(kOutOfMemory);
    }
  }

  uint32_t Module(uint32_t caller, const char* function, const char* file, uint32_t line) {
    const uint32_t call =
        python_.Stack(caller, "Module._call_impl", std::string(kTorch) + "module.py", 1750);
    return python_.Stack(call, function, file, line);
  }

  SnapshotBuilder b_;
  PythonStacks python_;
  int64_t now_ns_ = 0, gpu_ns_ = 0;
  uint64_t sequence_ = 0, told_ = 0, used_ = 0, reserved_ = 0, next_address_ = 0x7f0000000000;
  uint32_t failed_name_ = 0;
  std::map<uint64_t, uint64_t> sizes_;
  std::map<uint32_t, int> sampled_;  // by shape
  std::vector<std::pair<const Op*, uint64_t>> made_;

  const Op norm_ = MakeOp("aten::layer_norm", "aten::native_layer_norm", "NativeLayerNormBackward0",
                          "layer_norm_kernel", 9'000, {78, 0});
  const Op linear_ = MakeOp("aten::linear", "aten::addmm", "AddmmBackward0",
                            "sm90_xmma_gemm_bf16bf16_bf16f32", 52'000, {31, 88});
  const Op attention_ =
      MakeOp("aten::scaled_dot_product_attention", "aten::_flash_attention_forward",
             "FlashAttentionBackward0", "flash_fwd_kernel", 34'000, {24, 69});
  const Op gelu_ = MakeOp("", "aten::gelu", "GeluBackward0", "gelu_kernel", 11'000, {91, 0});
  const Op loss_ = MakeOp("aten::cross_entropy_loss", "aten::nll_loss_forward", "NllLossBackward0",
                          "nll_loss_kernel", 7'000, {44, 0});

  const uint32_t main_ = python_.Stack(0, "<module>", kTrain, 88);
  const uint32_t train_ = python_.Stack(main_, "train", kTrain, 61);
  const uint32_t forward_ = Module(train_, "GPT.forward", kModel, 140);
  const uint32_t block_ = Module(forward_, "Block.forward", kModel, 97);
  const uint32_t second_ = Module(forward_, "Block.forward", kModel, 98);
  const uint32_t norm_stack_ =
      Module(block_, "LayerNorm.forward",
             "/venv/lib/python3.12/site-packages/torch/nn/modules/normalization.py", 217);
  const uint32_t self_ = Module(block_, "SelfAttention.forward", kModel, 52);
  const uint32_t qkv_stack_ =
      Module(self_, "Linear.forward",
             "/venv/lib/python3.12/site-packages/torch/nn/modules/linear.py", 125);
  const uint32_t attention_stack_ = python_.Stack(self_, "attend", kModel, 31);
  const uint32_t mlp_ = Module(second_, "MLP.forward", kModel, 78);
  const uint32_t mlp_stack_ = Module(
      mlp_, "Linear.forward", "/venv/lib/python3.12/site-packages/torch/nn/modules/linear.py", 125);
  const uint32_t gelu_stack_ = python_.Stack(mlp_, "gelu", kModel, 71);
  const uint32_t loss_stack_ = python_.Stack(train_, "loss_of", kTrain, 33);
};

}  // namespace

std::string TrainingRecording() { return Training().Bytes(); }

}  // namespace prof::test
