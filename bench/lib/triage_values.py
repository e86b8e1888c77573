# SPDX-License-Identifier: Apache-2.0
"""This module compares prof's values of PM sampling with Nsight Compute's, unit by unit.

lib/format/triage_metrics.h has the names that prof reads. ncu counts the same under names of its
own, for one kernel alone.
"""

import dataclasses
import statistics

from lib import ncu
from lib import prof_report
from lib import results

SUFFIX = ".avg.pct_of_peak_sustained_elapsed"
LEAST_NS = 10_000
GOAL_MEDIAN, GOAL_POINTS, GOAL_SHARE, GOAL_BOUNDS = 0.2, 2, 0.95, 0.93
CYCLES = "sm__cycles_elapsed.max"
_LEAST_PERCENT = 1  # on either side: what is idle for both is no agreement


@dataclasses.dataclass(frozen=True)
class Unit:
    """`on_sm_clock`: its peak is of cycles of the SMs, not of time."""
    name: str
    ours: tuple    # prof's names without SUFFIX; the first that a kernel has
    theirs: tuple  # ncu's names for the parts of ours
    on_sm_clock: bool = True
    join: object = max  # of the parts: ours is that of the busiest, or their mean


UNITS = (
    Unit("DRAM", ("FBSP.TriageCompute.dramc__throughput", "dram__throughput", "dramc__throughput",
                  "gpu__dram_throughput"), ("gpu__dram_throughput",), on_sm_clock=False),
    # The raw counters of CUPTI's triage metric on GH100 are these parts (nvperf_host.h,
    # NVPW_MetricsEvaluator_GetMetricRawDependencies). ncu's lts__throughput has more of them.
    Unit("L2", ("LTS.TriageCompute.lts__throughput", "LTS.TriageAC.lts__throughput",
                "LTS.TriageA.lts__throughput"),
         ("lts__t_sectors", "lts__t_requests", "lts__lts2xbar_cycles_active_realtime",
          "lts__xbar2lts_cycles_active")),
    Unit("L1 wavefronts", ("SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts",
                           "l1tex__data_pipe_lsu_wavefronts"),
         ("l1tex__data_pipe_lsu_wavefronts",)),
    Unit("shared", ("SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts_mem_shared",
                    "l1tex__data_pipe_lsu_wavefronts_mem_shared"),
         ("l1tex__data_pipe_lsu_wavefronts_mem_shared",)),
    Unit("issue", ("TPC.TriageCompute.sm__inst_executed_realtime", "sm__inst_executed_realtime",
                   "sm__issue_active", "sm__inst_issued"),
         ("sm__inst_executed",)),
    Unit("tensor", ("TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime",
                    "sm__pipe_tensor_cycles_active_realtime", "sm__pipe_tensor_cycles_active"),
         ("sm__pipe_tensor_cycles_active",)),
    # Packed half precision keeps both halves busy, and is one instruction for ncu.
    Unit("FMA", ("TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime",
                 "sm__inst_executed_pipe_fma_realtime", "sm__pipe_fma_cycles_active",
                 "sm__inst_executed_pipe_fma"),
         ("sm__inst_executed_pipe_fmaheavy", "sm__inst_executed_pipe_fmalite"),
         join=statistics.mean),
    Unit("heavy FMA", ("TPC.TriageCompute.sm__inst_executed_pipe_fmaheavy_realtime",
                       "sm__inst_executed_pipe_fmaheavy_realtime",
                       "sm__pipe_fmaheavy_cycles_active"), ("sm__inst_executed_pipe_fmaheavy",)),
    Unit("ALU", ("TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime",
                 "sm__inst_executed_pipe_alu_realtime", "sm__pipe_alu_cycles_active",
                 "sm__inst_executed_pipe_alu"),
         ("sm__inst_executed_pipe_alu",)),
    Unit("FP64", ("TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime",
                  "sm__pipe_fp64_cycles_active_realtime", "sm__pipe_fp64_cycles_active",
                  "sm__inst_executed_pipe_fp64"),
         ("sm__pipe_fp64_cycles_active",)),
    Unit("XU", ("SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime",
                "sm__inst_executed_pipe_xu_realtime", "sm__inst_executed_pipe_xu"),
         ("sm__inst_executed_pipe_xu",)),
)


def ncu_metrics():
    """What ncu has to measure."""
    return [ncu.DURATION, CYCLES, *(name + SUFFIX for unit in UNITS for name in unit.theirs)]


def _ours(kernel, unit):
    """(value, half width or None), or None."""
    values = kernel.data.get("continuous") or {}
    for name in unit.ours:
        found = values.get(name + SUFFIX)
        if found and found.get("value") is not None:
            return found["value"], found.get("error")
    return None


def _theirs(measured, unit):
    """ncu's values, one for each launch."""
    parts = [measured[name + SUFFIX] for name in unit.theirs if measured.get(name + SUFFIX)]
    return [unit.join(launch) for launch in zip(*parts)]


def _ratio_of_lengths(kernel, unit, measured, us, ncu_us):
    """By what a share of prof's launch becomes one of ncu's, which has a part of the launching in it
    and may have another clock: of cycles where the peak is of cycles and both have them, or of time.
    """
    clock_hz = ((kernel.data.get("clock") or {}).get("run_hz") or {}).get("median")
    cycles = measured.get(CYCLES)
    if not unit.on_sm_clock or not clock_hz or not cycles:
        return us / ncu_us
    return us * 1e-6 * clock_hz / statistics.median(cycles)


def _row(kernel, unit, measured):
    ours, theirs = _ours(kernel, unit), _theirs(measured, unit)
    us, ncu_us = (kernel.data["duration_ns"]["median"] * 1e-3,
                  statistics.median(measured[ncu.DURATION]) * 1e-3)
    if ours is None or not theirs:
        return None
    value, error = ours
    expected = statistics.median(theirs)
    if max(value, expected) < _LEAST_PERCENT:
        return None
    scaled = value * _ratio_of_lengths(kernel, unit, measured, us, ncu_us)
    return {"kernel": kernel.label, "unit": unit.name, "us": us, "ncu_us": ncu_us, "prof": value,
            "error": error, "ncu": expected, "ncu_n": len(theirs), "ncu_min": min(theirs),
            "ncu_max": max(theirs), "difference": value - expected,
            "difference_over_ncus_length": scaled - expected,
            # The bound is of prof's value; ncu's launches differ as well.
            "within_bound": None if error is None else
                            min(theirs) - error <= scaled <= max(theirs) + error,
            "explained": abs(value - expected) <= GOAL_POINTS or
                         abs(scaled - expected) <= GOAL_POINTS}


def compare(report, launches):
    """(rows, the worst first; labels of kernels that ncu lacks or that have no value)."""
    by_key, rows, without = ncu.values_by_key(launches), [], []
    for kernel in prof_report.kernels_of(report):
        if (kernel.data["duration_ns"]["median"] or 0) < LEAST_NS:
            continue
        measured = ncu.lookup(by_key, kernel.key) or {}
        found = [_row(kernel, unit, measured) for unit in UNITS] \
            if measured.get(ncu.DURATION) else []
        found = [row for row in found if row]
        rows += found
        if not found:
            without.append(kernel.label)
    return sorted(rows, key=lambda row: -abs(row["difference"])), without


def goals_of(rows):
    if not rows:
        return []
    found = []
    for column, base in (("difference", ""), ("difference_over_ncus_length", ", over ncu's length")):
        sizes = [abs(row[column]) for row in rows]
        middle = statistics.median(sizes)
        close = sum(size <= GOAL_POINTS for size in sizes) / len(sizes)
        found += [{"goal": f"median difference of {len(rows)} values, points{base}",
                   "measured": middle, "wanted": GOAL_MEDIAN, "met": middle <= GOAL_MEDIAN},
                  {"goal": f"within {GOAL_POINTS} points, % of the values{base}",
                   "measured": 100 * close, "wanted": 100 * GOAL_SHARE,
                   "met": close >= GOAL_SHARE}]
    open_ones = sum(not row["explained"] for row in rows)
    bounds = [row["within_bound"] for row in rows if row["within_bound"] is not None]
    holds = sum(bounds) / len(bounds) if bounds else None
    return [
        *found,
        {"goal": "further apart, and not by the length of the launch",
         "measured": open_ones, "wanted": 0, "met": open_ones == 0},
        {"goal": f"within their 95 % bound of what ncu's launches had, % of {len(bounds)} values",
         "measured": "not measured" if holds is None else 100 * holds,
         "wanted": 100 * GOAL_BOUNDS, "met": None if holds is None else holds >= GOAL_BOUNDS}]


def unit_table(rows):
    lines = []
    for unit in UNITS:
        mine = [row for row in rows if row["unit"] == unit.name]
        if mine:
            sizes = sorted(abs(row["difference"]) for row in mine)
            lines.append([unit.name, len(mine), statistics.median(sizes), sizes[-1],
                          sum(size <= GOAL_POINTS for size in sizes),
                          sum(row["within_bound"] is True for row in mine)])
    return results.table(["unit", "values", "median, points", "worst", "within 2 points",
                          "within their bound"], lines)


def value_table(rows):
    return results.table(
        ["kernel", "unit", "us", "ncu's us", "ncu %", "prof %", "+-", "points",
         "points over ncu's length"],
        [[row["kernel"], row["unit"], row["us"], row["ncu_us"], row["ncu"], row["prof"],
          row["error"], f"{row['difference']:+.2f}", f"{row['difference_over_ncus_length']:+.2f}"]
         for row in rows])
