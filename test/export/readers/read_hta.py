# SPDX-License-Identifier: Apache-2.0
"""Runs the analyses of Holistic Trace Analysis (PyPI: traceinsight) on a trace, and compares the
time that its kernels took with that of prof's report."""
import os

import reader

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
try:
    from hta.trace_analysis import TraceAnalysis
except ImportError:
    reader.skip("the Python package traceinsight is not installed: pip install traceinsight")

with reader.folder() as folder:
    reader.export("chrome", folder, "rank0.json")
    analysis = TraceAnalysis(trace_dir=folder)
    breakdown = analysis.get_gpu_kernel_breakdown(visualize=False)
    temporal = analysis.get_temporal_breakdown(visualize=False)
    launches = analysis.get_cuda_kernel_launch_stats(visualize=False)
    analysis.get_idle_time_breakdown(visualize=False)
    analysis.get_comm_comp_overlap(visualize=False)
    analysis.get_memory_bw_summary()
    analysis.get_memory_bw_time_series()
    analysis.get_queue_length_summary()
    analysis.get_queue_length_time_series()

report = reader.report()
traced = sum(kernel["total_ns"] for kernel in report["kernels"]
             if not kernel["duration_from_counters"])
rounding = 1000 * report["totals"]["kernels"]  # HTA sums whole microseconds
kinds = breakdown[0].set_index("kernel_type")["sum"]
kernels_ns = 1000 * sum(kinds[kind] for kind in kinds.index if kind != "MEMORY")
reader.check(abs(kernels_ns - traced) <= rounding,
             f"HTA has {kernels_ns} ns of kernels, prof {traced}")
reader.check(0 < float(temporal["compute_time_pctg"].iloc[0]) <= 100, "compute time is a share")
reader.check(len(next(iter(launches.values()))) > 0, "launches have operations")
print("ok")
