# SPDX-License-Identifier: Apache-2.0
"""Runs the analyses of Holistic Trace Analysis (PyPI: traceinsight) on a trace, and compares the
time that its kernels took with that of the launches in prof's table."""
import csv
import os

import reader

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
try:
    from hta.trace_analysis import TraceAnalysis
except ImportError:
    reader.skip("the Python package traceinsight is not installed: pip install traceinsight")

KEEP = ("--keep", "4000")  # HTA takes seconds for ten thousand launches

with reader.folder() as folder, reader.folder() as tables:
    reader.export("chrome", folder, "rank0.json", *KEEP)
    with open(reader.export("csv", tables, "app.csv", *KEEP), encoding="utf-8") as file:
        kernels = [int(row["duration_ns"]) for row in csv.DictReader(file)
                   if row["kind"] == "kernel"]
    analysis = TraceAnalysis(trace_dir=folder)
    breakdown = analysis.get_gpu_kernel_breakdown(visualize=False)
    temporal = analysis.get_temporal_breakdown(visualize=False)
    analysis.get_cuda_kernel_launch_stats(visualize=False)
    analysis.get_idle_time_breakdown(visualize=False)
    analysis.get_comm_comp_overlap(visualize=False)
    analysis.get_memory_bw_summary()
    analysis.get_memory_bw_time_series()
    analysis.get_queue_length_summary()
    analysis.get_queue_length_time_series()
    annotations = analysis.get_gpu_user_annotation_breakdown(visualize=False)

rounding = 1000 * len(kernels)  # HTA sums whole microseconds
kinds = breakdown[0].set_index("kernel_type")["sum"]
kernels_ns = 1000 * sum(kinds[kind] for kind in kinds.index if kind != "MEMORY")
reader.check(abs(kernels_ns - sum(kernels)) <= rounding,
             f"HTA has {kernels_ns} ns of kernels, prof {sum(kernels)}")
reader.check(0 < float(temporal["compute_time_pctg"].iloc[0]) <= 100, "compute time is a share")
reader.check(annotations is not None and "qkv_proj" in set(annotations.iloc[:, 0]),
             "HTA has the ranges on the GPU")
print("ok")
