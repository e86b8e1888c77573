// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic pipes. Each kernel has a second pipe with a little work, whose dose must not matter.
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/pipes.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::Fmas;
using zoo::kChains;
using zoo::kThreads;
using zoo::Lops;
using zoo::Pipes;

}  // namespace

#define PIPE_KERNEL(name, type, other, instruction, constraint)                            \
  extern "C" __global__ void __launch_bounds__(kThreads, 5)                                \
      KERNEL(name)(Pipes pipes, uint32_t * sink) {                                         \
    zoo::RunPipes<type>(                                                                   \
        pipes, sink, [](type& x) { asm volatile(instruction                                \
                                                : constraint(x)); }, other{}); \
  }

PIPE_KERNEL(fma_chains, float, Lops, "fma.rn.f32 %0, %0, 0f3F000000, 0f3F000000;", "+f")
PIPE_KERNEL(mul_chains, float, Lops, "mul.rn.f32 %0, %0, 0f3F800001;", "+f")
PIPE_KERNEL(fp64_chains, double, Fmas, "fma.rn.f64 %0, %0, 0d3FE0000000000000, 0d3FE0000000000000;",
            "+d")
PIPE_KERNEL(exp_chains, float, Lops, "ex2.approx.ftz.f32 %0, %0;", "+f")
PIPE_KERNEL(rsqrt_chains, float, Fmas, "rsqrt.approx.ftz.f32 %0, %0;", "+f")
PIPE_KERNEL(sine_chains, float, Lops, "sin.approx.ftz.f32 %0, %0;", "+f")
PIPE_KERNEL(logic_chains, uint32_t, Fmas, "lop3.b32 %0, %0, 0x13579bdf, 0x55555555, 0x96;", "+r")
PIPE_KERNEL(shift_chains, uint32_t, Fmas, "shf.l.wrap.b32 %0, %0, %0, 7;", "+r")
PIPE_KERNEL(multiply_chains, uint32_t, Lops, "mad.lo.u32 %0, %0, 747796405, 289133645;", "+r")
PIPE_KERNEL(popcount_chains, uint32_t, Lops, "{ .reg .b32 t; popc.b32 t, %0; xor.b32 %0, %0, t; }",
            "+r")
PIPE_KERNEL(half_chains, uint32_t, Lops,
            "{ .reg .b32 c; mov.b32 c, 0x38003800; fma.rn.f16x2 %0, %0, c, c; }", "+r")
PIPE_KERNEL(convert_chains, float, Fmas,
            "{ .reg .s32 t; cvt.rni.s32.f32 t, %0; cvt.rn.f32.s32 %0, t; }", "+f")
// Two FP32 instructions for each logical one fill the issue slots before either pipe.
PIPE_KERNEL(fma_and_logic, float, Lops, "fma.rn.f32 %0, %0, 0f3F000000, 0f3F000000;", "+f")

namespace {

// One chain in few warps: the latency of the pipe decides. `kInLine`: instructions of a step.
template <int kInLine>
__device__ __forceinline__ void RunOneChain(int steps, int others, uint32_t* sink) {
  float x = static_cast<float>(threadIdx.x);
  float beside[kChains];
  zoo::StartChains(beside);
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int k = 0; k < kInLine; ++k) {
      asm volatile("fma.rn.f32 %0, %0, 0f3F000000, 0f3F000000;" : "+f"(x));
    }
    for (int k = 0; k < others; ++k) zoo::Fma(beside);
  }
  zoo::Keep(beside, x == -1.0f ? 1 : 0, sink);
  if (x == -1.0f) *sink = 1;
}
extern "C" __global__ void KERNEL(fma_one_chain)(int steps, int others, uint32_t* sink) {
  RunOneChain<16>(steps, others, sink);
}
__global__ void OneChainInShortLoop(int steps, int others, uint32_t* sink) {
  RunOneChain<2>(steps, others, sink);
}

// As many instructions of a thread, in four chains.
__global__ void FourChains(int steps, uint32_t* sink) {
  float chain[4], none[kChains];
  zoo::StartChains(none);
#pragma unroll
  for (int k = 0; k < 4; ++k) chain[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) zoo::SingleFma{}(chain[k % 4]);
  }
  zoo::Keep(none, __float_as_uint(chain[0] + chain[1] + chain[2] + chain[3]), sink);
}

using PipeKernel = void (*)(Pipes, uint32_t*);

struct Pipe {
  const char *id, *name;
  PipeKernel kernel;
  const char *resource, *other;
  Pipes amounts;
  int main_step, other_step;
  const char* useless;  // advice about the other pipe; nullptr: it is not tried
  const char* fix = nullptr;
  PipeKernel fixed = nullptr;
  int fixed_part = 1;  // 2: half of the steps do the same
  std::vector<const char*> same{};
};

zoo::Family Make(const Pipe& pipe, const zoo::Setting& setting) {
  setting.draws->Begin(pipe.name);
  constexpr int kBlocks = 4, kUnit = 5;
  Pipes pipes = pipe.amounts;
  pipes.rounds = setting.draws->Near(pipes.rounds, kUnit);
  const int sms = setting.sms;
  const PipeKernel kernel = pipe.kernel;
  const auto run = [=](const Pipes& amounts, int blocks) {
    kernel<<<sms * blocks, kThreads>>>(amounts, zoo::Sink());
  };
  zoo::Family family{pipe.id,
                     pipe.name,
                     {{pipe.resource, pipes.main, pipe.main_step},
                      {pipe.other, pipes.other, pipe.other_step},
                      {"parallel", kBlocks, 1}},
                     [=](const zoo::Amounts& a) {
                       run({pipes.rounds, a[0], a[1]}, a[2]);
                     },
                     {}};
  if (pipe.fix != nullptr) {
    const Pipes fixed{pipes.rounds, pipes.main / pipe.fixed_part, pipes.other};
    family.variants.push_back(
        {"fix", pipe.fix,
         [=, other = pipe.fixed] { other<<<sms * kBlocks, kThreads>>>(fixed, zoo::Sink()); },
         pipe.same});
  }
  family.variants.push_back(
      {"decoy", "raise-occupancy", [=] {
         run({pipes.rounds / kUnit * kBlocks, pipes.main, pipes.other}, kUnit);
       }});
  if (pipe.useless != nullptr) {
    family.variants.push_back({"decoy", pipe.useless, [=] {
                                 run({pipes.rounds, pipes.main, pipes.other / 2}, kBlocks);
                               }});
  }
  return family;
}

zoo::Family OneChain(const zoo::Setting& setting) {
  setting.draws->Begin("fma_one_chain");
  const int steps = setting.draws->Near(3000, 4), sms = setting.sms;
  const auto run = [=](int blocks, int others, int its_steps) {
    KERNEL(fma_one_chain)<<<sms * blocks, 128>>>(its_steps, others, zoo::Sink());
  };
  return {
      NAMES(fma_one_chain),
      {{"chain", steps, steps / 4}, {"parallel", 1, 1, true}},
      [=](const zoo::Amounts& a) { run(a[1], 0, a[0]); },
      {{"fix", "raise-occupancy", [=] { run(4, 0, steps / 4); }},
       {"fix", "independent-instructions", [=] { FourChains<<<sms, 128>>>(steps, zoo::Sink()); }},
       {"decoy", "smaller-loop",
        [=] { OneChainInShortLoop<<<sms, 128>>>(8 * steps, 0, zoo::Sink()); }}},
      ""};
}

}  // namespace

namespace zoo {

std::vector<Family> PipeFamilies(const Setting& setting) {
  const char *const fma = "fewer-fma", *const integer = "fewer-integer";
  const char* const special = "fewer-special-functions";
  const std::vector<const char*> issue = {"fewer-instructions"};
  const auto of_pairs = OtherPipes<uint32_t, FmaOfPairs, Lops>;
  const Pipe pipes[] = {
      {NAMES(fma_chains),
       KERNEL(fma_chains),
       "fma",
       "alu",
       {100, 32, 2},
       8,
       1,
       integer,
       fma,
       of_pairs,
       2,
       issue},
      {NAMES(mul_chains),
       KERNEL(mul_chains),
       "fma",
       "alu",
       {100, 32, 4},
       8,
       2,
       integer,
       fma,
       OtherPipes<uint32_t, MulOfPairs, Lops>,
       2,
       issue},
      {NAMES(fp64_chains),
       KERNEL(fp64_chains),
       "fp64",
       "fma",
       {50, 32, 8},
       8,
       4,
       fma,
       "fp32-for-fp64",
       OtherPipes<float, SingleFma, Fmas>},
      {NAMES(exp_chains),
       KERNEL(exp_chains),
       "sfu",
       "alu",
       {20, 32, 8},
       8,
       4,
       integer,
       special,
       PartlyComputed<float, Exp2, 3, Lops>},
      {NAMES(rsqrt_chains),
       KERNEL(rsqrt_chains),
       "sfu",
       "fma",
       {20, 32, 16},
       8,
       8,
       fma,
       special,
       PartlyComputed<float, Rsqrt, 2, Fmas>},
      {NAMES(sine_chains),
       KERNEL(sine_chains),
       "sfu",
       "alu",
       {20, 32, 8},
       8,
       4,
       nullptr,
       special,
       PartlyComputed<float, Sine, 3, Lops>},
      {NAMES(convert_chains),
       KERNEL(convert_chains),
       "sfu",
       "fma",
       {10, 32, 8},
       8,
       4,
       nullptr,
       special,
       OtherPipes<float, Rounding, Fmas>},
      // Each of its instructions does 32 bits of work that are needed: no fix.
      {NAMES(logic_chains), KERNEL(logic_chains), "alu", "fma", {60, 32, 4}, 8, 2, fma},
      {NAMES(shift_chains),
       KERNEL(shift_chains),
       "alu",
       "fma",
       {60, 32, 8},
       8,
       4,
       fma,
       integer,
       OtherPipes<uint32_t, TwoRotations, Fmas>,
       2},
      {NAMES(multiply_chains),
       KERNEL(multiply_chains),
       "fma",
       "alu",
       {60, 32, 4},
       8,
       2,
       nullptr,
       fma,
       OtherPipes<uint32_t, TwoMultiplications, Lops>,
       2,
       issue},
      {NAMES(popcount_chains),
       KERNEL(popcount_chains),
       "sfu",
       "alu",
       {20, 32, 4},
       8,
       2,
       nullptr,
       special,
       PartlyComputed<uint32_t, Popcount, 1, Lops>},
      {NAMES(half_chains),
       KERNEL(half_chains),
       "fma",
       "alu",
       {60, 32, 4},
       8,
       2,
       integer,
       "fewer-half-fma",
       OtherPipes<uint32_t, TwoFmasOfPairs, Lops>,
       2,
       issue},
      {NAMES(fma_and_logic),
       KERNEL(fma_and_logic),
       "fma",
       "alu",
       {60, 32, 16},
       8,
       4,
       nullptr,
       "fewer-instructions",
       of_pairs,
       2,
       {fma}},
  };
  std::vector<Family> families;
  for (const Pipe& pipe : pipes) families.push_back(Make(pipe, setting));
  families.push_back(OneChain(setting));
  return families;
}

}  // namespace zoo
