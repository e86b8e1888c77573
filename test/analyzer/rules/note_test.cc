// SPDX-License-Identifier: Apache-2.0
//
// Modifiers: each fires on its plant, keeps silent on its trap and without its metrics.
#include <vector>

#include "test/analyzer/rules/kernels.h"
#include "test/support/catch.h"

namespace prof::test::note_test {
namespace {

void SetLoads(KernelReport* kernel, double sectors, double requests) {
  Set(kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", sectors);
  Set(kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", requests);
}

TEST_CASE("A stride of a sector per lane is uncoalesced") {
  KernelReport kernel = QuietKernel();
  SetLoads(&kernel, 32e6, 1e6);
  CHECK(HasNote(Decide(kernel), "uncoalesced"));
}

TEST_CASE("Sixteen bytes per lane touch 16 sectors per request, and that is coalesced") {
  KernelReport kernel = QuietKernel();
  SetLoads(&kernel, 16e6, 1e6);
  Set(&kernel, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 32);
  CHECK_FALSE(HasNote(Decide(kernel), "uncoalesced"));
}

TEST_CASE(
    "Few useful bytes per sector are uncoalesced, but a zero means that nothing was counted") {
  KernelReport kernel = QuietKernel();
  SetLoads(&kernel, 8e6, 1e6);
  Set(&kernel, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 4);
  const Verdict verdict = Decide(kernel);
  CHECK(HasNote(verdict, "uncoalesced"));
  CHECK(Mentions(verdict.notes, "87.5 %"));
  Set(&kernel, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 0);
  CHECK_FALSE(HasNote(Decide(kernel), "uncoalesced"));
}

TEST_CASE("There is no note about coalescing when the bytes came past the load/store unit") {
  KernelReport kernel = QuietKernel();
  SetLoads(&kernel, 32e3, 1e3);
  Set(&kernel, "lts__t_sectors.sum", 5e6);
  CHECK_FALSE(HasNote(Decide(kernel), "uncoalesced"));
}

TEST_CASE("Bank conflicts of another verdict's kernel are a note, with their ways") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 70);
  Set(&kernel, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 50);
  Set(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 100);
  const Verdict verdict = Decide(kernel);
  CHECK(HasNote(verdict, "bank-conflicts"));
  CHECK(Mentions(verdict.notes, "2.0-way"));
  // At its ceiling DRAM would leave the kernel as slow without them.
  SetUse(&kernel, "gpu__dram_throughput", 85);
  CHECK_FALSE(HasNote(Decide(kernel), "bank-conflicts"));
  SetUse(&kernel, "gpu__dram_throughput", 70);
  Set(&kernel, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 5);
  CHECK_FALSE(HasNote(Decide(kernel), "bank-conflicts"));
}

TEST_CASE("One active lane per instruction is divergence") {
  KernelReport kernel = QuietKernel();
  Set(&kernel, "smsp__thread_inst_executed_per_inst_executed.ratio", 1.2);
  Set(&kernel, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 1.1);
  CHECK(HasNote(Decide(kernel), "divergence"));
}

TEST_CASE("Blocks of 16 threads are a block size, not divergence") {
  KernelReport kernel = QuietKernel();
  kernel.block = {16, 1, 1};
  Set(&kernel, "smsp__thread_inst_executed_per_inst_executed.ratio", 16);
  Set(&kernel, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 15.5);
  const Verdict verdict = Decide(kernel);
  CHECK_FALSE(HasNote(verdict, "divergence"));
  CHECK(HasNote(verdict, "block-size"));
  CHECK_FALSE(HasNote(Decide(QuietKernel()), "block-size"));
}

TEST_CASE("Local memory traffic is a note only where the kernel has local memory") {
  KernelReport kernel = QuietKernel();
  SetLoads(&kernel, 1e6, 1e6);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 1e6);
  for (const char* space : {"local", "global"}) {
    Set(&kernel, std::string("l1tex__t_sectors_pipe_lsu_mem_") + space + "_op_st.sum", 0);
  }
  CHECK_FALSE(HasNote(Decide(kernel), "spills"));
  kernel.local_bytes_per_thread = 400;
  CHECK(HasNote(Decide(kernel), "spills"));
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 1e4);
  CHECK_FALSE(HasNote(Decide(kernel), "spills"));
}

TEST_CASE("Atomics are a note when they are most of the L2's work") {
  KernelReport kernel = QuietKernel();
  Set(&kernel, "lts__t_sectors.sum", 1e6);
  Set(&kernel, "lts__t_sectors_op_atom.sum", 0.9e6);
  CHECK(HasNote(Decide(kernel), "atomics"));
  SetUse(&kernel, "gpu__dram_throughput", 85);
  CHECK_FALSE(HasNote(Decide(kernel), "atomics"));
}

TEST_CASE("A tensor kernel at 30 % is under-used, one at 70 % is not") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 30);
  CHECK(HasNote(Decide(kernel), "tensor-underused"));
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 70);
  CHECK_FALSE(HasNote(Decide(kernel), "tensor-underused"));
}

TEST_CASE("A decode GEMM limited by DRAM has no reason to use the tensor pipe more") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 15);
  SetUse(&kernel, "gpu__dram_throughput", 80);
  CHECK_FALSE(HasNote(Decide(kernel), "tensor-underused"));
}

TEST_CASE("Integer multiply-adds are the FMA pipe's, and the note calls them integer") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_fmaheavy_cycles_active", 95);
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 48);
  CHECK_FALSE(HasNote(Decide(kernel), "integer-fma"));  // nothing counted the instructions
  Set(&kernel, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kFma);
  CHECK(HasNote(verdict, "integer-fma"));
  CHECK(Mentions(verdict.notes, "heavy half"));
  Set(&kernel, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 30e6);
  CHECK_FALSE(HasNote(Decide(kernel), "integer-fma"));
}

TEST_CASE("Separate adds and multiplies on a busy FMA pipe are unfused") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 90);
  Set(&kernel, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 15e6);
  Set(&kernel, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 15e6);
  const Verdict verdict = Decide(kernel);
  CHECK(HasNote(verdict, "unfused"));
  CHECK(Mentions(verdict.notes, "50.0 %"));
  Set(&kernel, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 300e6);
  CHECK_FALSE(HasNote(Decide(kernel), "unfused"));
}

TEST_CASE("A few separate adds in a kernel of other instructions are no unfused kernel") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 90);  // of packed half precision, say
  Set(&kernel, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 15e6);
  Set(&kernel, "smsp__inst_executed.sum", 15e6);
  Set(&kernel, "smsp__thread_inst_executed_per_inst_executed.ratio", 32);
  CHECK_FALSE(HasNote(Decide(kernel), "unfused"));
}

TEST_CASE("A hit rate above 100 % is called unreliable and never printed") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 85);
  Set(&kernel, "lts__t_sector_hit_rate.pct", 114);
  const Verdict verdict = Decide(kernel);
  CHECK(HasNote(verdict, "hit-rate"));
  CHECK_FALSE(Mentions(verdict.evidence, "114"));
  CHECK_FALSE(Mentions(verdict.notes, "114"));
}

TEST_CASE("A quiet kernel has no notes") { CHECK(Decide(QuietKernel()).notes.empty()); }

}  // namespace
}  // namespace prof::test::note_test
