# SPDX-License-Identifier: Apache-2.0
"""This experiment compares prof's timeline with other tools that keep one.

PyTorch programs run under each tool in turns. It measures the time of a step, at the full speed of
the host where that has several, and the bytes that each tool writes for a kernel.
"""

import collections
import contextlib
import pathlib
import re
import statistics
import time

from lib import in_turn
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

_REPEATS = 5
_MARGIN_S = 30
_RUN_LIMIT_S = 60
_LEAST_PARTS = 5  # of a run at the full speed of the host
_AHEAD = 2  # programs that load PyTorch while another one runs
_BARE, _FLOOR, _PROF = "bare", "CUPTI's floor", "prof"
_PROGRAM = "bench/programs/peer_steps.py"
_WORKLOADS = {"PyTorch storm": "storm", "llama_like, decode": "decode",
              "llama_like, train": "train"}


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


def measure(name, commands, deadline, fail):
    """{variant: [the parts of a run, a run]}. `commands`: {variant: (command, what it writes)}.

    A variant that fails is missing in that round.
    """
    runs, sizes = {variant: [] for variant in commands}, {}
    order = [variant for _ in range(_REPEATS) for variant in commands]
    programs = in_turn.run([commands[variant][0] for variant in order], _RUN_LIMIT_S, _AHEAD)
    with contextlib.closing(programs) as outcomes:
        for variant, (_, code, output) in zip(order, outcomes):
            parts = turns.parts_in(output)
            if code != 0 or not parts:
                fail(f"{name}, {variant}: exit code {code}: {output.strip()[-200:]}")
            else:
                runs[variant] += parts.values()
                sizes[variant] = commands[variant][1] and size_of(commands[variant][1])
            if time.monotonic() > deadline:
                break
    return runs, sizes


def rows_of(name, runs, sizes, kernels):
    """The time of a run is the median of its parts; a row has the medians of its runs."""
    fast = turns.at_full_speed({(variant, i): parts for variant, found in runs.items()
                                for i, parts in enumerate(found)})
    all_us, fast_us = (collections.defaultdict(list) for _ in range(2))
    for variant, found in runs.items():
        for i, parts in enumerate(found):
            all_us[variant].append(statistics.median(us for us, _ in parts))
            if len(fast[variant, i]) >= _LEAST_PARTS:
                fast_us[variant].append(statistics.median(fast[variant, i]))
    rows = []
    for variant in filter(runs.get, runs):
        ratio = all_us[variant], all_us[_BARE]
        fast_ratio = fast_us[variant], fast_us[_BARE]
        rows.append({
            "workload": name, "variant": variant, "n": len(all_us[variant]),
            "us_per_step": statistics.median(all_us[variant]),
            "over_bare": turns.ratio_of_medians(*ratio) if all(ratio) else None,
            "fast_n": len(fast_us[variant]),
            "fast_us_per_step": statistics.median(fast_ratio[0]) if fast_ratio[0] else None,
            "fast_over_bare": turns.ratio_of_medians(*fast_ratio) if all(fast_ratio) else None,
            "bytes_per_kernel": sizes[variant] / kernels if sizes[variant] and kernels else None,
            "runs": runs[variant]})
    return rows


def run_workload(bench, parts, name, deadline):
    program = [_PROGRAM, _WORKLOADS[name]]
    chosen = {variant: found for variant, found in variants(bench, parts, program).items()
              if variant in (_BARE, _PROF) or re.search(settings.VARIANTS, variant)}
    runs, sizes = measure(name, chosen, deadline, bench.fail)
    kernels = None
    with bench.failing(f"{name}: kernels of prof's snapshot"):
        kernels = prof_report.load(bench.prof, chosen[_PROF][1])["totals"]["kernels"]
    return rows_of(name, runs, sizes, kernels)


def _us(row):
    """At the full speed of the host, where it had that."""
    return row["fast_us_per_step"] or row["us_per_step"]


def goals_of(rows):
    """prof is the cheapest in time and in bytes, among those that keep a timeline."""
    goals = []
    for name in _WORKLOADS:
        ours = [row for row in rows if row["workload"] == name and row["variant"] == _PROF]
        others = [row for row in rows if row["workload"] == name
                  and row["variant"] not in (_PROF, _BARE, _FLOOR)]
        if not ours or not others:
            continue
        best = min(_us(row) for row in others)
        goals.append({"goal": f"{name}: us per step, the lowest of all tools",
                      "measured": _us(ours[0]), "limit": best,
                      "met": _us(ours[0]) <= best})
        sizes = [row["bytes_per_kernel"] for row in others
                 if row["bytes_per_kernel"] and row["variant"] != "Proton"]
        if sizes and ours[0]["bytes_per_kernel"]:
            goals.append({"goal": f"{name}: bytes per kernel, the lowest that keep a timeline",
                          "measured": ours[0]["bytes_per_kernel"], "limit": min(sizes),
                          "met": ours[0]["bytes_per_kernel"] <= min(sizes)})
    return goals


def _with_interval(ratio):
    return "{:.3f} ({:.3f} to {:.3f})".format(*ratio) if ratio else None


def markdown(where, rows, goals):
    return "\n".join([
        where + " In turns; medians of n runs, with the interval of 95 % of their ratio.", "",
        results.table(
            ["workload", "variant", "us per step", "over bare", "n", "at full speed: us per step",
             "over bare", "n", "bytes per kernel"],
            [[row["workload"], row["variant"], row["us_per_step"],
              _with_interval(row["over_bare"]), row["n"], row["fast_us_per_step"],
              _with_interval(row["fast_over_bare"]), row["fast_n"], row["bytes_per_kernel"]]
             for row in rows]),
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
