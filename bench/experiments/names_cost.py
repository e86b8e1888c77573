# SPDX-License-Identifier: Apache-2.0
"""This experiment measures what names of ops, lines and tensors cost a step of PyTorch.

Sessions of prof take turns in one process, some steps each, in an order that is drawn. Between two
processes a step differs by more than names cost; within one it does not.
"""

import json
import re
import statistics

from lib import results
from lib import settings
from lib import turns

QUESTION = "What do names of ops, lines and tensors cost a step, beside the timeline?"
LIMIT_S = 320
RESULTS = ("names_cost",)
FILES = ("names_cost.json",)

_PROGRAM = "bench/programs/session_turns.py"
_TIMELINE, _OPS, _LINES = "timeline", "ops", "ops, stacks"
VARIANTS = {
    _TIMELINE: {},
    _OPS: {"torch": "ops"},
    _LINES: {"torch": "ops", "python_stacks": True},
}
_WORKLOADS = {"decode": 30, "train": 10}  # steps in a turn
_MOST = {_OPS: 1.03, _LINES: 1.06}
# By the binomial distribution the 22nd smallest and the 22nd largest of 60 values hold the median
# at 96 %.
_ROUNDS, _OUTER = 60, 21


def rows_of(workload, times):
    """`times`: {variant: [us a step, a round]}."""
    rows = []
    for variant, values in times.items():
        ratios = sorted(value / base for value, base in zip(values, times[_TIMELINE]))
        inner = ratios[_OUTER:len(ratios) - _OUTER] if len(ratios) > 2 * _OUTER else ratios
        rows.append({"workload": workload, "variant": variant, "n": len(values),
                     "us_per_step": statistics.median(values),
                     "over_timeline": statistics.median(ratios),
                     "at_least": inner[0], "at_most": inner[-1]})
    return rows


def goals_of(rows):
    return [{"goal": f"{row['workload']}, {row['variant']}: time of a step over the timeline's",
             "measured": row["over_timeline"], "limit": _MOST[row["variant"]],
             "met": row["over_timeline"] <= _MOST[row["variant"]]}
            for row in rows if row["variant"] in _MOST]


def markdown(where, rows, goals):
    return "\n".join([
        where + f" Medians of {_ROUNDS} rounds in one process; the ratio is of the two times of a "
        "round, with its interval at 96 %.", "",
        results.table(["workload", "variant", "us per step", "n", "over the timeline", "at least",
                       "at most"],
                      [[row["workload"], row["variant"], row["us_per_step"], row["n"],
                        row["over_timeline"], row["at_least"], row["at_most"]] for row in rows]),
        results.goal_table(goals)])


def run(bench):
    rows = []
    for workload, steps in _WORKLOADS.items():
        if not re.search(settings.WORKLOADS, workload):
            continue
        log = f"names_cost_{workload}.txt"
        with bench.failing(workload):
            bench.step(LIMIT_S / len(_WORKLOADS), log,
                       [bench.python, _PROGRAM, workload, json.dumps(VARIANTS), "--rounds",
                        str(_ROUNDS), "--steps", str(steps)])
            rows += rows_of(workload, turns.rounds_in(bench.text(log)))
    if not rows:
        bench.fail("nothing was measured")
        return
    goals = goals_of(rows)
    bench.publish("names_cost", {"rows": rows, "goals": goals, "failures": bench.failures},
                  markdown(bench.where(), rows, goals))
