#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What the timeline costs a launch, beside the bare program and beside CUPTI alone.
#
#   tracing.py --bin device/bin --parts libtracing_parts.so --markdown OUT.md --json OUT.json
#
# The variants take turns (A B C A B C ...). "floor" is CUPTI's activity tracing of kernels with its
# records thrown away (tracing_parts.cc): no tool on CUPTI can be below it. The storm "parts" shows
# what each part of CUPTI's tracing adds to that, and what is left when it is undone. Processes differ
# by a quarter in what a bare launch costs, so each is compared with its own runs before anything was
# on; the timeline also with the floor in its own process, in turns; only "prof run", and nsys, which
# are there from the start, with another process.
"""Measures us per kernel of the launch storm: bare, CUPTI alone, prof's timeline, after Stop."""

import argparse
import os
import re
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
_KERNELS = {"plain": 50_000, "ranges": 50_000, "graph": 200_000}
_ROUNDS = 4
_CALLS = "runtime,driver"
_FLOOR = {"floor": "kernels", "floor, then off": "off"}  # what runs under it: TRACING_PARTS
_FLOOR_BESIDE = "floor, in turns with the timeline"
_OTHERS = "copies,memsets,overhead"
_PARTS = {
    "kernels": "kernels",
    "kernels + callback": "kernels,callback",
    "kernels + other kinds": f"kernels,{_OTHERS}",
    "kernels + other kinds + callback + calls": f"kernels,{_OTHERS},callback,calls",
    "what prof turns on": f"kernels,{_OTHERS},callback,calls,probe",
    "kernels + API records": f"kernels,{_CALLS},selected",
    "kernels + synchronization": "kernels,synchronization",
}
_RUN_LIMIT_S = 60
_OVER_FLOOR, _OVER_BARE = 1.05, 1.01
_BYTES_PER_LAUNCH = 12  # with a range each


def under_parts(arguments, storm, sets):
    """The bare storm under sets of parts in turns, after runs without any."""
    return ["env", f"CUDA_INJECTION64_PATH={os.path.abspath(arguments.parts)}",
            "TRACING_PARTS=;" + ";".join(sets.values()), f"{arguments.bin}/storm_bare", *storm,
            str(_ROUNDS), str(len(sets))]


def variants(arguments, kind, scratch):
    """{variant: (command, {name in its output: row})}; "base" is a run before anything is on."""
    binaries = arguments.bin
    if kind.endswith("parts"):  # each in a process of its own: each leaves something behind
        base = "graph" if kind.startswith("graph") else "plain"
        storm = [str(_KERNELS[base]), "1", base]
        return {name: (under_parts(arguments, storm, {name: parts, f"{name}, off": "off"}),
                       names_of([name, f"{name}, off"])) for name, parts in _PARTS.items()}
    storm = [str(_KERNELS[kind]), "1", kind]
    bare = [f"{binaries}/storm_bare", *storm, str(_ROUNDS)]
    found = {
        "bare": (bare, {"bare": "base"}),
        "floor": (under_parts(arguments, storm, _FLOOR), names_of(_FLOOR)),
        "timeline": (["env", f"CUDA_INJECTION64_PATH={os.path.abspath(arguments.parts)}",
                      f"TRACING_PARTS=;{_FLOOR['floor']}", f"{binaries}/launch_storm", "timeline",
                      *storm, str(_ROUNDS), "1"],
                     {"before": "base", "set_1": _FLOOR_BESIDE, "timeline_first":
                      "timeline, first launches", "timeline": "timeline", "after": "after Stop"}),
        "prof run": ([f"{binaries}/prof", "run", "--counters", "none", "--output",
                      f"{scratch}/storm.prof", "--", *bare], {"bare": "prof run"}),
    }
    nsys = machine.nsys()
    if nsys:
        found["nsys"] = ([nsys, "profile", "--trace=cuda,nvtx", "--sample=none",
                          "--cpuctxsw=none", "--cuda-graph-trace=node", "--force-overwrite=true",
                          f"--output={scratch}/nsys", *bare], {"bare": "nsys"})
    return found


def names_of(sets):
    """{name in the output of under_parts(): row}; set 0 is what the base runs under: nothing."""
    return {"bare": "base"} | {f"set_{i}": name for i, name in enumerate(sets, start=1)}


def measure(command, names):
    """({row: [us per kernel]}, counts or None) of one run."""
    _, output = processes.checked(command, _RUN_LIMIT_S)
    values = {}
    for name, value in _TIMING.findall(output):
        if name in names:
            values.setdefault(names[name], []).append(float(value))
    if not values:
        raise RuntimeError(f"no [timing] line: {output[-300:]}")
    counts = [[int(value) for value in found] for found in _COUNTS.findall(output)]
    return values, counts[-1] if counts else None


def run_kind(kind, arguments, scratch, deadline, failures):
    """Rows of one kind of storm. A variant that fails once is not tried again."""
    commands = variants(arguments, kind, scratch)
    values, bases, beside, commands_of, counts, broken = {}, {}, {}, {}, {}, set()
    for _ in range(arguments.repeats):
        for variant, (command, names) in commands.items():
            if variant in broken or time.monotonic() > deadline:
                continue
            try:
                measured, counted = measure(command, names)
            except (RuntimeError, OSError) as error:
                failures.append(f"{kind}, {variant}: {error}")
                broken.add(variant)
                continue
            base = statistics.median(measured["base"]) if "base" in measured else None
            if variant == "bare":
                values.setdefault("bare", []).append(base)
                continue
            for name in measured.keys() - {"base"}:
                us = statistics.median(measured[name])
                values.setdefault(name, []).append(us)
                bases.setdefault(name, []).append(us / base if base else None)
                if _FLOOR_BESIDE in measured:
                    beside.setdefault(name, []).append(
                        us / statistics.median(measured[_FLOOR_BESIDE]))
                commands_of[name] = command
            if variant == "timeline":
                values.setdefault("linked, no session", []).append(base)
                counts["timeline"] = counted
    rows = []
    for name, measured in values.items():
        over = [ratio for ratio in bases.get(name, []) if ratio is not None]
        row = {"storm": kind, "variant": name, "us_per_kernel": statistics.median(measured),
               "min": min(measured), "max": max(measured), "n": len(measured),
               "command": machine.printable(commands_of.get(name) or commands["bare"][0]),
               "same_process": bool(over)}
        if over:  # each process against its own runs before anything was on
            row["over_bare"] = statistics.median(over)
        elif values.get("bare"):
            row["over_bare"] = row["us_per_kernel"] / statistics.median(values["bare"])
        if counts.get(name):
            made, recorded, complete, size = counts[name]
            row.update(made=made, recorded=recorded, complete=bool(complete),
                       bytes_per_launch=size / made)
        rows.append(row)
    floor = next((row["over_bare"] for row in rows if row["variant"] in ("floor", "kernels")), None)
    for row in rows:
        over = beside.get(row["variant"])
        row["over_floor"] = (statistics.median(over) if over else
                             row["over_bare"] / floor if floor and "over_bare" in row else None)
    return rows


def goals_of(rows):
    goals = []
    for row in rows:
        name = f"{row['storm']}, {row['variant']}"
        if row["variant"] == "timeline" and row["over_floor"]:
            goals.append({"goal": f"{name}: over CUPTI's floor", "measured": row["over_floor"],
                          "limit": _OVER_FLOOR})
        if row["variant"] in ("after Stop", "linked, no session") and row.get("over_bare"):
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
    parser.add_argument("--kinds", default=",".join([*_KERNELS, "parts", "graph parts"]))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=200, help="begin no run after this")
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    arguments = parser.parse_args()

    rows, failures = [], []
    begun = time.monotonic()
    kinds = arguments.kinds.split(",")
    with tempfile.TemporaryDirectory() as scratch:
        for done, kind in enumerate(kinds, start=1):
            deadline = begun + arguments.seconds * done / len(kinds)
            rows += run_kind(kind, arguments, scratch, deadline, failures)
    goals = goals_of(rows)
    text = "\n".join([
        results.where() + " In turns; medians, us per kernel.", "",
        results.table(
            ["storm", "variant", "us", "n", "over bare", "over floor", "recorded", "made",
             "bytes per launch"],
            [[row["storm"], row["variant"], row["us_per_kernel"], row["n"], row.get("over_bare"),
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
