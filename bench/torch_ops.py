#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program compares prof's table of the ops of PyTorch with torch.profiler's, on the CPU, and
what either costs a step. It writes the result and fills its tables in docs/.

    bench/torch_ops.py PYTHON PROBE PROF [bench/results/torch_ops.json]

PYTHON is an interpreter with PyTorch, PROBE the library of test/torch_bridge/probe.cc, PROF the
program `prof`.
"""

import collections
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from lib import docs
from lib import machine
from lib import results

ROOT = pathlib.Path(__file__).parents[1]
PROGRAM = ROOT / "bench/programs/torch_steps.py"
PROFILERS = ("none", "prof", "torch", "prof-shapes", "torch-shapes")
SIZES = {"small": (16, 200), "large": (256, 30)}  # width, steps
TURNS = 5
LEAST_SHARE = 0.03  # of the time of all ops


def table_of_prof(program, recording):
    """{op: (calls, self ns, total ns)}"""
    done = subprocess.run([program, "report", "--json", recording], check=True,
                          stdout=subprocess.PIPE)
    ops = collections.defaultdict(lambda: [0, 0, 0])
    for op in json.loads(done.stdout)["torch"]["ops"]:
        for place, value in enumerate((op["calls"], op["cpu_self_ns"], op["cpu_ns"])):
            ops[op["name"]][place] += value
    return {name: tuple(values) for name, values in ops.items()}


def table_of_torch(path):
    with open(path, encoding="utf-8") as file:
        return {op["name"]: (op["calls"], 1000 * op["self_us"], 1000 * op["total_us"])
                for op in json.load(file)}


def run(python, probe, profiler, size, out):
    """The median time of a step."""
    width, steps = SIZES[size]
    done = subprocess.run([python, "-B", PROGRAM, profiler, str(width), str(steps), out, probe],
                          check=True, stdout=subprocess.PIPE, text=True)
    return statistics.median(json.loads(done.stdout.splitlines()[-1]))


def compare(size, prof, torch):
    """A row for each op with a share of the time. `prof` and `torch`: tables of several runs."""
    def median(tables, name, place):
        return statistics.median(table.get(name, (0, 0, 0))[place] for table in tables)

    steps = SIZES[size][1]
    names = {name for table in [*prof, *torch] for name in table}
    whole_ns = sum(median(torch, name, 1) for name in names)
    rows = []
    for name in sorted(names, key=lambda name: -median(torch, name, 1)):
        row = {"size": size, "op": name}
        for of, tables in (("prof", prof), ("torch", torch)):
            for place, what in enumerate(("calls", "self_us", "total_us")):
                scale = steps if what == "calls" else 1000 * steps
                row[f"{of}_{what}"] = round(median(tables, name, place) / scale, 3)
        row["share"] = round(median(torch, name, 1) / whole_ns, 4)
        rows.append(row)
    return rows


def measure(python, probe, program):
    """Rows of the costs, and of the ops. Profilers take turns."""
    costs, ops = [], []
    for size in SIZES:
        times = collections.defaultdict(list)
        tables = collections.defaultdict(list)
        for _ in range(TURNS):
            for profiler in PROFILERS:
                with tempfile.TemporaryDirectory() as folder:
                    out = f"{folder}/out"
                    times[profiler].append(run(python, probe, profiler, size, out))
                    if profiler == "prof":
                        tables[profiler].append(table_of_prof(program, out))
                    if profiler == "torch":
                        tables[profiler].append(table_of_torch(out))
        for profiler in PROFILERS:
            spread = results.summary([time / 1000 for time in times[profiler]])
            over = spread["median"] / (statistics.median(times["none"]) / 1000)
            costs.append({"size": size, "profiler": profiler, "step_us": spread,
                          "over_none": round(over, 4)})
        ops += compare(size, tables["prof"], tables["torch"])
    return costs, ops


def tables(head, torch_version, costs, ops):
    names = {"none": "none", "prof": "`--torch ops`", "prof-shapes": "the same, `--torch-shapes`",
             "torch": "torch.profiler", "torch-shapes": "the same, `record_shapes`"}
    cost = results.table(
        ["steps", "profiler", "us a step", "of none"],
        [[row["size"], names[row["profiler"]], results.spread(row["step_us"]),
          f"{row['over_none']:.3f}"] for row in costs])
    ratio = lambda row, what: (f"{row['prof_' + what] / row['torch_' + what]:.2f}"
                               if row["torch_" + what] else "")
    shown = results.table(
        ["steps", "op", "calls a step, prof", "torch.profiler", "self us a step, prof",
         "torch.profiler", "ratio", "ratio of total"],
        [[row["size"], f"`{row['op']}`", row["prof_calls"], row["torch_calls"],
          row["prof_self_us"], row["torch_self_us"], ratio(row, "self_us"), ratio(row, "total_us")]
         for row in ops if row["share"] >= LEAST_SHARE])
    return f"{results.where(head)} PyTorch {torch_version}.\n\n{cost}\n{shown}"


def main(words):
    if len(words) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    python, probe, program = words[:3]
    version = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout.strip()
    costs, ops = measure(python, probe, program)
    head = machine.describe_cpu("bench/torch_ops.py")
    text = tables(head, version, costs, ops)
    print(text)
    if len(words) == 3:
        return 0
    problem = results.write(words[3], head, {"torch": version, "costs": costs, "ops": ops})
    if problem:
        print(f"no {words[3]}: {problem}", file=sys.stderr)
        return 1
    page = ROOT / "docs/measurements/torch-ops.md"
    results.write_text(page, docs.fill(page.read_text(encoding="utf-8"), "torch_ops", text))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
