// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_matrix.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "lib/analyzer/base/ceilings.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_bounds.h"
#include "lib/analyzer/rules/rule_code.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/format/ceilings.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr std::string_view kHalvable[] = {"fp16 tensor", "bf16 tensor", "tf32 tensor"};

// The type with most operations; nullptr: they were not counted.
const FlopCount* MatrixType(const RuleInputs& inputs) {
  if (inputs.kernel == nullptr) return nullptr;
  for (const FlopCount& count : inputs.kernel->flops) {
    const bool is_matrix = count.kind.find("tensor") != std::string::npos;
    if (is_matrix && count.per_launch > 0) return &count;
  }
  return nullptr;
}

double Operations(const RuleInputs& inputs, std::initializer_list<const char*> paths) {
  double sum = 0;
  for (const char* path : paths) {
    sum += inputs.Median(std::string("sm__ops_path_tensor_") + path + ".sum").value_or(0);
  }
  return sum;
}

enum class Instruction { kUnknown, kWgmma, kMmaSync };

Instruction InstructionOf(const RuleInputs& inputs) {
  const double wgmma = Operations(inputs, {"op_hgmma_src_fp16", "op_igmma_src_int8"});
  const double mma = Operations(
      inputs, {"op_hmma_src_fp16_dst_fp32", "op_hmma_src_fp16_dst_fp16", "op_imma_src_int8"});
  if (wgmma + mma <= 0) return Instruction::kUnknown;
  return mma > wgmma ? Instruction::kMmaSync : Instruction::kWgmma;
}

// The same operations at the dense peak. Larger tiles are read less often, and wgmma reads shared
// memory itself: only the epilogue's special functions are certain to stay.
Bound OfDensePeak(const RuleInputs& inputs, const FlopCount& type) {
  if (!type.of_peak) {
    return {std::nullopt, "nothing that was measured bounds it: the rate of operations was not"};
  }
  const Bound others = BoundBy(inputs, AllBut({Unit::kFp64, Unit::kSfu}));
  const Bound peak{1 - *type.of_peak, "1 - " + text::Fixed(*type.of_peak, 3) + " (" + type.kind +
                                          " operations, of the dense peak)"};
  return others.gain && *others.gain < *peak.gain ? others : peak;
}

// Half the size: twice the operations in a cycle, and half of all bytes and instructions.
Bound OfHalfType(const RuleInputs& inputs) {
  Relief relief;
  relief.share.fill(0.5);
  Bound bound = BoundBy(inputs, relief);
  bound.floor += "; with half of the work for each unit";
  return bound;
}

// The operations of two types tell it apart, and the code does for all.
bool ShouldUseWgmma(const RuleInputs& inputs, const FlopCount& type) {
  if (!IsHopper(inputs)) return false;
  if (HasWarpMatricesAlone(inputs)) return true;
  const bool is_told_apart = type.kind == "fp16 tensor" || type.kind == "int8 tensor";
  return is_told_apart && InstructionOf(inputs) == Instruction::kMmaSync;
}

// What a calibration says of both instructions on this device.
void AddMatrixCeilings(const RuleInputs& inputs, const std::string& type, Verdict* verdict) {
  const std::string kind = format::kCeilingFlops + type;
  const model::Ceiling* const group = FindCeiling(inputs.device, kind);
  const model::Ceiling* const warp = FindCeiling(inputs.device, kind + format::kCeilingOfWarps);
  if (group == nullptr || warp == nullptr) return;
  verdict->evidence.push_back("here mma.sync reaches " + text::Rate(warp->per_s, "flop/s") +
                              " and wgmma " + text::Rate(group->per_s, "flop/s") + " (" + type +
                              ", measured)");
}

void AddWgmma(const RuleInputs& inputs, const FlopCount& type, Verdict* verdict) {
  verdict->actions.push_back(MakeAction("use-wgmma", OfDensePeak(inputs, type)));
  AddMetric(inputs, "mma.sync operations", "", "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum",
            verdict);
  verdict->evidence.emplace_back(HasWarpMatricesAlone(inputs) ? "its code has mma.sync and no wgmma"
                                                              : "no wgmma operations");
  AddMatrixCeilings(inputs, type.kind, verdict);
}

}  // namespace

void AddMatrixActions(const RuleInputs& inputs, Verdict* verdict) {
  const FlopCount* const type = MatrixType(inputs);
  if (type == nullptr) {
    if (IsHopper(inputs) && HasWarpMatricesAlone(inputs)) {
      verdict->actions.push_back(
          MakeAction("use-wgmma", {std::nullopt,
                                   "nothing that was measured bounds it: the rate of operations "
                                   "was not"}));
      verdict->evidence.emplace_back("its code has mma.sync and no wgmma");
    }
    const bool has_wgmma = HasGroupMatrices(inputs);
    if (has_wgmma) verdict->evidence.emplace_back("its code has wgmma");
    verdict->actions.push_back(
        MakeAction(has_wgmma ? "read-types" : "read-operations",
                   {std::nullopt, "the type of its matrices was not measured"},
                   WayTo(inputs, format::kNeedsOperations)));
    return;
  }
  const bool halvable =
      std::find(std::begin(kHalvable), std::end(kHalvable), type->kind) != std::end(kHalvable);
  if (ShouldUseWgmma(inputs, *type)) {
    AddWgmma(inputs, *type, verdict);
  } else if (halvable) {
    verdict->evidence.push_back("its matrices are of " + type->kind.substr(0, 4));
    verdict->actions.push_back(MakeAction("smaller-type", OfHalfType(inputs)));
  } else {
    verdict->actions.push_back(
        MakeAction("less-tensor-work", {std::nullopt,
                                        "nothing that was measured bounds it: how much of the "
                                        "work is needed is not known"}));
  }
}

}  // namespace prof::analyzer
