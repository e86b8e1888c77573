# SPDX-License-Identifier: Apache-2.0
"""This experiment measures what a GPU that is prepared for PM sampling costs the hand-over of work.

A program hands its work from stream to stream. Each state of PM sampling is compared with the
seconds before it in the same process; prof is compared with the bare program, second by second.
"""

import random
import statistics

from lib import processes
from lib import results
from lib import settings
from lib import suite_runs

QUESTION = "What does open PM sampling cost a program whose streams wait for each other?"
LIMIT_S = 120
RESULTS = ("stream_hops",)
FILES = ("stream_hops.json",)

_RUN_LIMIT_S = 30
_STATES = ("none", "host", "enabled", "configured", "stopped", "started", "disabled")
_PEAK = ".avg.pct_of_peak_sustained_elapsed"
# By the part of the GPU that is read. Names of GH100.
_METRICS = {
    "SMs": ["TPC.TriageCompute.sm__inst_executed_realtime"],
    "L2": ["LTS.TriageCompute.lts__throughput"],
    "DRAM": ["FBSP.TriageCompute.dramc__throughput"],
}
_AFTER_S, _STATE_S, _PROF_S = 1, 4, 5
_OVER_BARE = 1.02


def seconds_of(command):
    """us per hop in each second of a run."""
    _, output = processes.checked(command, _RUN_LIMIT_S)
    if "[pm_state]" in output and " reached" not in output:
        raise RuntimeError(f"the state was not reached: {output[-200:]!r}")
    return suite_runs.printed(output)["us_of_seconds"]


def state_row(state, metrics, seconds):
    before, after = seconds[0], statistics.median(seconds[_AFTER_S + 1:])
    return {"state": state, "metrics": metrics, "us_before": before, "us": after,
            "over_before": after / before}


def prof_row(variant, seconds, bare_us):
    return {"variant": variant, "us_of_seconds": seconds,
            "over_bare": [us / bare_us for us in seconds]}


def goals_of(rows):
    """What is left once prof has learned what there is to learn."""
    goals = []
    for row in rows:
        if row["variant"] == suite_runs.DEFAULT:
            last = row["over_bare"][-1]
            goals.append({"goal": "default options, last second: over bare", "measured": last,
                          "limit": _OVER_BARE, "met": last <= _OVER_BARE})
    return goals


def _program(bench, seed, seconds):
    return bench.program("stream_hops", "--seed", str(seed), "--seconds", str(seconds))


def _states(bench, library, seed):
    everything = [metric for metrics in _METRICS.values() for metric in metrics]
    chosen = [(state, "all", everything) for state in _STATES]
    chosen += [("stopped", part, metrics) for part, metrics in _METRICS.items()]
    rows = []
    for state, part, metrics in chosen:
        with bench.failing(f"{state}, {part}"):
            rows.append(state_row(state, part, seconds_of(bench.injected(
                library, _program(bench, seed, _STATE_S), PM_STATE=state,
                PM_AFTER_MS=str(1000 * _AFTER_S),
                PM_METRICS=",".join(metric + _PEAK for metric in metrics)))))
    return rows


def _under_prof(bench, seed):
    program = _program(bench, seed, _PROF_S)
    bare = seconds_of(program)
    bare_us = statistics.median(bare)
    rows = [prof_row(suite_runs.BARE, bare, bare_us)]
    for variant in (suite_runs.TIMELINE, suite_runs.DEFAULT):
        with bench.failing(variant):
            rows.append(prof_row(variant, seconds_of(suite_runs.under_prof(
                bench.prof, variant, f"{bench.scratch}/hops.prof", program)), bare_us))
    return rows


def _tables(states, prof):
    return "\n".join([
        results.table(["state", "metrics of", "before, us", "us", "over before"],
                      [[row["state"], row["metrics"], row["us_before"], row["us"],
                        row["over_before"]] for row in states]),
        results.table(["variant", "us per hop, by second", "over bare, last second"],
                      [[row["variant"], ", ".join(f"{us:.2f}" for us in row["us_of_seconds"]),
                        row["over_bare"][-1]] for row in prof])])


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    prof = _under_prof(bench, seed)
    library = bench.build_injection("pm_states")
    states = _states(bench, library, seed) if library else []
    goals = goals_of(prof)
    bench.publish("stream_hops", {"seed": seed, "goals": goals, "states": states, "prof": prof},
                  "\n".join([bench.where(), "", results.goal_table(goals), _tables(states, prof)]))
    for goal in goals:
        if not goal["met"]:
            bench.fail(f"{goal['goal']}: {goal['measured']}")
