#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What the same PyTorch programs take under prof's timeline and under other tools that keep one, per
# step and in all, and how much each of them writes. The variants take turns (A B C A B C ...).
#
#   peers.py --bin device/bin --parts libtracing_parts.so --markdown OUT.md --json OUT.json
"""Compares prof's timeline with torch.profiler, Proton and nsys in time and bytes per kernel."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import cost
import machine
import results

_BARE, _FLOOR, _PROF = "bare", "CUPTI's floor", "prof"
_LLAMA = "examples/pytorch/llama_like.py"
_WORKLOADS = {
    "PyTorch storm": ["bench/gpu/pytorch_storm.py", "--steps", "100000"],
    "llama_like, decode": [_LLAMA, "--time", "--mode", "decode", "--steps", "300"],
    "llama_like, train": [_LLAMA, "--time", "--mode", "train", "--steps", "40"],
}
_REPORT_LIMIT_S = 60


def variants(arguments, program, scratch):
    """{variant: (command, what it writes or None)}; the first is the base."""
    python = arguments.python
    bare = [python, *program]
    def under(tool, output):
        return [python, "bench/gpu/with_tool.py", tool, output, "--", *program], output

    library = f"CUDA_INJECTION64_PATH={os.path.abspath(arguments.parts)}"
    snapshot = f"{scratch}/prof.prof"
    found = {
        _BARE: (bare, None),
        _FLOOR: (["env", library, *bare], None),
        _PROF: ([f"{arguments.bin}/prof", "run", "--counters", "none", "--output", snapshot, "--",
                 *bare], snapshot),
        "torch.profiler, CUDA": under("torch", f"{scratch}/torch.json"),
        "torch.profiler, CPU and CUDA": under("torch-cpu", f"{scratch}/torch_cpu.json"),
        # Aggregates by scope: it keeps no timeline, and its file does not grow with the launches.
        "Proton": under("proton", f"{scratch}/proton.hatchet"),
    }
    nsys = machine.nsys()
    if nsys:
        found["nsys"] = ([nsys, "profile", "--trace=cuda,nvtx", "--sample=none",
                          "--cpuctxsw=none", "--force-overwrite=true", f"--output={scratch}/nsys",
                          *bare], f"{scratch}/nsys.nsys-rep")
    return found


def kernels_in(prof, snapshot):
    done = subprocess.run([prof, "report", "--json", snapshot], capture_output=True, text=True,
                          timeout=_REPORT_LIMIT_S, check=True)
    return json.loads(done.stdout)["totals"]["kernels"]


def size_of(path):
    """nsys leaves .qdstrm where it cannot make a report."""
    for candidate in (pathlib.Path(path), pathlib.Path(path).with_suffix(".qdstrm")):
        if candidate.exists():
            return candidate.stat().st_size
    return None


def run_workload(name, arguments, scratch, deadline, failures):
    chosen = {variant: found for variant, found
              in variants(arguments, _WORKLOADS[name], scratch).items()
              if variant == _PROF or re.search(arguments.variants, variant)}
    rows = cost.measure_workload(name, {variant: command for variant, (command, _)
                                        in chosen.items()},
                                 arguments.repeats, deadline, failures)
    try:
        kernels = kernels_in(f"{arguments.bin}/prof", chosen[_PROF][1])
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        failures.append(f"{name}: kernels of prof's snapshot: {error}")
        kernels = None
    for row in rows:
        output = chosen[row["variant"]][1]
        size = size_of(output) if output else None
        row["bytes"] = size
        row["bytes_per_kernel"] = size / kernels if size and kernels else None
    return rows


def goals_of(rows):
    """prof is the cheapest in time and in bytes, of those that keep a timeline."""
    goals = []
    rows = [row for row in rows if row["quantity"] != cost.WALL]
    for name in _WORKLOADS:
        ours = [row for row in rows if row["workload"] == name and row["variant"] == _PROF]
        others = [row for row in rows if row["workload"] == name
                  and row["variant"] not in (_PROF, _BARE, _FLOOR)]
        if not ours or not others:
            continue
        best = min(row["median"] for row in others)
        goals.append({"goal": f"{name}: us per step, the lowest of all tools",
                      "measured": ours[0]["median"], "limit": best,
                      "met": ours[0]["median"] <= best})
        sizes = [row["bytes_per_kernel"] for row in others
                 if row["bytes_per_kernel"] and row["variant"] != "Proton"]
        if sizes and ours[0]["bytes_per_kernel"]:
            goals.append({"goal": f"{name}: bytes per kernel, the lowest that keep a timeline",
                          "measured": ours[0]["bytes_per_kernel"], "limit": min(sizes),
                          "met": ours[0]["bytes_per_kernel"] <= min(sizes)})
    return goals


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="device/bin")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--parts", required=True, help="the built tracing_parts.cc")
    parser.add_argument("--workloads", default="", help="those with this expression in the name")
    parser.add_argument("--variants", default="", help="prof and those with this expression")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=250, help="begin no run after this")
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    arguments = parser.parse_args()

    rows, failures = [], []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        chosen = [name for name in _WORKLOADS if re.search(arguments.workloads, name)]
        for done, name in enumerate(chosen, start=1):
            deadline = begun + arguments.seconds * done / len(chosen)
            rows += run_workload(name, arguments, scratch, deadline, failures)
            write(arguments, rows, failures)  # after each: the time may be over any moment
    print(write(arguments, rows, failures))
    for failure in failures:
        print(f"[failed] {failure}")
    return 1 if failures or not rows else 0


def write(arguments, rows, failures):
    goals = goals_of(rows)
    text = "\n".join([
        results.where() + " In turns; medians.", "",
        results.table(
            ["workload", "variant", "quantity", "median", "n", "over bare", "bytes per kernel"],
            [[row["workload"], row["variant"], row["quantity"], row["median"], row["n"],
              row["over_bare"], row["bytes_per_kernel"]] for row in rows]),
        results.table(["goal", "measured", "limit", "met"],
                      [[goal["goal"], goal["measured"], goal["limit"], goal["met"]]
                       for goal in goals])])
    results.write_text(arguments.markdown, text)
    results.write(arguments.json, {"rows": rows, "goals": goals, "failures": failures})
    return text


if __name__ == "__main__":
    sys.exit(main())
