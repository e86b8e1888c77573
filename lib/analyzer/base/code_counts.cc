// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/code_counts.h"

#include <array>
#include <cstddef>

namespace prof {
namespace {

using format::CodeClass;

struct CodeCountRow {
  CodeClass which;
  KernelCode::Count KernelCode::*count;
  const char* name;
  const char* words;
};

static_assert(KernelCode::kKinds == format::kCodeClasses - 1);  // kOther is none

// In the order of KernelCode.
constexpr std::array<CodeCountRow, KernelCode::kKinds> kCodeCountRows = {{
    {CodeClass::kGlobalLoad, &KernelCode::global_loads, "global_loads", "loads of global memory"},
    {CodeClass::kGlobalStore, &KernelCode::global_stores, "global_stores",
     "stores to global memory"},
    {CodeClass::kLocalLoad, &KernelCode::local_loads, "local_loads", "loads of local memory"},
    {CodeClass::kLocalStore, &KernelCode::local_stores, "local_stores", "stores to local memory"},
    {CodeClass::kSharedLoad, &KernelCode::shared_loads, "shared_loads", "loads of shared memory"},
    {CodeClass::kSharedStore, &KernelCode::shared_stores, "shared_stores",
     "stores to shared memory"},
    {CodeClass::kGenericAccess, &KernelCode::generic_accesses, "generic_accesses",
     "accesses by generic address"},
    {CodeClass::kGlobalAtomic, &KernelCode::global_atomics, "global_atomics",
     "atomics on global memory"},
    {CodeClass::kSharedAtomic, &KernelCode::shared_atomics, "shared_atomics",
     "atomics on shared memory"},
    {CodeClass::kAsyncCopy, &KernelCode::async_copies, "async_copies", "cp.async"},
    {CodeClass::kBulkCopy, &KernelCode::bulk_copies, "bulk_copies", "TMA and bulk copies"},
    {CodeClass::kWarpMma, &KernelCode::warp_mma, "warp_mma", "mma.sync"},
    {CodeClass::kDoubleMma, &KernelCode::double_mma, "double_mma", "mma.sync of FP64"},
    {CodeClass::kGroupMma, &KernelCode::group_mma, "group_mma", "wgmma"},
    {CodeClass::kTensorMemMma, &KernelCode::tensor_memory_mma, "tensor_memory_mma", "tcgen05.mma"},
    {CodeClass::kFp64, &KernelCode::fp64, "fp64", "FP64 operations"},
    {CodeClass::kSpecial, &KernelCode::special, "special", "special functions"},
}};

}  // namespace

std::array<KernelCode::Kind, KernelCode::kKinds> KernelCode::kinds() const {
  std::array<Kind, kKinds> kinds{};
  for (size_t i = 0; i < kinds.size(); ++i) {
    const CodeCountRow& row = kCodeCountRows[i];
    kinds[i] = {row.name, row.words, this->*row.count};
  }
  return kinds;
}

namespace analyzer {

KernelCode CodeOf(const format::CodeCensus& census) {
  KernelCode code;
  code.instructions = {census.instructions, census.looped};
  code.calls_others = census.calls_others;
  for (const CodeCountRow& row : kCodeCountRows) {
    const format::CodeCensus::Count& count = census.Of(row.which);
    code.*row.count = {count.all, count.looped};
  }
  return code;
}

}  // namespace analyzer
}  // namespace prof
