# SPDX-License-Identifier: Apache-2.0
"""This experiment records which op, module and Python line launched each kernel.

PyTorch programs run bare, with prof's timeline, with each way to name a launch, and under
torch.profiler, Proton and nsys, in turns. It measures the time per step, the bytes, and the share of
the GPU time that has a name.
"""

import pathlib
import re

from lib import machine
from lib import prof_report
from lib import results
from lib import settings
from lib import turns

QUESTION = "What do names of ops, modules and lines cost, and how much of the GPU time has one?"
LIMIT_S = 600
RESULTS = ("names",)
FILES = ("names.json",)

_REPEATS = 3
_MARGIN_S = 20
_BARE, _TIMELINE, _OPS, _LINES = "bare", "timeline", "ops", "ops, stacks"
_OPTIONS = {
    _TIMELINE: (),
    _OPS: ("--torch", "ops"),
    "modules": ("--torch", "modules"),
    _LINES: ("--torch", "ops", "--python-stacks"),
    "ops, memory": ("--torch", "ops", "--torch-memory"),
    "modules, stacks, host, GPU state": ("--torch", "modules", "--python-stacks", "--host-samples",
                                         "200", "--gpu-state"),
}
_PEERS = {"torch.profiler": "torch-cpu", "torch.profiler, stacks, shapes, memory": "torch-all",
          "Proton": "proton"}
_LLAMA = "examples/pytorch/llama_like.py"
_WORKLOADS = {
    "decode": [_LLAMA, "--time", "--mode", "decode", "--steps", "200"],
    "train": [_LLAMA, "--time", "--mode", "train", "--steps", "30"],
    "vision": ["bench/programs/vision_steps.py", "--steps", "80"],
    "serve": ["bench/programs/serve_steps.py", "--steps", "400"],
}
# How much longer a step may take than with the timeline alone. Of the tenth percentile of the
# steps: the mean of two runs of one program differs by 13 % on a shared machine. names_cost decides
# it within one process.
_QUICK = "quick_us_per_step"
_MOST = {_OPS: 1.03, _LINES: 1.06}
_LEAST_WITH_OP, _LEAST_WITH_FORWARD = 0.99, 0.95


def variants(bench, workload):
    """{variant: (command, what it writes or None)}. The first is the base."""
    bare = [bench.python, *_WORKLOADS[workload]]
    found = {_BARE: (bare, None)}
    for number, (name, options) in enumerate(_OPTIONS.items()):
        snapshot = bench.path(f"names_{workload}_{number}.prof")
        found[name] = (bench.under_prof(snapshot, bare, "none", *options), snapshot)
    for name, tool in _PEERS.items():
        output = f"{bench.scratch}/names_{tool}.json"
        found[name] = ([bench.python, "bench/programs/with_tool.py", tool, output, "--",
                        *_WORKLOADS[workload]], output)
    nsys = machine.nsys()
    if nsys:
        report = f"{bench.scratch}/names_nsys"
        found["nsys, Python sampling"] = (
            [nsys, "profile", "--trace=cuda,nvtx", "--sample=none", "--cpuctxsw=none",
             "--python-sampling=true", "--force-overwrite=true", f"--output={report}", *bare],
            f"{report}.nsys-rep")
    return {name: one for name, one in found.items()
            if name == _BARE or re.search(settings.VARIANTS, name)}


def shares(report):
    """Of the GPU time of a report, what has a name. Null: there was nothing of the kind."""
    def of(part, whole):
        return part / whole if whole else None

    torch, lines = report["torch"], report.get("lines")
    found = {}
    if lines:
        with_line = sum(line["time_ns"] + line["backward_ns"] for line in lines["own"])
        found["with_line"] = of(with_line, with_line + lines["without_stack_ns"])
    if torch:
        found |= {"with_op": of(torch["gpu_in_ops_ns"], torch["gpu_ns"]),
                  "with_module": of(torch["gpu_in_modules_ns"], torch["gpu_ns"]),
                  "backward": of(torch["backward_ns"], torch["gpu_ns"]),
                  "backward_with_forward": of(torch["forward_known_ns"], torch["backward_ns"])}
    return found


def _measure(bench, workload, deadline):
    chosen = variants(bench, workload)
    rows = turns.measure_workload(workload, {name: command for name, (command, _)
                                             in chosen.items()}, _REPEATS, deadline, bench.fail)
    timeline = {row["quantity"]: row["median"] for row in rows if row["variant"] == _TIMELINE}
    for row in rows:
        base = timeline.get(row["quantity"])
        row["over_timeline"] = row["median"] / base if base else None
        output = chosen[row["variant"]][1]
        if output and row["quantity"] != turns.WALL:
            written = pathlib.Path(output)
            row["bytes"] = written.stat().st_size if written.exists() else None
            if row["variant"] in _OPTIONS:
                report = prof_report.load(bench.prof, output)
                row.update(kernels=report["totals"]["kernels"], notices=len(report["notices"]),
                           losses=report["integrity"], **shares(report))
    return rows


def goals_of(rows):
    goals = []
    for row in rows:
        if not row["quantity"].endswith(_QUICK):
            continue
        where = f"{row['workload']}, {row['variant']}"
        if row["variant"] in _MOST and row["over_timeline"]:
            limit = _MOST[row["variant"]]
            goals.append({"goal": f"{where}: time of a step over the timeline's",
                          "measured": row["over_timeline"], "limit": limit,
                          "met": row["over_timeline"] <= limit})
        if row["variant"] != _LINES:
            continue
        for name, limit in (("with_op", _LEAST_WITH_OP),
                            ("backward_with_forward", _LEAST_WITH_FORWARD)):
            if row.get(name) is not None:
                goals.append({"goal": f"{where}: share of the GPU time {name.replace('_', ' ')}",
                              "measured": row[name], "limit": limit, "met": row[name] >= limit})
    return goals


def markdown(where, rows, goals):
    return "\n".join([
        where + " In turns; medians of the runs' tenth percentiles. Shares are of the GPU time.", "",
        results.table(
            ["workload", "variant", "us per step", "n", "over bare", "over the timeline", "bytes",
             "with op", "with module", "with line", "backward with forward"],
            [[row["workload"], row["variant"], row["median"], row["n"], row["over_bare"],
              row["over_timeline"], row.get("bytes"), row.get("with_op"), row.get("with_module"),
              row.get("with_line"), row.get("backward_with_forward")]
             for row in rows if row["quantity"].endswith(_QUICK)]),
        results.goal_table(goals)])


def merge(known, result):
    """(the result, its table): the workloads of `known` that `result` lacks stay, where commit and
    hardware are the same.
    """
    same = all(known.get(name) == result[name] for name in ("commit", "hardware", "driver"))
    measured = {row["workload"] for row in result["rows"]}
    rows = [row for row in known.get("rows", []) if same and row["workload"] not in measured]
    rows += result["rows"]
    goals = goals_of(rows)
    return {**result, "rows": rows, "goals": goals}, markdown(results.where(result), rows, goals)


MERGE = merge


def run(bench):
    rows, begun_s = [], bench.left_s()
    chosen = [name for name in _WORKLOADS if re.search(settings.WORKLOADS, name)]
    for done, name in enumerate(chosen, start=1):
        share = (begun_s - _MARGIN_S) * done / len(chosen)
        rows += _measure(bench, name, bench.deadline(begun_s - share))
        goals = goals_of(rows)
        body = {"rows": rows, "goals": goals, "failures": bench.failures}
        table = markdown(bench.where(), rows, goals)
        bench.write("names", body, table)  # after each, because the time may end here
    if not rows:
        bench.fail("nothing was measured")
        return
    bench.publish("names", body, table)
