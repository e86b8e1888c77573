// SPDX-License-Identifier: Apache-2.0
//
// This table names the metrics for which the known kernels have exact values. A `sass` metric
// counts thread instructions (an FMA is two operations, on half2 four). An `ops_path` metric counts
// operations (a multiplication and an addition are two).
#ifndef PROF_BENCH_PROGRAMS_METRIC_NAMES_H_
#define PROF_BENCH_PROGRAMS_METRIC_NAMES_H_

namespace metric {

inline constexpr char kFadd[] = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
inline constexpr char kFmul[] = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum";
inline constexpr char kFfma[] = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
inline constexpr char kDadd[] = "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum";
inline constexpr char kDmul[] = "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum";
inline constexpr char kDfma[] = "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum";
inline constexpr char kHadd[] = "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum";
inline constexpr char kHmul[] = "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum";
inline constexpr char kHfma[] = "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum";

inline constexpr char kMmaHalf[] = "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum";
inline constexpr char kWgmmaHalf[] = "sm__ops_path_tensor_op_hgmma_src_fp16.sum";
inline constexpr char kTensorBfloat16[] = "sm__ops_path_tensor_src_bf16_dst_fp32.sum";
inline constexpr char kTensorTf32[] = "sm__ops_path_tensor_src_tf32_dst_fp32.sum";
inline constexpr char kTensorFloat8[] = "sm__ops_path_tensor_src_fp8_sparsity_off.sum";
inline constexpr char kWgmmaInt8[] = "sm__ops_path_tensor_op_igmma_src_int8.sum";
inline constexpr char kTensorDouble[] = "sm__ops_path_tensor_src_fp64.sum";

inline constexpr char kLoadRequests[] = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
inline constexpr char kLoadSectors[] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr char kStoreRequests[] = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
inline constexpr char kStoreSectors[] = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
inline constexpr char kReductionSectors[] = "lts__t_sectors_op_red.sum";
inline constexpr char kSharedLoadWavefronts[] =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";

}  // namespace metric

#endif  // PROF_BENCH_PROGRAMS_METRIC_NAMES_H_
