# SPDX-License-Identifier: Apache-2.0
"""This experiment measures what cuptiProfilerInitialize costs a program, and what removes the cost.

It sets up hooks in the driver. A program whose two threads copy and launch at a time is compared
with the second before each state in the same process. Then the hooks come and go all the time, in
programs that end well without them; one of them has an answer, which must be the same.
"""

import random
import signal

from experiments import stream_hops
from lib import processes
from lib import results
from lib import settings

QUESTION = "What do CUPTI's profiler hooks cost a program, and can they be removed?"
LIMIT_S = 150
RESULTS = ("profiler_hooks",)
FILES = ("profiler_hooks.json",)

_METRICS = ",".join(name + ".avg.pct_of_peak_sustained_elapsed" for name in (
    "TPC.TriageCompute.sm__inst_executed_realtime", "LTS.TriageCompute.lts__throughput"))
# (state, hooks): injection/pm_states.cc has what they mean.
_STATES = (("none", "left"), ("hooks", "left"), ("unhooked", "left"), ("started", "left"),
           ("disabled", "left"), ("started", "removed"), ("disabled", "removed"))
_STATE_S, _RUN_LIMIT_S = 4, 30
_RUNS = 30  # of each program while the hooks come and go
_STEPS, _LAUNCHES = 2000, 400  # the latter more with each run
_OVER_BEFORE = 1.02
_CHECKSUM = "[checksum]"
_TURNED, _NO_TURN = "[pm_state] in turns reached", "no turn"


def _pipeline(bench, seed, *limit):
    return bench.program("pipeline", "--seed", str(seed), *limit)


def _state_rows(bench, library, seed):
    rows = []
    for state, hooks in _STATES:
        with bench.failing(f"{state}, {hooks}"):
            seconds = stream_hops.seconds_of(bench.injected(
                library, _pipeline(bench, seed, "--seconds", str(_STATE_S)), PM_STATE=state,
                PM_HOOKS=hooks, PM_METRICS=_METRICS))
            rows.append({"hooks": hooks, **stream_hops.state_row(state, "two", seconds)})
    return rows


def answer_of(output):
    """The lines that do not depend on when a program ran."""
    return [line for line in output.splitlines() if line.startswith(_CHECKSUM)]


def end_of(code, same, turned=True):
    """How a run ended, in words. `turned`: the hooks came and went in it."""
    if code < 0:
        return f"signal {signal.Signals(-code).name}"
    if code != 0:
        return f"exit code {code}"
    if not turned:
        return _NO_TURN
    return "good" if same else "another answer"


def _in_turns(bench, library, name, commands):
    """How many runs of a program ended in which way, while the hooks come and go."""
    ends = {}
    for command in commands:
        expected = answer_of(processes.checked(command, _RUN_LIMIT_S)[1])
        _, code, output = processes.timed(bench.injected(
            library, command, PM_STATE="in turns", PM_AFTER_MS="0"), _RUN_LIMIT_S)
        end = end_of(code, answer_of(output) == expected, _TURNED in output)
        ends[end] = ends.get(end, 0) + 1
    return {"program": name, "runs": sum(ends.values()), "ends": ends}


def _turn_rows(bench, library, seed):
    rows = []
    programs = {
        "pipeline": [_pipeline(bench, seed + i, "--steps", str(_STEPS)) for i in range(_RUNS)],
        "storm_bare": [bench.program("storm_bare", str((i + 1) * _LAUNCHES), "1", "ranges")
                       for i in range(_RUNS)]}
    for name, commands in programs.items():
        with bench.failing(f"{name}, in turns"):
            rows.append(_in_turns(bench, library, name, commands))
    return rows


def goals_of(states, turns):
    goals = [{"goal": f"{row['state']}, hooks {row['hooks']}: over the second before",
              "measured": row["over_before"], "limit": _OVER_BEFORE,
              "met": row["over_before"] <= _OVER_BEFORE}
             for row in states if row["hooks"] != "left" or row["state"] == "unhooked"]
    for row in turns:
        turned = row["runs"] - row["ends"].get(_NO_TURN, 0)
        bad = turned - row["ends"].get("good", 0)
        goals.append({"goal": f"{row['program']}: runs of {turned} that did not end well while the "
                              "hooks came and went", "measured": bad, "limit": 0,
                      "met": bad == 0 and turned > 0})
    return goals


def _tables(states, turns):
    return "\n".join([
        results.table(["state", "hooks", "before, us a step", "us", "over before"],
                      [[row["state"], row["hooks"], row["us_before"], row["us"],
                        row["over_before"]] for row in states]),
        results.table(["program", "runs", "ends"],
                      [[row["program"], row["runs"],
                        ", ".join(f"{count} {end}" for end, count in sorted(row["ends"].items()))]
                       for row in turns])])


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 30)
    library = bench.build_injection("pm_states")
    if library is None:
        return
    states = _state_rows(bench, library, seed)
    turns = _turn_rows(bench, library, seed)
    goals = goals_of(states, turns)
    bench.publish("profiler_hooks",
                  {"seed": seed, "goals": goals, "states": states, "in_turns": turns},
                  "\n".join([bench.where(), "", results.goal_table(goals),
                             _tables(states, turns)]))
    for goal in goals:
        if not goal["met"]:
            bench.fail(f"{goal['goal']}: {goal['measured']}")
