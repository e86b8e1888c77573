#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What prof costs: the same programs without it, with the timeline, with counters. The variants
# take turns (A B C A B C ...), so that a drift of the machine falls on all of them.
#
#   cost.py --bin device/bin --python python3 --markdown OUT.md --json OUT.json
"""Measures the run time of workloads under each variant of prof and prints medians."""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import machine
import ncu
import processes
import prof_report
import results

_TIMING = re.compile(r"^\[timing\] (?:(\w+) )?steps ", re.MULTILINE)
_QUANTITY = re.compile(r"(\w*us_per_step) ([0-9.]+)")
WALL = "wall_s"
_RUN_LIMIT_S = 120
_GOAL_SHARE, _GOAL_S = 0.05, 3  # a whole run may take this much longer
_NCU_LAUNCHES, _NCU_SKIP = 41, 600
_LLAMA = ["examples/pytorch/llama_like.py", "--time"]


def workloads(binaries, python, scratch):
    """{workload: {variant: command}}; the first variant is the base."""
    # Our programs need the toolkit's cuBLAS; PyTorch brings its own and must not see it.
    toolkit = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64")
    path = ":".join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), toolkit]))
    layer_environment = ["env", f"LD_LIBRARY_PATH={path}"]
    found = {}
    for tokens, steps, steady in ((2048, 100, 200), (1, 2000, 4000)):
        common = ["--tokens", str(tokens), "--steps", str(steps), "--steady", str(steady)]
        layer = [*layer_environment, f"{binaries}/transformer_layer", *common]
        found[f"transformer, {tokens} tokens"] = {
            "bare": [*layer_environment, f"{binaries}/transformer_bare", *common],
            "linked, no session": [*layer, "--no-prof"],
            "timeline": [*layer, "--counters", "none"],
            "counters": [*layer, "--counters", "stalls"],
        }
    bare = [python, *_LLAMA, "--steps", "200"]
    def run(variant, counters):
        return [f"{binaries}/prof", "run", "--output", f"{scratch}/llama-{variant}.prof",
                "--counters", counters, "--", *bare]

    found["llama_like, 200 steps"] = {
        "bare": bare,
        "timeline": run("timeline", "none"),
        "counters": run("counters", "all"),
        "continuous": ["env", "PROF_CONTINUOUS=1", *run("continuous", "none")],
    }
    return found


def quantities_in(output):
    """{"decode us_per_step": 5118.6, ...} from the lines that begin with [timing]."""
    found = {}
    for line in output.splitlines():
        timing = _TIMING.match(line)
        if timing:
            prefix = f"{timing[1]} " if timing[1] else ""
            found.update({prefix + name: float(value) for name, value in _QUANTITY.findall(line)})
    return found


def measure(command):
    """({quantity: value}, checksums) of one run; raises when it failed."""
    wall_s, output = processes.checked(command, _RUN_LIMIT_S)
    quantities = quantities_in(output)
    if not quantities:
        raise RuntimeError(f"no [timing] line: {output[-300:]}")
    checksums = [line for line in output.splitlines() if line.startswith("[checksum]")]
    return {**quantities, WALL: wall_s}, checksums


def measure_workload(name, variants, repeats, deadline, failures):
    """Rows for one workload. A variant that fails once is not tried again."""
    runs = {variant: {} for variant in variants}
    checksums = {}
    broken = set()
    for _ in range(repeats):
        for variant, command in variants.items():
            if variant in broken or time.monotonic() > deadline:
                continue
            try:
                quantities, checksums[variant] = measure(command)
            except (RuntimeError, OSError) as error:
                failures.append(f"{name}, {variant}: {error}")
                broken.add(variant)
                continue
            for quantity, value in quantities.items():
                runs[variant].setdefault(quantity, []).append(value)

    rows = []
    base_variant = next(iter(variants))
    for variant, quantities in runs.items():
        for quantity, values in quantities.items():
            base = runs[base_variant].get(quantity)
            median = statistics.median(values)
            rows.append({
                "workload": name, "variant": variant, "quantity": quantity,
                "median": median, "min": min(values), "max": max(values), "n": len(values),
                "over_bare": median / statistics.median(base) if base else None,
                "same_output": checksums[variant] == checksums.get(base_variant) if base else None,
                "command": machine.printable(variants[variant]),
            })
    return rows


def run_goals(rows):
    """Whether each whole run stayed within its limit."""
    walls = {(row["workload"], row["variant"]): row["median"] for row in rows
             if row["quantity"] == WALL}
    goals = []
    for (workload, variant), wall in walls.items():
        bare = walls.get((workload, "bare"))
        if workload.startswith("llama") and variant != "bare" and bare:
            limit = bare * (1 + _GOAL_SHARE) + _GOAL_S
            goals.append({"goal": f"{workload}, {variant}: whole run within 5 % + 3 s of bare",
                          "bare_s": bare, "measured": wall, "limit": limit, "met": wall <= limit})
    return goals


def coverage(prof, snapshot):
    """What the last run with counters sampled, and what it says it cost."""
    done = subprocess.run([prof, "report", "--json", snapshot], capture_output=True, text=True,
                          timeout=_RUN_LIMIT_S, check=True)
    report = json.loads(done.stdout)
    kernels = report["kernels"]
    most = max(len(kernel["metrics"]) for kernel in kernels)
    nearly_all = 0.95 * most  # a kernel may lack a metric that its counters make meaningless
    sampled = [kernel for kernel in kernels if kernel["metrics"]]
    total_ns = sum(kernel["total_ns"] for kernel in kernels)
    return report, {
        "signatures": len(kernels), "sampled": len(sampled), "metrics": most,
        "with_all_metrics": sum(len(kernel["metrics"]) >= nearly_all for kernel in kernels),
        "share_of_gpu_time_sampled": sum(kernel["total_ns"] for kernel in sampled) / total_ns,
        "samples": report["totals"]["samples"], "counter_cost_s": report["counter_cost_ns"] * 1e-9}


def ncu_per_launch(python, metrics):
    """What ncu takes for one launch more, from runs that profile one launch and many."""
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


def against_ncu(arguments, snapshot, failures):
    """The run with counters, beside what ncu would need for one launch of each signature."""
    try:
        report, ours = coverage(f"{arguments.bin}/prof", snapshot)
        theirs = ncu_per_launch(arguments.python, prof_report.metrics_of([report]))
    except (RuntimeError, OSError, ValueError, ZeroDivisionError,
            subprocess.SubprocessError) as error:
        failures.append(f"llama_like against ncu: {error}")
        return {}, []
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
            f"{ours['with_all_metrics']} with all {ours['metrics']} metrics; {ours['samples']} samples"
            f" cost {ours['counter_cost_s']:.2f} s, {ours['ms_per_sample']:.2f} ms each. ncu needed "
            f"{theirs['ms_per_launch']:.0f} ms for each of {theirs['launches']} launches "
            f"({theirs['distinct_kernels']} kernels): EXTRAPOLATED to one launch of each sampled "
            f"signature {theirs['extrapolated_s']:.0f} s.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="device/bin")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    parser.add_argument("--seconds", type=float, default=400, help="begin no run after this")
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    arguments = parser.parse_args()

    rows, goals, beside, failures = [], [], {}, []
    with tempfile.TemporaryDirectory() as scratch:
        chosen = {name: variants for name, variants
                  in workloads(arguments.bin, arguments.python, scratch).items()
                  if arguments.only in name}
        deadline = time.monotonic() + arguments.seconds
        for name, variants in chosen.items():
            rows += measure_workload(name, variants, arguments.repeats, deadline, failures)
        goals = run_goals(rows)
        snapshot = os.path.join(scratch, "llama-counters.prof")
        if os.path.exists(snapshot):
            beside, more = against_ncu(arguments, snapshot, failures)
            goals += more

    text = "\n".join([
        results.where() + " In turns; medians.", "",
        results.table(
            ["workload", "variant", "quantity", "median", "n", "over bare", "same output"],
            [[row["workload"], row["variant"], row["quantity"], row["median"], row["n"],
              row["over_bare"], row["same_output"]] for row in rows]),
        results.table(["goal", "measured", "limit", "met"],
                      [[goal["goal"], goal["measured"], goal["limit"], goal["met"]]
                       for goal in goals]),
        in_words(beside) if beside else ""])
    results.write_text(arguments.markdown, text)
    results.write(arguments.json, {"rows": rows, "goals": goals, "llama_against_ncu": beside,
                                   "failures": failures})
    print(text)
    for failure in failures:
        print(f"[failed] {failure}")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
