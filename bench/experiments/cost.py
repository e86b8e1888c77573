# SPDX-License-Identifier: Apache-2.0
"""This experiment measures what prof costs.

The same programs run without prof, with the timeline, and with counters. The variants take turns.
"""

import os

from lib import machine
from lib import ncu
from lib import prof_report
from lib import results
from lib import turns

QUESTION = "What does prof cost a program, with the timeline and with counters?"
LIMIT_S = 420
RESULTS = ("cost",)
FILES = ("cost.json",)

_REPEATS = 3
_MARGIN_S = 110  # for the comparison with ncu
_REPORT_LIMIT_S = 120
_GOAL_SHARE, _GOAL_S = 0.05, 3  # a complete run may take this much longer
_NCU_LAUNCHES, _NCU_SKIP = 41, 600
_LLAMA = ["examples/pytorch/llama_like.py", "--time"]
_LLAMA_COUNTERS = "llama-counters.prof"


def workloads(bench):
    """{workload: {variant: command}}. The first variant is the base."""
    found = {}
    for tokens, steps, steady in ((2048, 100, 200), (1, 2000, 4000)):
        common = ["--tokens", str(tokens), "--steps", str(steps), "--steady", str(steady)]
        layer = bench.program("transformer_layer", *common)
        found[f"transformer, {tokens} tokens"] = {
            "bare": bench.program("transformer_bare", *common),
            "linked, no session": [*layer, "--no-prof"],
            "timeline": [*layer, "--counters", "none"],
            "counters": [*layer, "--counters", "stalls"],
        }
    bare = [bench.python, *_LLAMA, "--steps", "200"]

    def run_llama(variant, counters, *options):
        return bench.under_prof(f"{bench.scratch}/llama-{variant}.prof", bare, counters, *options)

    found["llama_like, 200 steps"] = {
        "bare": bare,
        "timeline": run_llama("timeline", "none"),
        "counters": run_llama("counters", "all"),
        "continuous": run_llama("continuous", "none", "--continuous"),
    }
    return found


def run_goals(rows):
    """Whether each complete run stayed within its limit."""
    walls = {(row["workload"], row["variant"]): row["median"] for row in rows
             if row["quantity"] == turns.WALL}
    goals = []
    for (workload, variant), wall in walls.items():
        bare = walls.get((workload, "bare"))
        if workload.startswith("llama") and variant != "bare" and bare:
            limit = bare * (1 + _GOAL_SHARE) + _GOAL_S
            goals.append({"goal": f"{workload}, {variant}: whole run within 5 % + 3 s of bare",
                          "bare_s": bare, "measured": wall, "limit": limit, "met": wall <= limit})
    return goals


def coverage(report):
    """Counts what the last run with counters sampled, and its cost by prof's own account."""
    kernels = report["kernels"]
    most = max(len(kernel["metrics"]) for kernel in kernels)
    nearly_all = 0.95 * most  # a kernel may lack a metric that its counters make meaningless
    sampled = [kernel for kernel in kernels if kernel["metrics"]]
    total_ns = sum(kernel["total_ns"] for kernel in kernels)
    return {
        "signatures": len(kernels), "sampled": len(sampled), "metrics": most,
        "with_all_metrics": sum(len(kernel["metrics"]) >= nearly_all for kernel in kernels),
        "share_of_gpu_time_sampled": sum(kernel["total_ns"] for kernel in sampled) / total_ns,
        "samples": report["totals"]["samples"], "counter_cost_s": report["counter_cost_ns"] * 1e-9}


def ncu_per_launch(python, metrics):
    """The time that ncu takes for one launch more, from runs that profile one launch and many."""
    program = [python, *_LLAMA, "--mode", "train", "--steps", "3"]
    profiled = {}
    for count in (1, _NCU_LAUNCHES):
        options = ("--launch-skip", str(_NCU_SKIP), "--launch-count", str(count), "--kill", "on")
        profiled[count] = ncu.profile(program, metrics, options, limit_s=100)
    many, one = profiled[_NCU_LAUNCHES], profiled[1]
    more = len(many["launches"]) - len(one["launches"])
    return {"command": machine.printable(program), "launches": len(many["launches"]),
            "distinct_kernels": len(ncu.values_by_key(many["launches"])),
            "metrics": len(many["metrics"]), "one_launch_s": one["ncu_s"],
            "many_launches_s": many["ncu_s"],
            "ms_per_launch": 1e3 * (many["ncu_s"] - one["ncu_s"]) / more}


def against_ncu(bench):
    """Compares the run with counters with ncu's time for one launch of each signature."""
    report = prof_report.load(bench.prof, os.path.join(bench.scratch, _LLAMA_COUNTERS),
                              _REPORT_LIMIT_S)
    ours = coverage(report)
    theirs = ncu_per_launch(bench.python, prof_report.metrics_of([report]))
    theirs["extrapolated_s"] = theirs["ms_per_launch"] * ours["sampled"] * 1e-3
    ours["ms_per_sample"] = 1e3 * ours["counter_cost_s"] / max(ours["samples"], 1)
    limit = theirs["ms_per_launch"] / 100
    goal = {"goal": "llama_like: a sampled launch costs at most 1/100 of ncu's, ms",
            "measured": ours["ms_per_sample"], "limit": limit,
            "met": ours["ms_per_sample"] <= limit}
    return {"prof": ours, "ncu": theirs}, [goal]


def in_words(found):
    ours, theirs = found["prof"], found["ncu"]
    return (f"llama_like: {ours['sampled']} of {ours['signatures']} signatures sampled "
            f"({100 * ours['share_of_gpu_time_sampled']:.1f} % of the GPU time), "
            f"{ours['with_all_metrics']} with all {ours['metrics']} metrics; "
            f"{ours['samples']} samples cost {ours['counter_cost_s']:.2f} s, "
            f"{ours['ms_per_sample']:.2f} ms each. ncu needed "
            f"{theirs['ms_per_launch']:.0f} ms for each of {theirs['launches']} launches "
            f"({theirs['distinct_kernels']} kernels): EXTRAPOLATED to one launch of each sampled "
            f"signature {theirs['extrapolated_s']:.0f} s.")


def markdown(where, rows, goals, beside):
    return "\n".join([
        where + " In turns; medians.", "",
        turns.table(rows),
        results.goal_table(goals),
        in_words(beside) if beside else ""])


def run(bench):
    rows, beside = [], {}
    for name, variants in workloads(bench).items():
        rows += turns.measure_workload(name, variants, _REPEATS, bench.deadline(_MARGIN_S),
                                       bench.fail)
    goals = run_goals(rows)
    if os.path.exists(os.path.join(bench.scratch, _LLAMA_COUNTERS)):
        with bench.failing("llama_like against ncu"):
            beside, more = against_ncu(bench)
            goals += more
    bench.publish("cost", {"rows": rows, "goals": goals, "llama_against_ncu": beside,
                           "failures": bench.failures},
                  markdown(bench.where(), rows, goals, beside))
    if not rows:
        bench.fail("nothing was measured")
