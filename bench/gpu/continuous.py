#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Continuous (PM) sampling: is the DRAM throughput that it finds for each kernel true, what does it
# cost, does it change the clocks, does its own clock drift?
#
#   continuous.py --bin device/bin --python python3 --markdown OUT.md --json OUT.json [--keep FOLDER]
"""Compares programs with and without PROF_CONTINUOUS=1, and its values with ncu's."""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time

import clocks
import ncu
import prof_report
import processes
import results

_DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
_LEAST_NS = 20_000   # shorter kernels are not compared
_GOAL_POINTS = 5
_STORM_LAUNCHES = 200_000
_STORM_TURNS = 3     # A B A B ... A: one more without than with
_CLOCK_SECONDS = 10  # without PM sampling
_LONG_SECONDS = 60   # with, by default: also shows the drift
_EARLY_SECONDS = 10  # known_kernels tells what was used until then
_GOAL_CORE_PERCENT = 10
_RUN_LIMIT_S = 120   # of those that have no time of their own
_PRINTED = 12        # of the kernels, worst first
_THREAD = re.compile(r"\[thread\] (\S+) cpu_s ([0-9.]+)")
_EARLY = re.compile(r"\[early\] \S+ cpu_s ([0-9.]+)")
_EARLY_S = re.compile(r"\[timing\] early seconds ([0-9.]+)")
_LAUNCH = re.compile(r"\[timing\] storm .* us_per_kernel ([0-9.]+)")
_ROUNDS = re.compile(r"\[timing\] rounds (\d+) seconds ([0-9.]+)")


class Bench:
    """Where things are, how a program runs under prof, and for how long the long one does."""

    def __init__(self, binaries, python, scratch, kept, long_s):
        self.binaries, self.python, self.scratch, self.kept = binaries, python, scratch, kept
        self.long_s = long_s
        toolkit = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64")
        path = ":".join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), toolkit]))
        self._ours = ["env", f"LD_LIBRARY_PATH={path}"]  # PyTorch brings its own cuBLAS

    def program(self, name, *words):
        return [*self._ours, f"{self.binaries}/{name}", *words]

    def llama(self, *words):
        return [self.python, "examples/pytorch/llama_like.py", *words]

    def under_prof(self, program, continuous, snapshot="bench.prof", limit_s=_RUN_LIMIT_S):
        """(seconds, output) of a run with the timeline alone, with or without PM sampling."""
        command = ["env", f"PROF_CONTINUOUS={int(continuous)}", f"{self.binaries}/prof", "run",
                   "--counters", "none", "--output", os.path.join(self.scratch, snapshot), "--",
                   *program]
        return processes.checked(command, limit_s)

    def report(self, snapshot="bench.prof"):
        _, output = processes.checked([f"{self.binaries}/prof", "report", "--json",
                                       os.path.join(self.scratch, snapshot)], _RUN_LIMIT_S)
        return json.JSONDecoder().raw_decode(output[output.index("{"):])[0]


def dram_of_prof(report):
    """{key: (label, median ns, percent, half width)}; ranges of one kernel weighted by time."""
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


def run_dram(bench):
    """Rows of all programs, and what went wrong."""
    layer = ("--tokens", "2048")
    some = ("--launch-skip", "200", "--launch-count", "60", "--kill", "on")
    many = ("--launch-skip", "600", "--launch-count", "300", "--kill", "on")
    plans = [
        ("known_kernels", bench.program("known_kernels", "--bare", "--seconds", "4"),
         bench.program("known_kernels", "--bare"), ncu.BETWEEN_PROFILER_CALLS),
        ("transformer", bench.program("transformer_bare", *layer, "--steps", "500"),
         bench.program("transformer_bare", *layer, "--steps", "20", "--steady", "1"), some),
        ("llama_like train", bench.llama("--mode", "train", "--steps", "60"),
         bench.llama("--mode", "train", "--steps", "3"), many),
    ]
    rows, failures = [], []
    for name, long_program, short_program, options in plans:
        try:
            snapshot = os.path.join(bench.kept, name.replace(" ", "_") + ".prof")
            bench.under_prof(long_program, True, snapshot)
            ours = dram_of_prof(bench.report(snapshot))
            profiled = ncu.profile(short_program, [_DRAM, ncu.DURATION], options, limit_s=80)
            found = compare_dram(name, ours, ncu.values_by_key(profiled["launches"]))
            if not found:
                failures.append(f"{name}: {len(ours)} kernels with continuous values, none of them "
                                f"among ncu's {len(profiled['launches'])} launches")
            rows += found
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            failures.append(f"{name}: {error}")
    return rows, failures


def thread_times(output):
    return {name: float(seconds) for name, seconds in _THREAD.findall(output)}


def run_storm(bench):
    """us per launch under the timeline, without and with PM sampling, in turns."""
    storm = bench.program("storm_bare", str(_STORM_LAUNCHES), "1", "plain")
    runs = {False: [], True: []}
    for turn in range(2 * _STORM_TURNS + 1):
        continuous = turn % 2 == 1
        _, output = bench.under_prof(storm, continuous)
        runs[continuous].append(float(_LAUNCH.search(output)[1]))
    without, with_it = (statistics.median(runs[key]) for key in (False, True))
    return {"launches": _STORM_LAUNCHES, "us_without": runs[False], "us_with": runs[True],
            "median_without": without, "median_with": with_it, "ratio": with_it / without}


def run_long(bench):
    """Clocks, round time and CPU time of prof's threads; the drift of the samples' clock."""
    found = {}
    for continuous, seconds in ((False, _CLOCK_SECONDS), (True, bench.long_s)):
        program = bench.program("known_kernels", "--bare", "--seconds", str(seconds))
        with clocks.ClockWatch() as watch:
            _, output = bench.under_prof(program, continuous, "long.prof", seconds + _RUN_LIMIT_S)
        rounds, measured_s = _ROUNDS.search(output).groups()
        found["with" if continuous else "without"] = {
            "seconds": float(measured_s), "ms_per_round": 1e3 * float(measured_s) / int(rounds),
            "clocks": watch.summary(), "thread_cpu_s": thread_times(output),
            "percent_of_a_core": 100 * sum(thread_times(output).values()) / float(measured_s)}
        early = _EARLY_S.search(output)
        if early:
            later_s = sum(thread_times(output).values()) - sum(map(float, _EARLY.findall(output)))
            found["with" if continuous else "without"]["percent_of_a_core_later"] = (
                100 * later_s / (float(measured_s) - float(early[1])))
    found["resident_mib"], found["grown"] = (
        processes.resident_mib(output) if "[memory]" in output else ([], []))
    found["snapshot_bytes"] = os.path.getsize(os.path.join(bench.scratch, "long.prof"))
    report = bench.report("long.prof")
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
        goals.append(processes.growth_goal(tenths))
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="device/bin")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seconds", type=float, default=300, help="begin no part after this")
    parser.add_argument("--long-seconds", type=int, default=_LONG_SECONDS,
                        help="of the run that shows drift, memory and cost")
    parser.add_argument("--keep", help="where the snapshots that are compared with ncu stay")
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    arguments = parser.parse_args()

    deadline = time.monotonic() + arguments.seconds
    dram, found, failures = [], {"storm": None, "long": None}, []
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments.bin, arguments.python, scratch,
                      os.path.abspath(arguments.keep or scratch), arguments.long_seconds)
        dram, failures = run_dram(bench)
        for name, part in (("storm", run_storm), ("long", run_long)):
            if time.monotonic() > deadline:
                failures.append(f"{name}: not run, no time left")
                continue
            try:
                found[name] = part(bench)
            except (RuntimeError, OSError, ValueError, KeyError, TypeError,
                    AttributeError) as error:
                failures.append(f"{name}: {error}")

    dram.sort(key=lambda row: -abs(row["difference"]))
    goals = goals_of(dram, found["long"])
    head = "\n".join([results.where(), "",
                      results.table(["goal", "measured", "met"],
                                    [[goal["goal"], goal["measured"], goal["met"]]
                                     for goal in goals]),
                      cost_table(found["storm"], found["long"]), ""])
    results.write_text(arguments.markdown, head + dram_table(dram))
    results.write(arguments.json, {"goals": goals, "dram": dram, **found, "failures": failures})
    print(head + dram_table(dram[:_PRINTED]), end="")
    for failure in failures:
        print(f"[failed] {failure}")
    return 1 if failures or not dram else 0


if __name__ == "__main__":
    sys.exit(main())
