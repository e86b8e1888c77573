// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_code.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_suspicions.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using InCode = KernelCode::Count;
using CodeKinds = std::initializer_list<InCode KernelCode::*>;

constexpr CodeKinds kAtomicKinds = {&KernelCode::global_atomics};
constexpr CodeKinds kLocalKinds = {&KernelCode::local_loads, &KernelCode::local_stores};
constexpr CodeKinds kOtherKinds = {&KernelCode::global_loads, &KernelCode::global_stores,
                                   &KernelCode::global_atomics, &KernelCode::async_copies,
                                   &KernelCode::generic_accesses};
constexpr CodeKinds kAccessKinds = {
    &KernelCode::global_loads,     &KernelCode::global_stores,  &KernelCode::local_loads,
    &KernelCode::local_stores,     &KernelCode::global_atomics, &KernelCode::async_copies,
    &KernelCode::generic_accesses,
};

// nullptr: it was not seen in full.
const KernelCode* CodeSeen(const RuleInputs& inputs) {
  if (inputs.kernel == nullptr || !inputs.kernel->code || inputs.kernel->code->calls_others) {
    return nullptr;
  }
  return &*inputs.kernel->code;
}

InCode SumInCode(const KernelCode& code, CodeKinds counts) {
  InCode sum;
  for (const auto count : counts) {
    sum.all += (code.*count).all;
    sum.in_loops += (code.*count).in_loops;
  }
  return sum;
}

bool HasNoneInCode(const RuleInputs& inputs, CodeKinds counts) {
  const KernelCode* const code = CodeSeen(inputs);
  return code != nullptr && SumInCode(*code, counts).all == 0;
}

struct AccessPart {
  int64_t of_kind = 0, accesses = 0;
  bool in_loops = false;
};

std::optional<AccessPart> PartOfAccesses(const RuleInputs& inputs, CodeKinds counts) {
  const KernelCode* const code = CodeSeen(inputs);
  if (code == nullptr || code->bulk_copies.all > 0) return std::nullopt;
  const InCode kind = SumInCode(*code, counts), all = SumInCode(*code, kAccessKinds);
  if (all.in_loops > 0) return AccessPart{kind.in_loops, all.in_loops, true};
  if (all.all > 0) return AccessPart{kind.all, all.all, false};
  return std::nullopt;
}

std::optional<double> ShareOfPart(const std::optional<AccessPart>& part) {
  if (!part) return std::nullopt;
  return static_cast<double>(part->of_kind) / static_cast<double>(part->accesses);
}

std::string DescribePart(const std::optional<AccessPart>& part, const char* what) {
  if (!part) return "";
  const std::string all =
      part->of_kind == part->accesses
          ? "all " + text::Count(part->accesses)
          : text::Count(part->of_kind) + " of the " + text::Count(part->accesses);
  return all + " instructions " + (part->in_loops ? "in its loops " : "") +
         "that access memory are " + what;
}

}  // namespace

// A bulk copy may be a reduction.
bool HasNoAtomics(const RuleInputs& inputs) {
  return HasNoneInCode(inputs, {&KernelCode::global_atomics, &KernelCode::bulk_copies});
}

bool HasNoLocalAccess(const RuleInputs& inputs) {
  return HasNoneInCode(
      inputs, {&KernelCode::local_loads, &KernelCode::local_stores, &KernelCode::generic_accesses});
}

std::optional<double> LocalAccessInCode(const RuleInputs& inputs) {
  return ShareOfPart(PartOfAccesses(inputs, kLocalKinds));
}

std::optional<double> LeastLocalOnL1(const RuleInputs& inputs) {
  const KernelCode* const code = CodeSeen(inputs);
  if (code == nullptr || code->bulk_copies.all > 0 || !inputs.sampled.least_wavefronts) {
    return std::nullopt;
  }
  const InCode others = SumInCode(*code, kOtherKinds);
  const Statistic& hz = inputs.kernel->clock.run_hz;
  if (others.in_loops > 0 || SumInCode(*code, kLocalKinds).in_loops == 0 || hz.n == 0) {
    return std::nullopt;
  }
  const double cycles = hz.median * inputs.duration_ns * 1e-9;
  const double wavefronts = *inputs.sampled.least_wavefronts * cycles * inputs.sm_count;
  const double warps = inputs.blocks * std::ceil(inputs.threads / kWarpThreads);
  if (!(wavefronts > 0)) return std::nullopt;
  const double of_others = static_cast<double>(others.all) * kWarpThreads * warps;
  return std::max(0.0, 1 - of_others / wavefronts);
}

std::optional<double> AtomicsInCode(const RuleInputs& inputs) {
  const std::optional<PmRatio>& sectors = inputs.sampled.sectors_per_request;
  const bool they_run = sectors ? sectors->most < kSectorsOfStore : LooksBehindLink(inputs);
  if (!they_run) return std::nullopt;
  const std::optional<AccessPart> part = PartOfAccesses(inputs, kAtomicKinds);
  if (!part || !part->in_loops || inputs.kernel->code->shared_atomics.all > 0) return std::nullopt;
  return ShareOfPart(part);
}

// Texture fetches are requests, too, and the code's counts lack them.
bool RequestsAtomicsAlone(const RuleInputs& inputs) {
  const UnitUse* const texture = inputs.counters->Find(Unit::kTexture);
  if (!inputs.sampled.sectors_per_request || texture == nullptr || texture->of_peak >= kNoWork) {
    return false;
  }
  const KernelCode* const code = CodeSeen(inputs);
  return code != nullptr && code->bulk_copies.all == 0 && code->global_atomics.all > 0 &&
         SumInCode(*code, kAccessKinds).all == code->global_atomics.all;
}

std::string DescribeAtomicsInCode(const RuleInputs& inputs) {
  return DescribePart(PartOfAccesses(inputs, kAtomicKinds), "atomics or reductions");
}

std::string DescribeLocalAccessInCode(const RuleInputs& inputs) {
  return DescribePart(PartOfAccesses(inputs, kLocalKinds), "of local memory");
}

int64_t LoopsBeyondCache(const RuleInputs& inputs) {
  const KernelCode* const code = CodeSeen(inputs);
  if (code == nullptr || code->instructions.in_loops <= kInstructionCache) return 0;
  return code->instructions.in_loops;
}

bool HasGroupMatrices(const RuleInputs& inputs) {
  const KernelCode* const code = CodeSeen(inputs);
  return code != nullptr && code->group_mma.all > 0;
}

bool IsHopper(const RuleInputs& inputs) {
  constexpr uint32_t kHopper = 9;
  return inputs.device != nullptr && inputs.device->compute_major == kHopper;
}

bool HasWarpMatricesAlone(const RuleInputs& inputs) {
  const KernelCode* const code = CodeSeen(inputs);
  return code != nullptr && code->warp_mma.all > 0 && code->group_mma.all == 0 &&
         code->tensor_memory_mma.all == 0;
}

double TensorCeiling(const RuleInputs& inputs) {
  if (!IsHopper(inputs) || !HasWarpMatricesAlone(inputs)) return 1;
  return CodeSeen(inputs)->double_mma.all == 0 ? kWarpMatrixCeiling : 1;
}

}  // namespace prof::analyzer
