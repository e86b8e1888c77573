#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# prof's counters beside Nsight Compute's for the same kernels.
#
#   compare_ncu.py --metrics                          the list for ncu --metrics
#   compare_ncu.py NCU.csv PROF.json OUT.md OUT.json  joins `ncu --csv` with five_kernels' report
"""Compares the metrics that ncu and prof measured, by kernel."""

import csv
import json
import math
import statistics
import sys

import machine

_PERCENT = ".avg.pct_of_peak_sustained_elapsed"
_STALL = "smsp__average_warps_issue_stalled_"
METRICS = [
    "gpu__time_duration.sum",
    "gpu__dram_throughput" + _PERCENT,
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "dram__bytes.sum.per_second",
    "lts__t_sectors" + _PERCENT,
    "lts__lts2xbar_cycles_active" + _PERCENT,
    "l1tex__data_pipe_lsu_wavefronts" + _PERCENT,
    "l1tex__lsuin_requests" + _PERCENT,
    "l1tex__data_bank_reads" + _PERCENT,
    "sm__issue_active" + _PERCENT,
    "sm__pipe_tensor_cycles_active" + _PERCENT,
    "sm__pipe_fma_cycles_active" + _PERCENT,
    "sm__pipe_fmaheavy_cycles_active" + _PERCENT,
    "sm__pipe_alu_cycles_active" + _PERCENT,
    "sm__pipe_fp64_cycles_active" + _PERCENT,
    "sm__inst_executed_pipe_xu" + _PERCENT,
    "sm__inst_executed_pipe_lsu" + _PERCENT,
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.per_cycle_active",
    "smsp__warps_eligible.avg.per_cycle_active",
    "gpc__cycles_elapsed.avg.per_second",
    "dram__cycles_elapsed.avg.per_second",
    _STALL + "long_scoreboard_per_issue_active.ratio",
    _STALL + "short_scoreboard_per_issue_active.ratio",
    _STALL + "mio_throttle_per_issue_active.ratio",
    _STALL + "math_pipe_throttle_per_issue_active.ratio",
    _STALL + "wait_per_issue_active.ratio",
    "smsp__average_warp_latency_per_inst_issued.ratio",
    "smsp__inst_executed.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "lts__t_sectors.sum",
]
KERNELS = ["stream_copy", "l2_read", "shared_conflicts", "fma_chains", "pointer_chase"]


GEMM = "gemm (cuBLAS)"
UNSAMPLED = "duration of launches without counters, ns"


def label(kernel_name):
    """None for kernels that are not compared."""
    known = next((known for known in KERNELS if known in kernel_name), None)
    is_gemm = any(part in kernel_name.lower() for part in ("gemm", "nvjet", "cutlass"))
    return known or (GEMM if is_gemm else None)


def number(text):
    try:
        value = float(str(text).replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def read_ncu(path):
    """{(kernel, metric): [value of each launch]} from the long form of `ncu --csv`."""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        lines = file.readlines()
    start = next((i for i, line in enumerate(lines) if '"Metric Name"' in line), None)
    if start is None:
        raise ValueError(f"{path} has no table of metrics; it ends with: {''.join(lines[-3:])}")
    values = {}
    for row in csv.DictReader(lines[start:]):
        value = number(row.get("Metric Value"))
        kernel = label(row.get("Kernel Name") or "")
        if value is None or kernel is None:
            continue
        values.setdefault((kernel, row["Metric Name"]), []).append(value)
        if row["Metric Name"] == "gpu__time_duration.sum":
            values.setdefault((kernel, UNSAMPLED), []).append(value)
    return values


def read_prof(path):
    """{(kernel, metric): {n, median, min, max}} from prof's JSON report."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    values = {}
    # By total time, descending: a helper kernel of cuBLAS must not replace its GEMM.
    for kernel in report["kernels"]:
        measured = {UNSAMPLED: kernel["duration_ns"], **kernel["metrics"]}
        for metric, statistic in measured.items():
            if label(kernel["name"]) and statistic["median"] is not None:
                values.setdefault((label(kernel["name"]), metric), statistic)
    return values


def difference(metric, ncu, prof):
    """Points for percentages, percent for everything else; None when neither makes sense."""
    if "pct" in metric:
        return prof - ncu, "points"
    if ncu == 0:
        return (0.0, "%") if prof == 0 else (None, "%")
    return 100 * (prof - ncu) / ncu, "%"


def join(ncu, prof):
    rows = []
    for metric in [UNSAMPLED, *METRICS]:
        for kernel in [*KERNELS, GEMM]:
            theirs, ours = ncu.get((kernel, metric)), prof.get((kernel, metric))
            row = {"metric": metric, "kernel": kernel, "ncu": None, "prof": None,
                   "difference": None, "unit": None}
            if theirs:
                row.update(ncu=statistics.median(theirs), ncu_n=len(theirs), ncu_min=min(theirs),
                           ncu_max=max(theirs))
            if ours:
                row.update(prof=ours["median"], prof_n=ours["n"], prof_min=ours["min"],
                           prof_max=ours["max"])
            if theirs and ours:
                row["difference"], row["unit"] = difference(metric, row["ncu"], row["prof"])
            rows.append(row)
    return rows


def markdown(rows, where):
    def show(row, tool):
        if row[tool] is None:
            return "not measured"
        spread = f"{row[tool + '_min']:.4g} to {row[tool + '_max']:.4g}"
        return f"{row[tool]:.5g} (n {row[tool + '_n']}, {spread})"

    lines = [
        f"{where['hardware']}, driver {where['driver']}, commit {where['commit']}, "
        f"{where['date']}. Medians; ncu with --clock-control none --cache-control none.",
        "",
        "| metric | kernel | ncu | prof | difference |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        change = "" if row["difference"] is None else f"{row['difference']:+.2f} {row['unit']}"
        lines.append(f"| {row['metric']} | {row['kernel']} | {show(row, 'ncu')} | "
                     f"{show(row, 'prof')} | {change} |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] == ["--metrics"]:
        print(",".join(METRICS))
        return 0
    if len(sys.argv) != 5:
        print(__doc__, "usage: compare_ncu.py NCU.csv PROF.json OUT.md OUT.json", file=sys.stderr)
        return 2
    ncu_path, prof_path, markdown_path, json_path = sys.argv[1:]
    rows = join(read_ncu(ncu_path), read_prof(prof_path))
    where = machine.describe()
    with open(markdown_path, "w", encoding="utf-8") as file:
        file.write(markdown(rows, where))
    with open(json_path, "w", encoding="utf-8") as file:
        json.dump({**where, "rows": rows}, file, indent=1)

    both = [row for row in rows if row["difference"] is not None]
    within = sum(1 for row in both if abs(row["difference"]) <= 2)
    print(f"{len(both)} of {len(rows)} values measured by both; {within} differ by at most 2")
    worst = sorted(both, key=lambda row: -abs(row["difference"]))[:8]
    for row in worst:
        print(f"  {row['difference']:+9.2f} {row['unit']:6} {row['kernel']:16} {row['metric']}: "
              f"ncu {row['ncu']:.5g}, prof {row['prof']:.5g}")
    return 0 if both else 1


if __name__ == "__main__":
    sys.exit(main())
