# SPDX-License-Identifier: Apache-2.0
"""Runs the analyses of Holistic Trace Analysis (PyPI: traceinsight) on a trace, and compares the
time that its kernels took, and its statistics of launches, with the launches in prof's table."""
import csv
import os
import re

import reader

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
try:
    from hta.trace_analysis import TraceAnalysis
except ImportError:
    reader.skip("the Python package traceinsight is not installed: pip install traceinsight")

KEEP = ("--keep", "4000")  # HTA takes seconds for ten thousand launches



def launch_statistics(trace, folder):
    """HTA's, by correlation: of the call, the operation and the delay between them, in nanoseconds.
    HTA knows launches by the runtime's name alone, so the driver's calls get that name."""
    with open(trace, encoding="utf-8") as file:
        renamed = re.sub(r'"cuLaunchKernel(Ex)?"', '"cudaLaunchKernel"', file.read())
    with open(os.path.join(folder, "rank0.json"), "w", encoding="utf-8") as file:
        file.write(renamed)
    rows = TraceAnalysis(trace_dir=folder).get_cuda_kernel_launch_stats(visualize=False)[0]
    return {int(row.correlation): tuple(round(1000 * value) for value in
                                        (row.cpu_duration, row.gpu_duration, row.launch_delay))
            for row in rows.itertuples()}


def expected_statistics(rows):
    expected = {}
    for row in rows:
        if row["call_start_ns"] == "":
            continue
        call_ns = int(row["call_duration_ns"])
        delay_ns = int(row["start_ns"]) - int(row["call_start_ns"]) - call_ns
        expected[int(row["correlation"])] = (call_ns, int(row["duration_ns"]), max(delay_ns, 0))
    return expected


with reader.folder() as folder, reader.folder() as tables, reader.folder() as renamed_folder:
    trace_path = reader.export("chrome", folder, "rank0.json", *KEEP)
    with open(reader.export("csv", tables, "app.csv", *KEEP), encoding="utf-8") as file:
        launches = list(csv.DictReader(file))
    kernels = [int(row["duration_ns"]) for row in launches if row["kind"] == "kernel"]
    statistics = launch_statistics(trace_path, renamed_folder)
    analysis = TraceAnalysis(trace_dir=folder)
    breakdown = analysis.get_gpu_kernel_breakdown(visualize=False)
    temporal = analysis.get_temporal_breakdown(visualize=False)
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
reader.check(statistics and statistics == expected_statistics(launches),
             f"HTA has {len(statistics)} launches, prof {len(expected_statistics(launches))}, or "
             "their times differ")
print("ok")
