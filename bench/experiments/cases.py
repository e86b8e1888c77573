# SPDX-License-Identifier: Apache-2.0
"""This experiment records the cases of the guide before and after their fix.

The gain is measured without prof. It stands beside what prof's report of the program before the fix
says that the action saves at most.
"""

import re
import statistics

from lib import prof_report
from lib import processes
from lib import results
from lib import settings
from lib import turns

QUESTION = "Does the fix that prof advises save what prof says at most?"
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
FILES = ("cases.json", *(f"cases_{name}_{state}.txt" for name in _CASES
                         for state in ("before", "after")))

_REPEATS, _RUN_LIMIT_S = 2, 60
_STATES = {"before": (), "after": ("--fixed",)}


def share_at_most(report, action):
    """(share of the undisturbed time that an action saves at most, its place from 1), or Nones.

    An action of a kernel may stand there for several rows: their times are added.
    """
    places = [i for i, found in enumerate(report["actions"]) if found["id"] == action]
    if not places:
        return None, None
    saved = [report["actions"][i]["saves_at_most_ns"] for i in places]
    if None in saved:
        return None, places[0] + 1
    return sum(saved) / report["undisturbed_ns"], places[0] + 1


def _command(bench, case, state):
    (kind, what), _, _ = _CASES[case]
    start = [bench.python, what] if kind == "python" else bench.program(what)
    return [*start, *_STATES[state]]


def _bare_us(bench, case, state):
    """The median, and the values, of the time of a step without prof."""
    found = []
    for _ in range(_REPEATS):
        _, output = processes.checked(_command(bench, case, state), _RUN_LIMIT_S)
        found.append(turns.quantities_in(output)["us_per_step"])
    return statistics.median(found), found


def _measure(bench, case):
    _, options, action = _CASES[case]
    row = {"case": case, "action": action}
    for state in _STATES:
        row[f"us_{state}"], row[f"runs_{state}"] = _bare_us(bench, case, state)
        snapshot = bench.path(f"cases_{case}_{state}.prof")
        processes.checked([bench.prof, "run", *options, "--output", snapshot, "--",
                           *_command(bench, case, state)], _RUN_LIMIT_S)
        bench.step(_RUN_LIMIT_S, f"cases_{case}_{state}.txt", [bench.prof, "report", snapshot])
        report = prof_report.load(bench.prof, snapshot)
        row[f"actions_{state}"] = [found["id"] for found in report["actions"]]
        if state == "before":
            row["at_most"], row["place"] = share_at_most(report, action)
    row["gain"] = 1 - row["us_after"] / row["us_before"]
    return row


def goals_of(rows):
    """The gain stays within "at most", and the action is the first."""
    goals = []
    for row in rows:
        goals.append({"goal": f"{row['case']}: the place of {row['action']}",
                      "measured": row["place"], "limit": 1, "met": row["place"] == 1})
        goals.append({"goal": f"{row['case']}: the gain is within at most",
                      "measured": row["gain"], "limit": row["at_most"],
                      "met": row["at_most"] is not None and row["gain"] <= row["at_most"]})
    return goals


def markdown(where, rows, goals):
    return "\n".join([
        where + " Medians of runs without prof; shares of the time.", "",
        results.table(["case", "us per step before", "after", "gain", "action", "at most"],
                      [[row["case"], row["us_before"], row["us_after"], row["gain"],
                        row["action"], row["at_most"]] for row in rows]),
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
