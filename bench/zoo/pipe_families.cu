// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic pipes. Each kernel has a second pipe with a little work, whose dose must not matter.
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kChains;
using zoo::kThreads;

// In groups of kChains instructions for each round.
struct Pipes {
  int rounds, main, other;
};

template <typename T, typename Main, typename Other>
__device__ __forceinline__ void RunPipes(const Pipes& pipes, uint32_t* sink, Main main,
                                         Other other) {
  T chain[kChains];
  uint32_t word[kChains];
  float single[kChains];
  zoo::StartChains(single);
#pragma unroll
  for (int k = 0; k < kChains; ++k) chain[k] = static_cast<T>(threadIdx.x + k);
#pragma unroll
  for (int k = 0; k < kChains; ++k) word[k] = threadIdx.x + k;
#pragma unroll 1
  for (int round = 0; round < pipes.rounds; ++round) {
#pragma unroll 4
    for (int i = 0; i < pipes.main; ++i) {
#pragma unroll
      for (T& x : chain) main(x);
    }
#pragma unroll 4
    for (int i = 0; i < pipes.other; ++i) other(single, word);
  }
  T sum = chain[0];
#pragma unroll
  for (int k = 1; k < kChains; ++k) sum += chain[k];
  uint32_t keep = sum == static_cast<T>(77) ? 1 : 0;
#pragma unroll
  for (const uint32_t x : word) keep ^= x;
  zoo::Keep(single, keep, sink);
  if (sum == static_cast<T>(12345)) *sink = keep;
}

struct Lops {
  __device__ void operator()(float (&)[kChains], uint32_t (&word)[kChains]) const {
    zoo::Lop(word);
  }
};
struct Fmas {
  __device__ void operator()(float (&chain)[kChains], uint32_t (&)[kChains]) const {
    zoo::Fma(chain);
  }
};

}  // namespace

#define PIPE_KERNEL(name, type, other, instruction, constraint)                            \
  extern "C" __global__ void __launch_bounds__(kThreads, 5)                                \
      KERNEL(name)(Pipes pipes, uint32_t * sink) {                                         \
    RunPipes<type>(                                                                        \
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

// One chain in few warps: the latency of the pipe decides.
extern "C" __global__ void KERNEL(fma_one_chain)(int steps, int others, uint32_t* sink) {
  float x = static_cast<float>(threadIdx.x);
  float beside[kChains];
  zoo::StartChains(beside);
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      asm volatile("fma.rn.f32 %0, %0, 0f3F000000, 0f3F000000;" : "+f"(x));
    }
    for (int k = 0; k < others; ++k) zoo::Fma(beside);
  }
  zoo::Keep(beside, x == -1.0f ? 1 : 0, sink);
  if (x == -1.0f) *sink = 1;
}

using PipeKernel = void (*)(Pipes, uint32_t*);

struct Pipe {
  const char *id, *name;
  PipeKernel kernel;
  const char *resource, *other;
  Pipes amounts;
  int main_step, other_step;
  const char* useless;  // advice about the other pipe; nullptr: it is not tried
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
  return {NAMES(fma_one_chain),
          {{"chain", steps, steps / 4}, {"parallel", 1, 1, true}},
          [=](const zoo::Amounts& a) { run(a[1], 0, a[0]); },
          {{"fix", "raise-occupancy", [=] { run(4, 0, steps / 4); }}},
          ""};
}

}  // namespace

namespace zoo {

std::vector<Family> PipeFamilies(const Setting& setting) {
  const Pipe pipes[] = {
      {NAMES(fma_chains), KERNEL(fma_chains), "fma", "alu", {100, 32, 2}, 8, 1, "fewer-integer"},
      {NAMES(mul_chains), KERNEL(mul_chains), "fma", "alu", {100, 32, 4}, 8, 2, "fewer-integer"},
      {NAMES(fp64_chains), KERNEL(fp64_chains), "fp64", "fma", {50, 32, 8}, 8, 4, "fewer-fma"},
      {NAMES(exp_chains), KERNEL(exp_chains), "sfu", "alu", {20, 32, 8}, 8, 4, "fewer-integer"},
      {NAMES(rsqrt_chains), KERNEL(rsqrt_chains), "sfu", "fma", {20, 32, 16}, 8, 8, "fewer-fma"},
      {NAMES(sine_chains), KERNEL(sine_chains), "sfu", "alu", {20, 32, 8}, 8, 4, nullptr},
      {NAMES(convert_chains), KERNEL(convert_chains), "sfu", "fma", {10, 32, 8}, 8, 4, nullptr},
      {NAMES(logic_chains), KERNEL(logic_chains), "alu", "fma", {60, 32, 4}, 8, 2, "fewer-fma"},
      {NAMES(shift_chains), KERNEL(shift_chains), "alu", "fma", {60, 32, 8}, 8, 4, "fewer-fma"},
      {NAMES(multiply_chains), KERNEL(multiply_chains), "fma", "alu", {60, 32, 4}, 8, 2, nullptr},
      {NAMES(popcount_chains), KERNEL(popcount_chains), "sfu", "alu", {20, 32, 4}, 8, 2, nullptr},
      {NAMES(half_chains), KERNEL(half_chains), "fma", "alu", {60, 32, 4}, 8, 2, "fewer-integer"},
      {NAMES(fma_and_logic), KERNEL(fma_and_logic), "fma", "alu", {60, 32, 16}, 8, 4, nullptr},
  };
  std::vector<Family> families;
  for (const Pipe& pipe : pipes) families.push_back(Make(pipe, setting));
  families.push_back(OneChain(setting));
  return families;
}

}  // namespace zoo
