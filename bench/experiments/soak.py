# SPDX-License-Identifier: Apache-2.0
"""This experiment launches as fast as two threads can, for minutes, under one Session.

Each launch is in an NVTX range. The memory of the process must stay where it is, and each launch
must be recorded or counted as lost.
"""

from lib import machine
from lib import printed
from lib import processes
from lib import results

QUESTION = "Does memory stay where it is for ten minutes, and is every launch accounted for?"
LIMIT_S = 560
RESULTS = ("soak",)
FILES = ("soak.json",)

_KERNELS, _THREADS = 200_000, 2  # of a round and thread
_LEAST_PER_SECOND = 200_000
_PATIENCE_S = 90
_LEAST_S = 60    # a shorter run shows nothing about growth
_MARGIN_S = 45   # for start and end


def _losses(counts):
    return {name: int(counts[name]) for name in (
        "dropped_by_cupti", "untimed", "refused", "range_events_dropped", "calls_dropped")}


def _goals(us, tenths, missing):
    return [
        {"goal": "launches a second", "measured": 1e6 / us, "limit": _LEAST_PER_SECOND,
         "met": 1e6 / us >= _LEAST_PER_SECOND},
        printed.growth_goal(tenths),
        {"goal": "launches neither recorded nor counted as lost", "limit": 0,
         "measured": missing, "met": missing <= 0}]


def _table(counts, us, tenths, grown, threads):
    return results.table(
        ["quantity", "value"],
        [["launches", int(counts["made"])], ["recorded", int(counts["recorded"])],
         ["us a launch", us],
         ["bytes a launch", counts["snapshot_bytes"] / counts["made"]],
         ["resident MiB, most in each tenth", " ".join(f"{mib:.0f}" for mib in tenths)],
         *(["grew after the second tenth", line] for line in grown),
         *([f"CPU s of {name}", seconds] for name, seconds in threads.items()),
         *([name, count] for name, count in _losses(counts).items())])


def run(bench):
    if bench.left_s() < _LEAST_S:
        bench.fail(f"not run: less than {_LEAST_S} s are left")
        return
    seconds = int(bench.left_s()) - _MARGIN_S
    command = bench.program("launch_storm", "soak", str(_KERNELS), str(_THREADS), "ranges",
                            f"{bench.scratch}/soak.prof", str(seconds))
    took_s, output = processes.checked(command, seconds + _PATIENCE_S)
    results.write_text(bench.path("soak.txt"), output)
    counts, (tenths, grown) = printed.numbers("counts", output), printed.resident_mib(output)
    us, threads = printed.numbers("timing", output)["us_per_kernel"], printed.thread_times(output)
    missing = counts["made"] - counts["recorded"] - counts["dropped_by_cupti"]
    goals = _goals(us, tenths, missing)
    table = "\n".join([
        bench.where() + f" {took_s:.0f} s, {_THREADS} threads, a range each.", "",
        _table(counts, us, tenths, grown, threads), results.goal_table(goals)])
    bench.publish("soak", {
        "program": machine.printable(command), "wall_s": took_s, "us_per_launch": us,
        "counts": counts, "resident_mib": tenths, "grown": grown, "thread_cpu_s": threads,
        "goals": goals}, table)
    if not goals[-1]["met"]:
        bench.fail(f"{missing:.0f} launches are neither recorded nor counted as lost")
