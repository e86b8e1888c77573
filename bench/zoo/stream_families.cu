// SPDX-License-Identifier: Apache-2.0
//
// Streams through DRAM, alone and beside arithmetic.
#include "bench/zoo/mix_family.cuh"
#include "bench/zoo/other_mix.cuh"

MIX_KERNEL(stream_read, zoo::kDramReads | zoo::kFmas)
MIX_KERNEL(stream_write, zoo::kDramWrites | zoo::kFmas)
MIX_KERNEL(stream_copy, zoo::kDramReads | zoo::kDramWrites | zoo::kFmas)
MIX_KERNEL(stream_balanced, zoo::kDramReads | zoo::kFmas)
MIX_KERNEL(stream_much_fma, zoo::kDramReads | zoo::kFmas)
MIX_KERNEL(stream_integer, zoo::kDramReads | zoo::kLops)
MIX_KERNEL(stream_much_integer, zoo::kDramReads | zoo::kLops)
MIX_KERNEL(stream_shared, zoo::kDramReads | zoo::kSharedVectors)

// Three reads and a write for each round.
MIX_KERNEL(stream_three_to_one, zoo::kDramReads | zoo::kDramWrites)

namespace {

// As stream_read, one warp for each scheduler: nothing hides the latency.
extern "C" __global__ void __launch_bounds__(128, 8)
    KERNEL(stream_few_warps)(zoo::Mix mix, zoo::MixData data) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t keep = at;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < mix.rounds; ++round) {
#pragma unroll 1
    for (int i = 0; i < mix.dram_reads; ++i, at += threads) {
      zoo::Use(zoo::LoadPastL1(data.in + (at & (zoo::kVectors - 1))), &keep);
    }
    for (int i = 0; i < mix.fmas; ++i) zoo::Fma(chain);
  }
  zoo::Keep(chain, keep, data.sink);
}

zoo::Family FewWarps(const zoo::Setting& setting) {
  constexpr int kSmall = 128;
  const int rounds = setting.draws->Near(32, 8), sms = setting.sms;
  const zoo::MixData data{zoo::In(), zoo::Out(), zoo::Sink()};
  const auto run = [=](int reads, int fmas, int blocks, int its_rounds) {
    zoo::Mix mix;
    mix.rounds = its_rounds;
    mix.dram_reads = reads;
    mix.fmas = fmas;
    KERNEL(stream_few_warps)<<<blocks * sms, kSmall>>>(mix, data);
  };
  return {NAMES(stream_few_warps),
          {{"dram", 16, 4}, {"fma", 8, 2}, {"parallel", 1, 1, true}},
          [=](const zoo::Amounts& a) { run(a[0], a[1], a[2], rounds); },
          {{"fix", "raise-occupancy", [=] { run(16, 8, 8, rounds / 8); }},
           {"decoy", "fewer-fma", [=] { run(16, 4, 1, rounds); }}},
          "occupancy-limited"};
}

}  // namespace

namespace zoo {

std::vector<Family> StreamFamilies(const Setting& setting) {
  const MixKnob reads{"dram", &Mix::dram_reads, 4}, writes{"dram", &Mix::dram_writes, 4};
  const auto fmas = [](int step) { return MixKnob{"fma", &Mix::fmas, step}; };
  const auto lops = [](int step) { return MixKnob{"alu", &Mix::lops, step}; };
  const auto mix = [](int rounds, int read, int written, int fma) {
    Mix made;
    made.rounds = rounds;
    made.dram_reads = read;
    made.dram_writes = written;
    made.fmas = fma;
    return made;
  };
  const auto integer = [&](int lop) {
    Mix made = mix(15, 16, 0, 0);
    made.lops = lop;
    return made;
  };
  Mix shared = mix(15, 16, 0, 0);
  shared.shared_vectors = 64;
  const auto half_fma = [](Mix& m) { m.fmas /= 2; };
  const auto half_reads = [](Mix& m) { m.dram_reads /= 2; };
  setting.draws->Begin("stream_few_warps");
  constexpr auto kReadHalves = OtherMix<kDramReads | kFmas, kHalfStorage>;
  constexpr auto kPacked = OtherMix<kDramReads | kFmas, kPackedFmas>;
  constexpr auto kHalves = OtherMix<kDramReads | kFmas, kHalfStorage | kPackedFmas>;
  std::vector<Family> families;
  families.push_back(FewWarps(setting));
  families.push_back(MixFamily(NAMES(stream_read), KERNEL(stream_read), mix(15, 16, 0, 16),
                               {reads, fmas(4)}, setting)
                         .By(kReadHalves, "fix", "fewer-bytes")
                         .With("decoy", "fewer-fma", half_fma)
                         .MoreWarps("decoy"));
  families.push_back(MixFamily(NAMES(stream_write), KERNEL(stream_write), mix(15, 0, 16, 16),
                               {writes, fmas(4)}, setting)
                         .By(OtherMix<kDramWrites | kFmas, kHalfStorage>, "fix", "fewer-bytes")
                         .MoreWarps("decoy"));
  families.push_back(
      MixFamily(NAMES(stream_copy), KERNEL(stream_copy), mix(10, 16, 16, 16),
                {reads, writes, fmas(4)}, setting)
          .By(OtherMix<kDramReads | kDramWrites | kFmas, kHalfStorage>, "fix", "fewer-bytes")
          .With("decoy", "fewer-fma", half_fma));
  families.push_back(MixFamily(NAMES(stream_three_to_one), KERNEL(stream_three_to_one),
                               mix(10, 24, 8, 0), {reads, writes}, setting)
                         .By(OtherMix<kDramReads | kDramWrites, kHalfStorage>, "fix", "fewer-bytes")
                         .MoreWarps("decoy"));
  families.push_back(MixFamily(NAMES(stream_balanced), KERNEL(stream_balanced), mix(10, 16, 0, 200),
                               {reads, fmas(40)}, setting)
                         .By(kHalves, "fix", "relieve-both")
                         .By(kPacked, "fix", "fewer-fma", {"fewer-instructions"})
                         .MoreWarps("decoy"));
  families.push_back(MixFamily(NAMES(stream_much_fma), KERNEL(stream_much_fma), mix(10, 16, 0, 480),
                               {reads, fmas(80)}, setting)
                         .By(kPacked, "fix", "fewer-fma", {"fewer-instructions"})
                         .With("decoy", "fewer-bytes", half_reads)
                         .MoreWarps("decoy"));
  families.push_back(MixFamily(NAMES(stream_integer), KERNEL(stream_integer), integer(16),
                               {reads, lops(4)}, setting)
                         .By(OtherMix<kDramReads | kLops, kHalfStorage>, "fix", "fewer-bytes")
                         .MoreWarps("decoy"));
  families.push_back(MixFamily(NAMES(stream_much_integer), KERNEL(stream_much_integer),
                               integer(240), {reads, lops(40)}, setting)
                         .By(OtherMix<kDramReads | kLops, kPackedLops>, "fix", "fewer-integer")
                         .With("decoy", "fewer-bytes", half_reads));
  families.push_back(
      MixFamily(NAMES(stream_shared), KERNEL(stream_shared), shared,
                {reads, {"shared", &Mix::shared_vectors, 16}}, setting)
          .By(OtherMix<kDramReads | kSharedVectors, kHalfStorage>, "fix", "fewer-bytes")
          .MoreWarps("decoy"));
  return families;
}

}  // namespace zoo
