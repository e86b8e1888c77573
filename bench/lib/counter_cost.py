# SPDX-License-Identifier: Apache-2.0
"""This module compares what the same metrics of the same kernels cost with prof and with ncu."""

from lib import ncu
from lib import printed
from lib import prof_report
from lib import processes
from lib import results

_GOAL = 100  # times cheaper than ncu, for each sampled kernel
_RUN_LIMIT_S = 120


def _row(what, total_s, signatures, launches):
    return {"what": what, "total_s": total_s, "ms_per_signature": 1e3 * total_s / signatures,
            "ms_per_launch": 1e3 * total_s / launches}


def _goals(account, wall, ncu_row):
    return [{"goal": f"{what}: at most 1/{_GOAL} of ncu's for a launch", "times_cheaper": ratio,
             "met": ratio >= _GOAL} for what, ratio in (
                 ("prof's for a sampled launch, own account",
                  ncu_row["ms_per_launch"] / account["ms_per_launch"]),
                 ("prof's for a signature, all metrics three times, wall clock",
                  ncu_row["ms_per_launch"] / max(wall["ms_per_signature"], 1e-6)))]


def publish(bench, program, report, log, theirs):
    """Milliseconds for each kernel signature: prof's own account, prof by wall clock, and ncu.

    `log` is what the program printed while prof made `report`; `theirs` is ncu.profile_beside().
    The program runs once more, bare, for as many rounds as prof needed.
    """
    rounds, sampled_s = printed.rounds(log)
    _, output = processes.checked([*program, "--rounds", str(rounds)], _RUN_LIMIT_S)
    bare_s = printed.rounds(output)[1]

    sampled = [kernel for kernel in prof_report.kernels_of(report) if kernel.metrics]
    samples, launches = report["totals"]["samples"], len(theirs["launches"])
    keys = len(ncu.values_by_key(theirs["launches"]))
    rows = [
        _row("prof, its own account", report["counter_cost_ns"] * 1e-9, len(sampled), samples),
        _row(f"prof, wall clock of {rounds} rounds less bare", sampled_s - bare_s, len(sampled),
             samples),
        _row("ncu, wall clock less bare", theirs["ncu_s"] - theirs["bare_s"], keys, launches)]
    goals = _goals(*rows)
    table = "\n".join([
        bench.where() + f" {len(sampled)} signatures, {samples} launches sampled by prof, "
        f"{launches} profiled by ncu; {len(theirs['metrics'])} metrics.", "",
        results.table(["", "seconds in all", "ms per signature", "ms per launch"],
                      [[row["what"], row["total_s"], row["ms_per_signature"], row["ms_per_launch"]]
                       for row in rows]),
        results.goal_table(goals, ("times_cheaper", "met"))])
    bench.publish("cost.counter_cost", {
        "signatures": len(sampled), "samples": samples, "metrics": len(theirs["metrics"]),
        "ncu_launches": launches, "rounds": rounds, "bare_s": bare_s, "rows": rows,
        "goals": goals}, table)
