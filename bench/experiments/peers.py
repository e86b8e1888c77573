# SPDX-License-Identifier: Apache-2.0
"""This experiment compares prof's timeline with other tools that keep one.

PyTorch programs run under each tool in turns. It measures the time per step and in all, and the
bytes that each tool writes for a kernel.
"""

import pathlib
import re

from lib import machine
from lib import prof_report
from lib import results
from lib import settings
from lib import turns

QUESTION = "What does the timeline cost beside torch.profiler, Proton and nsys?"
LIMIT_S = 280
RESULTS = ("peers",)


def _name():
    """The name of the result. Some of the workloads or variants are a part of it."""
    words = re.findall(r"\w+", f"{settings.WORKLOADS} {settings.VARIANTS}")
    return ".".join(filter(None, ["peers", "_".join(words)]))


_NAME = _name()
FILES = (f"{_NAME}.json",)

_REPEATS = 3
_MARGIN_S = 30
_BARE, _FLOOR, _PROF = "bare", "CUPTI's floor", "prof"
_LLAMA = "examples/pytorch/llama_like.py"
_WORKLOADS = {
    "PyTorch storm": ["bench/programs/pytorch_storm.py", "--steps", "100000"],
    "llama_like, decode": [_LLAMA, "--time", "--mode", "decode", "--steps", "300"],
    "llama_like, train": [_LLAMA, "--time", "--mode", "train", "--steps", "40"],
}


def variants(bench, parts, program):
    """{variant: (command, what it writes or None)}. The first is the base.

    `parts`: tracing_parts.cc as a library, or None.
    """
    python, scratch = bench.python, bench.scratch
    bare = [python, *program]

    def under(tool, output):
        return [python, "bench/programs/with_tool.py", tool, output, "--", *program], output

    snapshot = f"{scratch}/prof.prof"
    found = {_BARE: (bare, None)}
    if parts:
        found[_FLOOR] = (bench.injected(parts, bare), None)
    found |= {
        _PROF: (bench.under_prof(snapshot, bare), snapshot),
        "torch.profiler, CUDA": under("torch", f"{scratch}/torch.json"),
        "torch.profiler, CPU and CUDA": under("torch-cpu", f"{scratch}/torch_cpu.json"),
        # It sums up by scope and keeps no timeline, so its file does not grow with the launches.
        "Proton": under("proton", f"{scratch}/proton.hatchet"),
    }
    nsys = machine.nsys()
    if nsys:
        found["nsys"] = ([nsys, "profile", "--trace=cuda,nvtx", "--sample=none",
                          "--cpuctxsw=none", "--force-overwrite=true", f"--output={scratch}/nsys",
                          *bare], f"{scratch}/nsys.nsys-rep")
    return found


def size_of(path):
    """nsys leaves a .qdstrm where it cannot make a report."""
    for candidate in (pathlib.Path(path), pathlib.Path(path).with_suffix(".qdstrm")):
        if candidate.exists():
            return candidate.stat().st_size
    return None


def run_workload(bench, parts, name, deadline):
    chosen = {variant: found for variant, found
              in variants(bench, parts, _WORKLOADS[name]).items()
              if variant == _PROF or re.search(settings.VARIANTS, variant)}
    rows = turns.measure_workload(name, {variant: command for variant, (command, _)
                                         in chosen.items()}, _REPEATS, deadline, bench.fail)
    kernels = None
    with bench.failing(f"{name}: kernels of prof's snapshot"):
        kernels = prof_report.load(bench.prof, chosen[_PROF][1])["totals"]["kernels"]
    for row in rows:
        output = chosen[row["variant"]][1]
        size = size_of(output) if output else None
        row["bytes"] = size
        row["bytes_per_kernel"] = size / kernels if size and kernels else None
    return rows


def goals_of(rows):
    """prof is the cheapest in time and in bytes, among those that keep a timeline."""
    goals = []
    rows = [row for row in rows if row["quantity"] != turns.WALL]
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


def markdown(where, rows, goals):
    return "\n".join([
        where + " In turns; medians.", "",
        results.table(
            ["workload", "variant", "quantity", "median", "n", "over bare", "bytes per kernel"],
            [[row["workload"], row["variant"], row["quantity"], row["median"], row["n"],
              row["over_bare"], row["bytes_per_kernel"]] for row in rows]),
        results.goal_table(goals)])


def run(bench):
    parts = bench.build_injection("tracing_parts")
    rows, begun_s = [], bench.left_s()
    chosen = [name for name in _WORKLOADS if re.search(settings.WORKLOADS, name)]
    for done, name in enumerate(chosen, start=1):
        share = (begun_s - _MARGIN_S) * done / len(chosen)
        rows += run_workload(bench, parts, name, bench.deadline(begun_s - share))
        goals = goals_of(rows)
        body = {"rows": rows, "goals": goals, "failures": bench.failures}
        table = markdown(bench.where(), rows, goals)
        bench.write(_NAME, body, table)  # after each, because the time may end here
    if not rows:
        bench.fail("nothing was measured")
        return
    bench.publish(_NAME, body, table)
