# SPDX-License-Identifier: Apache-2.0
"""This experiment checks continuous (PM) sampling.

Is the DRAM throughput that it finds for each kernel true? What does it cost? Does it change the
clocks? Does its own clock drift?
"""

import os
import re
import statistics
import time

from lib import clocks
from lib import ncu
from lib import printed
from lib import prof_report
from lib import processes
from lib import results
from lib import settings

QUESTION = "Is PM sampling true, what does it cost, and does its clock drift?"
LIMIT_S = 240 + settings.LONG_SECONDS
RESULTS = ("continuous",)
FILES = ("continuous.json",)

_MARGIN_S = settings.LONG_SECONDS + 70  # no part begins with less time left
_DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
_LEAST_NS = 20_000   # shorter kernels are not compared
_GOAL_POINTS = 5
_STORM_LAUNCHES = 200_000
_STORM_TURNS = 3     # A B A B ... A: one more without than with
_CLOCK_SECONDS = 10  # of the run without PM sampling
_EARLY_SECONDS = 10  # known_kernels prints the CPU time until then
_GOAL_CORE_PERCENT = 10
_RUN_LIMIT_S = 120
_PRINTED = 12        # of the kernels, worst first
_EARLY = re.compile(r"\[early\] \S+ cpu_s ([0-9.]+)")
_EARLY_S = re.compile(r"\[timing\] early seconds ([0-9.]+)")
_LAUNCH = re.compile(r"\[timing\] storm .* us_per_kernel ([0-9.]+)")


def _llama(bench, *words):
    return [bench.python, "examples/pytorch/llama_like.py", *words]


def _under_prof(bench, program, continuous, snapshot, limit_s=_RUN_LIMIT_S):
    """The output of a run with the timeline alone, with or without PM sampling."""
    command = ["env", f"PROF_CONTINUOUS={int(continuous)}", *bench.under_prof(snapshot, program)]
    return processes.checked(command, limit_s)[1]


def dram_of_prof(report):
    """{key: (label, median ns, percent, half width)}. Time weights the ranges of one kernel."""
    found = {}
    for kernel in prof_report.kernels_of(report):
        value = prof_report.continuous_dram(kernel)
        duration_ns = kernel.data["duration_ns"]["median"]
        if value and duration_ns and duration_ns >= _LEAST_NS:
            found.setdefault(kernel.key, []).append((kernel, duration_ns, *value))
    merged = {}
    for key, parts in found.items():
        total = sum(part[0].data["total_ns"] for part in parts)
        weights = [part[0].data["total_ns"] / total for part in parts]
        merged[key] = (parts[0][0].label, *(
            sum(weight * part[i] for weight, part in zip(weights, parts)) for i in (1, 2, 3)))
    return merged


def compare_dram(name, ours, theirs):
    rows = []
    for key, (label, duration_ns, percent, error) in ours.items():
        found = ncu.lookup(theirs, key) or {}
        values, durations_ns = found.get(_DRAM), found.get(ncu.DURATION)
        if values and durations_ns:
            median = statistics.median(values)
            # The same bytes over ncu's time.
            time_ratio = duration_ns / statistics.median(durations_ns)
            rows.append({"program": name, "kernel": label, "us": duration_ns * 1e-3,
                         "ncu_us": statistics.median(durations_ns) * 1e-3,
                         "ncu": median, "ncu_n": len(values), "ncu_min": min(values),
                         "ncu_max": max(values), "prof": percent, "prof_error": error,
                         "difference": percent - median,
                         "difference_over_ncu_us": percent * time_ratio - median})
    return rows


def _plans(bench):
    """[(name, a long program for prof, a short one for ncu, ncu's options)]"""
    layer = ("--tokens", "2048")
    some = ("--launch-skip", "200", "--launch-count", "60", "--kill", "on")
    many = ("--launch-skip", "600", "--launch-count", "300", "--kill", "on")
    return [
        ("known_kernels", bench.program("known_kernels", "--bare", "--seconds", "4"),
         bench.program("known_kernels", "--bare"), ncu.BETWEEN_PROFILER_CALLS),
        ("transformer", bench.program("transformer_bare", *layer, "--steps", "500"),
         bench.program("transformer_bare", *layer, "--steps", "20", "--steady", "1"), some),
        ("llama_like train", _llama(bench, "--mode", "train", "--steps", "60"),
         _llama(bench, "--mode", "train", "--steps", "3"), many),
    ]


def run_dram(bench):
    """Rows of all programs. Their snapshots stay, so that a difference can be examined."""
    rows = []
    for name, long_program, short_program, options in _plans(bench):
        with bench.failing(name):
            snapshot = os.path.abspath(bench.path(name.replace(" ", "_") + ".prof"))
            _under_prof(bench, long_program, True, snapshot)
            ours = dram_of_prof(prof_report.load(bench.prof, snapshot, _RUN_LIMIT_S))
            profiled = ncu.profile(short_program, [_DRAM, ncu.DURATION], options, limit_s=80)
            found = compare_dram(name, ours, ncu.values_by_key(profiled["launches"]))
            if not found:
                bench.fail(f"{name}: {len(ours)} kernels with continuous values, none of them "
                           f"among ncu's {len(profiled['launches'])} launches")
            rows += found
    return rows


def run_storm(bench):
    """us per launch under the timeline, without and with PM sampling, in turns."""
    storm = bench.program("storm_bare", str(_STORM_LAUNCHES), "1", "plain")
    runs = {False: [], True: []}
    for turn in range(2 * _STORM_TURNS + 1):
        continuous = turn % 2 == 1
        output = _under_prof(bench, storm, continuous, f"{bench.scratch}/bench.prof")
        runs[continuous].append(float(_LAUNCH.search(output)[1]))
    without, with_it = (statistics.median(runs[key]) for key in (False, True))
    return {"launches": _STORM_LAUNCHES, "us_without": runs[False], "us_with": runs[True],
            "median_without": without, "median_with": with_it, "ratio": with_it / without}


def _side(output, watch):
    """The row of one run of run_long()."""
    rounds, seconds = printed.rounds(output)
    threads = printed.thread_times(output)
    side = {"seconds": seconds, "ms_per_round": 1e3 * seconds / rounds,
            "clocks": watch.summary(), "thread_cpu_s": threads,
            "percent_of_a_core": 100 * sum(threads.values()) / seconds}
    early = _EARLY_S.search(output)
    if early:
        later_s = sum(threads.values()) - sum(map(float, _EARLY.findall(output)))
        side["percent_of_a_core_later"] = 100 * later_s / (seconds - float(early[1]))
    return side


def run_long(bench):
    """Clocks, round time and CPU time of prof's threads; the drift of the samples' clock."""
    found = {}
    snapshot = os.path.join(bench.scratch, "long.prof")
    for side, seconds in (("without", _CLOCK_SECONDS), ("with", settings.LONG_SECONDS)):
        program = bench.program("known_kernels", "--bare", "--seconds", str(seconds))
        with clocks.ClockWatch() as watch:
            output = _under_prof(bench, program, side == "with", snapshot, seconds + _RUN_LIMIT_S)
        found[side] = _side(output, watch)
    found["resident_mib"], found["grown"] = (
        printed.resident_mib(output) if "[memory]" in output else ([], []))
    found["snapshot_bytes"] = os.path.getsize(snapshot)
    report = prof_report.load(bench.prof, snapshot, _RUN_LIMIT_S)
    found["sampling"] = [
        {name: series.get(name) for name in (
            "device", "interval_ns", "samples", "covered", "clock_known", "clock_offset_ns",
            "clock_error_ns", "clock_stable", "clock_first_ns", "clock_last_ns", "notes")}
        for series in report.get("continuous") or []]
    found["samples_lost"] = report.get("pm_samples_lost")
    found["restarts"] = report.get("pm_restarts")
    return found


def goals_of(dram, long):
    goals = []
    if dram:
        worst = max(abs(row["difference"]) for row in dram)
        goals.append({"goal": f"DRAM of kernels of 20 us or more within {_GOAL_POINTS} points of "
                              "ncu's", "measured": worst, "met": worst <= _GOAL_POINTS})
    later = ((long or {}).get("with") or {}).get("percent_of_a_core_later")
    if later is not None:
        goals.append({"goal": f"prof's threads after the first {_EARLY_SECONDS} s: at most "
                              f"{_GOAL_CORE_PERCENT} % of a core", "measured": later,
                      "met": later <= _GOAL_CORE_PERCENT})
    tenths = (long or {}).get("resident_mib")  # none of a short run
    if tenths:
        goals.append(printed.growth_goal(tenths))
    for series in (long or {}).get("sampling", []):
        offset = "not known"
        if series["clock_known"]:
            offset = f"{series['clock_offset_ns']:.0f} +- {series['clock_error_ns']:.0f} ns"
        compared = series["clock_first_ns"] is not None
        goals.append({"goal": "clock of the samples: its offset is known, and no drift was seen",
                      "measured": offset + ("" if compared else ", not compared"),
                      "met": bool(series["clock_known"] and compared and series["clock_stable"])})
    return goals


def dram_table(rows):
    return results.table(
        ["program", "kernel", "us", "ncu's us", "ncu %", "prof %", "+-", "points",
         "points over ncu's us"],
        [[row["program"], row["kernel"], row["us"], row["ncu_us"], row["ncu"], row["prof"],
          row["prof_error"], f"{row['difference']:+.2f}",
          f"{row['difference_over_ncu_us']:+.2f}"] for row in rows])


def cost_table(storm, long):
    lines = []
    if storm:
        lines.append(["us per launch (storm_bare)", storm["median_without"],
                      storm["median_with"]])
    if long:
        pair = [long[key] for key in ("without", "with")]
        lines.append(["ms per round (known_kernels)", *(side["ms_per_round"] for side in pair)])
        lines.append(["prof's threads, % of a core", *(side["percent_of_a_core"] for side in pair)])
        lines.append([f"after the first {_EARLY_SECONDS} s",
                      *(side.get("percent_of_a_core_later") for side in pair)])
        for name in sorted({name for side in pair for name in side["thread_cpu_s"]}):
            lines.append([f"{name}, s of CPU", *(side["thread_cpu_s"].get(name) for side in pair)])
        lines.append(["resident MiB, most in each tenth", None,
                      " ".join(f"{mib:.0f}" for mib in long["resident_mib"])])
        lines += [["grew after the second tenth", None, line] for line in long["grown"]]
        for name in pair[0]["clocks"]:
            lines.append([f"{name}, median", *(side["clocks"].get(name, {}).get("median")
                                               for side in pair)])
    return results.table(["", "timeline", "timeline and PM sampling"], lines)


def run(bench):
    found = {"storm": None, "long": None}
    dram = run_dram(bench)
    for name, part in (("storm", run_storm), ("long", run_long)):
        if time.monotonic() > bench.deadline(_MARGIN_S):
            bench.fail(f"{name}: not run, no time left")
            continue
        with bench.failing(name):
            found[name] = part(bench)

    dram.sort(key=lambda row: -abs(row["difference"]))
    goals = goals_of(dram, found["long"])
    head = "\n".join([bench.where(), "", results.goal_table(goals, ("measured", "met")),
                      cost_table(found["storm"], found["long"]), ""])
    bench.publish("continuous", {"goals": goals, "dram": dram, **found,
                                 "failures": bench.failures},
                  head + dram_table(dram), head + dram_table(dram[:_PRINTED]))
    if not dram:
        bench.fail("no DRAM throughput was compared")
