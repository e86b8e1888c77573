# SPDX-License-Identifier: Apache-2.0
"""This experiment measures what readings of clocks, heat and power cost, and whether they come.

The same programs run without prof, with the timeline, and with the timeline and `--gpu-state`, in
turns. What prof read is put beside the limits that nvidia-smi has.
"""

import os
import subprocess

from lib import prof_report
from lib import results
from lib import turns

QUESTION = "What do readings of the GPU's state cost a program, and do they come?"
LIMIT_S = 150
RESULTS = ("gpu_state",)
FILES = ("gpu_state.json",)

_REPEATS = 5
_MARGIN_S = 30
_MOST_OVER_TIMELINE = 1.02
_LEAST_READINGS_PER_S = 5  # of the time in which the GPU worked
_SMI = ["nvidia-smi", "--query-gpu=power.limit,clocks.max.sm",
        "--format=csv,noheader,nounits", "--id=0"]


def workloads(bench):
    """{workload: {variant: command}} and {workload: snapshot}. The first variant is the base."""
    found, snapshots = {}, {}
    for tokens, steps in ((2048, 1000), (1, 20_000)):
        name = f"transformer, {tokens} tokens"
        snapshots[name] = f"{bench.scratch}/state-{tokens}.prof"
        bare = bench.program("transformer_bare", "--tokens", str(tokens), "--steps", str(steps),
                             "--steady", str(steps))
        found[name] = {
            "bare": bare,
            "timeline": bench.under_prof(f"{bench.scratch}/timeline-{tokens}.prof", bare),
            "gpu state": bench.under_prof(snapshots[name], bare, "none", "--gpu-state"),
        }
    return found, snapshots


def over_timeline(rows):
    """[(workload, quantity, ratio)]: what the readings add to the timeline."""
    medians = {(row["workload"], row["quantity"], row["variant"]): row["median"] for row in rows}
    return [(workload, quantity, median / medians[workload, quantity, "timeline"])
            for (workload, quantity, variant), median in medians.items()
            if variant == "gpu state" and medians.get((workload, quantity, "timeline"))]


def readings_of(name, report):
    """What the first device's readings are; None where there are none."""
    device = report["devices"][0]
    state = device["state"]
    if not state:
        return None
    return {"workload": name, "busy_s": device["busy_ns"] * 1e-9, "clocks": state["with_reasons"],
            "sm_mhz": state["sm_clock_hz"]["median"] * 1e-6,
            "celsius": state["celsius"]["median"], "watts": state["watts"]["median"],
            "power_limit_w": state["power_limit_w"],
            "holds": {hold["what"]: hold["readings"] for hold in state["holds"]}}


def smi():
    """The limits of the first device; None: nvidia-smi does not work."""
    done = subprocess.run(_SMI, capture_output=True, text=True, timeout=20, check=False)
    words = done.stdout.strip().split(", ")
    if done.returncode != 0 or len(words) != 2:
        return None
    limit, clock = (float(word) for word in words)
    return {"power_limit_w": limit, "max_sm_mhz": clock}


def goals_of(rows, readings, theirs):
    goals = [{"goal": f"{workload}: {quantity} with readings over the timeline",
              "measured": ratio, "limit": _MOST_OVER_TIMELINE, "met": ratio <= _MOST_OVER_TIMELINE}
             for workload, quantity, ratio in over_timeline(rows) if quantity != turns.WALL]
    for one in readings:
        per_s = one["clocks"] / one["busy_s"]
        goals.append({"goal": f"{one['workload']}: readings in a second of work", "measured": per_s,
                      "limit": _LEAST_READINGS_PER_S, "met": per_s >= _LEAST_READINGS_PER_S})
        if theirs:
            right = (abs(one["power_limit_w"] - theirs["power_limit_w"]) < 1
                     and 0 < one["sm_mhz"] <= theirs["max_sm_mhz"]
                     and 0 < one["watts"] <= 1.2 * theirs["power_limit_w"])
            goals.append({"goal": f"{one['workload']}: the limit of power as nvidia-smi has it, "
                          "clock and power within nvidia-smi's limits", "measured": int(right),
                          "limit": 1, "met": right})
    return goals


def markdown(where, rows, goals, readings):
    return "\n".join([
        where + " In turns; medians.", "",
        turns.table(rows),
        results.table(
            ["workload", "readings of clocks", "SM clock, MHz", "degrees C", "W", "limit, W",
             "what held the clock"],
            [[one["workload"], one["clocks"], one["sm_mhz"], one["celsius"], one["watts"],
              one["power_limit_w"],
              ", ".join(f"{what}: {n}" for what, n in one["holds"].items()) or "nothing"]
             for one in readings]),
        results.goal_table(goals)])


def run(bench):
    rows, readings = [], []
    variants, snapshots = workloads(bench)
    for name, commands in variants.items():
        rows += turns.measure_workload(name, commands, _REPEATS, bench.deadline(_MARGIN_S),
                                       bench.fail)
    for name, snapshot in snapshots.items():
        if not os.path.exists(snapshot):
            continue
        with bench.failing(f"{name}: readings"):
            found = readings_of(name, prof_report.load(bench.prof, snapshot, 60))
            if found:
                readings.append(found)
            else:
                bench.fail(f"{name}: there are no readings")
    theirs = smi()
    goals = goals_of(rows, readings, theirs)
    bench.publish("gpu_state", {"rows": rows, "readings": readings, "nvidia_smi": theirs,
                                "goals": goals, "failures": bench.failures},
                  markdown(bench.where(), rows, goals, readings))
    if not rows:
        bench.fail("nothing was measured")
