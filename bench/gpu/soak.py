#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Launches as fast as two threads can, each in an NVTX range, for minutes under one Session: does the
# memory of the process stay where it is, and is every launch either recorded or counted as lost?
#
#   soak.py --bin device/bin --seconds 600 --markdown OUT.md --json OUT.json
"""Runs launch_storm soak and keeps what it says."""

import argparse
import os
import re
import sys
import tempfile

import machine
import processes
import results

_KERNELS, _THREADS = 200_000, 2  # of a round and thread
_LEAST_PER_SECOND = 200_000
_PATIENCE_S = 90


def losses(counts):
    return {name: int(counts[name]) for name in (
        "dropped_by_cupti", "untimed", "refused", "range_events_dropped", "calls_dropped")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="device/bin")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    arguments = parser.parse_args()

    toolkit = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64")
    path = ":".join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), toolkit]))
    with tempfile.TemporaryDirectory() as scratch:
        command = ["env", f"LD_LIBRARY_PATH={path}", f"{arguments.bin}/launch_storm", "soak",
                   str(_KERNELS), str(_THREADS), "ranges", f"{scratch}/soak.prof",
                   str(arguments.seconds)]
        took_s, output = processes.checked(command, arguments.seconds + _PATIENCE_S)
    counts, (tenths, grown) = processes.numbers("counts", output), processes.resident_mib(output)
    us = processes.numbers("timing", output)["us_per_kernel"]
    lost = losses(counts)
    missing = counts["made"] - counts["recorded"] - counts["dropped_by_cupti"]
    goals = [
        {"goal": "launches a second", "measured": 1e6 / us, "limit": _LEAST_PER_SECOND,
         "met": 1e6 / us >= _LEAST_PER_SECOND},
        processes.growth_goal(tenths),
        {"goal": "launches neither recorded nor said to be lost", "limit": 0,
         "measured": missing, "met": missing <= 0}]
    threads = dict(re.findall(r"\[thread\] (\S+) cpu_s ([0-9.]+)", output))
    text = "\n".join([
        results.where() + f" {took_s:.0f} s, {_THREADS} threads, a range each.", "",
        results.table(["quantity", "value"],
                      [["launches", int(counts["made"])], ["recorded", int(counts["recorded"])],
                       ["us a launch", us],
                       ["bytes a launch", counts["snapshot_bytes"] / counts["made"]],
                       ["resident MiB, most in each tenth", " ".join(f"{mib:.0f}" for mib in tenths)],
                       *(["grew after the second tenth", line] for line in grown),
                       *([f"CPU s of {name}", float(seconds)] for name, seconds in threads.items()),
                       *([name, count] for name, count in lost.items())]),
        results.table(["goal", "measured", "limit", "met"],
                      [[goal["goal"], goal["measured"], goal["limit"], goal["met"]]
                       for goal in goals])])
    results.write_text(arguments.markdown, text)
    results.write(arguments.json, {
        "program": machine.printable(command), "wall_s": took_s, "us_per_launch": us,
        "counts": counts, "resident_mib": tenths, "grown": grown, "thread_cpu_s": threads, "goals": goals})
    print(text)
    return 0 if goals[-1]["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
