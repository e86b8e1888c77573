# SPDX-License-Identifier: Apache-2.0
"""This experiment records the cases of the guide before and after their fix.

What the fix saves is measured without prof. It stands beside what prof's report of the program
before the fix says that the action saves at most.
"""

import re
import statistics

from lib import prof_report
from lib import processes
from lib import results
from lib import settings
from lib import turns

QUESTION = "Does the fix that prof advises save no more than its at most?"
LIMIT_S = 240
RESULTS = ("cases",)

_LINES = ("--torch", "ops", "--python-stacks")
_HOST = (*_LINES, "--host-samples", "200")
# {case: (program, options of prof run, the action that the fix carries out)}
_CASES = {
    "decode": (("python", "examples/cases/decode.py"), _LINES, "sync-bound"),
    "transpose": (("program", "transpose"), (), "coalesce"),
    "train": (("python", "examples/cases/train.py"), _HOST, "host-work"),
}
_STEPS = re.compile(r"^\[timing\] steps (\d+)", re.MULTILINE)
FILES = ("cases.json", *(f"cases_{name}_{state}.txt" for name in _CASES
                         for state in ("before", "after")))

_REPEATS, _RUN_LIMIT_S = 2, 60
_STATES = {"before": (), "after": ("--fixed",)}


def at_most_of(report, action):
    """(seconds that an action saves at most, its place from 1), or Nones.

    An action of a kernel may stand there for several rows: their times are added.
    """
    places = [i for i, found in enumerate(report["actions"]) if found["id"] == action]
    if not places:
        return None, None
    saved = [report["actions"][i]["saves_at_most_ns"] for i in places]
    return None if None in saved else sum(saved) / 1e9, places[0] + 1


def _command(bench, case, state):
    (kind, what), _, _ = _CASES[case]
    start = [bench.python, what] if kind == "python" else bench.program(what)
    return [*start, *_STATES[state]]


def _bare(bench, case, state):
    """(steps, the time of a step in each run) without prof."""
    found = []
    for _ in range(_REPEATS):
        _, output = processes.checked(_command(bench, case, state), _RUN_LIMIT_S)
        found.append(turns.quantities_in(output)["us_per_step"])
    return int(_STEPS.search(output)[1]), found


def row_of(case, action, steps, runs, reports):
    """`runs`, `reports`: {state: us of a step in each run, or its report}."""
    row = {"case": case, "action": action, "steps": steps}
    for state in _STATES:
        row[f"us_{state}"], row[f"runs_{state}"] = statistics.median(runs[state]), runs[state]
        row[f"actions_{state}"] = [found["id"] for found in reports[state]["actions"]]
    row["at_most_s"], row["place"] = at_most_of(reports["before"], action)
    row["gain"] = 1 - row["us_after"] / row["us_before"]
    row["saved_s"] = steps * (row["us_before"] - row["us_after"]) / 1e6
    return row


def _measure(bench, case):
    _, options, action = _CASES[case]
    steps, runs, reports = 0, {}, {}
    for state in _STATES:
        steps, runs[state] = _bare(bench, case, state)
        snapshot = bench.path(f"cases_{case}_{state}.prof")
        processes.checked([bench.prof, "run", *options, "--output", snapshot, "--",
                           *_command(bench, case, state)], _RUN_LIMIT_S)
        bench.step(_RUN_LIMIT_S, f"cases_{case}_{state}.txt", [bench.prof, "report", snapshot])
        reports[state] = prof_report.load(bench.prof, snapshot)
    return row_of(case, action, steps, runs, reports)


def goals_of(rows):
    """What is saved stays within "at most", and the action is the first."""
    goals = []
    for row in rows:
        goals.append({"goal": f"{row['case']}: the place of {row['action']}",
                      "measured": row["place"], "limit": 1, "met": row["place"] == 1})
        if row["at_most_s"] is not None:
            goals.append({"goal": f"{row['case']}: seconds that are saved, within at most",
                          "measured": row["saved_s"], "limit": row["at_most_s"],
                          "met": row["saved_s"] <= row["at_most_s"]})
    return goals


def markdown(where, rows, goals):
    return "\n".join([
        where + " Medians of runs without prof; what is saved is of all steps of a run.", "",
        results.table(["case", "us per step before", "after", "gain", "action", "its place",
                       "saved, s", "at most, s"],
                      [[row["case"], row["us_before"], row["us_after"], row["gain"],
                        row["action"], row["place"], row["saved_s"], row["at_most_s"]]
                       for row in rows]),
        results.goal_table(goals)])


def run(bench):
    rows = []
    for case in filter(lambda name: re.search(settings.WORKLOADS, name), _CASES):
        with bench.failing(case):
            rows.append(_measure(bench, case))
    if not rows:
        bench.fail("no case was measured")
        return
    goals = goals_of(rows)
    bench.publish("cases", {"rows": rows, "goals": goals, "failures": bench.failures},
                  markdown(bench.where(), rows, goals))
