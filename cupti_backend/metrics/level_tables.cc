// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/metrics/level_tables.h"

namespace prof::cupti {
namespace {

// A share of what the unit can do in the elapsed time.
std::string Share(const std::string& base) { return base + ".avg.pct_of_peak_sustained_elapsed"; }

// Warps that wait for the reason, for each cycle in which one was issued.
std::string Stall(const std::string& reason) {
  return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
}

std::string Either(const std::vector<std::string>& alternatives) {
  std::string entry;
  for (const std::string& metrics : alternatives) entry += (entry.empty() ? "" : "|") + metrics;
  return entry;
}

std::string Both(const std::string& a, const std::string& b) { return a + " " + b; }

// The pulse's group with more in it.
MetricGroup PulseAnd(const std::vector<std::string>& metrics,
                     const std::vector<std::string>& extras) {
  MetricGroup group = PulseTable().front();
  group.metrics.insert(group.metrics.end(), metrics.begin(), metrics.end());
  group.extras = extras;
  return group;
}

}  // namespace

// DRAM, L2, issue slots, tensor pipe, occupancy, clocks: a part of the first group of sol.
const std::vector<MetricGroup>& PulseTable() {
  static const auto& table = *new std::vector<MetricGroup>{
      {{Share("gpu__dram_throughput"), "dram__bytes_read.sum", "dram__bytes_write.sum",
        "dram__bytes.sum.per_second", "dram__bytes.sum.peak_sustained",
        "dram__cycles_elapsed.avg.per_second", Share("lts__t_sectors"), Share("sm__issue_active"),
        "sm__cycles_active.avg", "sm__cycles_active.max", "sm__cycles_elapsed.max",
        Share("sm__pipe_tensor_cycles_active"), "sm__warps_active.avg.pct_of_peak_sustained_active",
        "gpc__cycles_elapsed.avg.per_second"},
       {}}};
  return table;
}

// DRAM, L2, L1, pipes, issue, occupancy, clocks. The extras are parts of the two throughputs of
// Nsight Compute's speed of light, as many as the four passes hold. On GH100
// l1tex__lsu_writeback_active needs two passes by itself; its part for local, global and shared
// memory needs one.
const std::vector<MetricGroup>& SolTable() {
  static const auto& table = *new std::vector<MetricGroup>{
      PulseAnd({Share("sm__pipe_alu_cycles_active"), Share("sm__inst_executed_pipe_xu")},
               {Share("lts__d_atomic_input_cycles_active"), Share("l1tex__tex_writeback_active"),
                Share("l1tex__data_pipe_tex_wavefronts"), Share("lts__t_tag_requests"),
                Share("lts__d_sectors")}),
      {{Share("l1tex__data_pipe_lsu_wavefronts"), Share("l1tex__lsuin_requests"),
        Either(
            {Share("l1tex__lsu_writeback_active"), Share("l1tex__lsu_writeback_active_mem_lgds")}),
        Share("lts__lts2xbar_cycles_active"), Share("sm__pipe_fp64_cycles_active")},
       {Share("lts__xbar2lts_cycles_active"), Share("l1tex__m_l1tex2xbar_req_cycles_active"),
        Share("sm__memory_throughput_internal_activity"), Share("lts__d_sectors_fill_device"),
        Share("gpu__compute_memory_request_throughput_internal_activity")}},
      {{Share("l1tex__data_bank_reads"), Share("sm__pipe_fma_cycles_active"),
        Share("sm__pipe_fmaheavy_cycles_active"), Share("sm__inst_executed_pipe_lsu")},
       {Share("gpu__compute_memory_access_throughput_internal_activity"),
        Share("l1tex__f_wavefronts"), Share("l1tex__data_bank_writes"),
        Share("sm__mio_pq_write_cycles_active")}},
      {{"smsp__issue_active.avg.per_cycle_active", "smsp__warps_active.avg.per_cycle_active",
        "smsp__warps_eligible.avg.per_cycle_active"},
       {Share("lts__d_decomp_input_sectors"), Share("lts__d_sectors_fill_sysmem"),
        Share("l1tex__texin_sm2tex_req_cycles_active"), Share("l1tex__m_xbar2l1tex_read_sectors"),
        Share("l1tex__m_xbar2l1tex_read_sectors_mem_dshared")}}};
  return table;
}

// Why warps wait. Each ratio keeps its two counters in one pass. Reasons that a chip has beside
// these are added from its list of metrics.
const std::vector<MetricGroup>& StallTable() {
  static const auto& table = *new std::vector<MetricGroup>{
      {{Stall("long_scoreboard"), Stall("imc_miss"), Stall("drain")}, {}},
      {{Stall("math_pipe_throttle"), Stall("short_scoreboard"), Stall("sleeping")}, {}},
      {{"smsp__inst_executed.sum", Stall("gmma"),
        "smsp__average_warp_latency_per_inst_issued.ratio"},
       {}},
      {{Stall("barrier"), Stall("branch_resolving"), Stall("dispatch_stall")}, {}},
      {{Stall("not_selected"), Stall("no_instruction"), Stall("selected")}, {}},
      {{Stall("lg_throttle"), Stall("wait"), Stall("tex_throttle")}, {}},
      {{Stall("misc"), Stall("membar"), Stall("mio_throttle")}, {}},
      {{"smsp__thread_inst_executed_per_inst_executed.ratio",
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
       {}}};
  return table;
}

// Memory detail: sectors and requests, conflicts, hit rates, local memory, atomics.
// lts__t_sector_hit_rate.pct is not here: its halves come from two passes, and it was seen at
// 114 %. Hits and misses are read as counts instead.
const std::vector<MetricGroup>& MemoryTable() {
  static const auto& table = *new std::vector<MetricGroup>{
      {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "smsp__inst_executed_op_ldsm.sum",
        "l1tex__t_sector_hit_rate.pct", "lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum",
        "lts__t_sectors.sum"},
       {}},
      {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "lts__t_sectors_lookup_hit.sum"}, {}},
      {{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "lts__t_sectors_lookup_miss.sum"}, {}},
      {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
       {}},
      {{Share("l1tex__data_pipe_lsu_wavefronts_mem_shared")}, {}},
      {{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
       {}},
      {{"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",
        "smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_st.sum"},
       {}}};
  return table;
}

// Tensor operations by source type; wgmma (hgmma) and mma (hmma) apart where their sum needs two
// passes. FP32, FP64 and FP16 instructions are counted by patched code, in a launch that is not
// traced (trace_pause.h): no hardware counter separates an addition from a fused multiply-add.
const std::vector<MetricGroup>& TensorTable() {
  static const auto& table = *new std::vector<MetricGroup>{
      {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
        "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained",
        "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained"},
       {}},
      {{Either({"sm__ops_path_tensor_src_fp16.sum",
                Both("sm__ops_path_tensor_op_hgmma_src_fp16.sum",
                     "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum"),
                "sm__ops_path_tensor_src_fp16_dst_fp32.sum",
                "sm__ops_path_tensor_src_fp16_dst_fp32_realtime.sum",
                "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"}),
        Either({"sm__ops_path_tensor_op_hgmma_src_fp16.sum.peak_sustained",
                "sm__ops_path_tensor_src_fp16_dst_fp32.sum.peak_sustained",
                "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum.peak_sustained"}),
        "sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained",
        Either({"sm__ops_path_tensor_src_fp8_sparsity_off.sum", "sm__ops_path_tensor_src_fp8.sum",
                Both("sm__ops_path_tensor_src_fp8_dst_fp16.sum",
                     "sm__ops_path_tensor_src_fp8_dst_fp32.sum"),
                Both("sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16_realtime.sum",
                     "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32_realtime.sum")})},
       {}},
      {{Either({"sm__ops_path_tensor_src_fp16_dst_fp16.sum",
                "sm__ops_path_tensor_src_fp16_dst_fp16_realtime.sum",
                "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp16.sum"}),
        Either({"sm__ops_path_tensor_src_int8.sum", "sm__ops_path_tensor_src_int8_realtime.sum",
                "sm__ops_path_tensor_op_igmma_src_int8.sum"}),
        "sm__ops_path_tensor_src_fp64.sum"},
       {}},
      {{Either({"sm__ops_path_tensor_src_bf16_dst_fp32.sum",
                "sm__ops_path_tensor_src_bf16_dst_fp32_realtime.sum"})},
       {}},
      {{Either({"sm__ops_path_tensor_src_tf32_dst_fp32.sum",
                "sm__ops_path_tensor_src_tf32_dst_fp32_realtime.sum"})},
       {}}};
  return table;
}

const std::vector<std::string>& SpeedOfLightTable() {
  static const auto& table = *new std::vector<std::string>{Share("sm__throughput"),
                                                           Share("gpu__compute_memory_throughput")};
  return table;
}

}  // namespace prof::cupti
