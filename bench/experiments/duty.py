# SPDX-License-Identifier: Apache-2.0
"""This experiment measures what recordings of a share of the time cost, and how true they are.

Sessions take turns in one process, over the same drawn steps. The timeline of all of the time is
the reference of launches and of times.
"""

import json
import re
import statistics

from lib import results
from lib import settings

QUESTION = "What does a recording of a share of the time cost, and do its bounds hold?"
LIMIT_S = 420
RESULTS = ("duty",)
FILES = ("duty.json",)

_PROGRAM = "bench/programs/duty_turns.py"
_TIMELINE = "timeline"
_BETWEEN = "nothing, between recordings"
VARIANTS = {_TIMELINE: {}, "10 %": {"duty_percent": 10}, "2 %": {"duty_percent": 2},
            _BETWEEN: None}
_WORKLOADS = {"decode": 4, "train": 4}  # rounds
_SECONDS = 6
_LARGE = 0.01  # of the time of all kernels
_MOST_COST, _LEAST_HELD = 1.10, 0.90


def _held(estimate, truth_ns):
    return abs(estimate["ns"] - truth_ns) <= estimate["error_ns"]


def rows_of(workload, turns):
    of = {}
    for turn in turns:
        of.setdefault(turn["variant"], {})[turn["round"]] = turn
    bare = statistics.median(turn["us_per_step"] for turn in of["bare"].values())
    rows = []
    for name, by_round in of.items():
        row = {"workload": workload, "variant": name, "n": len(by_round),
               "us_per_step": statistics.median(t["us_per_step"] for t in by_round.values())}
        row["over_bare"] = row["us_per_step"] / bare
        rows.append(row)
        if name in ("bare", _TIMELINE, _BETWEEN):
            continue
        exact = kernels = held = bounded = 0
        errors, bounds = [], []
        for number, turn in by_round.items():
            truth = of[_TIMELINE][number]
            for key, known in truth["kernels"].items():
                kernels += 1
                estimate = turn["kernels"].get(key)
                exact += estimate is not None and estimate["launches"] == known["launches"]
                large = known["ns"] >= _LARGE * truth["ns"]
                if estimate and large and estimate.get("error_ns") is not None:
                    bounded += 1
                    held += _held(estimate, known["ns"])
            errors.append(abs(turn["ns"] / truth["ns"] - 1))
            if turn["error_ns"] is not None:
                bounds.append(turn["error_ns"] / turn["ns"])
        row.update(traced=statistics.median(t["traced"] for t in by_round.values()),
                   windows=statistics.median(t["windows"] for t in by_round.values()),
                   kernels=kernels, exact=exact, bounded=bounded, held=held,
                   all_error=statistics.median(errors),
                   all_bound=statistics.median(bounds) if bounds else None)
    return rows


def goals_of(rows):
    goals = []
    for row in rows:
        where = f"{row['workload']}, {row['variant']}"
        if row["variant"] == "2 %":
            goals.append({"goal": f"{where}: time of a step over bare", "limit": _MOST_COST,
                          "measured": row["over_bare"], "met": row["over_bare"] <= _MOST_COST})
        if "kernels" in row:
            goals.append({"goal": f"{where}: kernels whose launches were counted right",
                          "measured": row["exact"], "limit": row["kernels"],
                          "met": row["exact"] == row["kernels"]})
            share = row["held"] / row["bounded"] if row["bounded"] else 0
            goals.append({"goal": f"{where}: bounds of large kernels that hold", "measured": share,
                          "limit": _LEAST_HELD, "met": share >= _LEAST_HELD})
    return goals


def markdown(where, rows, goals):
    return "\n".join([
        where + f" Medians over rounds of {_SECONDS} s in one process; bare: before the first "
        f"recording. Bounds: of kernels with {_LARGE:.0%} of the time or more, against the "
        "timeline of the same steps.", "",
        results.table(["workload", "recorded", "n", "us per step", "over bare", "traced", "windows",
                       "launches right", "of kernels", "bounds that hold", "of",
                       "all kernels: error", "its bound"],
                      [[row["workload"], row["variant"], row["n"], row["us_per_step"],
                        row["over_bare"], row.get("traced"), row.get("windows"), row.get("exact"),
                        row.get("kernels"), row.get("held"), row.get("bounded"),
                        row.get("all_error"), row.get("all_bound")]
                       for row in rows]),
        results.goal_table(goals)])


def run(bench):
    rows, seeds = [], {}
    for workload, rounds in _WORKLOADS.items():
        if not re.search(settings.WORKLOADS, workload):
            continue
        log = f"duty_{workload}.txt"
        with bench.failing(workload):
            bench.step(LIMIT_S / len(_WORKLOADS), log,
                       [bench.python, _PROGRAM, workload, json.dumps(VARIANTS), "--rounds",
                        str(rounds), "--seconds", str(_SECONDS)])
            text = bench.text(log)
            if "[duty]" not in text:
                raise RuntimeError(text[-500:])
            known = json.loads(re.search(r"\[duty\] (.*)", text)[1])
            seeds[workload] = known["seed"]
            rows += rows_of(workload, known["turns"])
    if not rows:
        bench.fail("nothing was measured")
        return
    goals = goals_of(rows)
    bench.publish("duty", {"rows": rows, "seeds": seeds, "goals": goals,
                           "failures": bench.failures}, markdown(bench.where(), rows, goals))
