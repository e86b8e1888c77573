#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What the same metrics of the same kernels cost with prof and with ncu, for each kernel signature.
#
#   counter_cost.py --prof REPORT.json --log PROF.txt --ncu NCU.json --markdown OUT.md
#                   --json OUT.json -- known_kernels --bare
#
# PROF.txt is what known_kernels printed while it wrote REPORT.json, NCU.json comes from ncu.py. The
# program is run once more, bare, for as many rounds as prof needed.
"""Milliseconds for each kernel signature: prof's own account, prof by wall clock, and ncu."""

import argparse
import re
import sys

import ncu
import processes
import prof_report
import results

_ROUNDS = re.compile(r"\[timing\] rounds (\d+) seconds ([0-9.]+)")
_GOAL = 100  # times cheaper than ncu, for each sampled kernel


def rounds_in(text):
    """(rounds, seconds)"""
    found = _ROUNDS.search(text)
    if not found:
        raise ValueError(f"no [timing] line in: {text[-300:]}")
    return int(found[1]), float(found[2])


def row(what, total_s, signatures, launches):
    return {"what": what, "total_s": total_s, "ms_per_signature": 1e3 * total_s / signatures,
            "ms_per_launch": 1e3 * total_s / launches}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("prof", "log", "ncu", "markdown", "json"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    program = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program

    report, theirs = results.read(arguments.prof), results.read(arguments.ncu)
    with open(arguments.log, encoding="utf-8") as file:
        rounds, sampled_s = rounds_in(file.read())
    _, output = processes.checked([*program, "--rounds", str(rounds)], 120)
    bare_s = rounds_in(output)[1]

    sampled = [kernel for kernel in prof_report.kernels_of(report) if kernel.metrics]
    samples, launches = report["totals"]["samples"], len(theirs["launches"])
    keys = len(ncu.values_by_key(theirs["launches"]))
    rows = [
        row("prof, its own account", report["counter_cost_ns"] * 1e-9, len(sampled), samples),
        row(f"prof, wall clock of {rounds} rounds less bare", sampled_s - bare_s, len(sampled),
            samples),
        row("ncu, wall clock less bare", theirs["ncu_s"] - theirs["bare_s"], keys, launches)]
    account, wall, ncu_row = rows
    goals = [{"goal": f"{what}: at most 1/{_GOAL} of ncu's for a launch", "times_cheaper": ratio,
              "met": ratio >= _GOAL} for what, ratio in (
                  ("prof's for a sampled launch, own account",
                   ncu_row["ms_per_launch"] / account["ms_per_launch"]),
                  ("prof's for a signature, all metrics three times, wall clock",
                   ncu_row["ms_per_launch"] / max(wall["ms_per_signature"], 1e-6)))]

    text = "\n".join([
        results.where() + f" {len(sampled)} signatures, {samples} launches sampled by prof, "
        f"{launches} profiled by ncu; {len(theirs['metrics'])} metrics.", "",
        results.table(["", "seconds in all", "ms per signature", "ms per launch"],
                      [[r["what"], r["total_s"], r["ms_per_signature"], r["ms_per_launch"]]
                       for r in rows]),
        results.table(["goal", "times cheaper", "met"],
                      [[g["goal"], g["times_cheaper"], g["met"]] for g in goals])])
    results.write_text(arguments.markdown, text)
    results.write(arguments.json, {
        "signatures": len(sampled), "samples": samples, "metrics": len(theirs["metrics"]),
        "ncu_launches": launches, "rounds": rounds, "bare_s": bare_s, "rows": rows,
        "goals": goals})
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
