# SPDX-License-Identifier: Apache-2.0
"""This experiment runs kernels that wait for what comes later, with default options.

They wait for the host, for another stream's kernel, for a copy; the delays are drawn. A profiler
that holds up a launch makes them wait without end.
"""

import random
import re
import time

from lib import processes
from lib import results
from lib import settings
from lib import suite_runs

QUESTION = "Does a program with kernels that wait for what comes later run as without prof?"
LIMIT_S = 120
RESULTS = ("coverage",)
_NAME = "coverage.coverage_hang"
FILES = (f"{_NAME}.json",)

_ROUNDS, _PROCESSES = 20, 10
_SECONDS = 60         # no process begins after them
_PROCESS_LIMIT_S = 45
_GIVEN_UP = re.compile(r"^\[delays\] given_up (\d+)", re.MULTILINE)


def _delays(command):
    """What a process did: its time, its end, and what it printed."""
    seconds, code, output = processes.timed(command, _PROCESS_LIMIT_S)
    if "[skipped]" in output:
        raise RuntimeError(output.strip()[-200:])
    given_up = _GIVEN_UP.search(output)
    return {"seconds": seconds, "exit_code": code,
            "hung": seconds >= _PROCESS_LIMIT_S or "[hang]" in output,
            "given_up": int(given_up[1]) if given_up else None,
            "answer": suite_runs.answers(output)}


def row_of(seed, bare, ours):
    return {"seed": seed, "rounds": _ROUNDS, "bare_s": bare["seconds"], "prof_s": ours["seconds"],
            "exit_code": ours["exit_code"], "hung": ours["hung"],
            "given_up": ours["given_up"], "bare_given_up": bare["given_up"],
            "bare_hung": bare["hung"],
            "same_output": bare["exit_code"] == ours["exit_code"]
            and bare["answer"] == ours["answer"]}


def goals_of(rows):
    rounds = sum(row["rounds"] for row in rows)
    bad = [row for row in rows if row["hung"] or row["given_up"] != 0]
    other = [row for row in rows if not row["same_output"]]
    return [
        {"goal": f"processes that hung or held up a wait, of {len(rows)} with {rounds} rounds",
         "measured": len(bad), "limit": 0, "met": bool(rows) and not bad},
        {"goal": "processes with another output or end", "measured": len(other), "limit": 0,
         "met": bool(rows) and not other}]


def _table(rows):
    return results.table(
        ["seed", "rounds", "bare, s", "default options, s", "waits given up", "bare", "hung",
         "same output"],
        [[row["seed"], row["rounds"], row["bare_s"], row["prof_s"], row["given_up"],
          row["bare_given_up"], "HUNG" if row["hung"] else "no", row["same_output"]]
         for row in rows])


def run(bench):
    first = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    rows, begun = [], time.monotonic()
    for seed in range(first, first + _PROCESSES):
        late = time.monotonic() - begun > _SECONDS
        if late or bench.left_s() < 2 * _PROCESS_LIMIT_S:
            bench.show(f"{bench.name:12} {len(rows)} of {_PROCESSES} processes, then the time was "
                       "over")
            break
        command = bench.program("delays", "--seed", str(seed), "--rounds", str(_ROUNDS))
        bare = _delays(command)
        ours = _delays(suite_runs.under_prof(bench.prof, suite_runs.DEFAULT,
                                             f"{bench.scratch}/delays.prof", command))
        rows.append(row_of(seed, bare, ours))
    goals = goals_of(rows)
    table = "\n".join([bench.where(), "", results.goal_table(goals), _table(rows)])
    bench.publish(_NAME, {"seed": first, "goals": goals, "rows": rows}, table)
    for goal in goals:
        if not goal["met"]:
            bench.fail(f"{goal['goal']}: {goal['measured']}")
    if any(row["bare_hung"] or row["bare_given_up"] for row in rows):
        bench.fail("waits were given up without prof, too: this machine is no place for the test")
