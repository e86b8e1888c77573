// SPDX-License-Identifier: Apache-2.0
//
// Data that stays in L2, in L1 or in shared memory.
#include "bench/zoo/mix_family.cuh"
#include "bench/zoo/other_mix.cuh"

MIX_KERNEL(l2_read, zoo::kL2Reads | zoo::kFmas)
MIX_KERNEL(l2_read_large, zoo::kL2Reads | zoo::kFmas)
MIX_KERNEL(l2_balanced, zoo::kL2Reads | zoo::kFmas)
MIX_KERNEL(l2_and_dram, zoo::kL2Reads | zoo::kDramReads)
MIX_KERNEL(l1_read, zoo::kL1Reads | zoo::kFmas)
MIX_KERNEL(l1_balanced, zoo::kL1Reads | zoo::kFmas)
MIX_KERNEL(shared_vectors, zoo::kSharedVectors | zoo::kFmas)
MIX_KERNEL(shared_words, zoo::kSharedWords | zoo::kLops)
MIX_KERNEL(shared_balanced, zoo::kSharedVectors | zoo::kFmas)
MIX_KERNEL(conflicts_two, zoo::kSharedWords | zoo::kFmas)
MIX_KERNEL(conflicts_four, zoo::kSharedWords | zoo::kFmas)
MIX_KERNEL(conflicts_eight, zoo::kSharedWords | zoo::kFmas)
MIX_KERNEL(conflicts_all, zoo::kSharedWords | zoo::kFmas)

namespace zoo {
namespace {

Mix Cached(int rounds, int Mix::*kind, int amount, int fmas) {
  Mix mix;
  mix.rounds = rounds;
  mix.*kind = amount;
  mix.fmas = fmas;
  return mix;
}

Family Conflicts(const char* id, const char* name, MixKernel kernel, unsigned ways, int rounds,
                 const Setting& setting) {
  Mix mix = Cached(rounds, &Mix::shared_words, 64, 4);
  mix.word_stride = ways;
  MixFamily family(id, name, kernel, mix,
                   {{"shared", &Mix::shared_words, 16}, {"fma", &Mix::fmas, 1}}, setting);
  family.With("fix", "remove-bank-conflicts", [](Mix& m) { m.word_stride = 1; })
      .With("decoy", "fewer-fma", [](Mix& m) { m.fmas /= 2; })
      .MoreWarps("decoy")
      .Cause("shared-bank-conflicts");
  return family;
}

}  // namespace

std::vector<Family> CacheFamilies(const Setting& setting) {
  const MixKnob l2{"l2", &Mix::l2_reads, 4}, l1{"l1", &Mix::l1_reads, 8};
  const MixKnob vectors{"shared", &Mix::shared_vectors, 8};
  const auto fmas = [](int step) { return MixKnob{"fma", &Mix::fmas, step}; };
  Mix large = Cached(20, &Mix::l2_reads, 16, 8);
  large.l2_vectors = 1u << 20;
  Mix both = Cached(20, &Mix::l2_reads, 32, 0);
  both.dram_reads = 8;
  Mix words = Cached(100, &Mix::shared_words, 64, 0);
  words.lops = 8;
  constexpr auto kSlices = OtherMix<kL2Reads | kFmas, kOwnSlice>;
  const auto half_fma = [](Mix& m) { m.fmas /= 2; };
  std::vector<Family> families;
  families.push_back(MixFamily(NAMES(l2_read), KERNEL(l2_read), Cached(20, &Mix::l2_reads, 16, 8),
                               {l2, fmas(2)}, setting)
                         .By(kSlices, "fix", "serve-from-l1")
                         .With("decoy", "fewer-fma", half_fma)
                         .MoreWarps("decoy"));
  families.push_back(
      MixFamily(NAMES(l2_read_large), KERNEL(l2_read_large), large, {l2, fmas(2)}, setting)
          .By(kSlices, "fix", "serve-from-l1")
          .With("decoy", "fewer-fma", half_fma)
          .MoreWarps("decoy"));
  families.push_back(
      MixFamily(NAMES(l2_balanced), KERNEL(l2_balanced), Cached(15, &Mix::l2_reads, 16, 160),
                {l2, fmas(40)}, setting)
          .By(OtherMix<kL2Reads | kFmas, kPackedFmas>, "fix", "fewer-fma", {"fewer-instructions"})
          .MoreWarps("decoy"));
  families.push_back(MixFamily(NAMES(l2_and_dram), KERNEL(l2_and_dram), both,
                               {{"l2", &Mix::l2_reads, 8}, {"dram", &Mix::dram_reads, 4}}, setting)
                         .By(OtherMix<kL2Reads | kDramReads, kOwnSlice>, "fix", "serve-from-l1")
                         .MoreWarps("decoy"));
  families.push_back(MixFamily(NAMES(l1_read), KERNEL(l1_read), Cached(60, &Mix::l1_reads, 32, 8),
                               {l1, fmas(2)}, setting)
                         .By(OtherMix<kL1Reads | kFmas, kHeld>, "fix", "fewer-l1-accesses")
                         .With("decoy", "fewer-fma", half_fma)
                         .MoreWarps("decoy"));
  families.push_back(MixFamily(NAMES(l1_balanced), KERNEL(l1_balanced),
                               Cached(40, &Mix::l1_reads, 32, 56), {l1, fmas(16)}, setting)
                         .By(OtherMix<kL1Reads | kFmas, kHeld | kPackedFmas>, "fix", "relieve-both")
                         .By(OtherMix<kL1Reads | kFmas, kHeld>, "fix", "fewer-l1-accesses")
                         .MoreWarps("decoy"));
  families.push_back(
      MixFamily(NAMES(shared_vectors), KERNEL(shared_vectors),
                Cached(60, &Mix::shared_vectors, 32, 8), {vectors, fmas(2)}, setting)
          .By(OtherMix<kSharedVectors | kFmas, kHeld>, "fix", "fewer-shared-accesses", HoldRounds)
          .With("decoy", "fewer-fma", half_fma)
          .MoreWarps("decoy"));
  families.push_back(
      MixFamily(NAMES(shared_words), KERNEL(shared_words), words,
                {{"shared", &Mix::shared_words, 16}, {"alu", &Mix::lops, 2}}, setting)
          .By(OtherMix<kSharedWords | kLops, kHeld>, "fix", "fewer-shared-accesses", HoldRounds)
          .MoreWarps("decoy"));
  families.push_back(MixFamily(NAMES(shared_balanced), KERNEL(shared_balanced),
                               Cached(40, &Mix::shared_vectors, 32, 56), {vectors, fmas(16)},
                               setting)
                         .By(OtherMix<kSharedVectors | kFmas, kHeld | kPackedFmas>, "fix",
                             "relieve-both", HoldRounds)
                         .By(OtherMix<kSharedVectors | kFmas, kPackedFmas>, "fix", "fewer-fma",
                             {"fewer-instructions"})
                         .MoreWarps("decoy"));
  families.push_back(Conflicts(NAMES(conflicts_two), KERNEL(conflicts_two), 2, 60, setting));
  families.push_back(Conflicts(NAMES(conflicts_four), KERNEL(conflicts_four), 4, 30, setting));
  families.push_back(Conflicts(NAMES(conflicts_eight), KERNEL(conflicts_eight), 8, 15, setting));
  families.push_back(Conflicts(NAMES(conflicts_all), KERNEL(conflicts_all), 32, 5, setting));
  return families;
}

}  // namespace zoo
