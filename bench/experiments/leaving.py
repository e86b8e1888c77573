# SPDX-License-Identifier: Apache-2.0
"""This experiment measures launches after a recording that has left CUPTI, and after one that has not.

A program of PyTorch, in which other threads launch meanwhile, records itself and leaves CUPTI many
times.
"""

import json
import re
import statistics

from lib import processes
from lib import results

QUESTION = "Do launches cost as without prof when a recording has left CUPTI?"
LIMIT_S = 150
RESULTS = ("leaving",)
FILES = ("leaving.json",)

_RUN_LIMIT_S = 60
_KERNELS, _STORM_ROUNDS, _ROUNDS = 100_000, 11, 30
_MOST = 1.05  # of bare: storms of one process differ by that much
_TIMING = re.compile(r"^\[timing\] storm (\w+) \w+ .*us_per_kernel ([0-9.]+)$", re.MULTILINE)


def storm_rows(kind, mode, output):
    """What a storm took after the recordings, beside before them."""
    times = {}
    for name, us in _TIMING.findall(output):
        times.setdefault(name, []).append(float(us))
    before = statistics.median(times["before"])
    after = "after_leaving" if mode == "leave" else "after"
    us = statistics.median(times[after])
    return [{"program": f"storm, {kind}", "variant": after.replace("_", " "), "us_before": before,
             "us": us, "over_before": us / before, "n": len(times[after])}]


def python_rows(knows, bare):
    """Beside a run without recordings, at the same place of the program: what its threads have done
    before changes its launches, too.
    """
    reference = bare["us_per_launch"]["after"]
    return [{"program": "PyTorch, threads", "variant": name, "us_before": reference, "us": us,
             "over_before": us / reference, "n": 1}
            for name, us in knows["us_per_launch"].items() if name != "before"]


def goals_of(rows, knows):
    goals = [{"goal": f"{row['program']}, {row['variant']}: over without prof",
              "measured": row["over_before"], "limit": _MOST, "met": row["over_before"] <= _MOST}
             for row in rows if row["variant"] == "after leaving"]
    if knows:
        whole = knows["right"] and not knows["failed"]
        goals.append({"goal": "recordings that left CUPTI beside launching threads, all whole",
                      "measured": knows["rounds"] if whole else 0, "limit": _ROUNDS,
                      "met": whole and knows["rounds"] >= _ROUNDS})
        goals.append({"goal": "samples of counters after CUPTI was left", "limit": 1,
                      "measured": knows["samples"], "met": knows["samples"] > 0})
    return goals


def markdown(where, rows, goals):
    return "\n".join([
        where + " Medians; us for each launch. Without prof: of a storm before the first recording, of "
        "PyTorch in a run of its own.", "",
        results.table(["program", "variant", "without prof", "then", "ratio", "n"],
                      [[row["program"], row["variant"], row["us_before"], row["us"],
                        row["over_before"], row["n"]] for row in rows]),
        results.goal_table(goals)])


def _known(output):
    knows = json.loads(re.search(r"^\[leaving\] (.*)$", output, re.MULTILINE)[1])
    return {**knows, "failed": re.findall(r"^\[failed\] (.*)$", output, re.MULTILINE)}


def run(bench):
    rows, knows = [], None
    for kind in ("plain", "ranges"):
        for mode in ("leave", "timeline"):
            with bench.failing(f"{kind}, {mode}"):
                _, output = processes.checked(
                    [bench.binary("launch_storm"), mode, str(_KERNELS), "1", kind,
                     str(_STORM_ROUNDS)], _RUN_LIMIT_S)
                rows += storm_rows(kind, mode, output)
    with bench.failing("PyTorch"):
        program = [bench.python, "bench/programs/leaving.py", "--rounds", str(_ROUNDS)]
        bare = _known(processes.checked([*program, "--bare"], _RUN_LIMIT_S)[1])
        knows = _known(processes.checked(program, _RUN_LIMIT_S * 2)[1])
        rows += python_rows(knows, bare)
    if not rows:
        bench.fail("nothing was measured")
        return
    goals = goals_of(rows, knows)
    bench.publish("leaving", {"rows": rows, "program": knows, "goals": goals,
                              "failures": bench.failures}, markdown(bench.where(), rows, goals))
