#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What the timeline costs a launch, beside the bare program and beside CUPTI alone.
#
#   tracing.py --bin device/bin --parts libtracing_parts.so --markdown OUT.md --json OUT.json
#
# The variants take turns (A B C A B C ...). "floor" is CUPTI's activity tracing of kernels with its
# records thrown away (tracing_parts.cc): no tool on CUPTI can be below it. The storm "parts" shows
# what each part of CUPTI's tracing adds to that, and what is left when it is undone.
"""Measures us per kernel of the launch storm: bare, CUPTI alone, prof's timeline, after Stop."""

import argparse
import os
import re
import shutil
import statistics
import sys
import tempfile
import time

import machine
import processes
import results

_TIMING = re.compile(r"^\[timing\] storm (\w+) .* us_per_kernel ([0-9.]+)", re.MULTILINE)
_COUNTS = re.compile(r"^\[counts\] made (\d+) recorded (\d+) .* complete (\d) snapshot_bytes (\d+)",
                     re.MULTILINE)
_KERNELS = {"plain": 400_000, "ranges": 400_000, "graph": 2_000_000, "parts": 200_000}
_CALLS = "runtime,driver"
_PROFS = f"kernels,copies,memsets,{_CALLS},synchronization,overhead,selected,callback"
_PARTS = {  # variant: TRACING_PARTS
    "callback alone": "callback",
    "kernels + callback": "kernels,callback",
    "kernels + runtime": "kernels,runtime",
    "kernels + driver": "kernels,driver",
    "kernels + both": f"kernels,{_CALLS}",
    "kernels + both, selected calls": f"kernels,{_CALLS},selected",
    "kernels + both but launches + callback": f"kernels,{_CALLS},no_launches,callback",
    "kernels + synchronization": "kernels,synchronization",
    "kernels + overhead": "kernels,overhead",
    "kernels + copies + memsets": "kernels,copies,memsets",
    "what prof turns on": _PROFS,
}
_STOPS = {"kinds": "the kinds off", "callback": "all off and unsubscribed", "finalize": "finalized"}
_RUN_LIMIT_S = 60
_OVER_FLOOR, _OVER_BARE = 1.05, 1.01
_BYTES_PER_LAUNCH = 12  # with a range each


def variants(arguments, kind, scratch):
    """{variant: command}; the first is the base."""
    binaries = arguments.bin
    storm = [str(_KERNELS[kind]), "1", "plain" if kind == "parts" else kind]
    bare = [f"{binaries}/storm_bare", *storm]
    library = f"CUDA_INJECTION64_PATH={os.path.abspath(arguments.parts)}"
    found = {"bare": bare, "floor": ["env", library, *bare]}
    if kind == "parts":
        for name, parts in _PARTS.items():
            found[name] = ["env", library, f"TRACING_PARTS={parts}", *bare]
        for stop, name in _STOPS.items():
            found[name] = ["env", library, f"TRACING_PARTS={_PROFS}", f"TRACING_STOP={stop}", *bare,
                           "signal"]
        return found
    found |= {
        "linked, no session": [f"{binaries}/launch_storm", "none", *storm],
        "timeline": [f"{binaries}/launch_storm", "timeline", *storm],
        "prof run": [f"{binaries}/prof", "run", "--counters", "none", "--output",
                     f"{scratch}/storm.prof", "--", *bare],
    }
    if shutil.which("nsys"):
        found["nsys"] = ["nsys", "profile", "--trace=cuda,nvtx", "--sample=none", "--cpuctxsw=none",
                         "--cuda-graph-trace=node", "--force-overwrite=true",
                         f"--output={scratch}/nsys", *bare]
    return found


def measure(command):
    """({name: us per kernel}, counts or None) of one run."""
    _, output = processes.checked(command, _RUN_LIMIT_S)
    timings = {name: float(value) for name, value in _TIMING.findall(output)}
    if not timings:
        raise RuntimeError(f"no [timing] line: {output[-300:]}")
    counts = _COUNTS.search(output)
    return timings, [int(value) for value in counts.groups()] if counts else None


def run_kind(kind, arguments, scratch, deadline, failures):
    """Rows of one kind of storm. A variant that fails once is not tried again."""
    commands = variants(arguments, kind, scratch)
    values, counts, broken = {}, {}, set()
    for _ in range(arguments.repeats):
        for variant, command in commands.items():
            if variant in broken or time.monotonic() > deadline:
                continue
            try:
                timings, counted = measure(command)
            except (RuntimeError, OSError) as error:
                failures.append(f"{kind}, {variant}: {error}")
                broken.add(variant)
                continue
            if kind == "parts" and "after" in timings:  # this variant is about that
                timings = {variant: timings["after"]}
            for name, value in timings.items():
                shown = "after Stop" if name == "after" else variant
                values.setdefault(shown, []).append(value)
            counts[variant] = counted
    rows = []
    for variant, measured in values.items():
        row = {"storm": kind, "variant": variant, "us_per_kernel": statistics.median(measured),
               "min": min(measured), "max": max(measured), "n": len(measured),
               "command": machine.printable(commands.get(variant) or commands["timeline"])}
        for base in ("bare", "floor"):
            row[f"over_{base}"] = (row["us_per_kernel"] / statistics.median(values[base])
                                   if values.get(base) else None)
        if counts.get(variant):
            made, recorded, complete, size = counts[variant]
            row.update(made=made, recorded=recorded, complete=bool(complete),
                       bytes_per_launch=size / made)
        rows.append(row)
    return rows


def goals_of(rows):
    goals = []
    for row in rows:
        name = f"{row['storm']}, {row['variant']}"
        if row["variant"] == "timeline" and row["over_floor"]:
            goals.append({"goal": f"{name}: over CUPTI's floor", "measured": row["over_floor"],
                          "limit": _OVER_FLOOR})
        if row["variant"] in ("after Stop", "linked, no session") and row["over_bare"]:
            goals.append({"goal": f"{name}: over bare", "measured": row["over_bare"],
                          "limit": _OVER_BARE})
        if row["storm"] == "ranges" and "bytes_per_launch" in row:
            goals.append({"goal": f"{name}: bytes per launch", "measured": row["bytes_per_launch"],
                          "limit": _BYTES_PER_LAUNCH})
    for goal in goals:
        goal["met"] = goal["measured"] <= goal["limit"]
    return goals


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="device/bin")
    parser.add_argument("--parts", required=True, help="the built tracing_parts.cc")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=200, help="begin no run after this")
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    arguments = parser.parse_args()

    rows, failures = [], []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        for done, kind in enumerate(_KERNELS, start=1):
            deadline = begun + arguments.seconds * done / len(_KERNELS)
            rows += run_kind(kind, arguments, scratch, deadline, failures)
    goals = goals_of(rows)
    text = "\n".join([
        results.where() + " In turns; medians, us per kernel.", "",
        results.table(
            ["storm", "variant", "us", "n", "over bare", "over floor", "recorded", "made",
             "bytes per launch"],
            [[row["storm"], row["variant"], row["us_per_kernel"], row["n"], row["over_bare"],
              row["over_floor"], row.get("recorded"), row.get("made"),
              row.get("bytes_per_launch")] for row in rows]),
        results.table(["goal", "measured", "limit", "met"],
                      [[goal["goal"], goal["measured"], goal["limit"], goal["met"]]
                       for goal in goals])])
    results.write_text(arguments.markdown, text)
    results.write(arguments.json, {"rows": rows, "goals": goals, "failures": failures})
    print(text)
    for failure in failures:
        print(f"[failed] {failure}")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
