# SPDX-License-Identifier: Apache-2.0
"""This experiment plants one slow line in a program, ten ways, and asks prof for the slowest line.

The first line of "Lines of the program" must be the planted one.
"""

import pathlib
import random
import re

from lib import prof_report
from lib import results
from lib import settings

QUESTION = "Is the slow line of a program the first one that prof names?"
LIMIT_S = 240
RESULTS = ("slow_lines",)
FILES = ("slow_lines.json",)

CASES = ("python_work", "copy", "sync", "lock", "data_worker", "bad_shapes", "graph_break",
         "recompile", "allocation", "slow_kernel")
_PROGRAM = "bench/programs/slow_lines.py"
_OPTIONS = ("--torch", "ops", "--python-stacks", "--host-samples", "200")
_RUN_LIMIT_S, _LISTED = 60, 3


def planted_lines(source, case):
    """The numbers of the lines in which the case has its waste, from 1."""
    return [number for number, line in enumerate(source.splitlines(), start=1)
            if re.search(rf"# planted: {case}$", line)]


def row_of(case, report, planted, name):
    """What the report says of a case. `planted`: numbers of lines of the file `name`."""
    lines = (report.get("lines") or {}).get("own") or []
    listed = [f"{pathlib.PurePath(line['file']).name}:{line['line']}" for line in lines]
    wanted = {f"{name}:{number}" for number in planted}
    place = next((i for i, line in enumerate(listed, start=1) if line in wanted), None)
    all_ns = sum(line["steps_ns"] for line in lines)
    own_ns = sum(line["steps_ns"] for line, at in zip(lines, listed) if at in wanted)
    return {"case": case, "planted": sorted(wanted), "place": place,
            "share": own_ns / all_ns if all_ns else None, "first": listed[:_LISTED],
            "actions": [action["id"] for action in report["actions"]][:_LISTED]}


def goals_of(rows):
    named = sum(row["place"] == 1 for row in rows)
    return [{"goal": "planted slow lines that are named first", "measured": named,
             "limit": len(CASES), "met": named == len(CASES)}]


def markdown(where, rows, goals):
    return "\n".join([
        where + " Share: of the time of all lines in the steps.", "",
        results.table(["planted", "its place", "its share", "first lines", "first actions"],
                      [[row["case"], row["place"], row["share"], ", ".join(row["first"]),
                        ", ".join(row["actions"])] for row in rows]),
        results.goal_table(goals)])


def _measure(bench, case, seed):
    snapshot = bench.path(f"slow_lines_{case}.prof")
    program = [bench.python, _PROGRAM, case, "--seed", str(seed)]
    bench.step(_RUN_LIMIT_S, f"slow_lines_{case}.txt",
               [bench.prof, "run", *_OPTIONS, "--output", snapshot, "--", *program])
    report = prof_report.load(bench.prof, snapshot)
    source = pathlib.Path(_PROGRAM).read_text(encoding="utf-8")
    return row_of(case, report, planted_lines(source, case), pathlib.PurePath(_PROGRAM).name)


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    rows = []
    for case in filter(lambda name: re.search(settings.WORKLOADS, name), CASES):
        with bench.failing(case):
            rows.append(_measure(bench, case, seed))
    if not rows:
        bench.fail("no case was measured")
        return
    goals = goals_of(rows)
    bench.publish("slow_lines", {"seed": seed, "rows": rows, "goals": goals,
                                 "failures": bench.failures}, markdown(bench.where(), rows, goals))
