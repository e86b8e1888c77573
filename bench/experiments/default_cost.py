# SPDX-License-Identifier: Apache-2.0
"""This experiment measures what counters by default cost beside the timeline.

Sessions take turns in one process, over the same drawn steps, because processes differ by more than
what is to be measured. The timeline takes two turns in each round: they show how far equal turns
are apart. Each session is a new one, with what counters cost at the start of a program.
"""

import json
import re
import statistics

from lib import results
from lib import settings

QUESTION = "What do counters by default cost beside the timeline?"
LIMIT_S = 240
RESULTS = ("default_cost",)
FILES = ("default_cost.json",)

_PROGRAM = "bench/programs/duty_turns.py"
_TIMELINE, _AGAIN, _DEFAULT = "timeline", "timeline again", "default"
VARIANTS = {_TIMELINE: {}, _AGAIN: {}, _DEFAULT: {"counters": "auto"},
            "nothing, between recordings": None}
_WORKLOADS = {"decode": 4, "train": 4}  # rounds
_SECONDS = 4
_SHARE, _SECONDS_MORE = 0.02, 0.5


def rows_of(workload, turns):
    """A row for each variant: its step, over that of the timeline in the same round. Bare turns
    come before all rounds, with the steps of the first ones.
    """
    of, rows = {}, []
    for turn in turns:
        of.setdefault(turn["variant"], {})[turn["round"]] = turn["us_per_step"]
    timeline = of[_TIMELINE]
    for name, by_round in of.items():
        row = {"workload": workload, "variant": name, "n": len(by_round),
               "us_per_step": statistics.median(by_round.values())}
        if name != _TIMELINE:
            ratios = [us / timeline[number] for number, us in by_round.items()]
            row.update(ratio=statistics.median(ratios), least=min(ratios), most=max(ratios))
        rows.append(row)
    return rows


def goals_of(rows, turn_s):
    """What a turn of `turn_s` may cost more: a share of it, and something once."""
    limit = 1 + _SHARE + _SECONDS_MORE / turn_s
    return [{"goal": f"{row['workload']}: a turn of {turn_s} s, default over timeline",
             "measured": row["ratio"], "limit": limit, "met": row["ratio"] <= limit}
            for row in rows if row["variant"] == _DEFAULT]


def run(bench):
    rows, seeds = [], {}
    for workload, rounds in _WORKLOADS.items():
        if not re.search(settings.WORKLOADS, workload):
            continue
        log = f"default_cost_{workload}.txt"
        with bench.failing(workload):
            bench.step(LIMIT_S / len(_WORKLOADS), log,
                       [bench.python, _PROGRAM, workload, json.dumps(VARIANTS), "--rounds",
                        str(rounds), "--seconds", str(_SECONDS)])
            known = re.search(r"\[duty\] (.*)", bench.text(log))
            if known is None:
                raise RuntimeError(bench.text(log)[-500:])
            known = json.loads(known[1])
            seeds[workload] = known["seed"]
            rows += rows_of(workload, known["turns"])
    if not rows:
        bench.fail("nothing was measured")
        return
    goals = goals_of(rows, _SECONDS)
    columns = ("workload", "variant", "n", "us_per_step", "ratio", "least", "most")
    bench.publish("default_cost", {"rows": rows, "seeds": seeds, "goals": goals,
                                   "failures": bench.failures}, "\n".join([
        f"{bench.where()} Medians over rounds of {_SECONDS} s in one process; ratios: to the "
        "timeline of the same round and steps; bare: before the first recording.", "",
        results.table(["workload", "recorded", "n", "us per step", "over timeline", "least",
                       "most"], [[row.get(name) for name in columns] for row in rows]),
        "", results.goal_table(goals)]))
