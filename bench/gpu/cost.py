#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What prof costs: the same programs without it, with the timeline, with counters. The variants
# take turns (A B C A B C ...), so that a drift of the machine falls on all of them.
#
#   cost.py --bin device/bin --python python3 --seconds 200 --output cost.json
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

_QUANTITY = re.compile(r"(\w*us_per_step) ([0-9.]+)")
_RUN_LIMIT_S = 120


def workloads(binaries, python, scratch):
    """[(workload, share of the time, {variant: command})]; the first variant is the base."""
    # Our programs need the toolkit's cuBLAS; PyTorch brings its own and must not see it.
    toolkit = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64")
    path = ":".join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), toolkit]))
    layer_environment = ["env", f"LD_LIBRARY_PATH={path}"]
    found = []
    for tokens, steps, steady in ((2048, 100, 200), (1, 2000, 4000)):
        common = ["--tokens", str(tokens), "--steps", str(steps), "--steady", str(steady)]
        layer = [*layer_environment, f"{binaries}/transformer_layer", *common]
        found.append((f"transformer, {tokens} tokens", 0.15, {
            "bare": [*layer_environment, f"{binaries}/transformer_bare", *common],
            "linked, no session": [*layer, "--no-prof"],
            "timeline": [*layer, "--counters", "none"],
            "counters": [*layer, "--counters", "stalls"],
        }))
    for mode, steps in (("decode", 150), ("train", 30)):
        bare = [python, "examples/pytorch/llama_like.py", "--time", "--mode", mode,
                "--steps", str(steps)]
        run = [f"{binaries}/prof", "run", "--output", f"{scratch}/{mode}.prof", "--counters"]
        found.append((f"llama_like {mode}", 0.35, {
            "bare": bare,
            "timeline": [*run, "none", "--", *bare],
            "counters": [*run, "stalls", "--", *bare],
        }))
    return found


def measure(command):
    """({quantity: microseconds}, checksum) of one run; raises when it failed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=_RUN_LIMIT_S,
                          check=False)
    timings = [line for line in done.stdout.splitlines() if line.startswith("[timing]")]
    if done.returncode != 0 or not timings:
        tail = (done.stdout + done.stderr).strip().splitlines()[-3:]
        raise RuntimeError(f"exit code {done.returncode}: {' / '.join(tail)}")
    checksum = [line for line in done.stdout.splitlines() if line.startswith("[checksum]")]
    return {name: float(value) for name, value in _QUANTITY.findall(timings[0])}, checksum


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
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="device/bin")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=240, help="begin no run after this")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()

    rows, failures = [], []
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        deadline = start
        for name, share, variants in workloads(arguments.bin, arguments.python,
                                               scratch):
            deadline += share * arguments.seconds
            rows += measure_workload(name, variants, arguments.repeats, deadline, failures)

    with open(arguments.output, "w", encoding="utf-8") as file:
        json.dump({**machine.describe(), "rows": rows, "failures": failures}, file, indent=1)
    same = {True: "yes", False: "NO", None: "unknown"}
    print("| workload | variant | quantity | median us | n | over bare | same output |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        over = "" if row["over_bare"] is None else f"{row['over_bare']:.3f}"
        print(f"| {row['workload']} | {row['variant']} | {row['quantity']} | {row['median']:.1f} | "
              f"{row['n']} | {over} | {same[row['same_output']]} |")
    for failure in failures:
        print(f"[failed] {failure}")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
